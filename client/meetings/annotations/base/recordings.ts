import { atom } from 'jotai';

import type { Anchored } from '#shared/meetings/anchors.ts';

import { reportOnlyHereAtom } from '../../../store.ts';
import type { Command } from './commands.ts';
import type { Recorder, Recording } from './recorder.ts';

/** What was recorded and not sent, with the words it was spoken about where they are kept with it. */
export interface Spoken extends Recording {
  about?: Anchored & { private?: boolean };
}

const recordings = atom<ReadonlyMap<string, Spoken>>(new Map());
const recorders = atom<ReadonlyMap<string, Recorder>>(new Map());

/** None of it can be said again by anybody else: no screen has to stand for it to count. */
const report = atom(null, (get, set) => set(reportOnlyHereAtom, 'voices', get(recordings).size + get(recorders).size));

/** What was recorded and not sent, by what it is for; like a draft it outlasts a pane that is closed. */
export const recordingsAtom = atom((get) => get(recordings));

/** Those that are recording now, by what they record for. */
export const recordersAtom = atom((get) => get(recorders));

/** With null all of it is thrown away, also what is being recorded. */
export const recordingAtom = atom(null, (get, set, key: string, recording: Spoken | null) => {
  if (!recording) get(recorders).get(key)?.cancel();
  const next = new Map(get(recordings));
  if (recording) next.set(key, recording);
  else next.delete(key);
  set(recordings, next);
  set(report);
});

/** A recorder has begun or ended. */
export const recorderAtom = atom(null, (get, set, key: string, recorder: Recorder) => {
  const runs = recorder.now().is === 'recording';
  const known = get(recorders).get(key);
  if (runs ? known === recorder : known !== recorder) return;
  const next = new Map(get(recorders));
  if (runs) next.set(key, recorder);
  else next.delete(key);
  set(recorders, next);
  set(report);
});

/** Spoken answers to what is no longer there, by their keys. */
export function unanswerable(
  spoken: ReadonlyMap<string, Spoken>,
  meeting: string,
  isThere: (comment: string) => boolean,
): (readonly [key: string, spoken: Spoken])[] {
  return [...spoken].filter(([key]) => {
    const answered = key.startsWith(`${meeting} `) ? / reply (\S+)$/.exec(key)?.[1] : undefined;
    return answered !== undefined && !isThere(answered);
  });
}

/** The voice a command takes along. */
export const voiceOf = (command: Command): Blob | null => (command.do === 'add' ? (command.voice ?? null) : null);

/** The sound did not arrive: its item was not sent. Read by the queue like what caused it. */
export class NotUploaded extends Error {
  override readonly name = 'NotUploaded';
  /** Says nothing of what carries no sound. */
  readonly alone = true;
  readonly status: number;
  readonly retryAfter: number | undefined;

  constructor(failure: { status: number; retryAfter: number | undefined }, cause: unknown) {
    super('an attachment was not taken', { cause });
    this.status = failure.status;
    this.retryAfter = failure.retryAfter;
  }
}
