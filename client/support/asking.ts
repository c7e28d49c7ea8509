import { atom } from 'jotai';

/** A prefilled question to support; writing it opens the panel. */
export const askSupportAtom = atom<string | null>(null);
