import { expect, it } from 'vitest';

import { bestSample } from './speaker-sample.ts';

it.each([
  ['nothing said', [], null],
  ['no times', [[0, 0]], null],
  [
    'the first that is long enough',
    [
      [0, 900],
      [10_000, 16_000],
      [20_000, 60_000],
    ],
    [10_000, 15_000],
  ],
  [
    'else the longest',
    [
      [0, 900],
      [10_000, 13_000],
      [20_000, 21_000],
    ],
    [10_000, 13_000],
  ],
] as const)('%s', (_name, times, expected) => {
  const found = bestSample(times.map(([from, to]) => ({ from, to })));
  expect(found && [found.from, found.to]).toEqual(expected);
});
