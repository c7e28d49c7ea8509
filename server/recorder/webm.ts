import type { ReadAt } from '../media/headers.ts';

/** Place of the element Info, and length of one tick of its clock. */
interface Info {
  from: number;
  content: number;
  to: number;
  tickMs: number;
}

const ids = {
  segment: 0x18538067,
  info: 0x1549a966,
  scale: 0x2ad7b1,
  duration: 0x4489,
  cluster: 0x1f43b675,
  time: 0xe7,
  block: 0xa1,
  group: 0xa0,
  simpleBlock: 0xa3,
} as const;
/** Elements whose content is read, not skipped. */
const opened: readonly number[] = [ids.segment, ids.cluster, ids.group];

/**
 * Adds up how long a WebM file is that says nothing of it, as recorders of browsers write it: until the end of its last
 * block. Null for a file that already says so, or is none.
 */
export async function measureWebm(read: ReadAt, size: number): Promise<{ ms: number; info: Info } | null> {
  const bytes = new Window(read);
  let info: Info | null = null;
  let cluster = 0;
  let last = -1;
  let step = 0;
  for (let at = 0; at < size;) {
    const element = await elementAt(bytes, at, size);
    if (!element) break;
    const { id, content, to } = element;
    if (id === ids.info) {
      const tickMs = await tickOf(bytes, content, to);
      if (tickMs === null) return null;
      info = { from: at, content, to, tickMs };
    }
    if (id === ids.time) cluster = await bytes.number(content, to - content);
    if (id === ids.simpleBlock || id === ids.block) {
      const head = await bytes.get(content, 4);
      // A block that is cut off at the end of the file is not played.
      if (to > size || head.length < 4 || ((head[0] ?? 0) & 0x80) === 0) break;
      const time = cluster + head.readInt16BE(1);
      if (time > last) {
        if (last >= 0) step = time - last;
        last = time;
      }
    }
    at = opened.includes(id) ? content : to;
  }
  if (!info) return null;
  return { ms: last < 0 ? 0 : Math.round((last + step) * info.tickMs), info };
}

/** Milliseconds of a tick; null if the file says how long it is. */
async function tickOf(bytes: Window, from: number, to: number): Promise<number | null> {
  let scale = 1_000_000;
  for (let at = from; at < to;) {
    const field = await elementAt(bytes, at, to);
    if (!field) break;
    if (field.id === ids.duration) return null;
    if (field.id === ids.scale) scale = await bytes.number(field.content, field.to - field.content);
    at = field.to;
  }
  return scale / 1_000_000;
}

/** The id of an element, and where its content begins and ends; one of unknown length ends with the file. */
async function elementAt(bytes: Window, at: number, size: number) {
  const head = await bytes.get(at, 12);
  const idLength = Math.clz32(head[0] ?? 0) - 23;
  if (head.length < 2 || idLength > 4 || head.length <= idLength) return null;
  const id = head.readUIntBE(0, idLength);
  const first = head[idLength] ?? 0;
  const length = Math.clz32(first) - 23;
  if (length > 8 || head.length < idLength + length) return null;
  let value = first & (0xff >> length);
  let unknown = value === 0xff >> length;
  for (let i = 1; i < length; i += 1) {
    const byte = head[idLength + i] ?? 0;
    unknown &&= byte === 0xff;
    value = value * 256 + byte;
  }
  const content = at + idLength + length;
  return { id, content, to: unknown ? size : content + value };
}

const stride = 256 * 1024;

/** Bytes of a file that is read from front to back. */
class Window {
  private from = 0;
  private bytes: Buffer = Buffer.alloc(0);
  private readonly read: ReadAt;
  constructor(read: ReadAt) {
    this.read = read;
  }
  async get(from: number, length: number): Promise<Buffer> {
    if (from < this.from || from + length > this.from + this.bytes.length) {
      this.bytes = await this.read(from, Math.max(length, stride));
      this.from = from;
    }
    return this.bytes.subarray(from - this.from, from - this.from + length);
  }
  async number(from: number, length: number): Promise<number> {
    const bytes = await this.get(from, Math.min(length, 6));
    return bytes.length > 0 ? bytes.readUIntBE(0, bytes.length) : 0;
  }
}
