import { atom } from 'jotai';

/** Whether the form of a search for outcomes is open; it outlives the closed pane. */
export const detectFormAtom = atom(false);
