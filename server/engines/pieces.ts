import type { Readable } from 'node:stream';
import { inputOf, runProgram, type Programs } from '../media/ffmpeg.ts';
import type { MediaKind } from '../media/kinds.ts';
import { explained } from '../media/probe.ts';
import { mostRecordingMs } from '#shared/intake.ts';

// Cuts recordings for recognizers: mono with 16,000 samples a second, in pieces. Pieces end at the quietest place, so
// that no word is cut, and depend on the sound alone: resuming at the end of a piece finds the same pieces.

export const pieceRate = 16_000;
const perMs = pieceRate / 1000;
/** Loudness is measured in frames of 20 ms. */
const frame = 20 * perMs;
/** Frames of a pause between words. */
const pauseFrames = 15;
/** Peak, of 32,767, below which there is no speech; recognizers invent words for such sound. */
const silence = 100;

export interface CutLimits {
  /** Shorter first piece, so that the first words appear soon. */
  firstMs: number;
  mostMs: number;
}

export interface Piece {
  /** Milliseconds from the start of the recording. */
  from: number;
  to: number;
  /** 16-bit samples. */
  samples: Buffer;
  silent: boolean;
}

/** Collects samples into pieces, starting at `from`. */
export async function cutSamples(
  output: AsyncIterable<Buffer>,
  from: number,
  { firstMs, mostMs }: CutLimits,
  take: (piece: Piece) => Promise<void>,
): Promise<void> {
  let skip = from * perMs * 2;
  let at = from;
  let gathered: Buffer[] = [];
  let size = 0;
  const give = async (all: Buffer, end: number): Promise<void> => {
    const samples = all.subarray(0, end);
    const to = at + Math.round(end / 2 / perMs);
    await take({ from: at, to, samples, silent: loudest(samples) < silence });
    at = to;
    gathered = end < all.length ? [all.subarray(end)] : [];
    size = all.length - end;
  };
  const wanted = () => (at === 0 ? firstMs : mostMs) * perMs * 2;
  for await (const bytes of output) {
    const fresh = bytes.subarray(Math.min(skip, bytes.length));
    skip -= bytes.length - fresh.length;
    gathered.push(fresh);
    size += fresh.length;
    while (size >= wanted()) {
      const all = Buffer.concat(gathered);
      const end = wanted();
      await give(all, quietest(all, Math.floor(end * 0.6), end));
    }
  }
  const rest = Buffer.concat(gathered);
  const whole = rest.length - (rest.length % 2);
  if (whole > 0) await give(rest.subarray(0, whole), whole);
}

const loudest = (samples: Buffer): number => {
  let most = 0;
  for (let at = 0; at + 1 < samples.length; at += 2) most = Math.max(most, Math.abs(samples.readInt16LE(at)));
  return most;
};

/** The middle of the quietest place between two offsets; of equal ones the last. */
function quietest(samples: Buffer, from: number, to: number): number {
  const first = Math.floor(from / 2 / frame);
  const count = Math.floor(to / 2 / frame) - first;
  const loudness = Array.from({ length: count }, (_, nth) => {
    let sum = 0;
    for (let i = 0; i < frame; i += 1) sum += samples.readInt16LE(((first + nth) * frame + i) * 2) ** 2;
    return sum;
  });
  let best = count - Math.min(pauseFrames, count);
  let least = Infinity;
  let sum = 0;
  for (const [nth, one] of loudness.entries()) {
    sum += one - (loudness[nth - pauseFrames] ?? 0);
    if (nth < pauseFrames - 1 || sum > least) continue;
    least = sum;
    best = nth - pauseFrames + 1;
  }
  return (first + best + Math.floor(pauseFrames / 2)) * frame * 2;
}

/** Samples as a WAV file, which every recognizer reads. */
export function asWav(samples: Buffer): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(pieceRate, 24);
  head.writeUInt32LE(pieceRate * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

const wholeDay = 86_400;

interface Readable16 {
  path: string;
  kind: MediaKind;
  folder: string;
  signal: AbortSignal;
}

/** Cuts a file into pieces, read as fast as they are processed; the job's deadline limits the time. */
export async function cutFile(
  programs: Programs,
  { path, kind, folder, signal }: Readable16,
  from: number,
  limits: CutLimits,
  take: (piece: Piece) => Promise<void>,
): Promise<void> {
  const args = [
    ...['-v', 'error', '-nostdin', '-threads', '1'],
    ...inputOf(kind, path),
    ...['-t', String(mostRecordingMs / 1000), '-map', '0:a:0', '-vn', '-sn', '-dn'],
    // Sound that starts after the picture, or has gaps, keeps its times.
    ...['-af', 'aresample=async=1:first_pts=0', '-ac', '1', '-ar', String(pieceRate), '-f', 's16le', 'pipe:1'],
  ];
  const bounds = { folder, signal, seconds: wholeDay, cpuSeconds: 1800 };
  await explained(() =>
    runProgram(programs, 'ffmpeg', args, bounds, (output: Readable) => cutSamples(output, from, limits, take)),
  );
}
