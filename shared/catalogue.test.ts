import { expect, test } from 'vitest';
import { bundleNames, planNames, viewOf } from './catalogue.ts';

test('plans and bundles have the figures of the price list', () => {
  const figures = [...planNames, ...bundleNames].map((name) => {
    const { price, period, minutes, minutePrice } = viewOf(name);
    return [name, price, period, minutes, minutePrice];
  });
  expect(figures).toEqual([
    ['professional', '75.00', 'month', 1000, null],
    ['team300-2024', '300.00', 'year', null, '0.12'],
    ['academy-2024', '1000.00', 'year', null, '0.10'],
    ['bundle300', '36.00', 'year', 300, null],
    ['bundle1000', '100.00', 'year', 1000, null],
  ]);
});
