import * as Y from 'yjs';
import { addTo, build, proves } from './snapshot.ts';
import { comparisons } from './trial.ts';

type Type = Y.AbstractType<unknown>;

/** Comparisons that building a document may cost: about 30 ms. Honest ones cost some thousands. */
const mostComparisons = 250_000;

/** A document in bytes that need no comparison, and the neighbours that its structures named before. */
export interface Untangled {
  bytes: Uint8Array;
  /** Six numbers for each structure: its id, and those of its left and right origin; -1 for none. */
  neighbours: Float64Array;
  /** The ids of the values of each key, in their order: it may be another in these bytes. */
  values: Float64Array[];
}

/**
 * The same document in bytes that need no comparison, where building it of these costs too much (G16); else null. The
 * structures, their order and their content stay, so that whatever names a character still finds it.
 */
export function untangled(pieces: readonly Uint8Array[], most = mostComparisons): Untangled | null {
  if (comparisons(pieces, most) <= most) return null;
  const doc = build(pieces);
  try {
    const neighbours = neighboursOf(doc);
    const values = valuesOf(doc);
    untangle(doc);
    const better = Y.encodeStateAsUpdate(doc);
    if (comparisons([better], 0) > 0) throw new Error('the untangled document still needs comparisons');
    if (!proves(doc, better)) throw new Error('the untangled document is another one');
    const fresh = build([better]);
    try {
      if (orderOf(fresh) !== orderOf(doc)) throw new Error('the untangled document has another order');
    } finally {
      fresh.destroy();
    }
    return { bytes: better, neighbours, values };
  } finally {
    doc.destroy();
  }
}

/**
 * The document as it was before it was untangled, with what was stored after that. Where its structures stood beside
 * others tells where a new one will stand, so they get their own neighbours back.
 */
export function buildUntangled({ bytes, ...before }: Untangled, later: readonly Uint8Array[]): Y.Doc {
  // Before Yjs joins structures that look as if they had been written together.
  const doc = build([bytes], (placed) => nameAgain(placed, before));
  try {
    if (later.length > 0) addTo(doc, later);
    return doc;
  } catch (error) {
    doc.destroy();
    throw error;
  }
}

function neighboursOf({ store }: Y.Doc): Float64Array {
  const numbers: number[] = [];
  const put = (id: Y.ID | null) => numbers.push(id?.client ?? -1, id?.clock ?? -1);
  for (const structs of store.clients.values())
    for (const struct of structs) {
      if (!(struct instanceof Y.Item)) continue;
      put(struct.id);
      put(struct.origin);
      put(struct.rightOrigin);
    }
  return Float64Array.from(numbers);
}

function valuesOf(doc: Y.Doc): Float64Array[] {
  const values: Float64Array[] = [];
  for (const { items, isValue } of chainsOf(doc))
    if (isValue && items.length > 2) values.push(Float64Array.from(items.flatMap(({ id }) => [id.client, id.clock])));
  return values;
}

function nameAgain({ store }: Y.Doc, { neighbours, values }: Omit<Untangled, 'bytes'>): void {
  const idAt = (numbers: Float64Array, at: number): Y.ID | null => {
    const [client = -1, clock = -1] = numbers.subarray(at, at + 2);
    return client < 0 ? null : Y.createID(client, clock);
  };
  const structAt = (numbers: Float64Array, at: number): Y.Item => {
    const id = idAt(numbers, at);
    const structs = (id && store.clients.get(id.client)) ?? [];
    const item = id && structs[Y.findIndexSS(structs, id.clock)];
    if (!(item instanceof Y.Item) || !Y.compareIDs(item.id, id)) throw new Error('an untangled structure is not there');
    return item;
  };
  for (let at = 0; at < neighbours.length; at += 6) {
    const item = structAt(neighbours, at);
    item.origin = idAt(neighbours, at + 2);
    item.rightOrigin = idAt(neighbours, at + 4);
  }
  for (const chain of values) {
    let left: Y.Item | null = null;
    for (let at = 0; at < chain.length; at += 2) {
      const item = structAt(chain, at);
      item.left = left;
      item.right = null;
      if (left) left.right = item;
      left = item;
    }
  }
}

