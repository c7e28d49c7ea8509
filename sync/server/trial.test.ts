// G15: the trial of an update counts the steps that Yjs will take, before it takes them; honest updates cost little.
import fc from 'fast-check';
import * as Y from 'yjs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { limits } from '../protocol.ts';
import { Refused, inspect, ofTheHouse } from './inspect.ts';
import { joinCut, tryUpdate } from './trial.ts';

afterEach(() => vi.restoreAllMocks());

/** Counts the structures that Yjs compares while it looks for places: it puts each of them into two sets. */
function countYjs(work: () => void): number {
  let added = 0;
  const add = Set.prototype.add;
  const spy = vi.spyOn(Set.prototype, 'add').mockImplementation(function (this: Set<unknown>, one: unknown) {
    if (one instanceof Y.Item) added += 1;
    return Reflect.apply(add, this, [one]) as Set<unknown>;
  });
  work();
  spy.mockRestore();
  return added / 2;
}

/** Counts those that the trial compares: it numbers each of them. */
function countTrial(work: () => void): number {
  let numbered = 0;
  const set = Map.prototype.set;
  const spy = vi.spyOn(Map.prototype, 'set').mockImplementation(function (
    this: Map<unknown, unknown>,
    key: unknown,
    value: unknown,
  ) {
    if (key instanceof Y.Item && typeof value === 'number') numbered += 1;
    return Reflect.apply(set, this, [key, value]) as Map<unknown, unknown>;
  });
  work();
  spy.mockRestore();
  return numbered;
}

const costOf = (doc: Y.Doc, update: Uint8Array, most?: number): { all: number; extra: number } =>
  doc.transact((transaction) => {
    const cost = tryUpdate(
      'transcript',
      transaction,
      update,
      inspect(update, ofTheHouse),
      most === undefined ? {} : { most },
    );
    joinCut(transaction);
    return cost;
  });
const copyOf = (doc: Y.Doc): Y.Doc => {
  const copy = new Y.Doc();
  Y.applyUpdate(copy, Y.encodeStateAsUpdate(doc));
  return copy;
};
/** A person with an own copy of a document. */
const person = (doc: Y.Doc, clientId: number): Y.Doc => Object.assign(copyOf(doc), { clientID: clientId });
const news = (doc: Y.Doc, since: Y.Doc): Uint8Array => Y.encodeStateAsUpdate(doc, Y.encodeStateVector(since));

/** One random edit of a transcript. */
function edit(doc: Y.Doc, kind: number, at: number): void {
  const text = doc.getText('text');
  const map = doc.getMap('about');
  const list = map.get('list');
  const place = at % (text.length + 1);
  if (kind < 4) text.insert(place, 'abcdef'.slice(0, 1 + (at % 5)));
  else if (kind === 4) text.insert(0, 'z');
  else if (kind < 7) text.delete(place, Math.min(2, text.length - place));
  else if (kind === 7) text.insertEmbed(place, { s: 's', p: 'p' });
  else if (kind === 8) map.set(`k${at % 3}`, at);
  else if (kind === 9) map.delete('k1');
  else if (kind === 10 || !(list instanceof Y.Array)) map.set('list', Y.Array.from([1, 2, 3]));
  else if (list.length > 4) list.delete(1, 2);
  else list.insert(at % (list.length + 1), [at, at]);
}

it('G15: it compares what Yjs compares, and leaves the document as it was', () => {
  const edits = fc.array(
    fc.record({
      who: fc.nat(3),
      what: fc.array(fc.tuple(fc.nat(11), fc.nat(500)), { minLength: 1, maxLength: 8 }),
      sends: fc.constantFrom('no', 'no', 'each', 'merged', 'everything'),
      gets: fc.boolean(),
      join: fc.boolean(),
    }),
    { minLength: 20, maxLength: 60 },
  );
  fc.assert(
    fc.property(edits, (rounds) => {
      const server = new Y.Doc();
      const unsent: Uint8Array[][] = [[], [], [], []];
      const docs = unsent.map((list, n) => {
        const doc = Object.assign(new Y.Doc(), { clientID: ((n * 7) % 5) + 1 });
        doc.on('update', (update: Uint8Array, origin: unknown) => origin !== server && list.push(update));
        return doc;
      });
      for (const { who, what, sends, gets, join } of rounds) {
        const [doc, list] = [docs[who] as Y.Doc, unsent[who] as Uint8Array[]];
        for (const [kind, at] of what) edit(doc, kind, at);
        if (sends === 'no') continue;
        const updates = list.splice(0);
        const given =
          sends === 'each'
            ? updates
            : [sends === 'merged' && updates.length > 0 ? Y.mergeUpdates(updates) : Y.encodeStateAsUpdate(doc)];
        server.transact((transaction) => {
          for (const update of given) {
            const before = Y.snapshot(server);
            const inspected = inspect(update, ofTheHouse);
            const tried = countTrial(() => tryUpdate('transcript', transaction, update, inspected));
            expect(Y.equalSnapshots(Y.snapshot(server), before)).toBe(true);
            expect(countYjs(() => Y.applyUpdate(server, update))).toBe(tried);
          }
          if (join) joinCut(transaction);
        });
        if (gets) Y.applyUpdate(doc, Y.encodeStateAsUpdate(server), server);
      }
      for (const list of unsent) for (const update of list) Y.applyUpdate(server, update);
      for (const doc of docs) {
        Y.applyUpdate(doc, Y.encodeStateAsUpdate(server), server);
        expect(doc.getText('text').toString()).toBe(server.getText('text').toString());
      }
      expect(Y.equalSnapshots(Y.snapshot(copyOf(server)), Y.snapshot(server))).toBe(true);
    }),
    { numRuns: 30, seed: 4711 },
  );
});

