// G16: a document is built of slices, each of which hangs on those before alone, and is the same as built in one go.
import fc from 'fast-check';
import * as Y from 'yjs';
import { expect, it } from 'vitest';
import { skim } from './skim.ts';
import { prepare, slicesOf } from './slices.ts';
import { addTo, build, proves } from './snapshot.ts';

/** Builds slice by slice; none of them may leave anything waiting. */
function buildSlices(slices: readonly Uint8Array[]): Y.Doc {
  const doc = build([]);
  for (const slice of slices) addTo(doc, [slice]);
  return doc;
}

/** Ids of all characters in their order, and whether each is deleted. */
function lettersOf(doc: Y.Doc): string[] {
  const letters: string[] = [];
  for (let item = doc.getText('text')._start; item; item = item.right)
    for (let i = 0; i < item.length; i += 1)
      letters.push(`${item.id.client}:${item.id.clock + i}${item.deleted ? '-' : ''}`);
  return letters;
}

const step = fc.record({
  who: fc.nat(2),
  kind: fc.constantFrom('insert', 'insert', 'delete', 'value', 'type', 'meet'),
  at: fc.nat(1000),
  length: fc.integer({ min: 1, max: 12 }),
});

/** The pieces of people who write at once and meet now and then: a snapshot, and the updates behind it. */
function written(steps: readonly { who: number; kind: string; at: number; length: number }[], whole: number) {
  const people = [7, 3, 11].map((clientID) => Object.assign(new Y.Doc(), { clientID }));
  const updates: Uint8Array[] = [];
  for (const doc of people) doc.on('update', (update: Uint8Array, origin) => origin === 'meet' || updates.push(update));
  const meet = () => {
    for (const one of people)
      for (const other of people) Y.applyUpdate(other, Y.encodeStateAsUpdate(one, Y.encodeStateVector(other)), 'meet');
  };
  for (const { who, kind, at, length } of steps) {
    const doc = people[who] as Y.Doc;
    const text = doc.getText('text');
    if (kind === 'meet') meet();
    else if (kind === 'insert') text.insert(at % (text.length + 1), 'abcdefghijkl'.slice(0, length));
    else if (kind === 'value') doc.getMap('about').set(`k${at % 3}`, length);
    else if (kind === 'type') doc.getMap('speakers').set(`s${at % 2}`, new Y.Map([['name', length]]));
    else if (text.length > length) text.delete(at % (text.length - length), length);
  }
  meet();
  const early = updates.slice(0, Math.min(whole, updates.length));
  const doc = new Y.Doc();
  for (const update of early) Y.applyUpdate(doc, update);
  const isWhole = !doc.store.pendingStructs && !doc.store.pendingDs;
  return isWhole ? [Y.encodeStateAsUpdate(doc), ...updates.slice(early.length)] : updates;
}

it('makes the same document of slices of any size', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.nat(60), fc.integer({ min: 1, max: 9 }), (steps, whole, most) => {
      const pieces = written(steps, whole);
      const doc = build(pieces);
      const sliced = buildSlices(slicesOf(pieces, most));
      expect(proves(doc, Y.encodeStateAsUpdate(sliced))).toBe(true);
      expect(lettersOf(sliced)).toEqual(lettersOf(doc));
    }),
    { numRuns: 100 },
  );
});

it('has no more in a slice than it may', () => {
  const doc = new Y.Doc();
  const text = doc.getText('text');
  for (let i = 0; i < 3000; i += 1) text.insert(0, 'a');
  text.delete(0, 2500);
  for (let i = 0; i < 100; i += 1) doc.getMap('about').set(`k${i}`, i);
  const updates: Uint8Array[] = [];
  doc.on('update', (update: Uint8Array) => updates.push(update));
  for (let i = 0; i < 500; i += 1) text.insert(0, 'b');
  const bytes = Y.encodeStateAsUpdate(doc);
  const slices = slicesOf([bytes], 100);
  expect(slices.length).toBeGreaterThan(5);
  for (const slice of slices) expect(skim(slice).structs).toBeLessThanOrEqual(100);
  expect(proves(doc, Y.encodeStateAsUpdate(buildSlices(slices)))).toBe(true);
  // A small document is not cut.
  expect(prepare([bytes]).slices).toEqual([]);
  expect(prepare([bytes], { mostStructs: 100 }).slices).toHaveLength(slices.length);
});

it('refuses pieces that make no document', () => {
  const doc = new Y.Doc();
  const updates: Uint8Array[] = [];
  doc.on('update', (update: Uint8Array) => updates.push(update));
  doc.getText('text').insert(0, 'one');
  doc.getText('text').insert(3, 'two');
  doc.getText('text').delete(0, 1);
  const [first, second, third] = updates as [Uint8Array, Uint8Array, Uint8Array];
  expect(() => slicesOf([second])).toThrow('something is missing');
  expect(() => slicesOf([third])).toThrow('a deletion of what is not there');
  expect(slicesOf([first, second, third])).toHaveLength(3);
});
