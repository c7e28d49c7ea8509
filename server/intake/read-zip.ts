import { inflateRawSync } from 'node:zlib';
import { InvalidTranscript } from '#shared/formats/source.ts';

// Reads zips as far as .docx files need it. Sizes are counted while unpacking, never trusted.

export const zipLimits = { entries: 2000, inflated: 100 * 1024 * 1024, ratio: 200, freely: 1024 * 1024 } as const;

const damaged = () => new InvalidTranscript(null, 'a .docx document that is not damaged');
const endMark = 0x06054b50;
const entryMark = 0x02014b50;
const fileMark = 0x04034b50;

interface Entry {
  method: number;
  packed: number;
  at: number;
}

/** Reads parts by name; each counts towards a common limit. */
export function openZip(bytes: Buffer): (name: string) => Buffer | null {
  const entries = entriesOf(bytes);
  let remaining: number = zipLimits.inflated;
  return (name) => {
    const entry = entries.get(name);
    if (!entry) return null;
    const { at, packed, method } = entry;
    if (at + 30 > bytes.length || bytes.readUInt32LE(at) !== fileMark) throw damaged();
    const from = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
    if (from + packed > bytes.length) throw damaged();
    const content = bytes.subarray(from, from + packed);
    const most = Math.min(remaining, Math.max(zipLimits.freely, packed * zipLimits.ratio));
    const part = method === 0 ? content : inflate(content, most);
    remaining -= part.length;
    if (remaining < 0) throw tooMuch();
    return part;
  };
}

const tooMuch = () => new InvalidTranscript(null, 'a document that does not unpack to so much more than it is');

function inflate(content: Buffer, most: number): Buffer {
  try {
    return inflateRawSync(content, { maxOutputLength: most });
  } catch (error) {
    if (error instanceof RangeError || (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw tooMuch();
    throw damaged();
  }
}

function entriesOf(bytes: Buffer): Map<string, Entry> {
  const end = endOf(bytes);
  const count = bytes.readUInt16LE(end + 10);
  if (count > zipLimits.entries) throw new InvalidTranscript(null, `a document of at most ${zipLimits.entries} parts`);
  const entries = new Map<string, Entry>();
  let at = bytes.readUInt32LE(end + 16);
  for (let i = 0; i < count; i += 1) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== entryMark) throw damaged();
    const nameLength = bytes.readUInt16LE(at + 28);
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength);
    const method = bytes.readUInt16LE(at + 10);
    if (bytes.readUInt16LE(at + 8) & 1) throw new InvalidTranscript(null, 'a document without a password');
    if (/(?:^|\/)vbaProject\.bin$/i.test(name)) throw new InvalidTranscript(null, 'a document without macros');
    if (method !== 0 && method !== 8) throw damaged();
    // The first of equal names counts.
    if (!entries.has(name))
      entries.set(name, { method, packed: bytes.readUInt32LE(at + 20), at: bytes.readUInt32LE(at + 42) });
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return entries;
}

/** Offset of the end record, which only a comment follows. */
function endOf(bytes: Buffer): number {
  for (let at = bytes.length - 22; at >= Math.max(0, bytes.length - 22 - 0xffff); at -= 1)
    if (bytes.readUInt32LE(at) === endMark) return at;
  throw damaged();
}
