import { expect, it } from 'vitest';

import { carry } from './carry.ts';

it.each([
  ['the same text', 'one two', 'one two', 4, 4],
  ['before the change', 'one two', 'one and two', 2, 2],
  ['behind what was put in', 'one two', 'one and two', 5, 9],
  ['behind what was taken away', 'one and two', 'one two', 8, 4],
  ['the end, and something behind it', 'one two', 'one two three', 7, 7],
  ['within what is another word now', 'one twenty six', 'one 20 six', 7, 6],
  ['a text that has gone', 'one', '', 2, 0],
  ['a text that came', '', 'one', 0, 0],
])('%s', (_name, from, to, offset, expected) => {
  expect(carry(from, to)(offset)).toBe(expected);
});

it('stays inside the other text and keeps the order of offsets', () => {
  const texts = ['', 'a', 'ab', 'aba', 'abab', 'xaby', 'aaaa', 'a b a b'];
  for (const from of texts)
    for (const to of texts) {
      const places = Array.from({ length: from.length + 1 }, (_, offset) => carry(from, to)(offset));
      expect(places, `${from} > ${to}`).toEqual(places.toSorted((a, b) => a - b));
      expect(
        places.every((place) => place >= 0 && place <= to.length),
        `${from} > ${to}`,
      ).toBe(true);
    }
});
