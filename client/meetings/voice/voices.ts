import { atom } from 'jotai';

import type { Command } from '../items/commands.ts';
import type { Recording } from './recorder.ts';

/** What was recorded and not sent, by what it is for; like a draft it outlasts a pane that is closed. */
export const recordingsAtom = atom<ReadonlyMap<string, Recording>>(new Map());

export const recordingAtom = atom(null, (get, set, key: string, recording: Recording | null) => {
  const next = new Map(get(recordingsAtom));
  if (recording) next.set(key, recording);
  else next.delete(key);
  set(recordingsAtom, next);
});

/** What was spoken and refused: it stays until somebody has listened to it, and tried again or let it go. */
export const lostVoicesAtom = atom<readonly LostVoice[]>([]);

export interface LostVoice {
  meeting: string;
  command: Command;
}

/** The voice a command takes along. */
export const voiceOf = (command: Command): Blob | null => (command.do === 'add' ? (command.voice ?? null) : null);

/** The sound did not arrive: its item was not sent. Read by the queue like what caused it. */
export class NotUploaded extends Error {
  override readonly name = 'NotUploaded';
  readonly status: number;
  readonly retryAfter: number | undefined;

  constructor(failure: { status: number; retryAfter: number | undefined }, cause: unknown) {
    super('an attachment was not taken', { cause });
    this.status = failure.status;
    this.retryAfter = failure.retryAfter;
  }
}