/**
 * Names other neighbours for each structure: the nearest ones on both sides that are older, in one order of age for the
 * whole document. What stands between them is younger and hangs on the structure itself, so Yjs finds nothing
 * there to compare, in whatever order the structures of different clients come.
 */
function untangle(doc: Y.Doc): void {
  const ages = agesOf(doc);
  for (const { items, isValue } of chainsOf(doc)) {
    const older: Y.Item[] = [];
    // Nothing shows the order of a value's earlier ones, and one that is not behind an older one costs a walk past all.
    const last = isValue ? items.pop() : undefined;
    if (last) items.sort((a, b) => age(ages, a) - age(ages, b)).push(last);
    for (const item of items) {
      while (older.length > 0 && age(ages, older.at(-1) as Y.Item) > age(ages, item)) {
        (older.pop() as Y.Item).rightOrigin = item.id;
      }
      item.origin = older.at(-1)?.lastId ?? null;
      item.rightOrigin = null;
      older.push(item);
    }
  }
}

const age = (ages: ReadonlyMap<Y.Item, number>, item: Y.Item): number => {
  const found = ages.get(item);
  if (found === undefined) throw new Error('a structure that is nowhere');
  return found;
};

/** An order in which every structure comes after those of its client before it, and after the one that holds it. */
function agesOf({ store }: Y.Doc): Map<Y.Item, number> {
  const ages = new Map<Y.Item, number>();
  const done = new Map<number, number>();
  for (const [first, all] of store.clients) {
    const ways = [{ client: first, upTo: all.length }];
    for (let way = ways.at(-1); way; way = ways.at(-1)) {
      const { client, upTo } = way;
      const structs = store.clients.get(client) ?? [];
      const at = done.get(client) ?? 0;
      const struct = structs[at];
      if (at >= upTo || !struct) {
        ways.pop();
        continue;
      }
      const holder = struct instanceof Y.Item ? ((struct.parent as Type | null)?._item ?? null) : null;
      if (holder && !ages.has(holder)) {
        const holders = store.clients.get(holder.id.client) ?? [];
        ways.push({ client: holder.id.client, upTo: Y.findIndexSS(holders, holder.id.clock) + 1 });
        continue;
      }
      if (struct instanceof Y.Item) ages.set(struct, ages.size);
      done.set(client, at + 1);
    }
  }
  return ages;
}

interface Chain {
  items: Y.Item[];
  /** Whether they are the values of one key, of which only the last one shows. */
  isValue: boolean;
}

/** The structures of each list and of each key, in their order. */
function* chainsOf(doc: Y.Doc): Generator<Chain> {
  const types = [...doc.share.values()] as Type[];
  for (let type = types.pop(); type; type = types.pop()) {
    const chains: Chain[] = [{ items: chainFrom(type._start), isValue: false }];
    for (const last of type._map.values()) chains.push({ items: chainFrom(firstOf(last)), isValue: true });
    for (const chain of chains) {
      for (const { content } of chain.items) if (content instanceof Y.ContentType) types.push(content.type as Type);
      yield chain;
    }
  }
}

function chainFrom(start: Y.Item | null): Y.Item[] {
  const items: Y.Item[] = [];
  for (let item = start; item; item = item.right) items.push(item);
  return items;
}

function firstOf(last: Y.Item): Y.Item {
  let first = last;
  while (first.left) first = first.left;
  return first;
}

/** The ids of all structures in their places, however they are cut into pieces. */
function orderOf(doc: Y.Doc): string {
  const chains: string[] = [];
  for (const { items, isValue } of chainsOf(doc)) {
    // Yjs may have joined the last value with the one before it.
    const last = isValue ? items.at(-1)?.lastId : undefined;
    if (last) items.sort((a, b) => a.id.client - b.id.client || a.id.clock - b.id.clock);
    const runs: { client: number; from: number; to: number }[] = [];
    for (const { id, length } of items) {
      const run = runs.at(-1);
      if (run?.client === id.client && run.to === id.clock) run.to += length;
      else runs.push({ client: id.client, from: id.clock, to: id.clock + length });
    }
    const ids = runs.map(({ client, from, to }) => `${client}:${from}-${to}`);
    chains.push([...ids, last ? `last ${last.client}:${last.clock}` : ''].join(' '));
  }
  return chains.toSorted().join('\n');
}
