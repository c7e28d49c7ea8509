import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { readCsv } from '#tests/support/csv.ts';
import { csvOf, inFileName } from './csv.ts';

const read = (text: string) => {
  expect(text.startsWith('\ufeff')).toBe(true);
  return readCsv(text);
};

it('tables are read as they were written', () => {
  const text = fc.string({ unit: fc.constantFrom(...'ab",;\r\n\' Ж金'.split('')) }).map((word) => `x${word}`);
  fc.assert(
    fc.property(fc.array(fc.array(text, { minLength: 2, maxLength: 4 }), { minLength: 1 }), (rows) => {
      const wide = rows.map((row) => [...row, 'x', 'x'].slice(0, 4));
      expect(read(csvOf(wide))).toEqual(wide);
    }),
  );
});

test.each(['a"b\r\n', '"a"b\r\n', '"a\r\n', 'a\n', 'a,b\r\nc\r\n'])(
  '%j is no table that all programs read alike',
  (text) => {
    expect(() => readCsv(text)).toThrow();
  },
);

test.each([
  '=1+1',
  '+49 30',
  '-2',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  ' =cmd',
  '\u200b=1',
  '＝1',
  '|x',
  '%x',
  '=HYPERLINK("x")',
])('%j stays a text', (typed) => {
  expect(read(csvOf([[typed, 'x']]))[0]?.[0]).toBe(`'${typed}`);
});

it('numbers stay numbers, also below nothing', () => expect(csvOf([[-2.5, 3]])).toBe('\ufeff-2.5,3\r\n'));

test.each([
  ['Interviews / spring: "one"', 'Interviews spring one'],
  ['..\\..\\x', 'x'],
  ['八个字\u202e团队', '八个字 团队'],
])('%j in the name of a file is %j', (text, name) => expect(inFileName(text)).toBe(name));
