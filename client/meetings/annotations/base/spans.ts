import type { Place } from '#shared/meetings/anchors.ts';
import type { Reading } from '#shared/meetings/words.ts';

/** Part of a place within one segment. */
export interface Part {
  segment: string | null;
  /** Text of the segment when the place was found. */
  text: string;
  from: number;
  to: number;
}

/** Splits a place at the borders of segments. */
export function partsOf({ segments, starts }: Reading, { from, to }: Pick<Place, 'from' | 'to'>): Part[] {
  let low = 0;
  let high = segments.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) + (segments[middle]?.text.length ?? 0) <= from) low = middle + 1;
    else high = middle;
  }
  const parts: Part[] = [];
  for (let i = low; i < segments.length && (starts[i] ?? 0) < to; i += 1) {
    const segment = segments[i];
    const start = starts[i] ?? 0;
    if (!segment) break;
    const { id, text } = segment;
    const part = { segment: id, text, from: Math.max(0, from - start), to: Math.min(text.length, to - start) };
    if (part.from < part.to) parts.push(part);
  }
  return parts;
}
