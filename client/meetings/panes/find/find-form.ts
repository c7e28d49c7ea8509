import { atom } from 'jotai';

/** What was asked for last stands there when the pane is opened again. */
export const findFormAtom = atom({ query: '', replacement: '', caseSensitive: false, wholeWords: false });

/** Which field wants the focus: a new object each time a key asks. */
export const findFocusAtom = atom<{ field: 'query' | 'replacement' } | null>(null);
