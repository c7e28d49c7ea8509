import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import {
  differences,
  glue,
  merge,
  pieces,
  readSegments,
  replaceRanges,
  segmentAt,
  segmentsOf,
  setSpeaker,
  split,
  textOf,
  type Piece,
} from './transcript.ts';

const origin = 'test';

function transcript(...list: Piece[]): Y.Doc {
  const doc = new Y.Doc();
  replaceRanges(doc, [{ at: 0, remove: 0, insert: list }], origin);
  return doc;
}

const b = (s: string, p = 'ann'): Piece => ({ s, p });
const shown = (doc: Y.Doc) => readSegments(doc).map(({ id, speaker, text }) => `${id}/${speaker}: ${text}`);
const flat = (doc: Y.Doc) =>
  Array.from(pieces(textOf(doc)), (piece) => (typeof piece === 'string' ? piece : `<${piece.s}>`)).join('');

/** Makes concurrent edits and merges them. */
function atOnce(doc: Y.Doc, ...edits: ((doc: Y.Doc) => void)[]): Y.Doc {
  const state = Y.encodeStateAsUpdate(doc);
  const others = edits.map((edit) => {
    const other = new Y.Doc();
    Y.applyUpdate(other, state);
    edit(other);
    return other;
  });
  for (const other of others) Y.applyUpdate(doc, Y.encodeStateAsUpdate(other));
  return doc;
}

describe('reading', () => {
  it('gives each segment its text and where it starts', () => {
    const doc = transcript(b('a'), 'one', b('b', 'ben'), b('c'), 'three');
    expect(readSegments(doc)).toEqual([
      { id: 'a', speaker: 'ann', text: 'one', start: 1 },
      { id: 'b', speaker: 'ben', text: '', start: 5 },
      { id: 'c', speaker: 'ann', text: 'three', start: 6 },
    ]);
  });

  it('shows text before the first boundary, unless it is empty', () => {
    expect(shown(transcript('lost', b('a'), 'one'))).toEqual(['null/: lost', 'a/ann: one']);
    expect(shown(transcript())).toEqual([]);
  });

  it.each([{ image: 'x' }, { s: 4, p: null }, [1], {}])('reads a foreign embed %j as a boundary', (embed) => {
    const doc = transcript(b('a'), 'one');
    textOf(doc).insertEmbed(2, embed);
    expect(shown(doc)).toEqual(['a/ann: o', '/: ne']);
  });

  it('ignores foreign formatting and invalid overrides', () => {
    const doc = transcript(b('a'), 'one');
    textOf(doc).format(1, 2, { bold: true });
    for (const value of [7, null, { p: 7 }, [], 'ben']) segmentsOf(doc).set('a', value);
    expect(shown(doc)).toEqual(['a/ann: one']);
  });

  it('stops after as many segments as are wanted', () => {
    const doc = transcript('x', b('a'), 'one', b('b'), b('c'), 'two');
    for (const most of [1, 2, 3, 4, 9]) expect(readSegments(doc, most)).toEqual(readSegments(doc).slice(0, most));
  });

  it('finds the segment at a position', () => {
    const segments = readSegments(transcript('x', b('a'), 'one', b('b'), b('c'), 'two'));
    const at = (position: number) => segmentAt(segments, position)?.id;
    expect([0, 1, 2, 5, 6, 7, 10, 99].map(at)).toEqual([null, null, 'a', 'a', 'b', 'c', 'c', 'c']);
    expect(segmentAt([], 0)).toBeUndefined();
  });
});

