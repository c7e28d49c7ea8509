import { atom } from 'jotai';

import type { ImportNote } from '#shared/formats/notes.ts';

/** What was doubtful in the transcript that took the place of a text; outlasts the page, which opens the new one. */
export const replacedAtom = atom<{ id: string; notes: readonly ImportNote[] } | null>(null);
