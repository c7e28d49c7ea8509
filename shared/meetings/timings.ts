import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';

// Times of words, stored beside the text: a table keyed by the clock of a word's first character in the seed (seed.ts).
// Five bytes a word, immutable. In the document it is one binary value of the map `timings`, so only the frame limits
// its size, not the gate's limit for plain values.

/**
 * Flags of a word on the wire (`w`, `f`, `t`), kept as they are; `estimated` is our own: its times are computed, not
 * measured.
 */
export const flag = { p: 1, m: 2, c: 4, j: 8, estimated: 16 } as const;
const allFlags = 31;

export interface Slot {
  /** Clock of the first character in its seed, and the number of characters. */
  at: number;
  length: number;
  /** Milliseconds. */
  from: number;
  to: number;
  /** 0 to 1 in hundredths; null if the source gives none. */
  confidence: number | null;
  flags: number;
}

/** All slots of a seed in columns, ascending by clock and never overlapping. */
export interface Slots {
  count: number;
  at: Uint32Array;
  length: Uint32Array;
  from: Uint32Array;
  to: Uint32Array;
  confidence: Uint8Array;
  flags: Uint8Array;
}

const version = 1;
const unknownConfidence = 255;
/** 24 days, and more characters than a document may have: larger values are foreign. */
const most = 2 ** 31 - 1;

export function encodeTimings(slots: readonly Slot[]): Uint8Array {
  let behind = 0;
  for (const slot of slots) {
    if (!isSlot(slot, behind)) throw new RangeError(`no such slot: ${JSON.stringify(slot)}`);
    behind = slot.at + slot.length;
  }
  // Recognisers count in steps of 10 or 20 ms: in that unit a duration fits one byte.
  const unit = slots.reduce((all, { from, to }) => divisor(divisor(all, from), to), 0) || 1;
  const confident = slots.some(({ confidence }) => confidence !== null);
  return encoding.encode((encoder) => {
    encoding.writeUint8(encoder, version);
    encoding.writeUint8(encoder, confident ? 1 : 0);
    encoding.writeVarUint(encoder, unit);
    encoding.writeVarUint(encoder, slots.length);
    let clock = 0;
    let time = 0;
    for (const slot of slots) {
      const { at, length, from, to, flags } = slot;
      const gap = at - clock;
      const more = flags & ~flag.p;
      encoding.writeUint8(
        encoder,
        Math.min(gap, 3) | (flags & flag.p ? 4 : 0) | (more ? 8 : 0) | (length < 8 ? (length - 1) << 4 : 7 << 4),
      );
      if (gap >= 3) encoding.writeVarUint(encoder, gap - 3);
      if (more) encoding.writeUint8(encoder, more);
      if (length >= 8) encoding.writeVarUint(encoder, length - 8);
      const step = (from - time) / unit;
      encoding.writeVarUint(encoder, step >= 0 ? step * 2 : -step * 2 - 1);
      encoding.writeVarUint(encoder, (to - from) / unit);
      if (confident)
        encoding.writeUint8(
          encoder,
          slot.confidence === null ? unknownConfidence : Math.round(Math.min(1, Math.max(0, slot.confidence)) * 100),
        );
      clock = at + length;
      time = to;
    }
  });
}

function isSlot({ at, length, from, to, confidence, flags }: Slot, clock: number): boolean {
  return (
    [at, length, from, to, flags].every((n) => Number.isInteger(n) && n >= 0 && n <= most) &&
    at >= clock &&
    length > 0 &&
    at + length <= most &&
    to >= from &&
    (flags & allFlags) === flags &&
    (confidence === null || Number.isFinite(confidence))
  );
}

function divisor(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}

/** Null for anything but exactly one table: any peer with permission to write can store any bytes. */
export function decodeTimings(bytes: unknown): Slots | null {
  if (!(bytes instanceof Uint8Array)) return null;
  try {
    return read(decoding.createDecoder(bytes), bytes.byteLength);
  } catch {
    return null;
  }
}

class NotTimings extends Error {}

function within(value: number): number {
  if (!Number.isInteger(value) || value < 0 || value > most) throw new NotTimings();
  return value;
}

function read(decoder: decoding.Decoder, size: number): Slots {
  if (decoding.readUint8(decoder) !== version) throw new NotTimings();
  const confident = decoding.readUint8(decoder);
  const unit = decoding.readVarUint(decoder);
  const count = decoding.readVarUint(decoder);
  // A word takes three bytes at least: a larger count would only make us reserve memory.
  if (confident > 1 || unit < 1 || count * 3 > size) throw new NotTimings();
  const slots: Slots = {
    count,
    at: new Uint32Array(count),
    length: new Uint32Array(count),
    from: new Uint32Array(count),
    to: new Uint32Array(count),
    confidence: new Uint8Array(count).fill(unknownConfidence),
    flags: new Uint8Array(count),
  };
  let clock = 0;
  let time = 0;
  for (let i = 0; i < count; i += 1) {
    const head = decoding.readUint8(decoder);
    if (head > 127) throw new NotTimings();
    const gap = head & 3;
    const at = within(clock + (gap === 3 ? 3 + decoding.readVarUint(decoder) : gap));
    const more = head & 8 ? decoding.readUint8(decoder) : 0;
    if (more & (~allFlags | flag.p)) throw new NotTimings();
    const short = head >> 4;
    const length = short < 7 ? short + 1 : 8 + decoding.readVarUint(decoder);
    const step = decoding.readVarUint(decoder);
    const from = within(time + (step % 2 === 0 ? step / 2 : -(step + 1) / 2) * unit);
    const to = within(from + decoding.readVarUint(decoder) * unit);
    if (confident) {
      const confidence = decoding.readUint8(decoder);
      if (confidence > 100 && confidence !== unknownConfidence) throw new NotTimings();
      slots.confidence[i] = confidence;
    }
    slots.at[i] = at;
    slots.length[i] = length;
    slots.from[i] = from;
    slots.to[i] = to;
    slots.flags[i] = more | (head & 4 ? flag.p : 0);
    clock = within(at + length);
    time = to;
  }
  if (decoding.hasContent(decoder)) throw new NotTimings();
  return slots;
}

export function slotAt(slots: Slots, i: number): Slot | undefined {
  if (i < 0 || i >= slots.count) return undefined;
  const confidence = slots.confidence[i] ?? unknownConfidence;
  return {
    at: slots.at[i] ?? 0,
    length: slots.length[i] ?? 0,
    from: slots.from[i] ?? 0,
    to: slots.to[i] ?? 0,
    confidence: confidence === unknownConfidence ? null : confidence / 100,
    flags: slots.flags[i] ?? 0,
  };
}

/** First slot that ends after a clock; `count` if there is none. */
export function slotFrom(slots: Slots, clock: number): number {
  let low = 0;
  let high = slots.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((slots.at[middle] ?? 0) + (slots.length[middle] ?? 0) <= clock) low = middle + 1;
    else high = middle;
  }
  return low;
}
