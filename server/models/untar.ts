import { Damaged } from './bunzip.ts';

// Reads a tar archive as a stream and passes on the wanted files. Names in the archive never become paths.

const blockSize = 512;

type Take = (bytes: Uint8Array) => void;

/** `wanted` returns the receiver of a file's bytes; null: the file is skipped. */
export function untar(chunks: Iterable<Uint8Array>, wanted: (path: string) => Take | null): void {
  let head = Buffer.alloc(0);
  /** The current entry: its remaining bytes, its remaining padding, and its receiver. */
  const entry = { left: 0, padding: 0, take: null as Take | null, finish: (): void => {} };
  let named: { path?: string; size?: number } = {};
  let ended = false;

  for (const chunk of chunks) {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    while (rest.length > 0 && !ended) {
      if (entry.left > 0) {
        const part = rest.subarray(0, entry.left);
        entry.take?.(part);
        rest = rest.subarray(part.length);
        entry.left -= part.length;
        if (entry.left === 0) entry.finish();
      } else if (entry.padding > 0) {
        const part = Math.min(entry.padding, rest.length);
        entry.padding -= part;
        rest = rest.subarray(part);
      } else {
        const part = rest.subarray(0, blockSize - head.length);
        head = Buffer.concat([head, part]);
        rest = rest.subarray(part.length);
        if (head.length === blockSize) {
          begin(head);
          head = Buffer.alloc(0);
        }
      }
    }
  }
  if (!ended) throw new Damaged('the archive ends too early');

  function begin(header: Buffer): void {
    if (header.every((byte) => byte === 0)) {
      ended = true;
      return;
    }
    let sum = 0;
    for (const [i, byte] of header.entries()) sum += i >= 148 && i < 156 ? 32 : byte;
    if (sum !== octal(header, 148, 8)) throw new Damaged('the archive is none of tar');
    const type = String.fromCharCode(header[156] ?? 0);
    const size = octal(header, 124, 12);
    if (type === 'L' || type === 'x') return beginName(type, size);
    const prefix = header.toString('latin1', 257, 262) === 'ustar' ? text(header, 345, 155) : '';
    const short = text(header, 0, 100);
    const path = named.path ?? (prefix === '' ? short : `${prefix}/${short}`);
    lasts(named.size ?? size, type === '0' || type === '\0' ? wanted(path) : null, () => {});
    named = {};
  }

  /** Values too long for a header come before it, as a file. */
  function beginName(type: 'L' | 'x', size: number): void {
    if (size > 65_536) throw new Damaged('a name is too long');
    const parts: Buffer[] = [];
    const take = (bytes: Uint8Array) => void parts.push(Buffer.from(bytes));
    lasts(size, take, () => {
      const content = Buffer.concat(parts);
      const more = type === 'L' ? { path: content.toString().replace(/\0.*$/s, '') } : extended(content);
      named = { ...named, ...more };
    });
  }

  function lasts(size: number, take: Take | null, finish: () => void): void {
    Object.assign(entry, { left: size, padding: (blockSize - (size % blockSize)) % blockSize, take, finish });
    if (size === 0) finish();
  }
}

const text = (header: Buffer, from: number, length: number) =>
  header.toString('utf8', from, from + length).replace(/\0.*$/s, '');

function octal(header: Buffer, from: number, length: number): number {
  // Large numbers are binary, not digits.
  if ((header[from] ?? 0) & 0x80) return Number(header.readBigUInt64BE(from + length - 8));
  return Number.parseInt(text(header, from, length).trim() || '0', 8);
}

/** Lines of `<length> key=value`. */
function extended(content: Buffer): { path?: string; size?: number } {
  const found: { path?: string; size?: number } = {};
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(32, at);
    const length = Number(content.toString('latin1', at, space));
    if (space < 0 || !(length > 0)) break;
    const [key, ...value] = content.toString('utf8', space + 1, at + length - 1).split('=');
    if (key === 'path') found.path = value.join('=');
    if (key === 'size') found.size = Number(value.join('='));
    at += length;
  }
  return found;
}
