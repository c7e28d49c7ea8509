import { expect, it } from 'vitest';

import { columnsOf, readPeaks } from './peaks.ts';

it.each([
  ['as many as there are', [0, 255, 51, 102], 4_000, 4, [0, 1, 0.2, 0.4]],
  ['the loudest of each', [0, 255, 51, 102], 4_000, 2, [1, 0.4]],
  ['fewer than columns', [255, 0], 2_000, 4, [1, 1, 0, 0]],
  ['shorter than the recording', [255], 2_000, 2, [1, 0]],
  ['nothing', [], 2_000, 2, [0, 0]],
])('%s', (_name, peaks, duration, count, expected) => {
  expect(columnsOf({ perSecond: 1, peaks }, duration, count)).toEqual(expected);
});

it.each([
  [{ perSecond: 10, peaks: [1, 2] }, true],
  [{ perSecond: 0, peaks: [1, 2] }, false],
  [{ perSecond: 10, peaks: ['1'] }, false],
  [{ perSecond: 10 }, false],
  [null, false],
  ['peaks', false],
])('%j', (value, good) => {
  expect(readPeaks(value) !== null).toBe(good);
});
