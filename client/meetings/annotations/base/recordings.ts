import { atom } from 'jotai';

import type { Anchored } from '#shared/meetings/anchors.ts';

import { reportOnlyHereAtom } from '../../../store.ts';
import type { UnsentSource } from '../../base/unsent-source.ts';
import type { Command } from './commands.ts';
import type { Recorder, Recording } from './recorder.ts';

/** Unsent voice note, with its passage if that is stored with it. */
export interface UnsentVoiceNote extends Recording {
  about?: Anchored & { private?: boolean };
}

const recordings = atom<ReadonlyMap<string, UnsentVoiceNote>>(new Map());
const recorders = atom<ReadonlyMap<string, Recorder>>(new Map());

/** Unsent voice notes count as unsaved even without a screen that shows them. */
const report = atom(null, (get, set) => set(reportOnlyHereAtom, 'voices', get(recordings).size + get(recorders).size));

/** Unsent voice notes by their keys; like drafts, they outlast a closed pane. */
export const recordingsAtom = atom((get) => get(recordings));

/** Running recorders by their keys. */
export const recordersAtom = atom((get) => get(recorders));

/** Stores a voice note; null discards it, also while it is being recorded. */
export const recordingAtom = atom(null, (get, set, key: string, recording: UnsentVoiceNote | null) => {
  if (!recording) get(recorders).get(key)?.cancel();
  const next = new Map(get(recordings));
  if (recording) next.set(key, recording);
  else next.delete(key);
  set(recordings, next);
  set(report);
});

/** Registers a recorder while it runs. */
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

/** Voice replies to deleted comments, with their keys. */
export function orphanedReplies(
  voiceNotes: ReadonlyMap<string, UnsentVoiceNote>,
  meeting: string,
  exists: (comment: string) => boolean,
): (readonly [key: string, voiceNote: UnsentVoiceNote])[] {
  return [...voiceNotes].filter(([key]) => {
    const parent = key.startsWith(`${meeting} `) ? / reply (\S+)$/.exec(key)?.[1] : undefined;
    return parent !== undefined && !exists(parent);
  });
}

/** Voice note of a command. */
export const voiceOf = (command: Command): Blob | null => (command.do === 'add' ? (command.voice ?? null) : null);

/**
 * Upload of a voice note failed, so its annotation was not sent. The queue reads it like the failure that caused it.
 */
export class NotUploaded extends Error {
  override readonly name = 'NotUploaded';
  /** Commands without a voice note are not affected. */
  readonly alone = true;
  readonly status: number;
  readonly retryAfter: number | undefined;

  constructor(failure: { status: number; retryAfter: number | undefined }, cause: unknown) {
    super('an attachment was not taken', { cause });
    this.status = failure.status;
    this.retryAfter = failure.retryAfter;
  }
}

/** Keys start with the meeting's id. */
const keysIn = atom(
  (get) =>
    (meeting: string): string[] =>
      [...get(recordings).keys()].filter((key) => key.startsWith(`${meeting} `)),
);

export const unsentVoiceNotes: UnsentSource = {
  of: 'said',
  inMeeting: atom(
    (get) => (meeting: string) =>
      get(keysIn)(meeting).map((key) => ({ text: '', voiceNote: get(recordings).get(key)?.blob ?? null })),
  ),
  discard: atom(null, (get, set, meeting: string) => {
    for (const key of get(keysIn)(meeting)) set(recordingAtom, key, null);
  }),
};
