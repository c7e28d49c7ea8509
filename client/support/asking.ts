import { atom } from 'jotai';

/** What somebody is about to ask people for help with, as some screen words it; the panel takes it up. */
export const askSupportAtom = atom<string | null>(null);
