import { atom } from 'jotai';

/** Competency that the key for the next ungraded one reached last; `times` rises with each press. */
export const reachedAtom = atom<{ type: string | null; times: number }>({ type: null, times: 0 });
