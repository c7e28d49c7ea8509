import { atom } from 'jotai';

/** The card that gets the focus when it is drawn: grades are given there by keys. */
export const focusedCardAtom = atom<string | null>(null);

interface OutcomeFilter {
  /** Empty for all. */
  type: string;
  author: string;
}

export const filterAtom = atom<OutcomeFilter>({ type: '', author: '' });
