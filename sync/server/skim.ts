import * as decoding from 'lib0/decoding';
import type { Clocks } from './gate.ts';
import { content, type as types } from './inspect.ts';

/** Facts about stored bytes, read without building a document. */
export interface Skimmed {
  /** Clock behind the last structure of each client. */
  clocks: Clocks;
  structs: number;
  /** An update that only deletes, all that these bytes delete. */
  deletions: Uint8Array;
}

/**
 * Reads an update that is stored, of any size, without building anything of it. Takes all that Yjs writes: what is stored
 * was judged by the rules of its time.
 */
export function skim(update: Uint8Array): Skimmed {
  const decoder = decoding.createDecoder(update);
  const clocks: Clocks = new Map();
  let structs = 0;
  const clients = decoding.readVarUint(decoder);
  for (let c = 0; c < clients; c += 1) {
    const count = decoding.readVarUint(decoder);
    const client = decoding.readVarUint(decoder);
    let clock = decoding.readVarUint(decoder);
    structs += count;
    let whole = clock === 0;
    for (let s = 0; s < count; s += 1) {
      whole &&= decoder.arr[decoder.pos] !== content.skip;
      clock += skipStruct(decoder);
      if (whole) clocks.set(client, clock);
    }
  }
  const rest = update.subarray(decoder.pos);
  const deletions = new Uint8Array(rest.byteLength + 1);
  deletions.set(rest, 1);
  return { clocks, structs, deletions };
}

/** Returns the structure's length. */
function skipStruct(decoder: decoding.Decoder): number {
  const info = decoding.readUint8(decoder);
  const kind = info & 31;
  if (kind === content.gc || info === content.skip) return decoding.readVarUint(decoder);
  const [left, right] = [info & 0x80, info & 0x40];
  if (left) skipId(decoder);
  if (right) skipId(decoder);
  if (!left && !right) {
    if (decoding.readVarUint(decoder) === 1) skipBytes(decoder);
    else skipId(decoder);
    if (info & 0x20) skipBytes(decoder);
  }
  return skipContent(decoder, kind);
}

function skipContent(decoder: decoding.Decoder, kind: number): number {
  switch (kind) {
    case content.deleted:
      return decoding.readVarUint(decoder);
    case content.string:
      return skipText(decoder);
    case content.json:
    case content.any: {
      const length = decoding.readVarUint(decoder);
      for (let i = 0; i < length; i += 1)
        if (kind === content.json) skipBytes(decoder);
        else decoding.readAny(decoder);
      return length;
    }
    case content.format:
      skipBytes(decoder);
      skipBytes(decoder);
      return 1;
    case content.type: {
      const ref = decoding.readVarUint(decoder);
      if (ref === types.element || ref === types.hook) skipBytes(decoder);
      return 1;
    }
    case content.doc:
      skipBytes(decoder);
      decoding.readAny(decoder);
      return 1;
    case content.binary:
    case content.embed:
      skipBytes(decoder);
      return 1;
    default:
      throw new Error('unknown content');
  }
}

function skipId(decoder: decoding.Decoder): void {
  decoding.readVarUint(decoder);
  decoding.readVarUint(decoder);
}

/** Texts and bytes begin with their length. */
function skipBytes(decoder: decoding.Decoder): void {
  const length = decoding.readVarUint(decoder);
  decoder.pos += length;
}

/** Returns a text's length as JavaScript counts it: letters beyond 16 bits, which take four bytes, count twice. */
function skipText(decoder: decoding.Decoder): number {
  const length = decoding.readVarUint(decoder);
  const end = decoder.pos + length;
  let units = 0;
  for (; decoder.pos < end; decoder.pos += 1) {
    const byte = decoder.arr[decoder.pos] ?? 0;
    if ((byte & 0xc0) !== 0x80) units += byte >= 0xf0 ? 2 : 1;
  }
  return units;
}
