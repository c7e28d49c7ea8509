import { expect, test } from 'vitest';
import * as Y from 'yjs';
import { compareWithOriginal, readSeeds, type ComparedSegment } from './original.ts';
import { writeSeed, type WireWord } from './seed.ts';
import { merge, readSegments, replaceRanges, split, textOf } from './transcript.ts';

const words = (text: string): WireWord[] => text.split(' ').map((w, i) => ({ w, f: i, t: i + 1, confidence: 0.9 }));

/** Document with a seed, and the log of all its changes. */
function meeting(...texts: string[]) {
  const maker = new Y.Doc();
  const seed = writeSeed(
    maker,
    { speakers: [], segments: texts.map((text, i) => ({ id: `s${i}`, speaker: 'ann', words: words(text) })) },
    'seed',
  );
  const doc = new Y.Doc();
  const log: Uint8Array[] = [];
  doc.on('update', (update: Uint8Array) => log.push(update));
  Y.applyUpdate(doc, Y.encodeStateAsUpdate(maker));
  return { doc, seed, log };
}

/** `[-gone-]` and `{+new+}`. */
const shown = (segments: readonly ComparedSegment[]) =>
  segments.map(({ pieces }) =>
    pieces.map(({ kind, text }) => (kind === 'same' ? text : kind === 'gone' ? `[-${text}-]` : `{+${text}+}`)).join(''),
  );

const rows: { what: string; texts: string[]; change: (doc: Y.Doc) => void; is: string[] }[] = [
  { what: 'nothing', texts: ['one two', 'three'], change: () => {}, is: ['one two', 'three'] },
  {
    what: 'a letter of a word',
    texts: ['a conversion with'],
    change: (doc) => textOf(doc).insert(10, 'at'),
    is: ['a [-conversion-]{+conversation+} with'],
  },
  {
    what: 'a word typed over',
    texts: ['the moth. I need'],
    change: (doc) => replaceRanges(doc, [{ at: 5, remove: 4, insert: ['month'] }], ''),
    is: ['the [-moth.-]{+month.+} I need'],
  },
  {
    what: 'a word put in',
    texts: ['it is good'],
    change: (doc) => textOf(doc).insert(6, ' very'),
    is: ['it is {+very+} good'],
  },
  {
    what: 'a word taken out',
    texts: ['it is very good'],
    change: (doc) => textOf(doc).delete(6, 5),
    is: ['it is [-very-] good'],
  },
  {
    what: 'all of a segment',
    texts: ['one', 'two'],
    change: (doc) => textOf(doc).delete(1, 3),
    is: ['[-one-]', 'two'],
  },
  { what: 'a merge', texts: ['one', 'two'], change: (doc) => void merge(doc, 's1', ''), is: ['one ', 'two'] },
  { what: 'a split', texts: ['one two'], change: (doc) => void split(doc, 5, ''), is: ['one two'] },
  {
    what: 'a character of Chinese',
    texts: ['你好世界'],
    change: (doc) => replaceRanges(doc, [{ at: 2, remove: 1, insert: ['们'] }], ''),
    is: ['你[-好-]{+们+}世界'],
  },
];

test.each(rows)('after $what', ({ texts, change, is }) => {
  const { doc, seed, log } = meeting(...texts);
  change(doc);
  const compared = compareWithOriginal(doc, readSeeds(log, new Set([seed])));
  expect(shown(compared).map((text) => text.trim())).toEqual(is.map((text) => text.trim()));
  expect(compared.map(({ id }) => id)).toEqual(texts.map((_, i) => `s${i}`));
});

test('text that was deleted and collected is read from the log', () => {
  const { doc, seed, log } = meeting('one two', 'three four');
  textOf(doc).delete(1, textOf(doc).length - 1);
  expect(readSegments(doc).map(({ text }) => text)).toEqual(['']);
  const fromLog = readSeeds(log, new Set([seed]));
  expect(fromLog.flatMap(({ segments }) => segments.map(({ text }) => text))).toEqual(['one two', 'three four']);
  // The state alone no longer has the text.
  const fromState = readSeeds([Y.encodeStateAsUpdate(doc)], new Set([seed]));
  expect(fromState.flatMap(({ segments }) => segments.map(({ text }) => text)).join('')).not.toContain('two');
});

test('what was deleted before a copy was made is shown as left out, as its words are unknown', () => {
  const { doc, seed } = meeting('one two three four');
  textOf(doc).delete(5, 10);
  const copied = readSeeds([Y.encodeStateAsUpdate(doc)], new Set([seed]));
  expect(shown(compareWithOriginal(doc, copied)).join('')).toBe('one [- … -]four');
});

test('speech that is recognized later is no change, also before its original is read', () => {
  const { doc, seed, log } = meeting('one two');
  const known = readSeeds(log, new Set([seed]));
  const later = new Y.Doc();
  Y.applyUpdate(later, Y.encodeStateAsUpdate(doc));
  const arriving = writeSeed(
    later,
    { speakers: [], segments: [{ id: 't', speaker: 'ben', words: words('three four') }] },
    '',
  );
  Y.applyUpdate(doc, Y.encodeStateAsUpdate(later));
  expect(shown(compareWithOriginal(doc, known, new Set([arriving])))).toEqual(['one two']);
});

test('undo of a deletion restores the same words', () => {
  const { doc, seed, log } = meeting('one two three');
  const undo = new Y.UndoManager(textOf(doc), { trackedOrigins: new Set(['ann']) });
  replaceRanges(doc, [{ at: 5, remove: 4, insert: [] }], 'ann');
  undo.undo();
  expect(shown(compareWithOriginal(doc, readSeeds(log, new Set([seed]))))).toEqual(['one two three']);
});

test('two seeds are in their order, and typed text is no seed', () => {
  const { doc, seed, log } = meeting('one');
  textOf(doc).insert(4, ' more');
  const later = new Y.Doc();
  Y.applyUpdate(later, Y.encodeStateAsUpdate(doc));
  const second = writeSeed(later, { speakers: [], segments: [{ id: 't', speaker: 'ben', words: words('two') }] }, '');
  Y.applyUpdate(doc, Y.encodeStateAsUpdate(later));
  const seeds = readSeeds(log, new Set([seed, second]));
  expect(seeds.map((one) => [one.seed, one.segments.map(({ text }) => text)])).toEqual([
    [seed, ['one']],
    [second, ['two']],
  ]);
  expect(shown(compareWithOriginal(doc, seeds))).toEqual(['one {+more+}', 'two']);
});
