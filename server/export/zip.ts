import { promisify } from 'node:util';
import { crc32, deflateRaw } from 'node:zlib';

const deflate = promisify(deflateRaw);

/** Packs files as a zip; without dates, so that equal input gives equal output. */
export async function zip(files: Iterable<readonly [name: string, content: string | Uint8Array]>): Promise<Buffer> {
  const parts: Buffer[] = [];
  const entries: Buffer[] = [];
  let at = 0;
  for (const [name, given] of files) {
    const content = Buffer.from(given as Uint8Array);
    const packed = await deflate(content);
    const label = Buffer.from(name);
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0);
    // Flag: the name is UTF-8. Method: deflate.
    about.writeUInt16LE(0x0800, 2);
    about.writeUInt16LE(8, 4);
    // 1980-01-01, the earliest zip date, means unknown.
    about.writeUInt16LE(0x21, 8);
    about.writeUInt32LE(crc32(content), 10);
    about.writeUInt32LE(packed.length, 14);
    about.writeUInt32LE(content.length, 18);
    about.writeUInt16LE(label.length, 22);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(20, 4);
    about.copy(entry, 6);
    entry.writeUInt32LE(at, 42);
    entries.push(entry, label);
    const file = [mark(0x04034b50), about, label, packed];
    parts.push(...file);
    at += file.reduce((sum, { length }) => sum + length, 0);
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length / 2, 8);
  end.writeUInt16LE(entries.length / 2, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, directory, end]);
}

function mark(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
