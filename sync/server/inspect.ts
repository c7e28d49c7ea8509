import * as decoding from 'lib0/decoding';
import { limits } from '../protocol.ts';

/** Content that an update claims to have, read without building it. */
export interface Inspected {
  /** New or repeated structures, by client id: from the first clock up to (not with) the last. */
  ranges: ReadonlyMap<number, { from: number; to: number }>;
  /** Ends of holes, by client id: a client that got something out of order leaves out what it lacks itself. */
  holes: ReadonlyMap<number, number>;
  /** Ids the structures hang on: neighbours and parents. */
  needs: ReadonlyMap<number, number>;
  /** Highest deleted clock + 1, by client id. */
  deletesUpTo: ReadonlyMap<number, number>;
  /** Number of characters and elements in the delete set. */
  deleted: number;
  /** Ranges of the delete set: first clock and length, by client id. */
  deletes: ReadonlyMap<number, [clock: number, length: number][]>;
  /** The document's roots that are written to directly, and how (`inOrder`, `byKey`). */
  roots: ReadonlyMap<string, number>;
  /** Bit n is set when content of kind n occurs; the same for types. */
  kinds: number;
  types: number;
  embeds: readonly unknown[];
  /** Names of XML elements. */
  names: readonly string[];
  formats: readonly (readonly [key: string, value: unknown])[];
  structs: number;
}

/** How much one update may hold. */
export interface Bounds {
  structs: number;
  /** Clocks of one client. */
  step: number;
  /** Bytes of one stretch of text. */
  text: number;
}

const ofThePeers: Bounds = { structs: limits.structsPerUpdate, step: limits.clockStep, text: limits.frameBytes };
/** For updates that the server writes or that lie in the log: only the document's size bounds them. */
export const ofTheHouse: Bounds = { structs: Infinity, step: Infinity, text: limits.documentBytes };

/** Kinds of refusals; metrics count by them. */
export type Reason = 'form' | 'shape' | 'order' | 'poison' | 'owner' | 'ids' | 'rights' | 'full' | 'damaged' | 'work';

/** An update is against the rules. */
export class Refused extends Error {
  override name = 'Refused';
  readonly reason: Reason;
  constructor(message: string, reason: Reason = 'form') {
    super(message);
    this.reason = reason;
  }
}

/** Kinds of content in Yjs's update format, version 1. */
export const content = {
  gc: 0,
  deleted: 1,
  json: 2,
  binary: 3,
  string: 4,
  embed: 5,
  format: 6,
  type: 7,
  any: 8,
  doc: 9,
  skip: 10,
} as const;

/** Yjs's numbers of its types. */
export const type = { array: 0, map: 1, text: 2, element: 3, fragment: 4, hook: 5, xmlText: 6 } as const;

/** How a root is written to: as a sequence, as a map, or (bits) both. */
export const inOrder = 1;
export const byKey = 2;

const hasLeft = 0x80;
const hasRight = 0x40;
const hasParentKey = 0x20;

/**
 * Reads an update of Yjs's format 1 strictly: every byte accounted for, no structure of length 0 (a document that
 * took one can never be loaded again), every value within its limit. It reads what `Y.applyUpdate` will read, in the
 * same order, but builds nothing, so the most hostile update costs no more than its bytes.
 */
export function inspect(update: Uint8Array, bounds = ofThePeers): Inspected {
  try {
    return read(decoding.createDecoder(update), bounds);
  } catch (error) {
    throw error instanceof Refused ? error : new Refused('not an update');
  }
}

/** Shared by all updates that have none of it: rooms keep what was found, and most of it is empty. */
const noMap: ReadonlyMap<never, never> = new Map<never, never>();
const noList: readonly never[] = [];

function put<K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> {
  return map.size === 0 ? new Map([[key, value]]) : (map as Map<K, V>).set(key, value);
}

