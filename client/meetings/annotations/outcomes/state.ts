import { atom } from 'jotai';

/** Id of the card that takes the focus when drawn, so that its grades can be given by keyboard. */
export const focusedCardAtom = atom<string | null>(null);

interface OutcomeFilter {
  /** Outcome type; empty for all. */
  type: string;
  author: string;
  /** Listed by type, each under a heading. */
  grouped: boolean;
}

export const filterAtom = atom<OutcomeFilter>({ type: '', author: '', grouped: false });
