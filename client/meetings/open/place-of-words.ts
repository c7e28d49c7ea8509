import type { SpokenSegment } from '#shared/meetings/words.ts';

/**
 * Place of words nearest to a time: somebody may have moved them since they were indexed. Without times, the first
 * place in the nearest paragraph.
 */
export function placeOfWords(
  segments: readonly Pick<SpokenSegment, 'text' | 'words'>[],
  near: number,
  time: number,
  find: string,
): { segment: number; at: number } | null {
  let best: { segment: number; at: number; rank: [number, number] } | null = null;
  for (const [segment, { text, words }] of segments.entries()) {
    for (let at = text.indexOf(find); at !== -1; at = text.indexOf(find, at + 1)) {
      const from = words.findLast((word) => word.at <= at)?.from ?? 0;
      const rank: [number, number] = [Math.abs(from - time), Math.abs(segment - near)];
      if (!best || rank[0] < best.rank[0] || (rank[0] === best.rank[0] && rank[1] < best.rank[1]))
        best = { segment, at, rank };
    }
  }
  return best && { segment: best.segment, at: best.at };
}
