import * as encoding from 'lib0/encoding';
import * as Y from 'yjs';
import { addTo, emptyDoc } from './snapshot.ts';
import { skim } from './skim.ts';
import { comparisons } from './trial.ts';
import { mostComparisons, nameAgain, untangle, type Untangled } from './untangle.ts';

type Struct = Y.Item | Y.GC | Y.Skip;
type Range = readonly [from: number, to: number];

/** Structures that are built in one turn of the event loop, in about 10 ms. */
const structsOfTurn = 3000;

/** A document's bytes in parts that cost little to build (G16). */
export interface Cheap {
  /** Updates in their order, as many together as one turn of the event loop builds. */
  turns: Uint8Array[][];
  /** The document in other bytes, where those stored cost too many comparisons; `turns` are of these then. */
  untangled: Untangled | null;
}

/** Counts what building the document costs, and cuts it into turns; slow, for a thread. */
export function cheap(pieces: readonly Uint8Array[], most = mostComparisons, structs = structsOfTurn): Cheap {
  const turns = inTurns(pieces, structs);
  // The comparisons depend on the order of structures, so those of the parts are counted.
  if (comparisons(turns.flat(), most) <= most) return { turns, untangled: null };
  const untangled = untangle(pieces);
  const others = inTurns([untangled.bytes], structs);
  if (comparisons(others.flat(), 0) > 0) throw new Error('the untangled document needs comparisons in parts');
  return { turns: others, untangled };
}

/** The same updates for as many turns as they take; one of many structures is cut. */
export function inTurns(pieces: readonly Uint8Array[], most: number): Uint8Array[][] {
  const turns: Uint8Array[][] = [];
  let room = 0;
  for (const piece of pieces) {
    const { structs } = skim(piece);
    for (const part of structs > most ? cut(piece, most) : [piece]) {
      const last = turns.at(-1);
      // An update that only deletes costs something, too.
      const cost = Math.min(structs, most) + 1;
      if (last && cost <= room) last.push(part);
      else {
        turns.push([part]);
        room = most;
      }
      room -= cost;
    }
  }
  return turns;
}

/**
 * Builds a document in turns, with pauses between them. One transaction is held open meanwhile, as Yjs would join at each
 * end structures that the next part stands between.
 */
export async function buildInTurns({ turns, untangled }: Cheap, pause: () => Promise<void>): Promise<Y.Doc> {
  const doc = emptyDoc();
  const transaction = new Y.Transaction(doc, null, false);
  try {
    for (const [n, updates] of turns.entries()) {
      if (n > 0) await pause();
      doc._transaction = transaction;
      for (const update of updates) Y.applyUpdate(doc, update);
      doc._transaction = null;
    }
    if (doc.store.pendingStructs || doc.store.pendingDs) throw new Error('something is left waiting');
    const steps = [
      ...(untangled ? [nameAgain(doc, untangled, structsOfTurn)] : []),
      dropDeleted(transaction),
      join(doc),
    ];
    for (const step of steps) for (const _ of step) await pause();
    while (doc.store.clients.has(doc.clientID)) doc.clientID = new Y.Doc().clientID;
    return doc;
  } catch (error) {
    doc._transaction = null;
    doc.destroy();
    throw error;
  }
}

/** Adds updates that were each tried when they came (G15). */
export async function addInTurns(
  doc: Y.Doc,
  updates: readonly Uint8Array[],
  pause: () => Promise<void>,
): Promise<void> {
  for (const some of inTurns(updates, structsOfTurn)) {
    addTo(doc, some);
    await pause();
  }
}

// ---- What Yjs does at a transaction's end, with pauses ---------------------------------------------

function* dropDeleted({ deleteSet, doc: { store } }: Y.Transaction): Generator<void> {
  let looked = 0;
  for (const [client, ranges] of deleteSet.clients) {
    const structs = store.clients.get(client) ?? [];
    for (const { clock, len } of ranges)
      for (let at = Y.findIndexSS(structs, clock); at < structs.length; at += 1) {
        const struct = structs[at];
        if (!struct || struct.id.clock >= clock + len) break;
        if (struct instanceof Y.Item && struct.deleted && !(struct.content instanceof Y.ContentDeleted))
          struct.gc(store, false);
        looked += 1;
        if (looked % structsOfTurn === 0) yield;
      }
  }
}

function* join({ store }: Y.Doc): Generator<void> {
  let looked = 0;
  for (const structs of store.clients.values()) {
    let kept = 0;
    for (const struct of structs) {
      looked += 1;
      if (looked % (10 * structsOfTurn) === 0) yield;
      if (kept > 0 && joins(structs[kept - 1] as Y.Item | Y.GC, struct)) continue;
      structs[kept] = struct;
      kept += 1;
    }
    structs.length = kept;
  }
}

/** Makes two structures one, as Yjs does (`tryToMergeWithLefts`); false where they stay two. */
function joins(left: Y.Item | Y.GC, right: Y.Item | Y.GC): boolean {
  if (left.deleted !== right.deleted || left.constructor !== right.constructor) return false;
  if (!(left as Y.Item).mergeWith(right as Y.Item)) return false;
  if (left instanceof Y.Item && right instanceof Y.Item && right.parentSub !== null) {
    const values = (right.parent as Y.AbstractType<unknown>)._map;
    if (values.get(right.parentSub) === right) values.set(right.parentSub, left);
  }
  return true;
}

