import type { FileHandle } from 'node:fs/promises';

/** An entry of a tar file: its name, and where its content lies in the file. */
export interface TarEntry {
  name: string;
  at: number;
  bytes: number;
}

const block = 512;
const padding = (bytes: number): number => (block - (bytes % block)) % block;
/** Sizes above have no place as eleven octal digits; they are written in binary, as GNU and BSD do. */
const mostOctal = 0o77777777777;

export const tarEnd = Buffer.alloc(2 * block);

/** The header of a plain file. Names are ASCII of at most 100 characters. */
export function tarHeader(name: string, bytes: number, seconds: number): Buffer {
  if (!/^[\x21-\x7e]{1,100}$/.test(name)) throw new Error(`${name} cannot be the name of an entry`);
  const header = Buffer.alloc(block);
  const octal = (value: number, at: number, digits: number) =>
    header.write(`${value.toString(8).padStart(digits, '0')}\0`, at, 'latin1');
  header.write(name, 0, 'latin1');
  octal(0o600, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  if (bytes <= mostOctal) octal(bytes, 124, 11);
  else {
    header[124] = 0x80;
    header.writeBigUInt64BE(BigInt(bytes), 128);
  }
  octal(seconds, 136, 11);
  header.write('        ', 148, 'latin1');
  header.write('0', 156, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  header.write(`${sumOf(header).toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

/** Zeros that fill the last block of a content. */
export const tarPadding = (bytes: number): Buffer => Buffer.alloc(padding(bytes));

/** The entries of a tar file of ours, in their order. Throws where it is damaged or ends early. */
export async function* tarEntries(file: FileHandle): AsyncGenerator<TarEntry> {
  const header = Buffer.alloc(block);
  for (let at = 0; ;) {
    const { bytesRead } = await file.read(header, 0, block, at);
    if (bytesRead < block) throw new Error('it ends early');
    if (header.every((byte) => byte === 0)) return;
    const sum = Number.parseInt(header.toString('latin1', 148, 154), 8);
    if (sum !== sumOf(header)) throw new Error(`it is not readable at byte ${at}`);
    const name = header.toString('latin1', 0, 100).replace(/\0.*$/s, '');
    const bytes =
      header[124] === 0x80
        ? Number(header.readBigUInt64BE(128))
        : Number.parseInt(header.toString('latin1', 124, 135), 8);
    yield { name, at: at + block, bytes };
    at += block + bytes + padding(bytes);
  }
}

/** Sum of all bytes, those of the sum itself counted as blanks. */
function sumOf(header: Buffer): number {
  let sum = 0;
  for (const [i, byte] of header.entries()) sum += i >= 148 && i < 156 ? 0x20 : byte;
  return sum;
}
