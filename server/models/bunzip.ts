// Unpacks bzip2 data block by block: Node has no such function, and not every machine has the program.

export class Damaged extends Error {
  override name = 'Damaged';
}

const blockMark = [0x31_41_59, 0x26_53_59] as const;
const endMark = [0x17_72_45, 0x38_50_90] as const;
const mostCodeLength = 20;
/** Number of symbols that share a table of codes. */
const groupSize = 50;

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x80_00_00_00 ? (crc << 1) ^ 0x04_c1_1d_b7 : crc << 1;
  return crc >>> 0;
});

interface Codes {
  shortest: number;
  /** For each code length: the greatest code, and the index of its first symbol. */
  limit: Int32Array;
  base: Int32Array;
  symbols: Uint16Array;
  /** Lookup by the next bits: symbol and length of a short code; 0 for longer codes. */
  quick: Uint16Array;
}
const quickBits = 10;

/**
 * Unpacks a stream; `read` returns the next bytes, and null at the end. Yielded bytes stay valid until the next ones
 * are requested.
 */
export function* bunzip(read: () => Uint8Array | null): Generator<Uint8Array> {
  let chunk: Uint8Array = new Uint8Array(0);
  let at = 0;
  let held = 0;
  let bits = 0;

  function fill(): boolean {
    while (at >= chunk.length) {
      const next = read();
      if (!next) return false;
      chunk = next;
      at = 0;
    }
    return true;
  }

  /** Reads up to 24 bits. */
  function take(count: number): number {
    while (bits < count) {
      if (!fill()) throw new Damaged('it ends too early');
      held = ((held << 8) | (chunk[at] ?? 0)) >>> 0;
      at += 1;
      bits += 8;
    }
    bits -= count;
    const value = (held >>> bits) & ((1 << count) - 1);
    held &= (1 << bits) - 1;
    return value;
  }
  const take32 = () => take(16) * 0x1_00_00 + take(16);

  for (let first = true; ; first = false) {
    // Consecutive streams each begin at a whole byte.
    bits = 0;
    held = 0;
    if (!fill()) {
      if (first) throw new Damaged('it is empty');
      return;
    }
    if (take(24) !== 0x42_5a_68) throw new Damaged('it was not packed by bzip2');
    const level = take(8) - 0x30;
    if (level < 1 || level > 9) throw new Damaged('it was not packed by bzip2');
    const links = new Uint32Array(level * 100_000);
    const output = new Uint8Array(1 << 20);
    let all = 0;
    for (;;) {
      const mark = [take(24), take(24)];
      if (mark[0] === endMark[0] && mark[1] === endMark[1]) {
        if (take32() !== all) throw new Damaged('its sum does not fit');
        break;
      }
      if (mark[0] !== blockMark[0] || mark[1] !== blockMark[1]) throw new Damaged('a block begins with something else');
      const expected = take32();
      const crc = yield* block(links, output);
      if (crc !== expected) throw new Damaged('the sum of a block does not fit');
      all = (((all << 1) | (all >>> 31)) ^ crc) >>> 0;
    }
  }

  function* block(links: Uint32Array, output: Uint8Array): Generator<Uint8Array, number> {
    if (take(1) === 1) throw new Damaged('it is of a version before bzip2 1.0');
    const origin = take(24);
    const front = bytesUsed();
    const symbolCount = front.length + 2;
    const tables = take(3);
    const selectorCount = take(15);
    if (tables < 2 || tables > 6 || selectorCount < 1) throw new Damaged('a block has no tables');
    const selectors = readSelectors(selectorCount, tables);
    const codes = Array.from({ length: tables }, () => readCodes(symbolCount));
    const counts = new Uint32Array(256);

    let length = 0;
    let nthGroup = -1;
    let left = 0;
    let table = codes[0];
    let run = 0;
    let runBit = 1;
    const put = (byte: number, times: number): void => {
      if (length + times > links.length) throw new Damaged('a block is too long');
      counts[byte] = (counts[byte] ?? 0) + times;
      links.fill(byte, length, length + times);
      length += times;
    };
    for (;;) {
      if (left === 0) {
        nthGroup += 1;
        left = groupSize;
        table = codes[selectors[nthGroup] ?? -1];
        if (!table) throw new Damaged('a block goes on behind its tables');
      }
      left -= 1;
      const symbol = readSymbol(table as Codes);
      if (symbol < 2) {
        if (runBit > 1 << 21) throw new Damaged('a run is too long');
        run += runBit << symbol;
        runBit <<= 1;
        continue;
      }
      if (run > 0) {
        put(front[0] ?? 0, run);
        run = 0;
        runBit = 1;
      }
      if (symbol === symbolCount - 1) break;
      const place = symbol - 1;
      const byte = front[place] ?? 0;
      front.copyWithin(1, 0, place);
      front[0] = byte;
      put(byte, 1);
    }
    if (origin >= length) throw new Damaged('a block begins behind its end');

    // Inverse of the Burrows-Wheeler transform: the upper bits of each entry hold the index of the next one.
    let sum = 0;
    for (let byte = 0; byte < 256; byte += 1) {
      const count = counts[byte] ?? 0;
      counts[byte] = sum;
      sum += count;
    }
    for (let i = 0; i < length; i += 1) {
      const byte = (links[i] ?? 0) & 255;
      const place = counts[byte] ?? 0;
      counts[byte] = place + 1;
      links[place] = (links[place] ?? 0) | (i << 8);
    }

    let crc = 0xff_ff_ff_ff;
    let place = (links[origin] ?? 0) >>> 8;
    let written = 0;
    let previous = -1;
    let alike = 0;
    for (let i = 0; i < length; i += 1) {
      const link = links[place] ?? 0;
      const byte = link & 255;
      place = link >>> 8;
      let times = 1;
      if (alike === 4) {
        // Run length: after four equal bytes comes the number of further ones.
        times = byte;
        alike = 0;
      } else {
        alike = byte === previous ? alike + 1 : 1;
        previous = byte;
      }
      for (; times > 0; times -= 1) {
        crc = ((crc << 8) ^ (crcTable[((crc >>> 24) ^ previous) & 255] ?? 0)) >>> 0;
        output[written] = previous;
        written += 1;
        if (written === output.length) {
          yield output;
          written = 0;
        }
      }
      if (alike === 0) previous = -1;
    }
    if (written > 0) yield output.subarray(0, written);
    return ~crc >>> 0;
  }

  function bytesUsed(): Uint8Array {
    const groups = take(16);
    const used: number[] = [];
    for (let group = 0; group < 16; group += 1) {
      if (!(groups & (0x80_00 >> group))) continue;
      const members = take(16);
      for (let i = 0; i < 16; i += 1) if (members & (0x80_00 >> i)) used.push(group * 16 + i);
    }
    if (used.length === 0) throw new Damaged('a block uses no bytes');
    return Uint8Array.from(used);
  }

  function readSelectors(count: number, tables: number): Uint8Array {
    const order = Array.from({ length: tables }, (_, i) => i);
    return Uint8Array.from({ length: count }, () => {
      let place = 0;
      while (take(1) === 1) place += 1;
      if (place >= tables) throw new Damaged('a block names a table that is none');
      const [table = 0] = order.splice(place, 1);
      order.unshift(table);
      return table;
    });
  }

  function readCodes(symbolCount: number): Codes {
    const lengths: number[] = [];
    let length = take(5);
    for (let symbol = 0; symbol < symbolCount; symbol += 1) {
      while (take(1) === 1) length += take(1) === 1 ? -1 : 1;
      if (length < 1 || length > mostCodeLength) throw new Damaged('a code is of no length');
      lengths.push(length);
    }
    const shortest = Math.min(...lengths);
    const limit = new Int32Array(mostCodeLength + 2).fill(-1);
    const base = new Int32Array(mostCodeLength + 2);
    const symbols = new Uint16Array(symbolCount);
    let code = 0;
    let nth = 0;
    for (let bitsLong = shortest; bitsLong <= mostCodeLength; bitsLong += 1) {
      base[bitsLong] = nth - code;
      for (const [symbol, own] of lengths.entries())
        if (own === bitsLong) {
          symbols[nth] = symbol;
          nth += 1;
          code += 1;
        }
      limit[bitsLong] = code - 1;
      code <<= 1;
    }
    const quick = new Uint16Array(1 << quickBits);
    for (let length = shortest; length <= quickBits; length += 1) {
      // Canonical codes: those of one length are consecutive, and follow those of the shorter ones.
      const begin = length === shortest ? 0 : ((limit[length - 1] ?? -1) + 1) << 1;
      for (let one = begin; one <= (limit[length] ?? -1); one += 1) {
        const symbol = symbols[one + (base[length] ?? 0)] ?? 0;
        const from = one << (quickBits - length);
        quick.fill((symbol << 5) | length, from, from + (1 << (quickBits - length)));
      }
    }
    return { shortest, limit, base, symbols, quick };
  }

  function readSymbol({ shortest, limit, base, symbols, quick }: Codes): number {
    while (bits < mostCodeLength && fill()) {
      held = ((held << 8) | (chunk[at] ?? 0)) >>> 0;
      at += 1;
      bits += 8;
    }
    const found = bits >= quickBits ? (quick[held >>> (bits - quickBits)] ?? 0) : 0;
    if (found !== 0) {
      bits -= found & 31;
      held &= (1 << bits) - 1;
      return found >> 5;
    }
    for (let length = shortest; length <= Math.min(bits, mostCodeLength); length += 1) {
      const code = held >>> (bits - length);
      if (code > (limit[length] ?? -1)) continue;
      const symbol = symbols[code + (base[length] ?? 0)];
      if (symbol === undefined) break;
      bits -= length;
      held &= (1 << bits) - 1;
      return symbol;
    }
    throw new Damaged('a code stands for nothing');
  }
}
