import type { Readable } from 'node:stream';
import type { Peaks } from '#shared/meetings/media.ts';

const peaksPerSecond = 20;
export const sampleRate = 8000;
const step = sampleRate / peaksPerSecond;

/** Computes loudness from 16-bit samples, read once; no more than `mostMs` of them. */
export async function peaksOf(samples: Readable, mostMs: number): Promise<Peaks & { durationMs: number }> {
  const most = Math.ceil((mostMs / 1000) * peaksPerSecond);
  const peaks: number[] = [];
  let count = 0;
  let loudest = 0;
  let half: Buffer | null = null;
  for await (const piece of samples as AsyncIterable<Buffer>) {
    const bytes: Buffer = half ? Buffer.concat([half, piece]) : piece;
    const end = bytes.length - (bytes.length % 2);
    for (let at = 0; at < end; at += 2) {
      const loudness = Math.abs(bytes.readInt16LE(at));
      if (loudness > loudest) loudest = loudness;
      count += 1;
      if (count % step !== 0) continue;
      peaks.push(loudest);
      loudest = 0;
      if (peaks.length > most) break;
    }
    if (peaks.length > most) break;
    half = end < bytes.length ? bytes.subarray(end) : null;
  }
  if (count % step !== 0) peaks.push(loudest);
  const highest = peaks.reduce((high, peak) => Math.max(high, peak), 1);
  return {
    perSecond: peaksPerSecond,
    peaks: peaks.map((peak) => Math.round((peak / highest) * 255)),
    durationMs: Math.round((count / sampleRate) * 1000),
  };
}
