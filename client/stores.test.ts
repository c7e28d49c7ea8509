import { QueryClient } from '@tanstack/react-query';
import { expect, it } from 'vitest';

import { draftAtom, draftsAtom } from './meetings/annotations/comments/drafts.ts';
import { forgetSeen, sessionKey } from './session.ts';
import { onlyHereAtom, unsavedAtom } from './store.ts';
import { Stores } from './stores.ts';

it('state belongs to one person: they find it again, others do not, and signing out removes it', () => {
  const stores = new Stores();
  const shown: number[] = [];
  stores.subscribe(() => shown.push(stores.read().person));
  const draft = () => stores.store.get(draftsAtom).get('new m');
  stores.is('ann');
  stores.store.set(draftAtom, 'new m', 'begun');
  expect([stores.store.get(onlyHereAtom), stores.store.get(unsavedAtom)]).toEqual([1, 1]);
  // The session ended, and she has signed in again.
  stores.is('ann');
  expect(draft()).toBe('begun');
  stores.is('ben');
  expect([draft(), stores.store.get(onlyHereAtom), shown]).toEqual([undefined, 0, [1]]);
  stores.store.set(draftAtom, 'new m', 'his');
  stores.forget();
  expect([draft(), shown]).toEqual([undefined, [1, 1]]);
  stores.is('ann');
  expect(shown).toEqual([1, 1]);
  stores.store.set(draftAtom, 'new m', 'sent');
  stores.store.set(draftAtom, 'new m', null);
  expect(stores.store.get(onlyHereAtom)).toBe(0);
});

it('data of the last person is removed before anything is shown to the next', () => {
  const queries = new QueryClient();
  const stores = new Stores(() => forgetSeen(queries));
  const known = () =>
    queries
      .getQueryCache()
      .findAll()
      .map(({ queryKey }) => queryKey);
  const shown: unknown[] = [];
  stores.subscribe(() => shown.push(known()));
  stores.is('ann');
  queries.setQueryData(sessionKey, { principal: { id: 'ann' } });
  queries.setQueryData(['meetings', 'all'], ['hers']);
  queries.setQueryData(['meeting', 'm', 'about'], 'hers');
  stores.is('ann');
  expect([known().length, shown]).toEqual([3, []]);
  stores.is('ben');
  expect([known(), shown]).toEqual([[sessionKey], [[sessionKey]]]);
});
