import fc from 'fast-check';
import { expect, it } from 'vitest';

import { arranged, type Arranged } from './arranged.ts';

const cards = fc.uniqueArray(fc.record({ id: fc.constantFrom(...'abcdefgh'), lost: fc.boolean() }), {
  selector: ({ id }) => id,
});
const idsOf = (list: readonly Arranged[]) => list.map(({ id }) => id);

it('what lost its words comes last, in the order of the text', () => {
  const given = [...'abcd'].map((id) => ({ id, lost: 'ac'.includes(id) }));
  expect(idsOf(arranged(given, null)).join('')).toBe('bdac');
  // One that comes is put behind the one before it, whatever is held.
  const held = arranged(given, null);
  const fresh = [{ id: 'n', lost: false }, given[3], given[0], { id: 'm', lost: true }, given[1], given[2]];
  expect(idsOf(arranged(fresh as Arranged[], held)).join('')).toBe('nbdamc');
});

it('what is held keeps its place among what stood there, in its part of the list; nothing is left out or shown twice', () => {
  fc.assert(
    fc.property(cards, cards, (before, now) => {
      const held = arranged(before, null);
      const shown = arranged(now, held);
      expect(idsOf(shown).toSorted()).toEqual(idsOf(now).toSorted());
      const stayed = (list: readonly Arranged[], other: readonly Arranged[]) =>
        list.filter(({ id }) => other.some((one) => one.id === id));
      expect(stayed(shown, held)).toEqual(stayed(held, shown));
      // Two parts, and none within the other.
      expect(shown.map(({ lost }) => lost)).toEqual(shown.map(({ lost }) => lost).toSorted());
      expect(arranged(now, shown)).toEqual(shown);
    }),
  );
});
