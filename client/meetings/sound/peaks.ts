import type { Peaks } from '#shared/meetings/media.ts';

/** Loudness from 0 to 1 in `count` columns, each the maximum of its time; silent after the end. */
export function columnsOf({ peaks, perSecond }: Peaks, duration: number, count: number): number[] {
  const each = ((duration / 1000) * perSecond) / count;
  return Array.from({ length: count }, (_, column) => {
    const from = Math.floor(column * each);
    const to = Math.max(from + 1, Math.floor((column + 1) * each));
    let loudest = 0;
    for (let i = from; i < to; i += 1) loudest = Math.max(loudest, peaks[i] ?? 0);
    return loudest / 255;
  });
}

/**
 * Parses stored peaks, null if malformed. Written by hand, because a schema library would be a large part of the page.
 */
export function readPeaks(value: unknown): Peaks | null {
  if (typeof value !== 'object' || value === null) return null;
  const { perSecond, peaks } = value as { perSecond?: unknown; peaks?: unknown };
  if (typeof perSecond !== 'number' || !(perSecond > 0) || !Array.isArray(peaks)) return null;
  return peaks.every((peak) => typeof peak === 'number') ? { perSecond, peaks } : null;
}
