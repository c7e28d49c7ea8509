// Cards of the margin stand level with their words and never overlap.
import fc from 'fast-check';
import { expect, it } from 'vitest';

import { arrange } from './arrange.ts';

const tops = (cards: { at: number; heights: number[] }[], chosen = -1) =>
  arrange(cards, chosen, 10).map(({ top, height }) => [top, height]);

it.each([
  [
    'level where there is room',
    [100, 300],
    -1,
    [
      [100, 80],
      [300, 80],
    ],
  ],
  [
    'lower where the next one is near',
    [100, 160],
    -1,
    [
      [100, 40],
      [160, 80],
    ],
  ],
  [
    'pushed down where they would overlap',
    [100, 100, 100],
    -1,
    [
      [100, 40],
      [150, 40],
      [200, 80],
    ],
  ],
  [
    'the chosen one level, the others around it',
    [100, 100, 100],
    1,
    [
      [50, 40],
      [100, 40],
      [150, 80],
    ],
  ],
  [
    'none above the first line',
    [10, 10],
    1,
    [
      [0, 40],
      [50, 80],
    ],
  ],
])('%s', (_name, at, chosen, is) => {
  expect(
    tops(
      at.map((one) => ({ at: one, heights: [40, 80] })),
      chosen,
    ),
  ).toEqual(is);
});

it('keeps order and distance, whatever there is', () => {
  const card = fc.record({
    at: fc.nat(2_000),
    heights: fc.array(fc.integer({ min: 20, max: 400 }), { minLength: 1, maxLength: 3 }),
  });
  fc.assert(
    fc.property(fc.array(card, { maxLength: 40 }), fc.integer({ min: -1, max: 39 }), (given, chosen) => {
      const cards = given
        .map((one) => ({ ...one, heights: one.heights.toSorted((a, b) => a - b) }))
        .toSorted((one, other) => one.at - other.at);
      const arranged = arrange(cards, chosen, 8);
      for (const [i, { top }] of arranged.entries()) {
        const before = arranged[i - 1];
        expect(top).toBeGreaterThanOrEqual(before ? before.top + before.height + 8 : 0);
      }
    }),
  );
});
