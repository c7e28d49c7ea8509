import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { replaceRanges, textOf, type Edit } from './transcript.ts';
import { hunksBetween, tokensIn, wordEdits } from './word-edits.ts';

const piecesIn = ({ insert }: Edit) => insert.map((piece) => (typeof piece === 'string' ? piece : '')).join('');
function edited(before: string, edits: readonly Edit[]): string {
  const doc = new Y.Doc();
  textOf(doc).insert(0, before);
  replaceRanges(doc, edits, 'test');
  return textOf(doc).toString();
}

describe('a text is cut into', () => {
  const rows: [string, string[]][] = [
    ['', []],
    ['Thanks for it.', ['Thanks', ' ', 'for', ' ', 'it', '.']],
    ["don't  (really)", ["don't", '  ', '(', 'really', ')']],
    ['你好世界 ok', ['你', '好', '世', '界', ' ', 'ok']],
    ['abc你d', ['abc', '你', 'd']],
    ['Ёлка 👍🏽', ['Ёлка', ' ', '👍', '🏽']],
  ];
  for (const [text, tokens] of rows) test(JSON.stringify(text), () => expect(tokensIn(text)).toEqual(tokens));

  test('pieces that join to any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(tokensIn(text).join('')).toBe(text);
      }),
    );
  });
});

describe('word edits', () => {
  const rows: [what: string, before: string, after: string, written: [at: number, removed: string, put: string][]][] = [
    ['nothing where nothing differs', 'a b', 'a b', []],
    ['of one word only what differs in it', 'we shell see', 'we shall see', [[5, 'e', 'a']]],
    [
      'words far apart apart',
      'one two three four',
      'won two three for',
      [
        [0, 'one', 'won'],
        [16, 'u', ''],
      ],
    ],
    ['an addition at the end', 'one', 'one two', [[3, '', ' two']]],
    ['all of it where it is another', 'aa bb', '', [[0, 'aa bb', '']]],
    ['no half of a character', 'a 👍 b', 'a 👎 b', [[2, '👍', '👎']]],
  ];
  for (const [what, before, after, written] of rows)
    test(what, () => {
      const edits = wordEdits(0, before, after);
      expect(edited(before, edits)).toBe(after);
      expect(edits.map((edit) => [edit.at, before.slice(edit.at, edit.at + edit.remove), piecesIn(edit)])).toEqual(
        written,
      );
    });

  test('turn any text into any other', () => {
    const words = fc
      .array(fc.constantFrom('a', 'b', 'ab', ' ', '.', '👍', '好'), { maxLength: 40 })
      .map((list) => list.join(''));
    fc.assert(
      fc.property(words, words, (before, after) => {
        expect(edited(before, wordEdits(0, before, after))).toBe(after);
      }),
      { numRuns: 500 },
    );
  });
});

test('the smallest difference of two lists is found', () => {
  // Length of the longest common subsequence by the textbook algorithm, for comparison.
  const common = (a: string, b: string): number => {
    const row = Array.from({ length: b.length + 1 }, () => 0);
    for (const x of a) {
      let corner = 0;
      for (let j = 1; j <= b.length; j += 1) {
        const above = row[j] ?? 0;
        row[j] = x === b[j - 1] ? corner + 1 : Math.max(above, row[j - 1] ?? 0);
        corner = above;
      }
    }
    return row.at(-1) ?? 0;
  };
  const letters = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 }).map((list) => list.join(''));
  fc.assert(
    fc.property(letters, letters, (a, b) => {
      const hunks = hunksBetween(a.length, b.length, (i, j) => a[i] === b[j]);
      const written = hunks.reduce((sum, { from, to, nowFrom, nowTo }) => sum + to - from + nowTo - nowFrom, 0);
      expect(written).toBe(a.length + b.length - 2 * common(a, b));
    }),
    { numRuns: 500 },
  );
});

test('texts with nothing in common are replaced as a whole, quickly', () => {
  const texts = ['a', 'b'].map((letter) => Array.from({ length: 5000 }, (_, i) => `${letter}${i}`).join('-'));
  const [before = '', after = ''] = texts;
  expect(edited(before, wordEdits(0, before, after))).toBe(after);
});
