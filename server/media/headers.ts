import type { MediaKind } from './kinds.ts';

// Reads durations from the headers of recordings, for installations without ffprobe. Only a few places of a file are
// read, so that it need not be on this machine as a whole.

/** Reads bytes of a file; fewer at its end. */
export type ReadAt = (from: number, length: number) => Promise<Buffer>;

export interface Headers {
  durationMs: number;
  video: boolean;
}

type Reader = (read: ReadAt, size: number) => Promise<Headers | null>;

const sound = (seconds: number): Headers | null =>
  Number.isFinite(seconds) && seconds > 0 ? { durationMs: Math.round(seconds * 1000), video: false } : null;

/** Reads chunks of a RIFF file; content is padded to an even length. */
const wav: Reader = async (read, size) => {
  let bytesPerSecond = 0;
  for (let at = 12, chunks = 0; at + 8 <= size && chunks < 1000; chunks += 1) {
    const head = await read(at, 24);
    if (head.length < 8) return null;
    const name = head.toString('latin1', 0, 4);
    const length = head.readUInt32LE(4);
    if (name === 'fmt ' && head.length >= 20) bytesPerSecond = head.readUInt32LE(16);
    // The size may be a placeholder if the file was written during the recording.
    if (name === 'data') return sound(Math.min(length, size - at - 8) / bytesPerSecond);
    at += 8 + length + (length % 2);
  }
  return null;
};

