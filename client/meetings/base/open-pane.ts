import { atom } from 'jotai';

/** Id of the open pane; in an atom because shortcuts also open panes. */
export const openPaneAtom = atom<string | null>(null);
