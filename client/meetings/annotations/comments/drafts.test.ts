import { createStore } from 'jotai';
import { expect, it } from 'vitest';
import type { Comment } from '#shared/meetings/annotations.ts';

import { privateChoiceAtom, privateChoicesAtom } from '../base/private-choice.ts';
import { anewAtom, draftAtom, draftHomesAtom, draftsAtom, leftDrafts } from './drafts.ts';

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
  { what: 'an answer to what stands', key: 'reply a', now: those(comment('a')), left: false },
  { what: 'an answer to what is gone', key: 'reply a', now: those(comment('b')), left: true },
  {
    what: 'an answer where others have answered',
    key: 'reply a',
    now: those(comment('a', gone), comment('b', { parent: 'a' })),
    left: false,
  },
  { what: 'an answer to what nothing hangs on any more', key: 'reply a', now: those(comment('a', gone)), left: true },
  {
    what: 'a change of what stands',
    key: 'edit b',
    now: those(comment('a'), comment('b', { parent: 'a' })),
    left: false,
  },
  { what: 'a change of what is gone', key: 'edit b', now: those(comment('a')), left: true },
  {
    what: 'a change of what only keeps its place',
    key: 'edit a',
    now: those(comment('a', gone), comment('b', { parent: 'a' })),
    left: true,
  },
])('$what: left over $left', ({ key, now, left }) => {
  expect(leftDrafts(new Map([[key, home]]), 'm', now)).toEqual(left ? [key] : []);
  expect(leftDrafts(new Map([[key, home]]), 'another', now)).toEqual([]);
});

it('a draft without a home is of no comment, and its home goes with it', () => {
  const store = createStore();
  store.set(draftAtom, 'new m', 'begun');
  store.set(draftAtom, 'reply a', 'begun', home);
  expect([...store.get(draftHomesAtom).keys()]).toEqual(['reply a']);
  store.set(draftAtom, 'reply a', null);
  expect([...store.get(draftHomesAtom).keys()]).toEqual([]);
});

it.each([
  { what: 'about what was private', about: { ...about, private: true }, said: null, own: true },
  { what: 'about what everybody read', about: { ...about, private: false }, said: null, own: undefined },
  { what: 'that was to be for oneself', about: { ...about, private: false }, said: true, own: true },
  { what: 'that was to be for everybody', about: { ...about, private: false }, said: false, own: false },
])('what was written $what is as private when it becomes a comment of its own', ({ about: gone, said, own }) => {
  const store = createStore();
  store.set(draftAtom, 'reply a', 'words', { meeting: 'm', about: gone });
  store.set(privateChoiceAtom, 'reply a', said);
  expect(store.set(anewAtom, 'reply a')).toBe(true);
  expect([...store.get(draftsAtom)]).toEqual([['new m', 'words']]);
  expect(store.get(privateChoicesAtom).get('new m')).toBe(own);
});

it('what becomes a comment of its own takes the place of no other that was begun', () => {
  const store = createStore();
  store.set(draftAtom, 'new m', 'begun');
  store.set(draftAtom, 'reply a', 'words', home);
  expect(store.set(anewAtom, 'reply a')).toBe(false);
  expect([...store.get(draftsAtom)]).toEqual([
    ['new m', 'begun'],
    ['reply a', 'words'],
  ]);
  store.set(draftAtom, 'new m', null);
  expect(store.set(anewAtom, 'reply a')).toBe(true);
  expect([...store.get(draftsAtom)]).toEqual([['new m', 'words']]);
});