function add<T>(list: readonly T[], one: T): readonly T[] {
  if (list.length === 0) return [one];
  (list as T[]).push(one);
  return list;
}

function read(decoder: decoding.Decoder, bounds: Bounds): Inspected {
  const found: Inspected = {
    ranges: noMap,
    holes: noMap,
    needs: noMap,
    deletesUpTo: noMap,
    deleted: 0,
    deletes: noMap,
    roots: noMap,
    kinds: 0,
    types: 0,
    embeds: noList,
    names: noList,
    formats: noList,
    structs: 0,
  };
  const clients = decoding.readVarUint(decoder);
  for (let c = 0; c < clients; c += 1) {
    const count = decoding.readVarUint(decoder);
    const client = readId(decoder);
    const from = decoding.readVarUint(decoder);
    if (found.ranges.has(client)) throw new Refused('a client twice');
    let clock = from;
    for (let s = 0; s < count; s += 1) {
      found.structs += 1;
      if (found.structs > bounds.structs) throw new Refused('too many structures');
      const hole = ((decoder.arr[decoder.pos] ?? 0) & 31) === content.skip;
      const length = readStruct(decoder, found, { client, clock }, bounds);
      if (length <= 0) throw new Refused('a structure of length 0');
      clock += length;
      if (hole) found.holes = put(found.holes, client, clock);
      if (clock - from > bounds.step) throw new Refused('a step too far');
    }
    if (count > 0) found.ranges = put(found.ranges, client, { from, to: clock });
  }
  readDeletes(decoder, found);
  if (decoding.hasContent(decoder)) throw new Refused('bytes behind the update');
  return found;
}

/** Yjs makes client ids of 32 bits; a larger one was made by hand. */
function readId(decoder: decoding.Decoder): number {
  const id = decoding.readVarUint(decoder);
  if (id > 0xffff_ffff_ffff) throw new Refused('a client id out of range');
  return id;
}

/** Reads an id that a structure hangs on, which must be before it: Yjs never integrates one that hangs on itself. */
function need(decoder: decoding.Decoder, found: Inspected, self: Place): void {
  const client = readId(decoder);
  const clock = decoding.readVarUint(decoder);
  if (client === self.client && clock >= self.clock) throw new Refused('it hangs on itself');
  if (clock >= (found.needs.get(client) ?? 0)) found.needs = put(found.needs, client, clock + 1);
}

interface Place {
  client: number;
  clock: number;
}

function readStruct(decoder: decoding.Decoder, found: Inspected, self: Place, bounds: Bounds): number {
  const info = decoding.readUint8(decoder);
  const kind = info & 31;
  if (info === content.skip) return decoding.readVarUint(decoder);
  found.kinds |= 1 << kind;
  if (kind === content.gc) return decoding.readVarUint(decoder);
  if (info & hasLeft) need(decoder, found, self);
  if (info & hasRight) need(decoder, found, self);
  if (!(info & (hasLeft | hasRight))) {
    const root = decoding.readVarUint(decoder) === 1 ? text(decoder, 200) : null;
    if (root === null) need(decoder, found, self);
    const keyed = (info & hasParentKey) !== 0;
    if (keyed && text(decoder, 200) === '__proto__') throw new Refused('a forbidden key');
    if (root !== null) found.roots = put(found.roots, root, (found.roots.get(root) ?? 0) | (keyed ? byKey : inOrder));
  }
  return readContent(decoder, found, kind, bounds);
}

