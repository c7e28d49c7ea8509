import { expect, it } from 'vitest';
import { readCsv } from '#tests/support/csv.ts';
import type { FindsAnswer } from '#shared/finds.ts';
import { linesOfPlaces } from './finds-csv.ts';

const recording = {
  ...{ id: 'r', title: 'Talk', owner: { id: 'ann', name: 'Ann Test' }, date: '2026-01-01T00:00:00.000Z' },
  ...{ review: null, src: null, writes: true },
};
const place = {
  kind: 'words' as const,
  start: 1.5,
  end: 2,
  segment: 's',
  item: null,
  layer: null,
  before: 'a ',
  after: '',
};
const pageOf = (words: readonly string[], next: string | null): FindsAnswer => ({
  places: words.map((one) => ({ ...place, words: one, recording: 'r', outcome: null })),
  recordings: [recording],
  ...{ total: 1, next, behind: 0 },
});
const pages: Record<string, FindsAnswer> = {
  one: pageOf(['one', 'two'], 'none'),
  none: pageOf([], 'last'),
  last: pageOf(['three'], null),
};

async function wordsOf(most: number): Promise<string[]> {
  const asked: string[] = [];
  const pageAt = (next: string) => {
    asked.push(next);
    return Promise.resolve(pages[next] ?? pageOf([], null));
  };
  const typeName = (type: string) => type;
  let text = '';
  for await (const line of linesOfPlaces(pageOf(['zero'], 'one'), pageAt, { typeName, origin: 'http://x', most }))
    text += line;
  expect(new Set(asked).size).toBe(asked.length);
  return readCsv(text).map((line) => (line[6] === '' ? (line[0] ?? '') : (line[6] ?? '')));
}

it('all pages are one table, also behind a page without a place', async () => {
  expect(await wordsOf(4)).toEqual(['Words', 'zero', 'one', 'two', 'three']);
});

it('a table of many places ends with a line that says so', async () => {
  expect(await wordsOf(2)).toEqual(['Words', 'zero', 'one', 'More places: these are the first 2']);
});