// ---- Cutting an update -----------------------------------------------------------------------------

/** An update as several, each of which hangs only on those before it. */
function cut(piece: Uint8Array, most: number): Uint8Array[] {
  const { structs, ds } = Y.decodeUpdate(piece);
  const ordered = inOrder(structs);
  const deletes = new Map<number, Range[]>();
  for (const [client, ranges] of ds.clients)
    deletes.set(client, sorted(ranges.map(({ clock, len }): Range => [clock, clock + len])));
  const others = new Map<number, Range[]>();
  const parts: Uint8Array[] = [];
  for (let at = 0; at < ordered.length; at += most) {
    const some = ordered.slice(at, at + most);
    parts.push(written(some, takeDeletesOf(some, deletes, others)));
  }
  // The rest are deletions of other updates' structures.
  for (const [client, ranges] of deletes) for (const [from, to] of ranges.toReversed()) put(others, client, from, to);
  if (others.size > 0) parts.push(written([], others));
  return parts;
}

/** The structures in an order in which Yjs would take them from the whole update. */
function inOrder(structs: readonly Struct[]): Struct[] {
  const queues = new Map<number, { structs: Struct[]; next: number }>();
  for (const struct of structs) {
    const queue = queues.get(struct.id.client);
    if (queue) queue.structs.push(struct);
    else queues.set(struct.id.client, { structs: [struct], next: 0 });
  }
  const ordered: Struct[] = [];
  /** Clocks behind what has its place. */
  const reached = new Map<number, number>();
  const waitsFor = (client: number, id: Y.ID | null): number | null => {
    if (!id || id.client === client) return null;
    const queue = queues.get(id.client);
    const first = queue?.structs[0]?.id.clock ?? 0;
    const last = queue?.structs.at(-1);
    if (!last || id.clock >= last.id.clock + last.length) return null;
    return id.clock >= (reached.get(id.client) ?? first) ? id.client : null;
  };
  const missing = (struct: Struct): number | null => {
    if (!(struct instanceof Y.Item)) return null;
    const { id, origin, rightOrigin, parent } = struct;
    const holder = parent instanceof Y.ID ? parent : null;
    return waitsFor(id.client, origin) ?? waitsFor(id.client, rightOrigin) ?? waitsFor(id.client, holder);
  };
  const waiting: Struct[] = [];
  for (const [, queue] of [...queues].toSorted(([a], [b]) => b - a))
    for (;;) {
      const struct = waiting.pop() ?? queue.structs[queue.next++];
      if (!struct) break;
      const other = missing(struct);
      const before = other === null ? undefined : queues.get(other);
      if (before) {
        const next = before.structs[before.next++];
        if (!next || waiting.length > queues.size) throw new Error('structures hang on each other');
        waiting.push(struct, next);
        continue;
      }
      ordered.push(struct);
      reached.set(struct.id.client, struct.id.clock + struct.length);
    }
  return ordered;
}

function sorted(ranges: readonly Range[]): Range[] {
  const joined: [number, number][] = [];
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = joined.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  // Taken from the end.
  return joined.reverse();
}

/** Takes from `deletes` what is deleted of these structures; what lies before them goes to `others`. */
function takeDeletesOf(structs: readonly Struct[], deletes: Map<number, Range[]>, others: Map<number, Range[]>) {
  const taken = new Map<number, Range[]>();
  for (const { id, length } of structs) {
    const ranges = deletes.get(id.client) ?? [];
    const end = id.clock + length;
    for (let range = ranges.pop(); range; range = ranges.pop()) {
      const [from, to] = range;
      if (from < id.clock) put(others, id.client, from, Math.min(to, id.clock));
      if (from < end && to > id.clock) put(taken, id.client, Math.max(from, id.clock), Math.min(to, end));
      if (to > end) ranges.push([Math.max(from, end), to]);
      if (to > end) break;
    }
  }
  return taken;
}

function put(all: Map<number, Range[]>, client: number, from: number, to: number): void {
  const ranges = all.get(client) ?? [];
  const last = ranges.at(-1);
  if (last?.[1] === from) ranges[ranges.length - 1] = [last[0], to];
  else ranges.push([from, to]);
  all.set(client, ranges);
}

function written(structs: readonly Struct[], deletes: ReadonlyMap<number, readonly Range[]>): Uint8Array {
  const encoder = new Y.UpdateEncoderV1();
  const { restEncoder } = encoder;
  const write = (value: number) => encoding.writeVarUint(restEncoder, value);
  const clients = new Map<number, Struct[]>();
  for (const struct of structs) {
    const own = clients.get(struct.id.client);
    if (own) own.push(struct);
    else clients.set(struct.id.client, [struct]);
  }
  write(clients.size);
  for (const [client, own] of clients) {
    write(own.length);
    write(client);
    write(own[0]?.id.clock ?? 0);
    for (const struct of own) struct.write(encoder, 0);
  }
  write(deletes.size);
  for (const [client, ranges] of deletes) {
    write(client);
    write(ranges.length);
    for (const [from, to] of ranges) {
      write(from);
      write(to - from);
    }
  }
  return encoder.toUint8Array();
}