const kbits = {
  1: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  2: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
const rates = [44_100, 48_000, 32_000];

interface Mp3Frame {
  /** Samples a second, and in this frame. */
  rate: number;
  samples: number;
  kbits: number;
  /** Bytes. */
  length: number;
  /** Offset of the first byte after the side information. */
  info: number;
}

/** A frame of MPEG 1, 2 or 2.5 layer III with a valid rate. */
function mp3Frame(bytes: Buffer, at: number): Mp3Frame | null {
  const first = bytes[at];
  const second = bytes[at + 1] ?? 0;
  if (first !== 0xff || (second & 0xe6) !== 0xe2) return null;
  const third = bytes[at + 2] ?? 0;
  const version = (second >> 3) & 3;
  const base = rates[(third >> 2) & 3];
  const bits = kbits[version === 3 ? 1 : 2][(third >> 4) - 1];
  if (version === 1 || base === undefined || bits === undefined) return null;
  const rate = base / (version === 3 ? 1 : version === 2 ? 2 : 4);
  const samples = version === 3 ? 1152 : 576;
  const mono = (bytes[at + 3] ?? 0) >> 6 === 3;
  const side = version === 3 ? (mono ? 17 : 32) : mono ? 9 : 17;
  const length = Math.floor(((samples / 8) * bits * 1000) / rate) + ((third >> 1) & 1);
  return { rate, samples, kbits: bits, length, info: at + 4 + side };
}

const startOfMp3 = async (read: ReadAt): Promise<number> => {
  const tag = await read(0, 10);
  if (tag.toString('latin1', 0, 3) !== 'ID3') return 0;
  return 10 + [...tag.subarray(6, 10)].reduce((sum, byte) => sum * 128 + (byte & 127), 0);
};

/**
 * Computes the duration from the number of frames if the first one has it, else from the bit rate, which is then
 * constant.
 */
const mp3: Reader = async (read, size) => {
  const start = await startOfMp3(read);
  const bytes = await read(start, 4096);
  for (let at = 0; at + 200 < bytes.length; at += 1) {
    const frame = mp3Frame(bytes, at);
    if (!frame) continue;
    const { info } = frame;
    const name = bytes.toString('latin1', info, info + 4);
    const frames =
      (name === 'Xing' || name === 'Info') && (bytes[info + 7] ?? 0) & 1
        ? bytes.readUInt32BE(info + 8)
        : bytes.toString('latin1', at + 36, at + 40) === 'VBRI'
          ? bytes.readUInt32BE(at + 50)
          : null;
    return frames !== null
      ? sound((frames * frame.samples) / frame.rate)
      : sound(((size - start - at) * 8) / (frame.kbits * 1000));
  }
  return null;
};

const stride = 256 * 1024;

/** Adds up the frames of an mp3 file, whose header can be wrong; null if there are none. Reads the whole file. */
export async function measureMp3(read: ReadAt, size: number): Promise<number | null> {
  let seconds = 0;
  for (let from = await startOfMp3(read); from < size;) {
    const bytes = await read(from, stride);
    if (bytes.length < 4) break;
    let at = 0;
    while (at + 4 <= bytes.length) {
      const frame = mp3Frame(bytes, at);
      // Bytes between frames are skipped, such as tags where files were joined.
      if (frame) seconds += frame.samples / frame.rate;
      at += frame ? frame.length : 1;
    }
    from += at;
  }
  return sound(seconds)?.durationMs ?? null;
}

interface Box {
  name: string;
  /** Offsets of the content. */
  from: number;
  to: number;
}

async function* boxes(read: ReadAt, from: number, to: number): AsyncGenerator<Box> {
  for (let at = from, count = 0; at + 8 <= to && count < 10_000; count += 1) {
    const head = await read(at, 16);
    if (head.length < 8) return;
    const small = head.readUInt32BE(0);
    const long = small === 1 && head.length === 16;
    const length = long ? Number(head.readBigUInt64BE(8)) : small === 0 ? to - at : small;
    if (length < (long ? 16 : 8)) return;
    yield { name: head.toString('latin1', 4, 8), from: at + (long ? 16 : 8), to: Math.min(to, at + length) };
    at += length;
  }
}

const mov: Reader = async (read, size) => {
  for await (const top of boxes(read, 0, size)) {
    if (top.name !== 'moov') continue;
    let seconds = 0;
    let video = false;
    for await (const box of boxes(read, top.from, top.to)) {
      if (box.name === 'mvhd') {
        const head = await read(box.from, 32);
        if (head.length < 32) return null;
        seconds =
          head[0] === 1
            ? Number(head.readBigUInt64BE(24)) / head.readUInt32BE(20)
            : head.readUInt32BE(16) / head.readUInt32BE(12);
      }
      if (box.name !== 'trak') continue;
      for await (const media of boxes(read, box.from, box.to)) {
        if (media.name !== 'mdia') continue;
        for await (const inner of boxes(read, media.from, media.to))
          if (inner.name === 'hdlr') video ||= (await read(inner.from + 8, 4)).toString('latin1') === 'vide';
      }
    }
    const found = sound(seconds);
    return found && { ...found, video };
  }
  return null;
};

/** Computes the duration from the last page, which has the number of samples, and the first, which has the rate. */
const ogg: Reader = async (read, size) => {
  const first = await read(0, 512);
  const vorbis = first.indexOf('\x01vorbis', 0, 'latin1');
  const opus = first.indexOf('OpusHead', 0, 'latin1');
  const rate = vorbis > 0 ? first.readUInt32LE(vorbis + 12) : 48_000;
  const skipped = opus > 0 ? first.readUInt16LE(opus + 10) : 0;
  if (vorbis < 0 && opus < 0) return null;
  const tail = await read(Math.max(0, size - 65_536), 65_536);
  const last = tail.lastIndexOf('OggS', tail.length - 14, 'latin1');
  return last < 0 ? null : sound((Number(tail.readBigUInt64LE(last + 6)) - skipped) / rate);
};

const flac: Reader = async (read) => {
  const info = (await read(8, 34)).subarray(10, 18);
  if (info.length < 8) return null;
  const rate = info.readUIntBE(0, 3) >> 4;
  const samples = (info.readUInt8(3) & 15) * 2 ** 32 + info.readUInt32BE(4);
  return sound(samples / rate);
};

/** Reads EBML elements: an id and a length, both as long as their first bits say. */
const matroska: Reader = async (read) => {
  const head = await read(0, 65_536);
  const number = (at: number, keepMark: boolean): { value: number; next: number } | null => {
    const first = head[at];
    if (first === undefined || first === 0) return null;
    const length = Math.clz32(first) - 23;
    let value = keepMark ? first : first & (0xff >> length);
    for (let i = 1; i < length; i += 1) value = value * 256 + (head[at + i] ?? 0);
    return { value, next: at + length };
  };
  const ids = { segment: 0x18538067, info: 0x1549a966, scale: 0x2ad7b1, duration: 0x4489, tracks: 0x1654ae6b };
  let scale = 1_000_000;
  let ticks = 0;
  let video = false;
  for (let at = 0, count = 0; at < head.length && count < 1000; count += 1) {
    const id = number(at, true);
    const length = id && number(id.next, false);
    if (!id || !length) break;
    const { next, value } = length;
    if (id.value === ids.scale && value <= 6 && next + value <= head.length) scale = head.readUIntBE(next, value);
    if (id.value === ids.duration && next + value <= head.length)
      ticks = value === 4 ? head.readFloatBE(next) : value === 8 ? head.readDoubleBE(next) : 0;
    // Track type 1 is video.
    if (id.value === ids.tracks) video = head.subarray(next, next + value).includes(Buffer.from([0x83, 0x81, 0x01]));
    at = id.value === ids.segment || id.value === ids.info ? next : next + value;
  }
  const found = sound((ticks * scale) / 1e9);
  return found && { ...found, video };
};

const readers: Partial<Record<MediaKind, Reader>> = { wav, mp3, mov, ogg, flac, matroska };

/** Reads the headers; null if they have no duration. A file with false headers is merely unreadable. */
export async function readHeaders(kind: MediaKind, read: ReadAt, size: number): Promise<Headers | null> {
  try {
    return (await readers[kind]?.(read, size)) ?? null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