describe('writing', () => {
  it('splits and merges without touching a character', () => {
    const doc = transcript(b('a', 'ben'), 'one two');
    const before = Y.encodeStateVector(doc);
    const id = split(doc, 4, origin);
    expect(shown(doc)).toEqual(['a/ben: one', `${id}/ben:  two`]);
    expect(Y.encodeStateAsUpdate(doc, before).byteLength).toBeLessThan(90);
    expect(merge(doc, id, origin)).toBe(true);
    expect(shown(doc)).toEqual(['a/ben: one two']);
    expect(merge(doc, 'a', origin)).toBe(false);
    expect(merge(doc, 'unknown', origin)).toBe(false);
  });

  it.each([
    ['one', 'two', ' '],
    ['one ', 'two', ''],
    ['one', ' two', ''],
    ['', 'two', ''],
    ['one', '', ''],
    ['好', '的', ''],
    ['好。', 'ok', ''],
    ['one.', '“Two', ' '],
    ['𠀀', '𠀀', ''],
  ])('between %j and %j comes %j', (left, right, blank) => {
    expect(glue(left, right)).toBe(blank);
  });

  it('replaces many ranges in one transaction, ascending', () => {
    const doc = transcript(b('a'), 'cat cat cat');
    let updates = 0;
    doc.on('update', () => (updates += 1));
    const edits = [1, 5, 9].map((at) => ({ at, remove: 3, insert: ['horse'] }));
    replaceRanges(doc, edits, origin);
    expect([shown(doc), updates]).toEqual([['a/ann: horse horse horse'], 1]);
  });

  it.each([
    ['beyond the end', [{ at: 3, remove: 2, insert: [] }]],
    [
      'descending',
      [
        { at: 2, remove: 0, insert: ['x'] },
        { at: 1, remove: 0, insert: ['y'] },
      ],
    ],
    [
      'overlapping',
      [
        { at: 0, remove: 2, insert: [] },
        { at: 1, remove: 1, insert: [] },
      ],
    ],
    ['backwards', [{ at: 2, remove: -1, insert: [] }]],
  ])('writes nothing of ranges %s', (_, edits) => {
    const doc = transcript(b('a'), 'one');
    expect(() => replaceRanges(doc, edits, origin)).toThrow(RangeError);
    expect(shown(doc)).toEqual(['a/ann: one']);
  });

  it('writes no lone surrogates', () => {
    expect(flat(transcript('a\uD83Db', '\u{1F600}'))).toBe('a\uFFFDb\u{1F600}');
  });

  const speakers = () => transcript('head', b('a'), 'x', b('b', 'ben'), 'y', b('c'), 'z', b('d'), 'u');

  it.each([
    ['one', 'c', 'ben', 'a/ann b/ben c/ben d/ann', 1],
    ['following', 'c', 'ben', 'a/ann b/ben c/ben d/ben', 2],
    ['all', 'c', 'ben', 'a/ben b/ben c/ben d/ben', 3],
    ['all', 'b', 'ben', 'a/ann b/ben c/ann d/ann', 0],
    ['all', 'unknown', 'ben', 'a/ann b/ben c/ann d/ann', 0],
  ] as const)('says of %s segment %s that %s spoke', (scope, id, speaker, wanted, count) => {
    const doc = speakers();
    expect(setSpeaker(doc, id, scope, speaker, origin)).toBe(count);
    expect(
      readSegments(doc)
        .slice(1)
        .map((segment) => `${segment.id}/${segment.speaker}`)
        .join(' '),
    ).toBe(wanted);
  });

  it('makes a segment of the text before the first boundary once its speaker is named', () => {
    const doc = speakers();
    expect(setSpeaker(doc, null, 'one', 'chen', origin)).toBe(1);
    const [head] = readSegments(doc);
    expect([head?.speaker, head?.text, head?.id === null]).toEqual(['chen', 'head', false]);
  });
});

describe('two concurrent edits', () => {
  it.each<[string, (doc: Y.Doc) => void, (doc: Y.Doc) => void, string[]]>([
    [
      'a split beside typing in the tail',
      (d) => split(d, 4, origin),
      (d) => textOf(d).insert(8, '!'),
      ['one', ' two!', 'six'],
    ],
    [
      'a merge beside typing in the second',
      (d) => merge(d, 'b', origin),
      (d) => textOf(d).insert(12, '!'),
      ['one two six!'],
    ],
    [
      'a split beside a deletion in the tail',
      (d) => split(d, 4, origin),
      (d) => textOf(d).delete(5, 3),
      ['one', ' ', 'six'],
    ],
    ['the same split twice', (d) => split(d, 4, origin), (d) => split(d, 4, origin), ['one', '', ' two', 'six']],
    ['the same merge twice', (d) => merge(d, 'b', origin), (d) => merge(d, 'b', origin), ['one two  six']],
  ])('%s', (_, one, other, wanted) => {
    const doc = atOnce(transcript(b('a'), 'one two', b('b'), 'six'), one, other);
    expect(readSegments(doc).map(({ text }) => text)).toEqual(wanted);
  });
});

describe('the difference', () => {
  const unit = fc.oneof(
    fc.constantFrom<Piece>('a', 'b', ' ', '\u{1F600}', '\u{1F601}', '\u{2F600}', '\uFFFC'),
    fc.constantFrom<Piece>(b('x'), b('y')),
  );
  const list = fc.array(unit, { maxLength: 12 });

  it('turns one into the other, is the smallest, and never cuts a surrogate pair', () => {
    fc.assert(
      fc.property(list, list, (before, after) => {
        const doc = transcript(...before);
        const wanted = flat(transcript(...after));
        const edits = differences(0, [...pieces(textOf(doc))], after);
        for (const piece of edits.flatMap((edit) => edit.insert))
          if (typeof piece === 'string') expect(piece).not.toMatch(/\p{Surrogate}/u);
        replaceRanges(doc, edits, origin);
        expect(flat(doc)).toBe(wanted);
        expect(differences(0, [...pieces(textOf(doc))], after)).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  it.each<[Piece[], Piece[], unknown]>([
    [['abc'], ['abXc'], [{ at: 12, remove: 0, insert: ['X'] }]],
    [['aa'], ['aaa'], [{ at: 12, remove: 0, insert: ['a'] }]],
    [['\u{1F600}'], ['\u{1F601}'], [{ at: 10, remove: 2, insert: ['\u{1F601}'] }]],
    [['\u{1F600}'], ['\u{2F600}'], [{ at: 10, remove: 2, insert: ['\u{2F600}'] }]],
    [['one', b('x'), 'two'], ['one two'], [{ at: 13, remove: 1, insert: [' '] }]],
    [[b('x', 'ann')], [b('x', 'ben')], []],
    [[b('x')], ['\uFFFC'], [{ at: 10, remove: 1, insert: ['\uFFFC'] }]],
    [
      [b('x'), 'one', b('y'), 'two'],
      [b('y'), 'tho', b('z')],
      [
        { at: 10, remove: 4, insert: [] },
        { at: 16, remove: 2, insert: ['ho', b('z')] },
      ],
    ],
  ])('of %j and %j is small', (before, after, wanted) => {
    expect(differences(10, before, after)).toEqual(wanted);
  });
});
