import fc from 'fast-check';
import { expect, it } from 'vitest';

import { arranged, type Arranged } from './arranged.ts';

const cards = fc.uniqueArray(fc.record({ id: fc.constantFrom(...'abcdefgh'), lost: fc.boolean() }), {
  selector: ({ id }) => id,
});
const idsOf = (list: readonly Arranged[]) => list.map(({ id }) => id);

it('cards without a passage come last, in the order of the transcript', () => {
  const given = [...'abcd'].map((id) => ({ id, lost: 'ac'.includes(id) }));
  expect(idsOf(arranged(given, null)).join('')).toBe('bdac');
  // A new card follows its predecessor, whatever is held.
  const held = arranged(given, null);
  const fresh = [{ id: 'n', lost: false }, given[3], given[0], { id: 'm', lost: true }, given[1], given[2]];
  expect(idsOf(arranged(fresh as Arranged[], held)).join('')).toBe('nbdamc');
});

it('held cards keep their order within their part of the list; no card is missing or repeated', () => {
  fc.assert(
    fc.property(cards, cards, (before, now) => {
      const held = arranged(before, null);
      const shown = arranged(now, held);
      expect(idsOf(shown).toSorted()).toEqual(idsOf(now).toSorted());
      const stayed = (list: readonly Arranged[], other: readonly Arranged[]) =>
        list.filter(({ id }) => other.some((one) => one.id === id));
      expect(stayed(shown, held)).toEqual(stayed(held, shown));
      // Cards with a passage come before all others.
      expect(shown.map(({ lost }) => lost)).toEqual(shown.map(({ lost }) => lost).toSorted());
      expect(arranged(now, shown)).toEqual(shown);
    }),
  );
});
