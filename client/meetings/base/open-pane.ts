import { atom } from 'jotai';

/** Which pane of the dock is open, by its id: keys open panes, too. */
export const openPaneAtom = atom<string | null>(null);
