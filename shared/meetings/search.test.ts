import fc from 'fast-check';
import * as Y from 'yjs';
import { describe, expect, it, vi } from 'vitest';
import { cycle, replaceHits, search, searcher, searchSegments, type SearchOptions } from './search.ts';
import { seedState } from './seed.ts';
import { readSegments, replaceRanges, textOf } from './transcript.ts';

function open(...texts: string[]): Y.Doc {
  const doc = new Y.Doc();
  replaceRanges(
    doc,
    [{ at: 0, remove: 0, insert: texts.flatMap((text, i) => [{ s: `s${i}`, p: 'p' }, text]) }],
    'test',
  );
  return doc;
}

const found = (doc: Y.Doc, query: string, options?: SearchOptions) =>
  search(doc, query, options).map(({ at, text }) => `${at} ${text}`);
const texts = (doc: Y.Doc) => readSegments(doc).map(({ text }) => text);

describe('searching', () => {
  it.each<[string, string, SearchOptions, string[]]>([
    ['Anna and ANNA, hanna', 'anna', {}, ['1 Anna', '10 ANNA', '17 anna']],
    ['Anna and ANNA, hanna', 'anna', { caseSensitive: true }, ['17 anna']],
    ['Anna and ANNA, hanna', 'anna', { wholeWords: true }, ['1 Anna', '10 ANNA']],
    ['Ёлка и ёлки', 'ёлк', {}, ['1 Ёлк', '8 ёлк']],
    ['Straße und STRASSE', 'strasse', {}, ['1 Straße', '12 STRASSE']],
    ['Straße', 's', {}, ['1 S']],
    ['ΟΔΟΣ οδος', 'οδοσ', {}, ['1 ΟΔΟΣ', '6 οδος']],
    ['caf\u0065\u0301 café', 'café', {}, ['1 caf\u0065\u0301', '7 café']],
    ['ＡＢＣ abc', 'abc', {}, ['1 ＡＢＣ', '5 abc']],
    ['İstanbul, it is', 'it', { wholeWords: true }, ['11 it']],
    ['大家好大家', '大家', {}, ['1 大家', '4 大家']],
    ['👍🏽 fine', 'fine', {}, ['6 fine']],
    ['aaaa', 'aa', {}, ['1 aa', '3 aa']],
    ['a.b', '.', {}, ['2 .']],
    ['two  words', ' two ', {}, ['1 two']],
    ['anything', '  ', {}, []],
  ])('%j for %j, %j', (text, query, options, hits) => expect(found(open(text), query, options)).toEqual(hits));

  it('finds no hit across two segments', () => {
    expect(found(open('one two', 'three two'), 'two three')).toEqual([]);
    expect(found(open('one two', 'three two'), 'two')).toEqual(['5 two', '15 two']);
  });

  it('finds each letter in either case, beside any other', () => {
    const missed: string[] = [];
    for (let code = 0x21; code < 0x3100; code += 1) {
      const letter = String.fromCodePoint(code);
      if (!/\p{L}/u.test(letter)) continue;
      // Texts with and without folding letter by letter.
      for (const text of [letter, `${letter} ⅷ`])
        for (const query of new Set([letter, letter.toLowerCase(), letter.toUpperCase()])) {
          const [hit] = searchSegments([{ id: 's', speaker: '', text, start: 0 }], query);
          if (hit?.text !== letter) missed.push(`${query} in ${text}`);
        }
    }
    expect(missed).toEqual([]);
  });

  it('folds each text once for many searches', () => {
    const doc = open('Größe, ﬁnal', 'ｗｉｄｅ');
    const folding = vi.spyOn(String.prototype, 'normalize');
    const look = searcher();
    const times = (query: string, options?: SearchOptions) => {
      folding.mockClear();
      const count = look(doc, query, options).length;
      return [count, folding.mock.calls.length > 0];
    };
    try {
      expect(times('fin')).toEqual([1, true]);
      expect(times('wid')).toEqual([1, false]);
      expect(times('Wid', { caseSensitive: true })).toEqual([0, true]);
      expect(times('wid', { caseSensitive: true })).toEqual([1, false]);
      textOf(doc).insert(1, 'ﬁ');
      expect(times('fi', { caseSensitive: true })).toEqual([2, true]);
    } finally {
      folding.mockRestore();
    }
  });

  it('finds any text at any place', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('a', 'B', 'ß', 'İ', ' ', 'é', '好', '\u0301', '😀') })),
        fc.nat(),
        (list, n) => {
          const doc = open(...list);
          const flat = textOf(doc)
            .toDelta()
            .map(({ insert }: { insert: unknown }) => (typeof insert === 'string' ? insert : '\n'))
            .join('') as string;
          const query = ['a', 'ss', 'aß', 'i', 'é', '好 '][n % 6] ?? 'a';
          let end = 0;
          for (const { at, length, text } of search(doc, query)) {
            expect(at).toBeGreaterThanOrEqual(end);
            expect(flat.slice(at, at + length)).toBe(text);
            expect(length).toBeGreaterThan(0);
            end = at + length;
          }
        },
      ),
    );
  });

  it.each([
    [3, null, 1, 0],
    [3, null, -1, 2],
    [3, 2, 1, 0],
    [3, 0, -1, 2],
    [0, 1, 1, null],
  ] as const)('of %i hits, from %s by %i, goes to %s', (count, current, step, next) =>
    expect(cycle(count, current, step)).toBe(next),
  );
});

