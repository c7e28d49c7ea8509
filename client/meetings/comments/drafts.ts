import { atom } from 'jotai';

import { reportOnlyHereAtom } from '../../store.ts';

/** Counted up when the field for it is to get the focus. */
export const composeFocusAtom = atom(0);

const drafts = atom<ReadonlyMap<string, string>>(new Map());

/**
 * What was begun and not sent, by what it is for: `new` and the recording, or the id of what is answered or changed. It
 * outlasts a pane that is closed, and whoever closes the page over it is asked first.
 */
export const draftsAtom = atom((get) => get(drafts));

export const draftAtom = atom(null, (get, set, key: string, text: string | null) => {
  const next = new Map(get(drafts));
  if (text === null) next.delete(key);
  else next.set(key, text);
  set(drafts, next);
  set(reportOnlyHereAtom, 'drafts', next.size);
});

export type Shown = 'open' | 'resolved' | 'all';

/** Which talks are listed. */
export const shownAtom = atom<Shown>('open');
