import fc from 'fast-check';
import * as Y from 'yjs';
import { describe, expect, it } from 'vitest';
import { spoken } from '#tests/support/spoken.ts';
import { anchorAt, placesOf, saidIn, stretchAtTime, stretchesOf, type Anchored } from './anchors.ts';
import { merge, readSegments, replaceRanges, split, textOf } from './transcript.ts';
import { readWords } from './words.ts';

const generation = 3;

function talk(...texts: string[]): Y.Doc {
  const doc = new Y.Doc();
  replaceRanges(
    doc,
    [{ at: 0, remove: 0, insert: texts.flatMap((text, i) => [{ s: `s${i}`, p: 'p' }, text]) }],
    'test',
  );
  return doc;
}

const flat = (doc: Y.Doc) =>
  readWords(doc)
    .segments.flatMap(({ id, text }) => (id === null ? [text] : ['|', text]))
    .join('');
const under = (doc: Y.Doc, place: { from: number; to: number } | null | undefined) =>
  place ? flat(doc).slice(place.from, place.to) : null;
const about = (doc: Y.Doc, words: string, g = generation): Anchored => {
  const from = flat(doc).indexOf(words);
  return { anchor: anchorAt(doc, g, from, from + words.length), ...saidIn(readWords(doc), from, from + words.length) };
};
const type = (doc: Y.Doc, before: string, text: string) =>
  replaceRanges(doc, [{ at: flat(doc).indexOf(before), remove: 0, insert: [text] }], 'test');
const cut = (doc: Y.Doc, words: string) =>
  replaceRanges(doc, [{ at: flat(doc).indexOf(words), remove: words.length, insert: [] }], 'test');
const placeOf = (doc: Y.Doc, item: Anchored) => placesOf(doc, readWords(doc), generation, [item])[0];

describe('the place of an anchor', () => {
  it('stays on the same words through edits around and within them', () => {
    const doc = talk('The first week was hard, but the second one felt lighter.');
    const item = about(doc, 'second one felt');
    type(doc, 'first', 'very ');
    type(doc, 'one felt', 'good ');
    cut(doc, 'The ');
    expect(under(doc, placeOf(doc, item))).toBe('second good one felt');
    type(doc, 'second', 'other ');
    expect(under(doc, placeOf(doc, item))).toBe('second good one felt');
    cut(doc, 'felt');
    expect(under(doc, placeOf(doc, item))).toBe('second good one ');
  });

  it('stays on its words when their segment is split and merged again', () => {
    const doc = talk('one two three four');
    const item = about(doc, 'two three');
    split(doc, flat(doc).indexOf('three'), 'test');
    expect(under(doc, placeOf(doc, item))).toBe('two |three');
    merge(doc, readSegments(doc)[1]?.id ?? '', 'test');
    expect(placeOf(doc, item)?.by).toBe('anchor');
    expect(under(doc, placeOf(doc, item))).toMatch(/^two +three$/);
  });

  it('is found by its quote if its characters are gone: after delete and undo, or in a replaced document', () => {
    const doc = spoken('yes it is so', 'no it is not', 'yes it is again');
    const text = textOf(doc);
    const undo = new Y.UndoManager(text);
    const item = about(doc, 'it is not');
    const again = { ...item, anchor: { ...item.anchor!, g: generation - 1 } };
    expect(placeOf(doc, again)).toEqual({ ...placeOf(doc, item), by: 'quote' });
    text.delete(flat(doc).indexOf('no it is not'), 'no it is not'.length);
    expect(placeOf(doc, item)?.by).toBe('time');
    undo.undo();
    expect(placeOf(doc, item)?.by).toBe('quote');
    expect(under(doc, placeOf(doc, item))).toBe('it is not');
  });

  it('of words that occur several times is the occurrence at its time', () => {
    const doc = spoken('yes it is so', 'no it is not', 'yes it is again');
    const item = { anchor: null, quote: 'it is', start: 9, end: 10 };
    expect(placeOf(doc, item)).toEqual({
      from: flat(doc).lastIndexOf('it is'),
      to: flat(doc).lastIndexOf('it is') + 5,
      by: 'quote',
    });
  });

  it('is found by its time if its words are gone', () => {
    const doc = spoken('yes it is so', 'no it is not');
    expect(under(doc, placeOf(doc, { anchor: null, quote: 'maybe', start: 5, end: 6.5 }))).toBe('it is');
    expect(placeOf(new Y.Doc(), { anchor: null, quote: 'maybe', start: 5, end: 6 })).toBeNull();
  });

  it('is null for an empty range', () => {
    const doc = talk('one');
    expect([anchorAt(doc, 1, 2, 2), anchorAt(doc, 1, 4, 9)]).toEqual([null, null]);
    expect(stretchesOf(doc, [{ g: 1, first: [1, 1], last: [1, 2] }])).toEqual([null]);
  });

  it('has a quote and times; a time has a range', () => {
    const doc = spoken('yes it is so', 'no it is not');
    const reading = readWords(doc);
    const from = flat(doc).indexOf('is so');
    expect(saidIn(reading, from, from + 'is so|no'.length)).toEqual({ quote: 'is so no', start: 2, end: 4.9 });
    expect(under(doc, stretchAtTime(reading, 1000, 3000))).toBe('it is');
    expect(under(doc, stretchAtTime(reading, 3500, 99_000))).toBe('so');
    expect(stretchAtTime(readWords(new Y.Doc()), 0, 1)).toBeNull();
  });
});

