// G16: a document that costs too much to build gets other bytes with the same structures in the same order.
import fc from 'fast-check';
import * as Y from 'yjs';
import { describe, expect, it } from 'vitest';
import { build, proves } from './snapshot.ts';
import { tangledText } from '#tests/support/tangled.ts';
import { comparisons } from './trial.ts';
import { buildUntangled, untangled } from './untangle.ts';

/** Every structure in its place, and whether it is deleted. The earlier values of a key are in no order. */
function laidOut(doc: Y.Doc): string[] {
  const lines: string[] = [];
  const look = (type: Y.AbstractType<unknown>, path: string): void => {
    const chains: [string, Y.Item | null][] = [[path, type._start]];
    for (const [key, last] of type._map) {
      let first: Y.Item = last;
      while (first.left) first = first.left;
      chains.push([`${path}/${key}`, first]);
    }
    for (const [name, start] of chains) {
      const letters: string[] = [];
      for (let item = start; item; item = item.right) {
        for (let i = 0; i < item.length; i += 1)
          letters.push(`${item.id.client}:${item.id.clock + i}${item.deleted ? '-' : ''}`);
        if (item.content instanceof Y.ContentType)
          look(item.content.type as Y.AbstractType<unknown>, `${path}/${item.id.client}:${item.id.clock}`);
      }
      const last = letters.pop() ?? '';
      lines.push([name, ...(name === path ? letters : letters.toSorted()), last].join(' '));
    }
  };
  for (const [name, root] of doc.share) look(root as Y.AbstractType<unknown>, name);
  return lines.toSorted();
}

/** Every character and its neighbours, and every value, as they stand and as they were written. */
function namesOf(doc: Y.Doc): string[] {
  const name = (id: Y.ID | null) => (id ? `${id.client}:${id.clock}` : '-');
  const lines: string[] = [];
  for (const structs of doc.store.clients.values())
    for (const struct of structs) {
      if (!(struct instanceof Y.Item)) continue;
      const { id, left, right, origin, rightOrigin } = struct;
      for (let i = 0; i < struct.length; i += 1) {
        const own = (offset: number) => Y.createID(id.client, id.clock + offset);
        const [first, last] = [i === 0, i === struct.length - 1];
        const stands = [first ? (left?.lastId ?? null) : own(i - 1), last ? (right?.id ?? null) : own(i + 1)];
        const written = [first ? origin : own(i - 1), rightOrigin];
        lines.push([own(i), ...stands, ...written].map(name).join(' '));
      }
    }
  return lines.toSorted();
}

describe('a document of two crowds at one place', () => {
  const tangled = tangledText(1100);

  it('is told by the comparisons it costs, which are counted no further than asked', () => {
    expect(comparisons([tangled], Infinity)).toBeGreaterThan(1_000_000);
    expect(comparisons([tangled], 1000)).toBe(1001);
  });

  it('costs none afterwards, and is the same', () => {
    const better = untangled([tangled])?.bytes ?? tangled;
    expect(comparisons([better], Infinity)).toBe(0);
    const [before, after] = [build([tangled]), build([better])];
    expect(proves(before, better)).toBe(true);
    expect(laidOut(after)).toEqual(laidOut(before));
  });

  it('takes what was stored after it was made', () => {
    const later = build([tangled]);
    later.getText('text').insert(700, 'later');
    later.getText('text').delete(10, 900);
    const row = Y.encodeStateAsUpdate(later, Y.encodeStateVectorFromUpdate(tangled));
    const both = build([untangled([tangled])?.bytes ?? tangled, row]);
    expect(both.getText('text').toString()).toBe(later.getText('text').toString());
    expect(laidOut(both)).toEqual(laidOut(later));
  });
});

it('leaves a document alone whose building costs little', () => {
  const doc = new Y.Doc();
  doc.getText('text').insert(0, 'plain words '.repeat(1000));
  for (let i = 0; i < 500; i += 1) doc.getText('text').insert((i * 7919) % 12_000, 'x');
  const bytes = Y.encodeStateAsUpdate(doc);
  expect(untangled([bytes])).toBeNull();
});

/** One edit of one person. */
function edit(doc: Y.Doc, kind: number, at: number): void {
  const text = doc.getText('text');
  const map = doc.getMap('values');
  const xml = doc.getXmlFragment('notes');
  if (kind === 0) text.insert(at % (text.length + 1), `${at}`);
  else if (kind === 1 && text.length > 0)
    text.delete(at % text.length, 1 + (at % Math.min(4, text.length - (at % text.length))));
  else if (kind === 2) text.insertEmbed(at % (text.length + 1), { s: `${at}` });
  else if (kind === 3) map.set(`k${at % 3}`, at);
  else if (kind === 4) map.set(`k${at % 3}`, new Y.Map([['inner', at]]));
  else if (kind === 5) {
    const inner = map.get(`k${at % 3}`);
    if (inner instanceof Y.Map) inner.set(`i${at % 2}`, at);
  } else if (kind === 6) {
    const paragraph = new Y.XmlElement('p');
    xml.insert(at % (xml.length + 1), [paragraph]);
    paragraph.insert(0, [new Y.XmlText(`${at}`)]);
  } else if (kind === 7 && xml.length > 0) xml.delete(at % xml.length, 1);
  else map.delete(`k${at % 3}`);
}

const edits = fc.array(fc.record({ who: fc.nat(3), kind: fc.nat(8), at: fc.nat(1000), meet: fc.boolean() }), {
  minLength: 5,
  maxLength: 120,
});

it('makes the same document of whatever several people wrote at once', () => {
  fc.assert(
    fc.property(edits, (all) => {
      const people = [5, 900, 20, 300].map((clientID) => Object.assign(new Y.Doc(), { clientID }));
      for (const { who, kind, at, meet } of all) {
        const doc = people[who] as Y.Doc;
        edit(doc, kind, at);
        if (meet) Y.applyUpdate(people[(who + 1) % 4] as Y.Doc, Y.encodeStateAsUpdate(doc));
      }
      const bytes = Y.encodeStateAsUpdate(build(people.map((doc) => Y.encodeStateAsUpdate(doc))));
      const better = untangled([bytes], 0)?.bytes ?? bytes;
      expect(comparisons([better], Infinity)).toBe(0);
      expect(laidOut(build([better]))).toEqual(laidOut(build([bytes])));
    }),
    { seed: 4711, numRuns: 300 },
  );
});

it('builds the very document that the bytes make, with all its neighbours, and of several pieces', () => {
  fc.assert(
    fc.property(edits, edits, (all, late) => {
      const people = [5, 900, 20, 300].map((clientID) => Object.assign(new Y.Doc(), { clientID }));
      const rows: Uint8Array[] = [];
      for (const doc of people) doc.on('update', (update: Uint8Array, origin: unknown) => origin || rows.push(update));
      const work = (steps: typeof all) => {
        for (const { who, kind, at, meet } of steps) {
          const doc = people[who] as Y.Doc;
          doc.transact(() => edit(doc, kind, at));
          if (meet) Y.applyUpdate(people[(who + 1) % 4] as Y.Doc, Y.encodeStateAsUpdate(doc), 'met');
        }
      };
      work(all);
      const before = [Y.encodeStateAsUpdate(build(rows.slice(0, 20))), ...rows.slice(20)];
      const found = untangled(before, 0);
      const count = rows.length;
      work(late);
      const later = rows.slice(count);
      if (!found) return;
      const doc = buildUntangled(found, later);
      expect(namesOf(doc)).toEqual(namesOf(build([...before, ...later])));
    }),
    { seed: 4711, numRuns: 300 },
  );
});