describe('G15: what honest people do costs a small part of what is allowed', () => {
  /** Two or more people who wrote on their own, one after the other at the server; the most that one of them cost. */
  function together(start: Y.Doc, ids: readonly number[], write: (doc: Y.Doc, n: number) => void): number {
    const server = copyOf(start);
    let most = 0;
    for (const [n, id] of ids.entries()) {
      const doc = person(start, id);
      write(doc, n);
      const update = news(doc, start);
      most = Math.max(most, costOf(server, update).extra);
      Y.applyUpdate(server, update);
    }
    return most;
  }
  const start = new Y.Doc();
  start.getText('text').insert(0, 'The quick brown fox jumps over the lazy dog. '.repeat(1000));
  const type = (doc: Y.Doc, at: number, letters: number) => {
    for (let i = 0; i < letters; i += 1) doc.getText('text').insert(at + i, 'abc '[i % 4] ?? '');
  };

  it.each<[what: string, ids: number[], write: (doc: Y.Doc, n: number) => void]>([
    ['two who typed 20,000 letters each offline at the same place', [5, 9], (doc) => type(doc, 500, 20_000)],
    ['the same, the other way round', [9, 5], (doc) => type(doc, 500, 20_000)],
    [
      'fifty who typed at the end',
      Array.from({ length: 50 }, (_, n) => ((n * 37) % 50) + 1),
      (doc) => type(doc, doc.getText('text').length, 400),
    ],
    ['two who pasted', [5, 9], (doc) => doc.getText('text').insert(0, 'pasted '.repeat(20_000))],
    [
      'somebody who wrote 5000 words at the start, each before the last',
      [5],
      (doc) => {
        for (let i = 0; i < 5000; i += 1) doc.getText('text').insert(0, `w${i} `);
      },
    ],
    [
      'two who wrote 300 lines at the start, each before the last',
      [5, 9],
      (doc) => {
        for (let i = 0; i < 300; i += 1) doc.getText('text').insert(0, `line ${i}\n`);
      },
    ],
    [
      'two who corrected 5000 places each in a long session offline',
      [5, 9],
      (doc, n) => {
        const text = doc.getText('text');
        for (let i = 0; i < 5000; i += 1) {
          const at = (i * 7919 + n * 13) % (text.length - 4);
          text.delete(at, 2);
          text.insert(at, 'xyz');
        }
      },
    ],
    [
      'somebody who replaced 9000 words at once',
      [5],
      (doc) =>
        doc.transact(() => {
          const text = doc.getText('text');
          for (let i = 0; i < 9000; i += 1) {
            text.delete(i * 5, 2);
            text.insert(i * 5, 'THE');
          }
        }),
    ],
    ['somebody who deletes everything', [5], (doc) => doc.getText('text').delete(0, doc.getText('text').length)],
  ])('%s', (_what, ids, write) => {
    expect(together(start, ids, write)).toBeLessThan(limits.work / 2);
  });
});

describe('G15: what is too much is refused before it is done', () => {
  it('letters at the start of a higher client id behind as many of a lower one', () => {
    const server = new Y.Doc();
    const letters = (id: number) => {
      const doc = Object.assign(new Y.Doc(), { clientID: id });
      for (let i = 0; i < 3000; i += 1) doc.getText('text').insert(0, 'a');
      return Y.encodeStateAsUpdate(doc);
    };
    Y.applyUpdate(server, letters(5));
    const before = Y.encodeStateAsUpdate(server);
    const compared = countTrial(() =>
      expect(() => costOf(server, letters(9), limits.work)).toThrow(new Refused('too much work', 'work')),
    );
    // Not the nine million that Yjs would compare.
    expect(compared).toBeLessThan(limits.work / 10);
    expect(Buffer.from(Y.encodeStateAsUpdate(server)).equals(Buffer.from(before))).toBe(true);
  });
});
