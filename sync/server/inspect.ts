import * as decoding from 'lib0/decoding';
import { limits } from '../protocol.ts';

/** What an update claims to bring, found without building anything of it. */
export interface Inspected {
  /** New or repeated structures, by client id: from the first clock up to (not with) the last. */
  ranges: Map<number, { from: number; to: number }>;
  /** Ends of holes, by client id: a client that got something out of order leaves out what it lacks itself. */
  holes: Map<number, number>;
  /** Ids the structures hang on: neighbours and parents. */
  needs: Map<number, number>;
  /** Highest deleted clock + 1, by client id. */
  deletesUpTo: Map<number, number>;
  /** How many characters and elements the delete set covers. */
  deleted: number;
  /** Names of the document's roots that are written to directly. */
  roots: Set<string>;
  /** Bit n is set when content of kind n occurs. */
  kinds: number;
  structs: number;
}

/** Why an update is not let in. */
export class Refused extends Error {
  override name = 'Refused';
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

const hasLeft = 0x80;
const hasRight = 0x40;
const hasParentKey = 0x20;

/**
 * Reads an update of Yjs's format 1 strictly: every byte accounted for, no structure of length 0 (a document that
 * took one can never be loaded again), every value within its limit. It reads what `Y.applyUpdate` will read, in the
 * same order, but builds nothing, so the most hostile update costs no more than its bytes.
 */
export function inspect(update: Uint8Array): Inspected {
  try {
    return read(decoding.createDecoder(update));
  } catch (error) {
    throw error instanceof Refused ? error : new Refused('not an update');
  }
}

function read(decoder: decoding.Decoder): Inspected {
  const found: Inspected = {
    ranges: new Map(),
    holes: new Map(),
    needs: new Map(),
    deletesUpTo: new Map(),
    deleted: 0,
    roots: new Set(),
    kinds: 0,
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
      if (found.structs > limits.structsPerUpdate) throw new Refused('too many structures');
      const hole = ((decoder.arr[decoder.pos] ?? 0) & 31) === content.skip;
      const length = readStruct(decoder, found, { client, clock });
      if (length <= 0) throw new Refused('a structure of length 0');
      clock += length;
      if (hole) found.holes.set(client, clock);
      if (clock - from > limits.clockStep) throw new Refused('a step too far');
    }
    if (count > 0) found.ranges.set(client, { from, to: clock });
  }
  readDeletes(decoder, found);
  if (decoding.hasContent(decoder)) throw new Refused('bytes behind the update');
  return found;
}

/** Client ids are unsigned 32 bit by Yjs's own making; larger ones only by somebody's hand. */
function readId(decoder: decoding.Decoder): number {
  const id = decoding.readVarUint(decoder);
  if (id > 0xffff_ffff_ffff) throw new Refused('a client id out of range');
  return id;
}

/** Only what stands before a structure can hold it: one that hangs on itself would never be let in by Yjs. */
function need(decoder: decoding.Decoder, found: Inspected, self: Place): void {
  const client = readId(decoder);
  const clock = decoding.readVarUint(decoder);
  if (client === self.client && clock >= self.clock) throw new Refused('it hangs on itself');
  if (clock >= (found.needs.get(client) ?? 0)) found.needs.set(client, clock + 1);
}

interface Place {
  client: number;
  clock: number;
}

function readStruct(decoder: decoding.Decoder, found: Inspected, self: Place): number {
  const info = decoding.readUint8(decoder);
  const kind = info & 31;
  if (info === content.skip) return decoding.readVarUint(decoder);
  found.kinds |= 1 << kind;
  if (kind === content.gc) return decoding.readVarUint(decoder);
  if (info & hasLeft) need(decoder, found, self);
  if (info & hasRight) need(decoder, found, self);
  if (!(info & (hasLeft | hasRight))) {
    if (decoding.readVarUint(decoder) === 1) found.roots.add(text(decoder, 200));
    else need(decoder, found, self);
    if (info & hasParentKey) text(decoder, 200);
  }
  return readContent(decoder, kind);
}

function readContent(decoder: decoding.Decoder, kind: number): number {
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
      return text(decoder, limits.frameBytes).length;
    case content.embed:
      json(decoder);
      return 1;
    case content.format:
      text(decoder, 200);
      json(decoder);
      return 1;
    case content.type: {
      const type = decoding.readVarUint(decoder);
      if (type > 6) throw new Refused('an unknown type');
      // Elements and hooks carry their name.
      if (type === 3 || type === 5) text(decoder, 200);
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

function json(decoder: decoding.Decoder): void {
  shallow(JSON.parse(text(decoder, limits.valueBytes)), 0);
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
  const type = 127 - decoding.readUint8(decoder);
  switch (type) {
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
  if (depth === 0 && type !== 11 && decoder.pos - start > limits.valueBytes) throw new Refused('too large a value');
}

function readDeletes(decoder: decoding.Decoder, found: Inspected): void {
  const clients = decoding.readVarUint(decoder);
  for (let c = 0; c < clients; c += 1) {
    const client = readId(decoder);
    const count = decoding.readVarUint(decoder);
    for (let i = 0; i < count; i += 1) {
      const clock = decoding.readVarUint(decoder);
      const length = decoding.readVarUint(decoder);
      if (length <= 0) throw new Refused('a deletion of nothing');
      found.deleted += length;
      if (clock + length > (found.deletesUpTo.get(client) ?? 0)) found.deletesUpTo.set(client, clock + length);
    }
  }
}
