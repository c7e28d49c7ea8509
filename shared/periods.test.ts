import { expect, test } from 'vitest';
import { periodEnd } from './periods.ts';

const endOf = (from: string, type: 'plan' | 'bundle', period: 'month' | 'year') =>
  periodEnd(new Date(`${from}T23:30:00Z`), { type, period })
    .toISOString()
    .slice(0, 16);

test.each([
  ['2027-01-15', '2027-02-15'],
  ['2027-01-29', '2027-02-28'],
  ['2027-01-31', '2027-02-28'],
  ['2028-01-31', '2028-02-29'],
  ['2027-03-31', '2027-04-30'],
  ['2027-12-31', '2028-01-31'],
])('a month from %s ends on %s', (from, end) => {
  expect(endOf(from, 'plan', 'month')).toBe(`${end}T23:30`);
});

test.each([
  ['2027-03-01', '2028-03-01'],
  ['2028-02-29', '2029-02-28'],
])('a year from %s ends on %s', (from, end) => {
  expect(endOf(from, 'plan', 'year')).toBe(`${end}T23:30`);
});

test('minutes of a bundle last for 365 days, in a leap year, too', () => {
  expect(endOf('2027-02-01', 'bundle', 'year')).toBe('2028-02-01T23:30');
  expect(endOf('2028-02-01', 'bundle', 'year')).toBe('2029-01-31T23:30');
});
