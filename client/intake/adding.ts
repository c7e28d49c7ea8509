import { atom } from 'jotai';

/** Whether somebody is adding a recording, and the file it began with, if it was dropped. */
export const addingAtom = atom<{ file: File | null } | null>(null);
