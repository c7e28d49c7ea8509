import { atom } from 'jotai';

import type { ImportNote } from '#shared/formats/notes.ts';

/** Import notes about the new transcript. Outlives the page, which opens the new document. */
export const replacedAtom = atom<{ id: string; notes: readonly ImportNote[] } | null>(null);
