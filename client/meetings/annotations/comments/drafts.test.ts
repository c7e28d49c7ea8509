import { createStore } from 'jotai';
import { expect, it } from 'vitest';
import type { Comment } from '#shared/meetings/annotations.ts';

import { privateChoiceAtom, privateChoicesAtom } from '../base/private-choice.ts';
import { draftToNewAtom, draftAtom, draftHomesAtom, draftsAtom, orphanedDrafts } from './drafts.ts';

const about = { anchor: null, start: 1, end: 2, quote: 'words' };
const home = { meeting: 'm', about };
const comment = (id: string, more: Partial<Comment> = {}): Comment => ({
  ...{ ...about, id, rev: 1, private: false, createdAt: '2026-01-01T00:00:00.000Z', editTimestamp: null },
  ...{ author: { id: 'ann', kind: 'user', name: 'Ann' }, parent: null, text: 'said', resolved: null, url: null },
  ...more,
});
const gone = { author: { id: '', kind: 'deleted', name: '' }, text: '' } as const;
const those = (...list: Comment[]) => new Map(list.map((one) => [one.id, one]));

it.each([
  { what: 'a reply to an existing comment', key: 'reply a', now: those(comment('a')), orphaned: false },
  { what: 'a reply to a deleted comment', key: 'reply a', now: those(comment('b')), orphaned: true },
  {
    what: 'a reply to a deleted comment with other replies',
    key: 'reply a',
    now: those(comment('a', gone), comment('b', { parent: 'a' })),
    orphaned: false,
  },
  {
    what: 'a reply to a deleted comment without other replies',
    key: 'reply a',
    now: those(comment('a', gone)),
    orphaned: true,
  },
  {
    what: 'an edit of an existing comment',
    key: 'edit b',
    now: those(comment('a'), comment('b', { parent: 'a' })),
    orphaned: false,
  },
  { what: 'an edit of a deleted comment', key: 'edit b', now: those(comment('a')), orphaned: true },
  {
    what: 'an edit of a comment blanked for its replies',
    key: 'edit a',
    now: those(comment('a', gone), comment('b', { parent: 'a' })),
    orphaned: true,
  },
])('$what: orphaned $orphaned', ({ key, now, orphaned }) => {
  expect(orphanedDrafts(new Map([[key, home]]), 'm', now)).toEqual(orphaned ? [key] : []);
  expect(orphanedDrafts(new Map([[key, home]]), 'another', now)).toEqual([]);
});

it('a draft without a home belongs to no comment, and removing a draft removes its home', () => {
  const store = createStore();
  store.set(draftAtom, 'new m', 'begun');
  store.set(draftAtom, 'reply a', 'begun', home);
  expect([...store.get(draftHomesAtom).keys()]).toEqual(['reply a']);
  store.set(draftAtom, 'reply a', null);
  expect([...store.get(draftHomesAtom).keys()]).toEqual([]);
});

it.each([
  { what: 'about a private comment', about: { ...about, private: true }, choice: null, own: true },
  { what: 'about a shared comment', about: { ...about, private: false }, choice: null, own: undefined },
  { what: 'as private', about: { ...about, private: false }, choice: true, own: true },
  { what: 'as shared', about: { ...about, private: false }, choice: false, own: false },
])('a draft $what stays as private when it becomes a new comment', ({ about: gone, choice, own }) => {
  const store = createStore();
  store.set(draftAtom, 'reply a', 'words', { meeting: 'm', about: gone });
  store.set(privateChoiceAtom, 'reply a', choice);
  expect(store.set(draftToNewAtom, 'reply a')).toBe(true);
  expect([...store.get(draftsAtom)]).toEqual([['new m', 'words']]);
  expect(store.get(privateChoicesAtom).get('new m')).toBe(own);
});

it('a draft that becomes a new comment never replaces one that is already begun', () => {
  const store = createStore();
  store.set(draftAtom, 'new m', 'begun');
  store.set(draftAtom, 'reply a', 'words', home);
  expect(store.set(draftToNewAtom, 'reply a')).toBe(false);
  expect([...store.get(draftsAtom)]).toEqual([
    ['new m', 'begun'],
    ['reply a', 'words'],
  ]);
  store.set(draftAtom, 'new m', null);
  expect(store.set(draftToNewAtom, 'reply a')).toBe(true);
  expect([...store.get(draftsAtom)]).toEqual([['new m', 'words']]);
});
