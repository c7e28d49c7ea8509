import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { crc32, deflateRaw } from 'node:zlib';
import { fileMark, entryMark, end64Mark, locator64Mark, endMark, zip64Field, most32 } from './zip-marks.ts';

// Writes a zip as a stream, in constant memory. Media are stored as they are, because they are compressed already; files
// that are given whole are deflated. Sizes from 4 GiB on use zip64.

const deflate = promisify(deflateRaw);

export interface ZipFile {
  name: string;
  content: Buffer | { bytes: number; chunks: AsyncIterable<Buffer> };
}

/** A file that was written. */
export interface Zipped {
  path: string;
  bytes: number;
  sha256: string;
}

interface Entry {
  name: Buffer;
  method: number;
  crc: number;
  packed: number;
  bytes: number;
  at: number;
  /** The sum stands behind the content. */
  streamed: boolean;
}

const sumMark = 0x08074b50;
const utf8 = 0x0800;
const sumBehind = 0x0008;

interface Options {
  /** Date of all files. */
  at: Date;
  /** Called after each file. */
  written: (file: Zipped) => void;
  /** Sizes and offsets from here on are written in 64 bits; less than 4 GiB only in tests. */
  from64?: number;
}

export async function* zipOf(
  files: AsyncIterable<ZipFile>,
  { at: date, written, from64 = most32 }: Options,
): AsyncGenerator<Buffer> {
  const time = dosTime(date);
  const entries: Entry[] = [];
  let at = 0;
  for await (const { name: path, content } of files) {
    const hash = createHash('sha256');
    const whole = Buffer.isBuffer(content) ? content : null;
    const packed = whole && (await deflate(whole));
    const entry: Entry = {
      name: Buffer.from(path),
      method: packed ? 8 : 0,
      crc: whole ? crc32(whole) : 0,
      packed: packed?.length ?? (content as { bytes: number }).bytes,
      bytes: whole?.length ?? (content as { bytes: number }).bytes,
      at,
      streamed: !whole,
    };
    entries.push(entry);
    const header = localHeader(entry, time, from64);
    yield header;
    at += header.length + entry.packed;
    if (packed && whole) {
      hash.update(whole);
      yield packed;
    } else {
      let came = 0;
      for await (const chunk of (content as { chunks: AsyncIterable<Buffer> }).chunks) {
        hash.update(chunk);
        entry.crc = crc32(chunk, entry.crc);
        came += chunk.length;
        yield chunk;
      }
      // The header has told the size already.
      if (came !== entry.bytes) throw new Error(`${path} has ${came} bytes instead of ${entry.bytes}`);
      const sum = sumOf(entry, from64);
      yield sum;
      at += sum.length;
    }
    written({ path, bytes: entry.bytes, sha256: hash.digest('hex') });
  }
  let length = 0;
  for (const entry of entries) {
    const header = directoryHeader(entry, time, from64);
    yield header;
    length += header.length;
  }
  yield endOf({ count: entries.length, length, at }, from64);
}

/** Fields that both headers of a file have, from its version on. */
function fields({ method, crc, packed, bytes, name, streamed }: Entry, time: number, is64: boolean): Buffer {
  const part = Buffer.alloc(26);
  part.writeUInt16LE(is64 ? 45 : 20, 0);
  part.writeUInt16LE(streamed ? utf8 | sumBehind : utf8, 2);
  part.writeUInt16LE(method, 4);
  part.writeUInt32LE(time, 6);
  part.writeUInt32LE(crc, 10);
  part.writeUInt32LE(is64 ? most32 : packed, 14);
  part.writeUInt32LE(is64 ? most32 : bytes, 18);
  part.writeUInt16LE(name.length, 22);
  return part;
}

const isLarge = ({ packed, bytes }: Entry, from64: number): boolean => packed >= from64 || bytes >= from64;

function localHeader(entry: Entry, time: number, from64: number): Buffer {
  const large = isLarge(entry, from64);
  const part = fields(entry.streamed ? { ...entry, crc: 0 } : entry, time, large);
  const extra = large ? field64([entry.bytes, entry.packed]) : Buffer.alloc(0);
  part.writeUInt16LE(extra.length, 24);
  return Buffer.concat([mark(fileMark), part, entry.name, extra]);
}

/** Checksum and sizes behind a streamed file. */
function sumOf(entry: Entry, from64: number): Buffer {
  const large = isLarge(entry, from64);
  const part = Buffer.alloc(large ? 24 : 16);
  part.writeUInt32LE(sumMark, 0);
  part.writeUInt32LE(entry.crc, 4);
  if (large) {
    part.writeBigUInt64LE(BigInt(entry.packed), 8);
    part.writeBigUInt64LE(BigInt(entry.bytes), 16);
  } else {
    part.writeUInt32LE(entry.packed, 8);
    part.writeUInt32LE(entry.bytes, 12);
  }
  return part;
}

function directoryHeader(entry: Entry, time: number, from64: number): Buffer {
  const large = isLarge(entry, from64);
  const far = entry.at >= from64;
  const extra =
    large || far
      ? field64([...(large ? [entry.bytes, entry.packed] : []), ...(far ? [entry.at] : [])])
      : Buffer.alloc(0);
  const head = Buffer.alloc(6);
  head.writeUInt32LE(entryMark, 0);
  head.writeUInt16LE(large || far ? 45 : 20, 4);
  const part = fields(entry, time, large);
  part.writeUInt16LE(extra.length, 24);
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(far ? most32 : entry.at, 10);
  return Buffer.concat([head, part, rest, entry.name, extra]);
}

function field64(values: readonly number[]): Buffer {
  const field = Buffer.alloc(4 + 8 * values.length);
  field.writeUInt16LE(zip64Field, 0);
  field.writeUInt16LE(8 * values.length, 2);
  for (const [nth, value] of values.entries()) field.writeBigUInt64LE(BigInt(value), 4 + 8 * nth);
  return field;
}

interface Directory {
  count: number;
  length: number;
  at: number;
}

function endOf({ count, length, at }: Directory, from64: number): Buffer {
  const large = count >= 0xffff || length >= from64 || at >= from64;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(endMark, 0);
  end.writeUInt16LE(large ? 0xffff : count, 8);
  end.writeUInt16LE(large ? 0xffff : count, 10);
  end.writeUInt32LE(large ? most32 : length, 12);
  end.writeUInt32LE(large ? most32 : at, 16);
  if (!large) return end;
  const end64 = Buffer.alloc(56);
  end64.writeUInt32LE(end64Mark, 0);
  end64.writeBigUInt64LE(44n, 4);
  end64.writeUInt16LE(45, 12);
  end64.writeUInt16LE(45, 14);
  end64.writeBigUInt64LE(BigInt(count), 24);
  end64.writeBigUInt64LE(BigInt(count), 32);
  end64.writeBigUInt64LE(BigInt(length), 40);
  end64.writeBigUInt64LE(BigInt(at), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(locator64Mark, 0);
  locator.writeBigUInt64LE(BigInt(at + length), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([end64, locator, end]);
}

/** Time and date as zips have them, in steps of two seconds since 1980. */
function dosTime(date: Date): number {
  const day = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  return ((day << 16) | time) >>> 0;
}

function mark(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