function readContent(decoder: decoding.Decoder, found: Inspected, kind: number, bounds: Bounds): number {
  switch (kind) {
    case content.deleted:
      return decoding.readVarUint(decoder);
    case content.json: {
      const length = decoding.readVarUint(decoder);
      for (let i = 0; i < length; i += 1) text(decoder, limits.valueBytes);
      return length;
    }
    case content.binary:
      // Word times of a whole recording stand in one value; the frame is their limit.
      decoding.readVarUint8Array(decoder);
      return 1;
    case content.string:
      return text(decoder, bounds.text).length;
    case content.embed:
      found.embeds = add(found.embeds, json(decoder));
      return 1;
    case content.format:
      found.formats = add(found.formats, [text(decoder, 200), json(decoder)] as const);
      return 1;
    case content.type: {
      const ref = decoding.readVarUint(decoder);
      if (ref > type.xmlText) throw new Refused('an unknown type');
      found.types |= 1 << ref;
      if (ref === type.element || ref === type.hook) found.names = add(found.names, text(decoder, 200));
      return 1;
    }
    case content.any: {
      const length = decoding.readVarUint(decoder);
      const start = decoder.pos;
      for (let i = 0; i < length; i += 1) {
        any(decoder, 0);
        if (decoder.pos - start > limits.insertBytes) throw new Refused('too large a value');
      }
      return length;
    }
    default:
      throw new Refused('unknown content');
  }
}

function text(decoder: decoding.Decoder, most: number): string {
  const start = decoder.pos;
  const value = decoding.readVarString(decoder);
  if (decoder.pos - start > most + 5) throw new Refused('too large a value');
  return value;
}

function json(decoder: decoding.Decoder): unknown {
  const value: unknown = JSON.parse(text(decoder, limits.valueBytes));
  shallow(value, 0);
  return value;
}

function shallow(value: unknown, depth: number): void {
  if (depth > limits.depth) throw new Refused('nested too deeply');
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === '__proto__') throw new Refused('a forbidden key');
    shallow(inner, depth + 1);
  }
}

/** lib0's "any", walked without building it; `readAny` itself would recurse as deep as the sender likes. */
function any(decoder: decoding.Decoder, depth: number): void {
  if (depth > limits.depth) throw new Refused('nested too deeply');
  const start = decoder.pos;
  const tag = 127 - decoding.readUint8(decoder);
  switch (tag) {
    case 0: // undefined
    case 1: // null
    case 6: // false
    case 7: // true
      break;
    case 2:
      decoding.readVarInt(decoder);
      break;
    case 3:
      decoding.readFloat32(decoder);
      break;
    case 4:
      decoding.readFloat64(decoder);
      break;
    case 5:
      decoding.readBigInt64(decoder);
      break;
    case 8:
      text(decoder, limits.valueBytes);
      break;
    case 9: {
      const keys = decoding.readVarUint(decoder);
      for (let i = 0; i < keys; i += 1) {
        if (text(decoder, 1000) === '__proto__') throw new Refused('a forbidden key');
        any(decoder, depth + 1);
      }
      break;
    }
    case 10: {
      const length = decoding.readVarUint(decoder);
      for (let i = 0; i < length; i += 1) any(decoder, depth + 1);
      break;
    }
    case 11:
      decoding.readVarUint8Array(decoder);
      break;
    default:
      throw new Refused('an unknown value');
  }
  if (depth === 0 && tag !== 11 && decoder.pos - start > limits.valueBytes) throw new Refused('too large a value');
}

function readDeletes(decoder: decoding.Decoder, found: Inspected): void {
  const clients = decoding.readVarUint(decoder);
  for (let c = 0; c < clients; c += 1) {
    const client = readId(decoder);
    const count = decoding.readVarUint(decoder);
    const ranges = found.deletes.get(client) ?? [];
    if (count > 0) found.deletes = put(found.deletes, client, ranges);
    for (let i = 0; i < count; i += 1) {
      const clock = decoding.readVarUint(decoder);
      const length = decoding.readVarUint(decoder);
      if (length <= 0) throw new Refused('a deletion of nothing');
      if (!Number.isSafeInteger(clock + length)) throw new Refused('a deletion out of range');
      ranges.push([clock, length]);
      found.deleted += length;
      if (clock + length > (found.deletesUpTo.get(client) ?? 0))
        found.deletesUpTo = put(found.deletesUpTo, client, clock + length);
    }
  }
}
