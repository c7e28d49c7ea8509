import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { editSegments } from './edits.ts';
import { readPlain } from './plain.ts';
import { rewriteSegments, seenIn, type WantedSegment } from './rewrite.ts';
import { writeSeed } from './seed.ts';
import { standingIn } from './standing.ts';
import { merge, readSegments, setSpeaker, split, textOf } from './transcript.ts';

/** Consecutive segments with words of half a second. */
function talk(...texts: string[]): Y.Doc {
  const doc = new Y.Doc();
  let at = 0;
  writeSeed(
    doc,
    {
      speakers: ['ann', 'ben'].map((id, i) => ({ id, name: id, color: i, sortId: i })),
      segments: texts.map((text, i) => ({
        id: `s${i}`,
        speaker: i % 2 === 0 ? 'ann' : 'ben',
        words: text
          .split(' ')
          .filter(Boolean)
          .map((w) => ({ w, f: (at += 0.5) - 0.5, t: at, confidence: 0.9 })),
      })),
    },
    'seed',
  );
  // A copy, because nobody edits under the id of a seed.
  const live = new Y.Doc();
  Y.applyUpdate(live, Y.encodeStateAsUpdate(doc));
  return live;
}
const twin = (doc: Y.Doc): Y.Doc => {
  const other = new Y.Doc();
  Y.applyUpdate(other, Y.encodeStateAsUpdate(doc));
  return other;
};
const shown = (doc: Y.Doc) => readSegments(doc).map(({ id, speaker, text }) => [id, speaker, text]);
const timed = (doc: Y.Doc) =>
  readPlain(doc).transcript.segments.flatMap(({ words }) => words.map(({ w, f, t }) => `${w} ${f}-${t}`));
const wanted = (...list: [id: string | null, text: string, speaker?: string][]): WantedSegment[] =>
  list.map(([id, text, speaker = 'ann']) => ({ id, text, speaker, slots: [] }));

describe('rewritten segments', () => {
  const rows: [what: string, list: [id: string, text: string, speaker?: string][], times: string[]][] = [
    [
      'the same',
      [
        ['s0', 'one two'],
        ['s1', 'three four', 'ben'],
      ],
      ['one 0-0.5', 'two 0.5-1', 'three 1-1.5', 'four 1.5-2'],
    ],
    [
      'another word',
      [
        ['s0', 'one too'],
        ['s1', 'three four', 'ben'],
      ],
      ['one 0-0.5', 'too 0.5-1', 'three 1-1.5', 'four 1.5-2'],
    ],
    ['merged', [['s0', 'one two three four']], ['one 0-0.5', 'two 0.5-1', 'three 1-1.5', 'four 1.5-2']],
    [
      'split',
      [
        ['s0', 'one'],
        ['n', 'two', 'ben'],
        ['s1', 'three four', 'ben'],
      ],
      ['one 0-0.5', 'two 0.5-1', 'three 1-1.5', 'four 1.5-2'],
    ],
    ['the first gone', [['s1', 'three four', 'ben']], ['three 1-1.5', 'four 1.5-2']],
    ['the last gone', [['s0', 'one two']], ['one 0-0.5', 'two 0.5-1']],
    [
      'other speakers',
      [
        ['s0', 'one two', 'ben'],
        ['s1', 'three four', 'ann'],
      ],
      ['one 0-0.5', 'two 0.5-1', 'three 1-1.5', 'four 1.5-2'],
    ],
    ['none', [], []],
  ];
  for (const [what, list, times] of rows)
    test(what, () => {
      const doc = talk('one two', 'three four');
      expect(rewriteSegments(doc, seenIn(doc, true), wanted(...list), 'test')).toEqual([]);
      expect(shown(doc)).toEqual(list.map(([id, text, speaker = 'ann']) => [id, speaker, text]));
      expect(timed(doc)).toEqual(times);
    });

  test('in another order, with new ones between and around them', () => {
    const doc = talk('one', 'two', 'three');
    const list = wanted(
      ['a', 'before'],
      ['s2', 'three'],
      ['s0', 'one'],
      ['b', 'between'],
      ['s1', 'two'],
      ['c', 'behind'],
    );
    expect(rewriteSegments(doc, seenIn(doc, false), list, 'test')).toEqual([]);
    expect(shown(doc)).toEqual(list.map(({ id, speaker, text }) => [id, speaker, text]));
  });

  test('without a difference write nothing', () => {
    const doc = talk('one two', 'three');
    let updates = 0;
    doc.on('update', () => (updates += 1));
    const same = seenIn(doc, true).map(({ id, speaker, text, words }) => ({
      id,
      speaker,
      text,
      slots: words.map((word) => ({ ...word, confidence: null, flags: 0 })),
    }));
    expect(rewriteSegments(doc, seenIn(doc, true), same, 'test')).toEqual([]);
    expect(updates).toBe(0);
  });

  test('take the times of their words; words without times keep theirs', () => {
    const doc = talk('one two', 'three');
    const slot = (at: number, length: number, from: number, to: number) => ({
      at,
      length,
      from,
      to,
      confidence: null,
      flags: 0,
    });
    const list = [
      { id: 's0', speaker: 'ann', text: 'one more two', slots: [slot(4, 4, 510, 520)] },
      { id: 'n', speaker: 'ben', text: 'new one', slots: [slot(0, 3, 900, 950), slot(4, 3, 950, 990)] },
      { id: 's1', speaker: 'ben', text: 'three', slots: [slot(0, 5, 1100, 1600)] },
    ];
    expect(rewriteSegments(doc, seenIn(doc, true), list, 'test')).toEqual([]);
    expect(timed(doc)).toEqual([
      'one 0-0.5',
      'more 0.51-0.52',
      'two 0.5-1',
      'new 0.9-0.95',
      'one 0.95-0.99',
      'three 1.1-1.6',
    ]);
    expect(timed(twin(doc))).toEqual(timed(doc));
  });

  test('become the wanted ones from any state', () => {
    const word = fc.constantFrom('a', 'b', 'c', 'ab');
    const line = fc.array(word, { maxLength: 6 }).map((list) => list.join(' '));
    const before = fc.array(line, { maxLength: 5 });
    const after = fc.uniqueArray(fc.tuple(fc.constantFrom('s0', 's1', 's2', 's3', 's4', 'n0', 'n1'), line), {
      selector: ([id]) => id,
    });
    fc.assert(
      fc.property(before, after, fc.boolean(), (texts, list, withTimes) => {
        const doc = talk(...texts);
        const target = wanted(...list);
        expect(rewriteSegments(doc, seenIn(doc, withTimes), target, 'test')).toEqual([]);
        expect(shown(doc)).toEqual(target.map(({ id, speaker, text }) => [id, speaker, text]));
      }),
      { numRuns: 300 },
    );
  });
});

