/** So many lines stand below each other under the same words; there is no room for more. */
export const mostLanes = 3;

interface Stretch {
  from: number;
  to: number;
}

/** The line each is drawn on, counted from 0: what reaches over the same words stands on different ones, as far as there are any. */
export function lanesOf(stretches: readonly Stretch[]): number[] {
  const lanes = stretches.map(() => 0);
  const inOrder = stretches.map((one, i) => ({ ...one, i })).sort((a, b) => a.from - b.from || a.i - b.i);
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
