import { afterEach, describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { createCompactor, type Compactor } from './compact.ts';
import { findPoison } from './poison.ts';
import { build, makeClean, makeSnapshot, proves } from './snapshot.ts';
import { packUpdates } from '../protocol.ts';

/** A document as people leave it: deleted words, nested values of all kinds, in many small pieces. */
function worked(words = 60): { doc: Y.Doc; updates: Uint8Array[] } {
  const [a, b] = [new Y.Doc(), new Y.Doc()];
  const updates: Uint8Array[] = [];
  for (const [doc, other] of [[a, b] as const, [b, a] as const])
    doc.on('update', (update: Uint8Array, origin: unknown) => {
      if (origin === 'other') return;
      updates.push(update);
      Y.applyUpdate(other, update, 'other');
    });
  for (let i = 0; i < words; i += 1) {
    const text = (i % 2 ? a : b).getText('text');
    text.insert((i * 7) % (text.length + 1), `word${i} 😀`);
    if (i % 5 === 0) text.delete(0, Math.min(4, text.length));
    if (i % 9 === 0) text.insertEmbed(text.length, { s: `s${i}`, p: null });
    if (i % 11 === 0) text.format(0, Math.min(6, text.length), { bold: i % 2 === 0 });
    a.getMap('about').set(`${i % 7}`, [i, null, 'x', { deep: [true, 1.5] }, new Uint8Array([i])]);
    const inner = new Y.Map();
    b.getMap('toc').set(`${i % 3}`, inner);
    inner.set('start', i);
  }
  return { doc: a, updates };
}

/** Updates large enough for the worker thread. */
function large(): Uint8Array[] {
  const { doc, updates } = worked(30);
  doc.getText('text').insert(5, 'what somebody pasted '.repeat(4000));
  return updates;
}

/** The same document, its structures cut otherwise. */
const recut = (updates: readonly Uint8Array[]): Y.Doc => build([makeSnapshot(updates)]);

describe('R4 a snapshot', () => {
  test('is the same document, also where its bytes differ from what the room’s own document would give', () => {
    const { doc, updates } = worked();
    const bytes = makeSnapshot(updates);
    expect(proves(doc, bytes)).toBe(true);
    expect(proves(recut(updates), Y.encodeStateAsUpdate(doc))).toBe(true);
  });

  test.each<[string, (doc: Y.Doc) => void]>([
    ['one letter more', (doc) => doc.getText('text').insert(3, 'x')],
    ['one letter less', (doc) => doc.getText('text').delete(9, 1)],
    ['another value', (doc) => doc.getMap('about').set('3', 4)],
    ['a value less', (doc) => doc.getMap('about').delete('3')],
    ['another root', (doc) => doc.getMap('tags').set('a', 1)],
  ])('that has %s is refused', (_, change) => {
    const { doc, updates } = worked();
    const changed = recut(updates);
    change(changed);
    expect(proves(doc, Y.encodeStateAsUpdate(changed))).toBe(false);
  });

  test('of which a letter was changed on the way is refused, wherever it is to be seen', () => {
    const doc = new Y.Doc();
    doc.getText('text').insert(0, 'what was said');
    doc.getMap('about').set('title', 'a talk');
    const bytes = Y.encodeStateAsUpdate(doc);
    expect(proves(doc, bytes)).toBe(true);
    let refused = 0;
    for (const word of ['said', 'talk']) {
      const spoilt = Buffer.from(bytes);
      spoilt[spoilt.indexOf(word)]! ^= 1;
      refused += proves(doc, spoilt) ? 0 : 1;
    }
    expect(refused).toBe(2);
  });

  test('is not made while something waits for what is missing', () => {
    const { updates } = worked(20);
    expect(() => makeSnapshot(updates.slice(1))).toThrow();
    expect(() => makeSnapshot([Buffer.from('01010900000000', 'hex')])).toThrow();
  });
});

describe('H1 a state without deleted text', () => {
  test('has the same structures and places, and no letter of what was deleted', () => {
    const { updates } = worked();
    const typed = build(updates);
    const [word] = /word\d+/.exec(typed.getText('text').toString()) ?? [''];
    const before = Y.encodeStateVector(typed);
    const text = typed.getText('text');
    const at = text.toString().indexOf(word);
    const inWord = Y.createRelativePositionFromTypeIndex(text, at + 2);
    const behind = Y.createRelativePositionFromTypeIndex(text, at + word.length + 1);
    text.insert(at, 'canary-typed ');
    typed.getMap('about').set('title', 'canary-title');
    const tail = [Y.encodeStateAsUpdate(typed, before)];
    const between = Y.encodeStateVector(typed);
    text.delete(at, 'canary-typed '.length + word.length);
    typed.getMap('about').set('title', 'a title');
    tail.push(Y.encodeStateAsUpdate(typed, between));

    const pieces = [makeSnapshot(updates), ...tail];
    const bytes = makeClean(pieces);
    expect(Buffer.concat(pieces).includes('canary-typed')).toBe(true);
    expect(Buffer.from(bytes).includes('canary')).toBe(false);
    expect(proves(typed, bytes)).toBe(true);
    const clean = build([bytes]);
    expect(clean.store.clients.size).toBe(typed.store.clients.size);
    for (const place of [inWord, behind]) {
      const index = (doc: Y.Doc) => Y.createAbsolutePositionFromRelativePosition(place, doc)?.index;
      expect(index(clean)).toBe(index(typed));
    }
    // A document made of it takes what an editor writes next.
    const next = Y.encodeStateVector(typed);
    text.insert(at, 'next');
    Y.applyUpdate(clean, Y.encodeStateAsUpdate(typed, next));
    expect(clean.getText('text').toString()).toBe(text.toString());
  });
});

describe('F56 poison', () => {
  const poisonous = Buffer.from('01010900000000', 'hex');
  test.each([[[]], [[0]], [[37]], [[0, 1, 60]], [[5, 50, 99]]])(
    'at %j of a hundred rows is found, and nothing else',
    (places) => {
      const { updates } = worked(40);
      const rows = updates.slice(0, 100).map((update) => [update]);
      for (const [i, place] of places.entries()) rows.splice(place + i, 0, [poisonous]);
      const found = findPoison(
        null,
        rows.map((row, i) => ({ seq: i + 1, bytes: packUpdates(row) })),
      );
      expect(found.map(({ seq }) => seq)).toEqual(places.map((place, i) => place + i + 1));
    },
  );
});

describe('F50 the work beside the event loop', () => {
  let compactor: Compactor;
  afterEach(() => compactor.close());

  test('is done here while it is small, and in a thread when it is not, with the same outcome', async () => {
    compactor = createCompactor();
    const small = worked(20).updates;
    expect(await compactor.snapshot(small)).toEqual(makeSnapshot(small));
    expect(compactor.threaded).toBe(false);
    const much = large();
    expect(await compactor.snapshot(much)).toEqual(makeSnapshot(much));
    expect(compactor.threaded).toBe(true);
    expect(await compactor.snapshot(much.slice(1))).toBeNull();
    expect(await compactor.clean(much)).toEqual(makeClean(much));
    await expect(compactor.clean(much.slice(1))).rejects.toThrow();
  });

  test('is done for one room in each turn of the event loop, where many ask at once (R4)', async () => {
    compactor = createCompactor();
    const small = worked(20).updates;
    let turn = 0;
    let counting = true;
    const count = () => {
      turn += 1;
      if (counting) setImmediate(count);
    };
    setImmediate(count);
    const turns = await Promise.all(Array.from({ length: 20 }, () => compactor.snapshot(small).then(() => turn)));
    counting = false;
    expect(new Set(turns).size).toBe(20);
  });

  test('goes on after its thread was ended in the middle', async () => {
    compactor = createCompactor();
    const updates = large();
    const cut = compactor.snapshot(updates).catch((error: unknown) => String(error));
    await compactor.close();
    expect(await cut).toBe('Error: closed');
    expect(await compactor.snapshot(updates)).toEqual(makeSnapshot(updates));
  });
});
