import { expect, test } from 'vitest';
import { clockTime, parseTime } from './times.ts';

test.each([
  [0, undefined, '0:00'],
  [999, undefined, '0:00'],
  [42_000, undefined, '0:42'],
  [758_400, undefined, '12:38'],
  [3_850_000, undefined, '1:04:10'],
  [42_000, 3_600_000, '0:00:42'],
  [-5, undefined, '0:00'],
])('%i ms of %s is %s', (ms, like, is) => {
  expect(clockTime(ms, like)).toBe(is);
});

test.each([
  ['0:42', 42_000],
  [' 12:38 ', 758_000],
  ['1:04:10', 3_850_000],
  ['12:38.5', 758_500],
  ['12:38,25', 758_250],
  ['90', 90_000],
  ['0', 0],
  ['1:75', null],
  ['', null],
  ['a', null],
  ['1:2:3:4', null],
  ['-1', null],
])('%s typed is %s ms', (text, is) => {
  expect(parseTime(text)).toBe(is);
});
