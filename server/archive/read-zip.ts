import type { FileHandle } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { fileMark, entryMark, end64Mark, locator64Mark, endMark, zip64Field, most32 } from './zip-marks.ts';

// Reads zips of any size from the disk, a file after the other. Nothing in them is trusted: places and sizes are compared
// with those of the file, and what is unpacked is counted.

/** Something is wrong with the zip or with a file in it. */
export class DamagedZip extends Error {
  override name = 'DamagedZip';
}

interface Entry {
  method: number;
  crc: number;
  packed: number;
  bytes: number;
  at: number;
}

const pieceBytes = 256 * 1024;
/** Most bytes of the list of files. */
const longestList = 512 * 1024 * 1024;
const longestEnd = 22 + 0xffff;

export class ZipReader {
  readonly entries: ReadonlyMap<string, Entry>;
  readonly #file: FileHandle;

  private constructor(file: FileHandle, entries: ReadonlyMap<string, Entry>) {
    this.#file = file;
    this.entries = entries;
  }

  static async open(file: FileHandle): Promise<ZipReader> {
    const { size } = await file.stat();
    const tail = await part(file, Math.max(0, size - longestEnd), Math.min(size, longestEnd));
    const end = lastMark(tail, endMark);
    if (end < 0) throw new DamagedZip('it is no zip, or its end is missing');
    let [count, length, at] = [tail.readUInt16LE(end + 10), tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)];
    if (count === 0xffff || length === most32 || at === most32) {
      const locator = end - 20;
      if (locator < 0 || tail.readUInt32LE(locator) !== locator64Mark) throw new DamagedZip('its end is damaged');
      const end64 = await part(file, whole(tail, locator + 8), 56);
      if (end64.readUInt32LE(0) !== end64Mark) throw new DamagedZip('its end is damaged');
      [count, length, at] = [whole(end64, 32), whole(end64, 40), whole(end64, 48)];
    }
    if (at + length > size || length > longestList) throw new DamagedZip('its list of files is damaged');
    return new ZipReader(file, entriesOf(await part(file, at, length), count));
  }

  /** The content of a file in pieces; throws where it is not as the list of files says. */
  async *read(name: string): AsyncGenerator<Buffer> {
    const entry = this.entries.get(name);
    if (!entry) throw new DamagedZip(`${name} is not in it`);
    const { method, crc, bytes } = entry;
    const packed = this.#packed(name, entry);
    // The end of the pipeline is met where it is read.
    const content = method === 0 ? packed : pipeline(Readable.from(packed), createInflateRaw(), () => {});
    let came = 0;
    let sum = 0;
    try {
      for await (const piece of content as AsyncIterable<Buffer>) {
        came += piece.length;
        if (came > bytes) break;
        sum = crc32(piece, sum);
        yield piece;
      }
    } catch (error) {
      if (error instanceof DamagedZip) throw error;
      throw new DamagedZip(`${name} cannot be unpacked`, { cause: error });
    }
    if (came !== bytes || sum !== crc) throw new DamagedZip(`${name} is damaged`);
  }

  /** A file of at most so many bytes. */
  async readWhole(name: string, most: number): Promise<Buffer> {
    if ((this.entries.get(name)?.bytes ?? 0) > most) throw new DamagedZip(`${name} is too large`);
    const pieces: Buffer[] = [];
    for await (const piece of this.read(name)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  async *#packed(name: string, { at, packed }: Entry): AsyncGenerator<Buffer> {
    const header = await part(this.#file, at, 30);
    if (header.readUInt32LE(0) !== fileMark) throw new DamagedZip(`${name} is damaged`);
    const from = at + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
    for (let read = 0; read < packed; read += pieceBytes)
      yield await part(this.#file, from + read, Math.min(pieceBytes, packed - read));
  }
}

function entriesOf(list: Buffer, count: number): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  let at = 0;
  for (let nth = 0; nth < count; nth += 1) {
    if (at + 46 > list.length || list.readUInt32LE(at) !== entryMark)
      throw new DamagedZip('its list of files is damaged');
    const [nameLength, extraLength, noteLength] = [28, 30, 32].map((field) => list.readUInt16LE(at + field));
    const nameEnd = at + 46 + (nameLength ?? 0);
    const extraEnd = nameEnd + (extraLength ?? 0);
    if (extraEnd > list.length) throw new DamagedZip('its list of files is damaged');
    const name = list.toString('utf8', at + 46, nameEnd);
    const entry = entryOf(list, at, list.subarray(nameEnd, extraEnd));
    if (entries.has(name)) throw new DamagedZip(`${name} is in it twice`);
    if (entry.method !== 0 && entry.method !== 8) throw new DamagedZip(`${name} is packed in an unknown way`);
    entries.set(name, entry);
    at = extraEnd + (noteLength ?? 0);
  }
  return entries;
}

/** Values that do not fit 32 bits are in the field of zip64, in this order. */
function entryOf(list: Buffer, at: number, extra: Buffer): Entry {
  const wide = wideOf(extra);
  const value = (field: number): number => {
    const short = list.readUInt32LE(at + field);
    if (short !== most32) return short;
    const long = wide.shift();
    if (long === undefined) throw new DamagedZip('its list of files is damaged');
    return long;
  };
  const bytes = value(24);
  const packed = value(20);
  return { method: list.readUInt16LE(at + 10), crc: list.readUInt32LE(at + 16), bytes, packed, at: value(42) };
}

function wideOf(extra: Buffer): number[] {
  for (let at = 0; at + 4 <= extra.length;) {
    const [id, length] = [extra.readUInt16LE(at), extra.readUInt16LE(at + 2)];
    const field = extra.subarray(at + 4, at + 4 + length);
    if (id === zip64Field)
      return Array.from({ length: Math.floor(field.length / 8) }, (_, nth) => whole(field, 8 * nth));
    at += 4 + length;
  }
  return [];
}

function whole(bytes: Buffer, at: number): number {
  const value = Number(bytes.readBigUInt64LE(at));
  if (!Number.isSafeInteger(value)) throw new DamagedZip('it names a place that no file has');
  return value;
}

function lastMark(bytes: Buffer, wanted: number): number {
  for (let at = bytes.length - 22; at >= 0; at -= 1) if (bytes.readUInt32LE(at) === wanted) return at;
  return -1;
}

async function part(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  for (let read = 0; read < length;) {
    const { bytesRead } = await file.read(bytes, read, length - read, at + read);
    if (bytesRead === 0) throw new DamagedZip('it ends early');
    read += bytesRead;
  }
  return bytes;
}
