import * as Y from 'yjs';
import { build, proves } from './snapshot.ts';
import { comparisons } from './trial.ts';

type Type = Y.AbstractType<unknown>;

/** Comparisons that building a document may cost: about 0.2 s. Honest ones cost some thousands. */
const mostComparisons = 1_000_000;

/**
 * The same document in bytes that need no comparison, where building it of these costs too much (G16); else these. The
 * structures, their order and their content stay, so that whatever names a character still finds it.
 */
export function untangled(bytes: Uint8Array, most = mostComparisons): Uint8Array {
  if (comparisons(bytes, most) <= most) return bytes;
  const doc = build([bytes]);
  try {
    untangle(doc);
    const better = Y.encodeStateAsUpdate(doc);
    if (comparisons(better, 0) > 0) throw new Error('the untangled document still needs comparisons');
    if (!proves(doc, better)) throw new Error('the untangled document is another one');
    const fresh = build([better]);
    try {
      if (orderOf(fresh) !== orderOf(doc)) throw new Error('the untangled document has another order');
    } finally {
      fresh.destroy();
    }
    return better;
  } finally {
    doc.destroy();
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
    const last = isValue ? items.pop() : undefined;
    if (last) items.sort((a, b) => a.id.client - b.id.client || a.id.clock - b.id.clock);
    const runs: { client: number; from: number; to: number }[] = [];
    for (const { id, length } of items) {
      const run = runs.at(-1);
      if (run?.client === id.client && run.to === id.clock) run.to += length;
      else runs.push({ client: id.client, from: id.clock, to: id.clock + length });
    }
    const ids = runs.map(({ client, from, to }) => `${client}:${from}-${to}`);
    chains.push([...ids, last ? `last ${last.id.client}:${last.id.clock}` : ''].join(' '));
  }
  return chains.toSorted().join('\n');
}
