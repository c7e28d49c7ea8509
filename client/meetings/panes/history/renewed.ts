import { atom } from 'jotai';

/** Latest new document of which the page has notified the reader. */
export const renewedAtom = atom<{ meeting: string; generation: number } | null>(null);
