import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { csvOf, inFileName } from './csv.ts';

/** A strict reader of RFC 4180: refuses what is not quoted as it should be. */
function parse(text: string): string[][] {
  const rows: string[][] = [];
  let [row, at]: [string[], number] = [[], 0];
  while (at < text.length) {
    const quoted = text[at] === '"';
    const [, value = ''] = (quoted ? /"((?:[^"]|"")*)"/y : /([^",\r\n]*)/y).exec(text.slice(at)) ?? [];
    at += value.length + (quoted ? 2 : 0);
    row.push(quoted ? value.replaceAll('""', '"') : value);
    if (text.startsWith('\r\n', at)) {
      rows.push(row);
      [row, at] = [[], at + 2];
    } else if (text[at] === ',') at += 1;
    else throw new Error(`${at}: neither a comma nor an end`);
  }
  return rows;
}

const read = (text: string) => {
  expect(text.startsWith('\ufeff')).toBe(true);
  return parse(text.slice(1));
};

it('tables are read as they were written', () => {
  const text = fc.string({ unit: fc.constantFrom(...'ab",;\r\n\' Ж金'.split('')) }).map((word) => `x${word}`);
  fc.assert(
    fc.property(fc.array(fc.array(text, { minLength: 2, maxLength: 4 }), { minLength: 1 }), (rows) => {
      expect(read(csvOf(rows))).toEqual(rows);
    }),
  );
});

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
