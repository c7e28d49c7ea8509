import { expect, it } from 'vitest';
import * as Y from 'yjs';
import { stretchesOf, type Anchor } from './anchors.ts';
import { identitiesOf, noteReturned } from './identities.ts';
import { seedState } from './seed.ts';
import { textOf } from './transcript.ts';
import { readWords } from './words.ts';

/** A person with an undo that notes what it brings back, as the editor's does. */
function person(start: Uint8Array, clientId: number) {
  const doc = new Y.Doc();
  doc.clientID = clientId;
  Y.applyUpdate(doc, start);
  const manager = new Y.UndoManager(textOf(doc), { trackedOrigins: new Set(['me']), captureTimeout: 0 });
  return {
    doc,
    erase: (at: number, length: number) => doc.transact(() => textOf(doc).delete(at, length), 'me'),
    undo: () => {
      const since = Y.getState(doc.store, doc.clientID);
      const deletions = manager.undoStack.map((step) => step.deletions);
      doc.transact((transaction) => {
        manager.undo();
        noteReturned(transaction, deletions, since);
      }, manager);
    },
  };
}

const start = seedState({
  speakers: [],
  segments: [
    {
      id: 's1',
      speaker: 'ann',
      words: ['one', 'two', 'three'].map((w, i) => ({ w, f: i, t: i + 0.5, confidence: 0.3 })),
    },
  ],
});
const wordsOf = (doc: Y.Doc) =>
  readWords(doc).segments.flatMap(({ words }) => words.map(({ text, from, confidence }) => [text, from, confidence]));

function exchange(one: Y.Doc, other: Y.Doc): void {
  Y.applyUpdate(one, Y.encodeStateAsUpdate(other));
  Y.applyUpdate(other, Y.encodeStateAsUpdate(one));
}

it('what two people deleted and both brought back is there twice: the first is what it was, for everybody', () => {
  const [ann, ben] = [person(start, 10), person(start, 11)];
  ann.erase(5, 4);
  ben.erase(5, 9);
  exchange(ann.doc, ben.doc);
  ann.undo();
  ben.undo();
  exchange(ann.doc, ben.doc);
  const [seed = 0] = [...ann.doc.getMap('timings').keys()].map(Number);
  const anchor: Anchor = { g: 1, first: [seed, 5], last: [seed, 13] };
  for (const { doc } of [ann, ben]) {
    // An anchor holds on to the words at their first place and reaches to the end of the passage.
    const [place] = stretchesOf(doc, [anchor]);
    expect(
      textOf(doc)
        .toString()
        .slice((place?.from ?? 0) - 1, (place?.to ?? 0) - 1),
    ).toMatch(/^two .*three$/);
    expect(wordsOf(doc)).toContainEqual(['one', 0, 0.3]);
    expect(wordsOf(doc).filter(([, , confidence]) => confidence !== null)).toEqual([
      ['one', 0, 0.3],
      ['two', 1000, 0.3],
      ['three', 2000, 0.3],
    ]);
  }
  expect(wordsOf(ann.doc)).toEqual(wordsOf(ben.doc));
});

it('what is deleted and brought back again and again is noted by its first id', () => {
  const ann = person(start, 10);
  for (let round = 0; round < 3; round += 1) {
    ann.erase(5, 4);
    ann.undo();
    expect(wordsOf(ann.doc)[1]).toEqual(['two', 1000, 0.3]);
  }
  const [seed = 0] = [...ann.doc.getMap('timings').keys()].map(Number);
  for (const value of ann.doc.getMap('identities').values()) expect(value).toEqual([expect.any(Number), 4, seed, 5]);
});

it('ignores malformed entries, and of overlapping ones the same for everybody', () => {
  const entries: [string, unknown][] = [
    ['7:0', [0, 5, 1, 100]],
    ['7:3', [3, 5, 2, 200]],
    ['7:9', [9, 2, 3, 300, 20, 1]],
    ['7:x', [40, 1, 1, 1]],
    ['8', [0, 1, 1, 1]],
    ['9:0', 'text'],
    ['9:1', [1, 0, 1, 1]],
    ['9:2', [2, 1, -1, 1]],
    ['9:3', [3, 1, 1.5, 1]],
    ['9:4', [4, 1, 1, '1']],
  ];
  for (const list of [entries, entries.toReversed()]) {
    const doc = new Y.Doc();
    for (const [key, value] of list) doc.getMap('identities').set(key, value);
    const identities = identitiesOf(doc);
    expect(identities.runs(7, 0, 12)).toEqual([
      { client: 1, clock: 100, length: 5 },
      { client: 7, clock: 5, length: 4 },
      { client: 3, clock: 300, length: 2 },
      { client: 7, clock: 11, length: 1 },
    ]);
    expect(identities.runs(7, 4, 2)).toEqual([
      { client: 1, clock: 104, length: 1 },
      { client: 7, clock: 5, length: 1 },
    ]);
    expect([identities.of(7, 4), identities.of(7, 40)]).toEqual([
      [1, 104],
      [7, 40],
    ]);
    expect([identities.has(8), identities.has(9)]).toEqual([false, false]);
  }
});

it('is read again only when it has changed: not for what is typed', () => {
  const ann = person(start, 10);
  ann.erase(5, 4);
  ann.undo();
  const before = identitiesOf(ann.doc);
  textOf(ann.doc).insert(3, 'x');
  expect(identitiesOf(ann.doc)).toBe(before);
  ann.erase(1, 1);
  ann.undo();
  expect(identitiesOf(ann.doc)).not.toBe(before);
});
