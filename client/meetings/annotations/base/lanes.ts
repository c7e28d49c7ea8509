/** Number of lines that fit below each other under the same words. */
export const mostLanes = 3;

interface Span {
  from: number;
  to: number;
}

/** Lane of each span, from 0: overlapping spans get different lanes, up to the limit. */
export function lanesOf(spans: readonly Span[]): number[] {
  const lanes = spans.map(() => 0);
  const inOrder = spans.map((one, i) => ({ ...one, i })).sort((a, b) => a.from - b.from || a.i - b.i);
  const ends: number[] = [];
  for (const { from, to, i } of inOrder) {
    const free = ends.findIndex((end) => end <= from);
    const soonest = ends.indexOf(Math.min(...ends));
    const lane = free !== -1 ? free : ends.length < mostLanes ? ends.length : soonest;
    lanes[i] = lane;
    ends[lane] = Math.max(to, ends[lane] ?? 0);
  }
  return lanes;
}
