import { expect, it } from 'vitest';

import { dayName, timeSpan } from './when.ts';

const now = new Date(2026, 10, 22, 0, 10);

it.each([
  ['some minutes ago', new Date(2026, 10, 22, 0, 1), 'today'],
  ['before midnight', new Date(2026, 10, 21, 23, 59), 'yesterday'],
  ['the day before that', new Date(2026, 10, 20, 23, 59), 'Friday, November 20'],
  ['the year before', new Date(2025, 10, 22, 12, 0), 'Saturday, November 22, 2025'],
])('%s', (_when, date, name) => {
  expect(dayName(date, now, 'en-US')).toBe(name);
});

it('names both ends of a time span, or one time for a single minute', () => {
  const at = (minutes: number) => new Date(2026, 10, 22, 14, minutes);
  expect(timeSpan(at(2), at(31), 'en-GB').replaceAll(/\s/g, ' ')).toMatch(/^14:02 ?– ?14:31$/);
  expect(timeSpan(at(2), at(2), 'en-GB')).toBe('14:02');
});
