import type { AnnotationKind } from '#shared/meetings/annotations.ts';
import type { TimedEntry } from '#shared/meetings/entries.ts';

import type { AnnotationsView } from '../annotations/base/meeting-annotations.ts';
import { threadsOf } from '../annotations/base/threads.ts';

/** Annotation or beginning of a chapter at a moment of the recording. */
export interface Tick {
  kind: AnnotationKind | 'chapter';
  id: string;
  /** Milliseconds. */
  at: number;
  /** Number of the colour and shape: 0 for comments, 1 to 5 for outcome types, 6 for chapters. */
  look: number;
  /** Type of an outcome; null for the others. */
  type: string | null;
  /** Words of the passage; name of a chapter. */
  quote: string;
}

const chapterLook = 6;

/** Greatest distance in pixels at which a pointer is at a tick. */
export const nearTick = 6;

/** Chapters in the order of their times. */
export const chaptersOf = (contents: readonly TimedEntry[]): Tick[] =>
  contents.map(({ id, start, title }) => ({
    kind: 'chapter',
    id,
    at: Math.round(start * 1000),
    look: chapterLook,
    type: null,
    quote: title,
  }));

/** Chapter of a moment: the last one that has begun. */
export const chapterAt = (chapters: readonly Tick[], ms: number): Tick | null =>
  chapters.findLast(({ at }) => at <= ms) ?? null;

/** Ticks in order of time; resolved threads have none. */
export function ticksOf(
  view: Pick<AnnotationsView, AnnotationKind> | null,
  chapters: readonly Tick[],
  lookOf: (type: string) => number,
): Tick[] {
  if (!view) return [...chapters];
  const outcomes = [...view.outcome.values()].map(({ id, start, type, quote }): Tick => ({
    kind: 'outcome',
    id,
    at: Math.round(start * 1000),
    look: lookOf(type),
    type,
    quote,
  }));
  const comments = threadsOf(view.comment)
    .filter(({ root }) => root.resolved === null)
    .map(({ root: { id, start, quote } }): Tick => ({
      kind: 'comment',
      id,
      at: Math.round(start * 1000),
      look: 0,
      type: null,
      quote,
    }));
  return [...chapters, ...outcomes, ...comments].sort((one, other) => one.at - other.at);
}

/** Number of ticks before a moment. */
function before(ticks: readonly Tick[], ms: number): number {
  let [low, high] = [0, ticks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ticks[middle]?.at ?? 0) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Nearest tick within a distance; of two at the same distance, the earlier. */
export function nearest(ticks: readonly Tick[], ms: number, within: number): Tick | null {
  const place = before(ticks, ms);
  let found: Tick | null = null;
  for (const tick of [ticks[place - 1], ticks[place]])
    if (tick && Math.abs(tick.at - ms) <= (found ? Math.abs(found.at - ms) - 1 : within)) found = tick;
  return found;
}

/** Milliseconds of tolerance: playback rarely stops exactly at a tick. */
const alike = 20;

export const nextTick = (ticks: readonly Tick[], ms: number, way: 1 | -1): Tick | null =>
  (way === 1 ? ticks[before(ticks, ms + alike + 1)] : ticks[before(ticks, ms - alike) - 1]) ?? null;

/** Ticks to draw: one of several with the same look that would overlap. */
export function drawnTicks(
  ticks: readonly Tick[],
  duration: number,
  width: number,
  apart: number,
): { x: number; look: number }[] {
  const last = new Map<number, number>();
  return ticks.flatMap(({ at, look }) => {
    const x = Math.min(width, (width * at) / duration);
    if (x - (last.get(look) ?? -Infinity) < apart) return [];
    last.set(look, x);
    return [{ x, look }];
  });
}
