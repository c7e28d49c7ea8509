import { atom } from 'jotai';

import type { Anchored } from '#shared/meetings/anchors.ts';
import type { Comment } from '#shared/meetings/annotations.ts';
import { plainOf } from '#shared/meetings/rich-text.ts';

import { reportOnlyHereAtom } from '../../../store.ts';
import type { UnsentSource } from '../../base/unsent-source.ts';
import { privateChoiceAtom, privateChoicesAtom } from '../base/private-choice.ts';
import { isBlank, threadsOf } from '../base/threads.ts';

/** Counter that rises when the field for a new comment should get the focus. */
export const composeFocusAtom = atom(0);

/** Meeting and passage of a draft that replies to a comment or edits it. */
export interface DraftHome {
  meeting: string;
  about: Anchored & { private?: boolean };
}

const drafts = atom<ReadonlyMap<string, string>>(new Map());
const homes = atom<ReadonlyMap<string, DraftHome>>(new Map());

export const draftHomesAtom = atom((get) => get(homes));

/** Draft key of a new comment in a recording. */
export const newKey = (meeting: string): string => `new ${meeting}`;

/**
 * Unsent drafts by key: `new` and the meeting's id, or `reply`/`edit` and the comment's id. They outlast a closed pane;
 * closing the page asks for confirmation first.
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

/** Keys of the fields on screen, including empty ones. */
export const fieldsAtom = atom((get) => get(fields));

export const fieldAtom = atom(null, (get, set, key: string, visible: boolean) => {
  const next = new Set(get(fields));
  if (visible) next.add(key);
  else next.delete(key);
  set(fields, next);
});

/**
 * Turns a draft about a deleted comment into a new comment with the same privacy; false if a new comment is already
 * begun.
 */
export const draftToNewAtom = atom(null, (get, set, key: string): boolean => {
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

/** Keys of drafts whose comment was deleted, so that no card shows them. */
export function orphanedDrafts(
  known: ReadonlyMap<string, DraftHome>,
  meeting: string,
  comments: ReadonlyMap<string, Comment>,
): string[] {
  const threads = new Set(threadsOf(comments).map(({ root }) => root.id));
  const hasCard = (key: string): boolean => {
    const [what, id = ''] = key.split(' ');
    const comment = comments.get(id);
    return what === 'reply' ? threads.has(id) : comment !== undefined && !isBlank(comment);
  };
  return [...known].flatMap(([key, home]) => (home.meeting === meeting && !hasCard(key) ? [key] : []));
}

export type Shown = 'open' | 'resolved' | 'all';

/** Filter of the listed threads. */
export const shownAtom = atom<Shown>('open');

const keysIn = atom((get) => (meeting: string): string[] => {
  const known = get(homes);
  return [...get(drafts).keys()].filter((key) => key === newKey(meeting) || known.get(key)?.meeting === meeting);
});

export const unsentDrafts: UnsentSource = {
  of: 'said',
  inMeeting: atom((get) => (meeting: string) => {
    const texts = get(keysIn)(meeting).map((key) => plainOf(get(drafts).get(key) ?? ''));
    return texts.filter((text) => text !== '').map((text) => ({ text }));
  }),
  discard: atom(null, (get, set, meeting: string) => {
    for (const key of get(keysIn)(meeting)) {
      set(draftAtom, key, null);
      set(privateChoiceAtom, key, null);
    }
  }),
};