describe('after a thousand edits of several people, with undo', () => {
  const step = fc.record({
    peer: fc.nat(2),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    what: fc.nat(9),
    text: fc.string({ minLength: 1, maxLength: 6 }),
  });
  it('each anchor is at the position that Yjs itself gives for its ends', () => {
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1000, maxLength: 1000 }),
        fc.infiniteStream(fc.nat(300)),
        (steps, random) => {
          const peers = [0, 1, 2].map((i) => {
            const doc = new Y.Doc();
            doc.clientID = i + 1;
            return doc;
          });
          const [first] = peers;
          if (!first) return;
          replaceRanges(
            first,
            [{ at: 0, remove: 0, insert: ['x'.repeat(150), { s: 'a', p: 'p' }, 'y'.repeat(150)] }],
            'test',
          );
          const meet = () => {
            for (const one of peers)
              for (const other of peers) Y.applyUpdate(one, Y.encodeStateAsUpdate(other, Y.encodeStateVector(one)));
          };
          meet();
          const undo = peers.map(
            (doc) => new Y.UndoManager(textOf(doc), { captureTimeout: 0, trackedOrigins: new Set(['mine']) }),
          );
          const kept = Array.from({ length: 40 }, () => {
            const [one = 0, other = 0] = [random.next().value, random.next().value];
            const [from, to] = [Math.min(one, other), Math.max(one, other) + 1];
            const text = textOf(first);
            return {
              anchor: anchorAt(first, generation, from, to)!,
              first: Y.createRelativePositionFromTypeIndex(text, from, 0),
              last: Y.createRelativePositionFromTypeIndex(text, to, -1),
            };
          });
          for (const [i, { peer, at, what, text: letters }] of steps.entries()) {
            const doc = peers[peer]!;
            const text = textOf(doc);
            const place = Math.floor(at * text.length);
            if (what < 5) doc.transact(() => text.insert(place, letters), 'mine');
            else if (what < 8) doc.transact(() => text.delete(place, Math.min(4, text.length - place)), 'mine');
            else if (what === 8) doc.transact(() => text.insertEmbed(place, { s: `s${i}`, p: 'p' }), 'mine');
            else undo[peer]?.undo();
            if (i % 50 === 0) meet();
          }
          meet();
          for (const doc of peers) {
            const found = stretchesOf(
              doc,
              kept.map(({ anchor }) => anchor),
            );
            const wanted = kept.map(({ first: begins, last: ends }) => {
              const index = (position: Y.RelativePosition) =>
                Y.createAbsolutePositionFromRelativePosition(position, doc, false)?.index ?? -1;
              const [from, to] = [index(begins), index(ends)];
              return to > from ? { from, to } : null;
            });
            expect(found).toEqual(wanted);
          }
        },
      ),
      { numRuns: 4 },
    );
  });
});
