import fc from 'fast-check';
import * as Y from 'yjs';
import { describe, expect, it } from 'vitest';
import { placesOf, type Anchored } from './anchors.ts';
import { Quotes, search } from './quotes.ts';
import { seedState } from './seed.ts';
import { textOf } from './transcript.ts';
import { wordReader } from './words.ts';

/** Counts searches and searched letters. */
function counted() {
  const work = { searches: 0, letters: 0 };
  const quotes = new Quotes((whole, quote) => {
    work.searches += 1;
    work.letters += whole.length;
    return search(whole, quote);
  });
  const since = () => {
    const now = { ...work };
    Object.assign(work, { searches: 0, letters: 0 });
    return now;
  };
  return { quotes, since };
}

describe('a quote', () => {
  it('is found as if each text were searched alone, after any change', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n'), maxLength: 12 });
    const quote = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n'), minLength: 1, maxLength: 3 });
    const turns = fc.array(fc.tuple(fc.array(text, { maxLength: 6 }), fc.array(quote, { maxLength: 4 })), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(turns, (all) => {
        const quotes = new Quotes();
        for (const [texts, wanted] of all) {
          quotes.turnTo(texts, wanted);
          for (const one of wanted) {
            const alone = [...new Set(texts)].map((at) => [at, search(at, one)] as const);
            const found = alone.filter(([, places]) => places.length > 0);
            expect(new Map(quotes.where(one))).toEqual(new Map(found));
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is searched once, then only in changed texts; a new quote is searched in all', () => {
    const texts = Array.from({ length: 300 }, (_, i) => `This is segment ${i} of many.`);
    const wanted = Array.from({ length: 100 }, (_, i) => `segment ${i * 3} of`);
    const whole = texts.join('\n').length;
    const { quotes, since } = counted();
    quotes.turnTo(texts, wanted);
    expect(since()).toEqual({ searches: 100, letters: 100 * whole });
    quotes.turnTo(texts, wanted);
    expect(since()).toEqual({ searches: 0, letters: 0 });
    const changed = texts.with(3, 'Another segment 9 of many.');
    quotes.turnTo(changed, wanted);
    expect(since()).toEqual({ searches: 100, letters: 100 * 'Another segment 9 of many.'.length });
    expect([...quotes.where('segment 9 of').keys()].toSorted()).toEqual([
      'Another segment 9 of many.',
      'This is segment 9 of many.',
    ]);
    expect(quotes.where('segment 3 of').size).toBe(0);
    quotes.turnTo(changed, [...wanted, 'of many']);
    expect(since().searches).toBe(1);
    // Nothing is searched without quotes.
    quotes.turnTo(changed, []);
    quotes.turnTo(texts, []);
    expect(since().searches).toBe(0);
  });
});

it('many hits in one text are appended without copying earlier ones', () => {
  const text = 'see '.repeat(3000);
  const lists = new Set<unknown>();
  const quotes = new Quotes((whole, quote) => {
    const found = search(whole, quote);
    return Object.assign([...found], {
      *[Symbol.iterator]() {
        for (const at of found) {
          lists.add(quotes.where(quote).get(text));
          yield at;
        }
      },
    });
  });
  // The quote is known before this text, so its hits are visible during the search.
  quotes.turnTo(['nothing'], ['e']);
  quotes.turnTo([text], ['e']);
  const all = quotes.where('e').get(text);
  expect(all).toHaveLength(6000);
  expect([...lists].filter((one) => one !== undefined)).toEqual([all]);
});

it('a replaced document is searched once for all old anchors, not at each pause', () => {
  const segments = Array.from({ length: 200 }, (_, i) => ({
    id: `s${i}`,
    speaker: 'p',
    words: `They said ${i} words.`.split(' ').map((w, n) => ({ w, f: i * 4 + n, t: i * 4 + n + 0.9 })),
  }));
  const doc = new Y.Doc();
  Y.applyUpdate(doc, seedState({ speakers: [], segments }));
  const read = wordReader(doc);
  const items = Array.from({ length: 50 }, (_, i): Anchored => {
    const anchor = { g: 1, first: [1, 1] as const, last: [1, 2] as const };
    return { anchor, start: i * 16, end: i * 16 + 3, quote: `said ${i * 4} words` };
  });
  const { quotes, since } = counted();
  const placed = () => placesOf(doc, read(), 2, items, quotes);
  expect(placed().every((place) => place?.by === 'quote')).toBe(true);
  expect(since().searches).toBe(items.length);
  placed();
  expect(since().searches).toBe(0);
  textOf(doc).insert(1, 'Now ');
  expect(placed()).toEqual(placesOf(doc, read(), 2, items));
  const { searches, letters } = since();
  expect(searches).toBe(items.length);
  expect(letters).toBe(items.length * 'Now They said 0 words.'.length);
});
