import { expect, test } from 'vitest';
import { businessDaysAfter, longestOrder } from './business-days.ts';

test.each([
  ['Monday', 23, 26],
  ['Thursday', 26, 31],
  ['Friday', 27, 32],
  ['Saturday', 28, 32],
  ['Sunday', 29, 32],
])('three business days after a %s leave out the weekend', (_, day, then) => {
  const from = new Date(2026, 10, day, 12);
  expect(businessDaysAfter(from, longestOrder)).toEqual(new Date(2026, 10, then, 12));
  expect(from.getDate()).toBe(day);
});
