// Amounts on the screens on which people pay: what is typed, what an address fills in, and how it is written.
import { describe, expect, test } from 'vitest';
import { centsOf, creditsOf, prefilled, timeSince } from './prices.ts';

describe('An amount that is typed', () => {
  test.each([
    ['1', 100],
    ['20,5', 2050],
    [' 20.55 ', 2055],
    ['10000', 1_000_000],
  ])('%s', (typed, cents) => expect(centsOf(typed)).toBe(cents));
  test.each(['', '0', '0.99', '10000.01', '1.234', '1e3', '-5', '+5', '٥', '５', 'NaN', '0x10', '1 000', '1,000.50'])(
    '%s is refused',
    (typed) => expect(centsOf(typed)).toBeNull(),
  );
});

test('an address fills in at least 1, and nothing for what is no number', () => {
  expect(['36', '36.00', '0', '-4', '12.345', '99999', 'many', null].map(prefilled)).toEqual([
    '36',
    '36',
    '1',
    '1',
    '12.35',
    '10000',
    '',
    '',
  ]);
});

test('amounts and times are written as the language does', () => {
  expect(['en', 'es', 'ru', 'zh'].map((language) => creditsOf('1234.5', language).replaceAll(/\s/g, ' '))).toEqual([
    '1,234.50',
    '1234,50',
    '1 234,50',
    '1,234.50',
  ]);
  expect(timeSince(0, 90_000, 'en')).toBe('2 minutes');
  expect(timeSince(0, 3 * 3_600_000, 'ru')).toBe('3 часа');
});
