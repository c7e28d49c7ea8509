import { atom } from 'jotai';

/** Last search, kept for when the pane opens again. */
export const findFormAtom = atom({ query: '', replacement: '', caseSensitive: false, wholeWords: false });

/** Field to focus: a new object for each shortcut press. */
export const findFocusAtom = atom<{ field: 'query' | 'replacement' } | null>(null);
