// Dollars are written in one way on all screens, by language.
import { expect, test } from 'vitest';
import { dollarsOf } from './dollars.ts';

test('dollars are written as the language does, with their smallest part', () => {
  const written = ['en', 'es', 'ru', 'zh'].map((language) => dollarsOf('1234.5', language).replaceAll(/\s/g, ' '));
  expect(written).toEqual(['$1,234.50', '1234,50 $', '1 234,50 $', '$1,234.50']);
  expect(dollarsOf(0.0375, 'en')).toBe('$0.0375');
  expect([1, -1, 0].map((amount) => dollarsOf(amount, 'en', { signed: true }))).toEqual(['+$1.00', '-$1.00', '$0.00']);
});