describe('replacing', () => {
  it('changes as many hits at once as the server takes back, and leaves the others as hits', () => {
    const doc = open('a '.repeat(10_002).trim());
    const shown = search(doc, 'a');
    expect(replaceHits(doc, { query: 'a', replacement: 'b', shown }, 'me')).toEqual({ done: 10_000 });
    expect(search(doc, 'a')).toHaveLength(2);
  });

  it('changes all hits in one transaction, undone in one step', () => {
    const doc = open('a cat, a cat', 'no dog', 'Cat');
    const undo = new Y.UndoManager(textOf(doc), { trackedOrigins: new Set(['me']) });
    let updates = 0;
    doc.on('update', () => (updates += 1));
    const shown = search(doc, 'cat');
    expect(replaceHits(doc, { query: 'cat', replacement: 'horse', shown }, 'me')).toEqual({ done: 3 });
    expect([texts(doc), updates]).toEqual([['a horse, a horse', 'no dog', 'horse'], 1]);
    undo.undo();
    expect(texts(doc)).toEqual(['a cat, a cat', 'no dog', 'Cat']);
  });

  it('changes a single hit, and replaces with nothing', () => {
    const doc = open('a cat, a cat');
    expect(replaceHits(doc, { query: 'cat', replacement: 'dog', shown: search(doc, 'cat'), only: 1 }, 'me')).toEqual({
      done: 1,
    });
    expect(texts(doc)).toEqual(['a cat, a dog']);
    expect(replaceHits(doc, { query: 'cat, ', replacement: '', shown: search(doc, 'cat, ') }, 'me')).toEqual({
      done: 1,
    });
    expect(texts(doc)).toEqual(['a  a dog']);
  });

  it('ignores a replacement equal but for blanks at its ends', () => {
    const doc = open('a cat');
    expect(replaceHits(doc, { query: 'cat', replacement: ' cat ', shown: search(doc, 'cat') }, 'me')).toEqual({
      ignored: true,
    });
    expect(replaceHits(doc, { query: 'cat', replacement: 'Cat', shown: search(doc, 'cat') }, 'me')).toEqual({
      done: 1,
    });
    expect(texts(doc)).toEqual(['a Cat']);
  });

  it.each<[string, (doc: Y.Doc) => void]>([
    ['one came', (doc) => textOf(doc).insert(1, 'cat ')],
    ['one went', (doc) => textOf(doc).delete(3, 3)],
    ['one moved', (doc) => textOf(doc).insert(1, 'x')],
    ['one is written otherwise', (doc) => replaceRanges(doc, [{ at: 3, remove: 1, insert: ['C'] }], 'you')],
  ])('not when %s since the hits were shown; then the new ones are told', (_, change) => {
    const doc = open('a cat, a cat');
    const shown = search(doc, 'cat');
    change(doc);
    const before = texts(doc);
    const now = search(doc, 'cat');
    expect(replaceHits(doc, { query: 'cat', replacement: 'dog', shown }, 'me')).toEqual({ stale: now });
    expect(texts(doc)).toEqual(before);
    expect(replaceHits(doc, { query: 'cat', replacement: 'dog', shown: now }, 'me')).toEqual({ done: now.length });
  });

  it('keeps the times of the replaced words', async () => {
    const { readWords } = await import('./words.ts');
    const doc = new Y.Doc();
    const words = ['a', 'cat', 'and', 'a', 'cat'].map((w, i) => ({ w, f: i, t: i + 0.5 }));
    Y.applyUpdate(doc, seedState({ speakers: [], segments: [{ id: 's', speaker: 'p', words }] }));
    replaceHits(doc, { query: 'cat', replacement: 'horse', shown: search(doc, 'cat') }, 'me');
    expect(
      readWords(doc).segments[0]?.words.map(({ text, from, to, estimated }) => [text, from, to, estimated]),
    ).toEqual([
      ['a', 0, 500, false],
      ['horse', 1000, 1500, false],
      ['and', 2000, 2500, false],
      ['a', 3000, 3500, false],
      ['horse', 4000, 4500, false],
    ]);
  });

  it.each([
    ['horse', [0, 10_000, 20_000]],
    ['a', [0, 10_000, 20_000]],
    ['one and two', [0, 10_000, 20_000]],
    // A segment whose first word is gone begins with its next one.
    ['', [1000, 11_000, 20_000]],
  ])('with %j begins each segment with its first word, replaced or left', async (by, begins) => {
    const { readWords } = await import('./words.ts');
    const doc = new Y.Doc();
    const segments = ['cat and cat', 'cat sat', 'a cat'].map((text, i) => ({
      id: `s${i}`,
      speaker: 'p',
      words: text.split(' ').map((w, k) => ({ w, f: i * 10 + k, t: i * 10 + k + 0.5 })),
    }));
    Y.applyUpdate(doc, seedState({ speakers: [], segments }));
    const times = () => readWords(doc).segments.map(({ id, from }) => [id, from]);
    const at = (all: readonly number[]) => all.map((from, i) => [`s${i}`, from]);
    expect(times()).toEqual(at([0, 10_000, 20_000]));
    expect(replaceHits(doc, { query: 'cat', replacement: by, shown: search(doc, 'cat') }, 'me')).toEqual({ done: 4 });
    expect(times()).toEqual(at(begins));
  });
});