describe('a concurrent change', () => {
  const start = () => {
    const doc = talk('one two', 'three four', 'five six', 'seven');
    return { doc, seen: seenIn(twin(doc), false) };
  };
  const put = (doc: Y.Doc, nth: number, text: string) => textOf(doc).insert(readSegments(doc)[nth]?.start ?? 0, text);

  test('stays if it is in other segments', () => {
    const { doc, seen } = start();
    put(doc, 1, 'well ');
    split(doc, readSegments(doc)[0]?.start ?? 0, 'test');
    setSpeaker(doc, 's3', 'one', 'ann', 'test');
    const list = seen.map((one) => ({ ...one, slots: [], text: one.id === 's2' ? 'five and six' : one.text }));
    expect(rewriteSegments(doc, seen, list, 'test')).toEqual([]);
    expect(shown(doc).map(([, speaker, text]) => [speaker, text])).toEqual([
      ['ann', ''],
      ['ann', 'one two'],
      ['ben', 'well three four'],
      ['ann', 'five and six'],
      ['ann', 'seven'],
    ]);
  });

  const clashes: [
    what: string,
    meanwhile: (doc: Y.Doc) => unknown,
    change: (list: WantedSegment[]) => WantedSegment[],
    places: number[],
  ][] = [
    [
      'to the same text',
      (doc) => put(doc, 1, 'x'),
      (list) => list.map((one) => (one.id === 's1' ? { ...one, text: 'y' } : one)),
      [1],
    ],
    ['to what is taken away', (doc) => put(doc, 1, 'x'), (list) => list.filter(({ id }) => id !== 's1'), [1]],
    [
      'merging what is changed',
      (doc) => merge(doc, 's1', 'test'),
      (list) => list.map((one) => (one.id === 's1' ? { ...one, text: 'y' } : one)),
      [1],
    ],
    [
      'naming another speaker',
      (doc) => setSpeaker(doc, 's1', 'one', 'x', 'test'),
      (list) => list.map((one) => (one.id === 's1' ? { ...one, speaker: 'y' } : one)),
      [1],
    ],
    [
      'putting something between what is merged',
      (doc) => split(doc, readSegments(doc)[2]?.start ?? 0, 'test'),
      (list) =>
        list.flatMap((one) =>
          one.id === 's2' ? [] : [one.id === 's1' ? { ...one, text: 'three four five six' } : one],
        ),
      [1, 2],
    ],
  ];
  for (const [what, meanwhile, change, places] of clashes)
    test(`is a conflict: ${what}`, () => {
      const { doc, seen } = start();
      meanwhile(doc);
      const before = shown(doc);
      const found = rewriteSegments(doc, seen, change(seen.map((one) => ({ ...one, slots: [] }))), 'test');
      expect(places).toEqual(expect.arrayContaining(found));
      expect(found.length).toBeGreaterThan(0);
      expect(shown(doc)).toEqual(before);
    });
});

describe('edits with the text that was read', () => {
  test('find their segment after changes before it, even among equal ones', () => {
    const doc = talk('Yes.', 'Yes.', 'Yes.');
    const seen = standingIn(twin(doc));
    split(doc, 1, 'test');
    expect(editSegments(doc, [{ pos: 1, old: 'Yes.', new: 'No.' }], () => seen, 'test')).toEqual([]);
    expect(readSegments(doc).map(({ text }) => text)).toEqual(['', 'Yes.', 'No.', 'Yes.']);
    expect(readSegments(doc)[2]?.id).toBe('s1');
  });

  test('become one line', () => {
    const doc = talk('one');
    expect(editSegments(doc, [{ pos: 0, old: 'one', new: 'a\r\nb\u2028c\td\u0007' }], () => null, 'test')).toEqual([]);
    expect(readSegments(doc)[0]?.text).toBe('a b c d');
  });

  test('report all errors, and then none is made', () => {
    const doc = talk('one', 'two');
    const edits = [
      { pos: 0, old: 'one', new: 'a' },
      { pos: 1, old: 'other', new: 'b' },
      { pos: 'nobody', old: '', new: 'c' },
    ];
    expect(editSegments(doc, edits, () => null, 'test')).toEqual([
      { nth: 1, why: 'changed' },
      { nth: 2, why: 'unknown' },
    ]);
    expect(readSegments(doc).map(({ text }) => text)).toEqual(['one', 'two']);
  });
});
