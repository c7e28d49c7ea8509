import fc from 'fast-check';
import * as Y from 'yjs';
import { describe, expect, it } from 'vitest';
import { Refused, inspect } from './inspect.ts';

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));

/** A document somebody might honestly make: text, embeds, maps, nested types, XML, deletions. */
function honest(seed: number[]): { updates: Uint8Array[]; doc: Y.Doc } {
  const doc = new Y.Doc();
  const updates: Uint8Array[] = [];
  doc.on('update', (update: Uint8Array) => updates.push(update));
  const text = doc.getText('text');
  const map = doc.getMap('segments');
  const notes = doc.getXmlFragment('notes');
  for (const n of seed) {
    doc.transact(() => {
      switch (n % 9) {
        case 0:
        case 1:
          text.insert(n % (text.length + 1), `w${n} `);
          break;
        case 2:
          text.insertEmbed(n % (text.length + 1), { s: `s${n}`, p: 'p1' });
          break;
        case 3:
          if (text.length > 2) text.delete(n % (text.length - 1), 1 + (n % 2));
          break;
        case 4:
          map.set(`k${n % 5}`, { value: n, list: [1, 'a', null, true, 1.5, new Uint8Array([1])] });
          break;
        case 5:
          map.set('nested', new Y.Map([['x', n]]));
          break;
        case 6: {
          const element = new Y.XmlElement('paragraph');
          element.insert(0, [new Y.XmlText(`n${n}`)]);
          notes.insert(0, [element]);
          break;
        }
        case 7:
          if (notes.length > 0) notes.delete(0, 1);
          break;
        default:
          text.insert(0, '😀é漢');
          if (text.length > 4) text.format(0, 2, { bold: true });
      }
    });
  }
  return { updates, doc };
}

describe('what an update claims to bring', () => {
  it('is read as Yjs reads it, for everything honest', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { minLength: 1, maxLength: 60 }), (seed) => {
        const { updates, doc } = honest(seed);
        for (const update of [...updates, Y.encodeStateAsUpdate(doc), Y.mergeUpdates(updates)]) {
          const meta = Y.parseUpdateMeta(update);
          const found = inspect(update);
          expect([...found.ranges].map(([client, { from, to }]) => [client, from, to])).toEqual(
            [...meta.from].map(([client, from]) => [client, from, meta.to.get(client)]),
          );
          expect(found.structs).toBe(Y.decodeUpdate(update).structs.length);
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['a structure of length 0', '01010900000000'],
    ['a client id claimed a million clocks ahead, with a byte too many', '010189060300c0843d0000'],
    ['an update of format 2', '00010000000001000100010200001602000001fdffffffff7f0000'],
    ['nothing', ''],
    ['half an update', '010109000401'],
    ['a deletion of nothing', '000101010000'],
    ['a structure that hangs on itself', '01010900840900017800'],
  ])('refuses %s', (_what, hex) => {
    expect(() => inspect(bytes(hex))).toThrow(Refused);
  });

  it('refuses values nested too deeply, which Yjs itself would take', () => {
    const doc = new Y.Doc();
    let value: unknown = 1;
    for (let i = 0; i < 100; i += 1) value = [value];
    doc.getMap('m').set('k', value);
    expect(() => inspect(Y.encodeStateAsUpdate(doc))).toThrow('nested too deeply');
  });

  it('refuses a key that would change an object instead of standing in it', () => {
    const doc = new Y.Doc();
    doc.getMap('m').set('k', JSON.parse('{"__proto__": {"isAdmin": true}}'));
    expect(() => inspect(Y.encodeStateAsUpdate(doc))).toThrow('forbidden key');
  });

  it('never hangs or throws anything but a refusal on mutated bytes', () => {
    const { doc } = honest([0, 2, 4, 5, 6, 8, 3, 1, 7, 12, 22, 40]);
    const good = Y.encodeStateAsUpdate(doc);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        (changes) => {
          const bad = good.slice();
          for (const [at, value] of changes) bad[at] = value;
          try {
            inspect(bad);
          } catch (error) {
            expect(error).toBeInstanceOf(Refused);
          }
        },
      ),
      { numRuns: 5000 },
    );
  });
});
