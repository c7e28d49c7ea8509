import type { Reading } from '#shared/meetings/words.ts';

// The range of an outcome ends at words: the start is the first letter of a word, the end lies behind the last one.

export type Side = 'start' | 'end';

/** Flat positions. */
export interface Range {
  from: number;
  to: number;
}

/** Positions in a segment at which a range can start or end, ascending. */
function edgesIn({ segments, starts }: Reading, index: number, side: Side): number[] {
  const start = starts[index] ?? 0;
  return (segments[index]?.words ?? []).map(({ at, text }) => start + at + (side === 'end' ? text.length : 0));
}

/** Segment that has a flat position; the first or last one beyond the text. */
export function segmentAt({ segments, starts }: Reading, at: number): number {
  let [low, high] = [0, segments.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

/** Next edge before or behind a position, across paragraphs; null at the end of the text. */
function nextEdge(reading: Reading, at: number, side: Side, way: 1 | -1): number | null {
  for (let i = segmentAt(reading, at); i >= 0 && i < reading.segments.length; i += way) {
    const edges = edgesIn(reading, i, side);
    const found = way === 1 ? edges.find((edge) => edge > at) : edges.findLast((edge) => edge < at);
    if (found !== undefined) return found;
  }
  return null;
}

/** Edge nearest to a position, in its paragraph where that has words. */
function nearestEdge(reading: Reading, at: number, side: Side): number | null {
  const here = edgesIn(reading, segmentAt(reading, at), side);
  const edges =
    here.length > 0 ? here : ([-1, 1] as const).flatMap((way) => nextEdge(reading, at, side, way) ?? ([] as number[]));
  let best: number | null = null;
  for (const edge of edges) if (best === null || Math.abs(edge - at) < Math.abs(best - at)) best = edge;
  return best;
}

/** The range with one end at the word edge nearest to a position; it keeps at least one word. */
export function moved(reading: Reading, range: Range, side: Side, to: number): Range {
  const edge = nearestEdge(reading, to, side);
  if (edge === null) return range;
  if (side === 'start') {
    const last = nextEdge(reading, range.to, 'start', -1);
    return { ...range, from: Math.min(edge, last ?? range.from) };
  }
  const first = nextEdge(reading, range.from, 'end', 1);
  return { ...range, to: Math.max(edge, first ?? range.to) };
}

/** The range with one end a word further; the same range where there is no further word. */
export function stepped(reading: Reading, range: Range, side: Side, way: 1 | -1): Range {
  const edge = nextEdge(reading, side === 'start' ? range.from : range.to, side, way);
  return edge === null ? range : moved(reading, range, side, edge);
}

export const isSameRange = (one: Range, other: Range): boolean => one.from === other.from && one.to === other.to;

/** Position in one segment's text, which stays where it is while people type elsewhere. */
interface End {
  segment: string | null;
  /** Text of the segment as the position was read. */
  text: string;
  at: number;
}

export function endAt(reading: Reading, at: number): End {
  const index = segmentAt(reading, at);
  const { id = null, text = '' } = reading.segments[index] ?? {};
  return { segment: id, text, at: Math.min(Math.max(0, at - (reading.starts[index] ?? 0)), text.length) };
}
