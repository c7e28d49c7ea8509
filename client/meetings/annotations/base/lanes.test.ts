import fc from 'fast-check';
import { expect, it } from 'vitest';

import { lanesOf, mostLanes } from './lanes.ts';

const parse = (text: string) =>
  text.split(' ').map((one) => {
    const [from = 0, to = 0] = one.split('-').map(Number);
    return { from, to };
  });

it.each([
  { what: 'apart', places: '0-5 5-9 20-30', lanes: [0, 0, 0] },
  { what: 'the same words', places: '0-5 0-5 0-5', lanes: [0, 1, 2] },
  { what: 'one within another', places: '3-4 0-9', lanes: [1, 0] },
  { what: 'one after the other over a third', places: '0-20 0-5 6-9', lanes: [0, 1, 1] },
  { what: 'more than there is room for', places: '0-9 0-8 0-7 0-6', lanes: [0, 1, 2, 2] },
])('$what: $places on $lanes', ({ places, lanes }) => {
  expect(lanesOf(parse(places))).toEqual(lanes);
});

it('no two overlap up to the limit of lanes', () => {
  const stretch = fc.record({ from: fc.nat(200), length: fc.integer({ min: 1, max: 30 }) });
  fc.assert(
    fc.property(fc.array(stretch, { maxLength: 20 }), (given) => {
      const places = given.map(({ from, length }) => ({ from, to: from + length }));
      const lanes = lanesOf(places);
      const at = (letter: number) =>
        places.flatMap(({ from, to }, i) => (from <= letter && letter < to ? [lanes[i]] : []));
      const crowded = places.some(({ from }) => at(from).length > mostLanes);
      expect(lanes.every((lane) => lane < mostLanes)).toBe(true);
      if (!crowded) for (const { from } of places) expect(new Set(at(from)).size).toBe(at(from).length);
    }),
  );
});
