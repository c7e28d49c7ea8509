import { atom } from 'jotai';

/** Counted up when the field for it is to get the focus. */
export const composeFocusAtom = atom(0);

/**
 * What was begun and not sent, by what it is for: `new`, or the id of what is answered or changed. It outlasts a pane
 * that is closed.
 */
export const draftsAtom = atom<ReadonlyMap<string, string>>(new Map());

export const draftAtom = atom(null, (get, set, key: string, text: string | null) => {
  const next = new Map(get(draftsAtom));
  if (text === null) next.delete(key);
  else next.set(key, text);
  set(draftsAtom, next);
});

export type Shown = 'open' | 'resolved' | 'all';

/** Which talks are listed. */
export const shownAtom = atom<Shown>('open');
