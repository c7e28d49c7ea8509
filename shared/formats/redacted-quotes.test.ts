// Quotes of a report: what is in braces is in none of them, wherever a passage begins or ends.
import { expect, test } from 'vitest';
import * as Y from 'yjs';
import { seedState } from '#shared/meetings/seed.ts';
import { readWords } from '#shared/meetings/words.ts';
import { anchorAt, placesOf } from '#shared/meetings/anchors.ts';
import { quotesOf } from './redacted-quotes.ts';

/** A document with a paragraph for each text, one word a second. */
function documentOf(...texts: readonly string[]): Y.Doc {
  const doc = new Y.Doc();
  const segments = texts.map((text, nth) => ({
    ...{ id: `s${nth}`, speaker: 'a', text },
    words: text.split(' ').map((w, i) => ({ w, f: nth * 100 + i, t: nth * 100 + i + 1, confidence: 0.9 })),
  }));
  const speakers = [{ id: 'a', name: 'Ann', color: 0, sortId: 0 }];
  Y.applyUpdate(doc, seedState({ about: { title: '', lang: 'en-US' }, speakers, segments }));
  return doc;
}
function quoteOf(doc: Y.Doc, start: number, end: number): string | undefined {
  const timed = { anchor: null, start, end, quote: '' };
  const [place] = placesOf(doc, readWords(doc), 1, [timed]);
  const item = { ...timed, anchor: place ? anchorAt(doc, 1, place.from, place.to) : null };
  return quotesOf(doc, 1, [item])[0]?.quote;
}

const said = documentOf('She met {Maria Lopez} twice in x{y}z today', 'and {left her', 'husband} at home');

test.each([
  [0, 7, 'She met [redacted] twice in [redacted]'],
  [3, 5, '[redacted] twice'],
  [2, 3, '[redacted]'],
  [2, 6, '[redacted] twice in'],
  [5, 9, 'in [redacted] today'],
  [100, 103, 'and [redacted]'],
  [201, 204, 'at home'],
  [200, 201, '[redacted]'],
])('from %i to %i s: %s', (start, end, quote) => {
  expect(quoteOf(said, start, end)).toBe(quote);
});

test('an annotation keeps the times of its words, and of a text without words its own', () => {
  const item = { anchor: null, start: 4, end: 6, quote: 'twice in' };
  expect(quotesOf(said, 1, [item])[0]).toEqual({ quote: 'twice in', start: 4, end: 6 });
  expect(quotesOf(documentOf(), 1, [item])[0]).toEqual({ quote: '', start: 4, end: 6 });
});
