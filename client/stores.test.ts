import { expect, it } from 'vitest';

import { draftAtom, draftsAtom } from './meetings/comments/drafts.ts';
import { onlyHereAtom, unsavedAtom } from './store.ts';
import { Stores } from './stores.ts';

it('what somebody began is theirs: they find it again, nobody else does, and whoever signs out leaves nothing', () => {
  const stores = new Stores();
  const shown: number[] = [];
  stores.subscribe(() => shown.push(stores.read().person));
  const draft = () => stores.store.get(draftsAtom).get('new m');
  stores.is('ann');
  stores.store.set(draftAtom, 'new m', 'begun');
  expect([stores.store.get(onlyHereAtom), stores.store.get(unsavedAtom)]).toEqual([1, 1]);
  // Her session ended, and she is here again.
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
