import { atom } from 'jotai';

import type { Anchored } from '#shared/meetings/anchors.ts';
import type { Comment } from '#shared/meetings/annotations.ts';

import { reportOnlyHereAtom } from '../../../store.ts';
import { privateChoiceAtom, privateChoicesAtom } from '../base/private-choice.ts';
import { isBlank, threadsOf } from '../base/threads.ts';

/** Counted up when the field for it is to get the focus. */
export const composeFocusAtom = atom(0);

/** Of an answer or a change: the recording, and the words its comment is about. */
export interface DraftHome {
  meeting: string;
  about: Anchored & { private?: boolean };
}

const drafts = atom<ReadonlyMap<string, string>>(new Map());
const homes = atom<ReadonlyMap<string, DraftHome>>(new Map());

export const draftHomesAtom = atom((get) => get(homes));

/** Of a comment that is begun in a recording. */
export const newKey = (meeting: string): string => `new ${meeting}`;

/**
 * What was begun and not sent, by what it is for: `new` and the recording, or the id of what is answered or changed. It
 * outlasts a pane that is closed, and whoever closes the page over it is asked first.
 */
export const draftsAtom = atom((get) => get(drafts));

export const draftAtom = atom(null, (get, set, key: string, text: string | null, home: DraftHome | null = null) => {
  const next = new Map(get(drafts));
  const places = new Map(get(homes));
  if (text !== null && home) places.set(key, home);
  else places.delete(key);
  set(homes, places);
  if (text === null) next.delete(key);
  else next.set(key, text);
  set(drafts, next);
  set(reportOnlyHereAtom, 'drafts', next.size);
});

const fields = atom<ReadonlySet<string>>(new Set<string>());

/** What there is a field for now, also where nothing is written in it yet. */
export const fieldsAtom = atom((get) => get(fields));

export const fieldAtom = atom(null, (get, set, key: string, stands: boolean) => {
  const next = new Set(get(fields));
  if (stands) next.add(key);
  else next.delete(key);
  set(fields, next);
});

/** What was written about a comment that is gone becomes one of its own, as private as it was to be; not where one is begun. */
export const anewAtom = atom(null, (get, set, key: string): boolean => {
  const [text, home] = [get(drafts).get(key), get(homes).get(key)];
  if (text === undefined || !home || get(drafts).has(newKey(home.meeting))) return false;
  set(
    privateChoiceAtom,
    newKey(home.meeting),
    home.about.private === true || (get(privateChoicesAtom).get(key) ?? null),
  );
  set(draftAtom, newKey(home.meeting), text);
  set(draftAtom, key, null);
  return true;
});

/** Keys of what was begun in a recording about a comment that is no longer there: no card stands for it any more. */
export function leftDrafts(
  known: ReadonlyMap<string, DraftHome>,
  meeting: string,
  comments: ReadonlyMap<string, Comment>,
): string[] {
  const talks = new Set(threadsOf(comments).map(({ root }) => root.id));
  const stands = (key: string): boolean => {
    const [what, id = ''] = key.split(' ');
    const comment = comments.get(id);
    return what === 'reply' ? talks.has(id) : comment !== undefined && !isBlank(comment);
  };
  return [...known].flatMap(([key, home]) => (home.meeting === meeting && !stands(key) ? [key] : []));
}

export type Shown = 'open' | 'resolved' | 'all';

/** Which talks are listed. */
export const shownAtom = atom<Shown>('open');
