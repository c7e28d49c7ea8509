import { atom } from 'jotai';

import type { Correction } from './correction.ts';

/** Last search, kept for when the pane opens again. */
export const findFormAtom = atom({ query: '', replacement: '', caseSensitive: false, wholeWords: false });

/** Field to focus: a new object for each shortcut press. */
export const findFocusAtom = atom<{ field: 'query' | 'replacement' } | null>(null);

/** Name whose spelling is about to be kept in a glossary. */
export const keepAtom = atom<Correction | null>(null);
