import * as encoding from 'lib0/encoding';
import * as Y from 'yjs';
import { skim } from './skim.ts';
import { untangled, type Untangled } from './untangle.ts';

type Struct = Y.Item | Y.GC;
type Range = readonly [client: number, clock: number, length: number];

/** Structures, or ranges of deletions, that are added in one turn of the event loop: about 5 ms. */
const mostInSlice = 8000;

/** Bytes of which a document is built with the least work in one turn of the event loop. */
export interface Prepared {
  /** Other bytes, where those that are stored cost too much to build (G16). */
  untangled: Untangled | null;
  /** Updates that it is built of one by one; none where it is built in one go. */
  slices: Uint8Array[];
}

export function prepare(
  pieces: readonly Uint8Array[],
  { mostComparisons, mostStructs = mostInSlice }: { mostComparisons?: number; mostStructs?: number } = {},
): Prepared {
  const better = untangled(pieces, mostComparisons);
  if (better) return { untangled: better, slices: [] };
  // One turn builds as much anyway.
  if (pieces.reduce((sum, piece) => sum + skim(piece).structs, 0) <= mostStructs)
    return { untangled: null, slices: [] };
  const slices = slicesOf(pieces, mostStructs);
  // In another order something else may be compared.
  const isCheap = slices.length > 1 && untangled(slices, mostComparisons) === null;
  return { untangled: null, slices: isCheap ? slices : [] };
}

/**
 * The same document as updates that each hang on those before alone, so that it can be built of them with turns for
 * everybody else in between. Throws where the pieces make no document.
 */
export function slicesOf(pieces: readonly Uint8Array[], most = mostInSlice): Uint8Array[] {
  const slices: Uint8Array[] = [];
  const clocks = new Map<number, number>();
  /** Clocks at which structures begin, by client, to cut long deletions at. */
  const starts = new Map<number, number[]>();
  for (const piece of pieces) {
    const { structs, ds } = Y.decodeUpdate(piece);
    let slice: Struct[] = [];
    const ends = new Map<number, number>();
    const close = () => {
      if (slice.length > 0) slices.push(written(slice, []));
      slice = [];
      ends.clear();
    };
    for (const struct of inOrder(structs as (Struct | Y.Skip)[], clocks)) {
      const { client, clock } = struct.id;
      // An update has the structures of a client without gaps.
      if (slice.length === most || (ends.get(client) ?? clock) !== clock) close();
      slice.push(struct);
      ends.set(client, clock + struct.length);
      const begun = starts.get(client);
      if (begun) begun.push(clock);
      else starts.set(client, [clock]);
    }
    close();
    let ranges: Range[] = [];
    let deleted = 0;
    for (const [client, all] of ds.clients) {
      const begun = starts.get(client) ?? [];
      for (const { clock, len } of all) {
        const end = clock + len;
        if (end > (clocks.get(client) ?? 0)) throw new Error('a deletion of what is not there');
        let from = clock;
        for (let at = firstBehind(begun, clock); from < end; at += most) {
          const next = Math.min(begun[at + most] ?? end, end);
          ranges.push([client, from, next - from]);
          deleted += Math.min(most, begun.length - at) + 1;
          from = next;
          if (deleted < most) continue;
          slices.push(written([], ranges));
          [ranges, deleted] = [[], 0];
        }
      }
    }
    if (ranges.length > 0) slices.push(written([], ranges));
  }
  return slices;
}

/** Structures in an order in which neighbours and parents come first; adds them to `clocks`. */
function* inOrder(all: readonly (Struct | Y.Skip)[], clocks: Map<number, number>): Generator<Struct> {
  const queues = new Map<number, { structs: Struct[]; next: number }>();
  for (const struct of all) {
    if (struct instanceof Y.Skip) continue;
    const queue = queues.get(struct.id.client);
    if (queue) queue.structs.push(struct);
    else queues.set(struct.id.client, { structs: [struct], next: 0 });
  }
  // As Yjs does.
  for (const first of [...queues.keys()].toSorted((a, b) => b - a)) {
    // Each client waits for the one behind it.
    const waiting = [first];
    const waits = new Set(waiting);
    for (;;) {
      const client = waiting.at(-1);
      if (client === undefined) break;
      const queue = queues.get(client);
      const struct = queue?.structs[queue.next];
      if (!queue || !struct) {
        if (waiting.length > 1) throw new Error('something is missing');
        break;
      }
      const other = missing(struct, clocks);
      if (other !== null) {
        if (waits.has(other)) throw new Error('structures hang on each other');
        waiting.push(other);
        waits.add(other);
        continue;
      }
      queue.next += 1;
      const known = clocks.get(client) ?? 0;
      const { clock } = struct.id;
      if (clock > known) throw new Error('something is missing');
      if (clock + struct.length > known) {
        clocks.set(client, clock + struct.length);
        yield struct;
      }
      if (waiting.length > 1) waits.delete(waiting.pop() as number);
    }
  }
}

/** Client whose structures have to come first. */
function missing(struct: Struct, clocks: ReadonlyMap<number, number>): number | null {
  if (!(struct instanceof Y.Item)) return null;
  const { id, origin, rightOrigin, parent } = struct;
  const lacks = (one: unknown): one is Y.ID =>
    one instanceof Y.ID && one.client !== id.client && one.clock >= (clocks.get(one.client) ?? 0);
  for (const one of [origin, rightOrigin, parent]) if (lacks(one)) return one.client;
  return null;
}

function written(structs: readonly Struct[], ranges: readonly Range[]): Uint8Array {
  const encoder = new Y.UpdateEncoderV1();
  const { restEncoder: rest } = encoder;
  const byClient = grouped(structs, ({ id }) => id.client);
  encoding.writeVarUint(rest, byClient.size);
  for (const [client, all] of byClient) {
    encoding.writeVarUint(rest, all.length);
    encoding.writeVarUint(rest, client);
    encoding.writeVarUint(rest, all[0]?.id.clock ?? 0);
    for (const struct of all) struct.write(encoder, 0);
  }
  const deletions = grouped(ranges, ([client]) => client);
  encoding.writeVarUint(rest, deletions.size);
  for (const [client, all] of deletions) {
    encoding.writeVarUint(rest, client);
    encoding.writeVarUint(rest, all.length);
    for (const [, clock, length] of all) {
      encoding.writeVarUint(rest, clock);
      encoding.writeVarUint(rest, length);
    }
  }
  return encoder.toUint8Array();
}

function grouped<T>(all: readonly T[], clientOf: (one: T) => number): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const one of all) {
    const group = groups.get(clientOf(one));
    if (group) group.push(one);
    else groups.set(clientOf(one), [one]);
  }
  return groups;
}

/** Index of the last number that is at most this. */
function firstBehind(numbers: readonly number[], value: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}
