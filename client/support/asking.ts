import { atom } from 'jotai';

/** Current time of the recording on the page, in milliseconds; null without one. */
export const recordingTimeAtom = atom<{ readonly ms: number } | null>(null);

/** A prefilled question to support, or an empty one; writing it opens the panel. */
export const askSupportAtom = atom<string | null>(null);
