// Amounts (shared/money.ts): money in whole micro-dollars, and nothing but plain digits is an amount.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { costOf, creditsInput, creditsText, microsFrom, minutesFor, parseCredits } from './money.ts';

test('plain digits with at most two decimals are an amount, with a point or a comma', () => {
  for (const [typed, micros] of [
    ['1', 1_000_000n],
    ['0.5', 500_000n],
    ['0,05', 50_000n],
    [' 12.30 ', 12_300_000n],
    ['999999999.99', 999_999_999_990_000n],
  ] as const)
    expect(parseCredits(typed), typed).toBe(micros);
});

const refused = [
  ...[
    '',
    ' ',
    '.',
    ',',
    '1.',
    '.5',
    '1,',
    '-1',
    '+1',
    '−1',
    '1e3',
    '1E3',
    '1e-2',
    '0x10',
    '0b1',
    '0o7',
    '1_000',
    '1 000',
  ],
  ...[
    '1.000',
    '0.001',
    '1,234.50',
    '1.234,50',
    '1..2',
    'NaN',
    'Infinity',
    '-Infinity',
    'null',
    'true',
    '$1',
    '1 USD',
    '1n',
  ],
  ...['１', '１２.５', '١٢', '۱۲', '१२', '๑', '①', '½', '²', 'Ⅷ', '1\u200b', '1\u0000', '1\n2', '1.5\n0'],
  ...['1000000000000000000', '1000000000', '00000000001', "1'000", '1;2', '1/2', '[1]', '{}', '1.5.5'],
];

test.for(refused)('%j is no amount', (typed) => {
  expect(parseCredits(typed)).toBeNull();
  expect(creditsInput().safeParse(typed).success).toBe(false);
});

test('of all texts only plain digits are an amount', () => {
  const plain = /^\d{1,9}([.,]\d{1,2})?$/;
  const near = fc.string({ unit: fc.constantFrom(...'0123456789.,-+eExX_ ١１½\u200b'), maxLength: 14 });
  fc.assert(
    fc.property(fc.oneof(near, fc.string({ unit: 'binary' })), (typed) => {
      expect(parseCredits(typed) !== null).toBe(plain.test(typed.trim()));
    }),
    { numRuns: 5000 },
  );
});

test('a body may hold a number, within the bounds', () => {
  const read = (given: unknown) => creditsInput({ least: '1', most: '500' }).safeParse(given);
  expect(read(20).data).toBe(20_000_000n);
  expect(read('20,5').data).toBe(20_500_000n);
  for (const given of [
    0,
    0.99,
    500.01,
    -1,
    1.005,
    1e18,
    1e21,
    1e-7,
    Number.NaN,
    Infinity,
    null,
    undefined,
    [1],
    {},
    true,
  ])
    expect(read(given).success, JSON.stringify(given)).toBe(false);
});

test('an amount is written so that it reads the same again', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }), (micros) => {
      expect(microsFrom(creditsText(micros))).toBe(micros);
      expect(creditsText(micros)).toMatch(/^-?\d+\.\d{2,6}$/);
    }),
  );
  expect([0n, 10n, 1_500_000n, -150_000n, 999_999n].map(creditsText)).toEqual([
    ...['0.00', '0.00001', '1.50', '-0.15', '0.999999'],
  ]);
});

test('a cost is the price of the seconds, and never less', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 9n }), fc.bigInt({ min: 0n, max: 10n ** 9n }), (seconds, price) => {
      const cost = costOf(seconds, price);
      expect(cost * 60n >= seconds * price && (cost - 1n) * 60n < seconds * price).toBe(true);
      expect(costOf(seconds * 60n, price)).toBe(seconds * price);
    }),
  );
});

test('the minutes that credits are shown to pay for can be paid with them, and one more cannot', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 13n }), fc.bigInt({ min: 1n, max: 10n ** 8n }), (credits, price) => {
      const minutes = minutesFor(credits, price);
      expect(costOf(minutes * 60n, price) <= credits).toBe(true);
      expect(costOf((minutes + 1n) * 60n, price) > credits).toBe(true);
    }),
  );
  expect([minutesFor(-1n, 5n), minutesFor(5n, 0n)]).toEqual([0n, 0n]);
});
