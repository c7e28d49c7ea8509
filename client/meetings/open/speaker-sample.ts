import type { SpokenSegment } from '#shared/meetings/words.ts';

import type { OpenMeeting } from './meeting-context.ts';

const sample = 5_000;

/** Best sample of a speaker: the first segment that is long enough, else the longest. */
export function bestSample(
  segments: readonly Pick<SpokenSegment, 'from' | 'to'>[],
): { from: number; to: number } | null {
  const length = ({ from, to }: { from: number; to: number }) => to - from;
  const long = segments.find((one) => length(one) >= sample);
  const best = long ?? segments.toSorted((one, other) => length(other) - length(one))[0];
  return best && length(best) > 0 ? { from: best.from, to: Math.min(best.to, best.from + sample) } : null;
}

/** Plays some seconds of a speaker, then returns to the position before; false if nothing can be played. */
export function playSpeaker({ player, words }: Pick<OpenMeeting, 'player' | 'words'>, speaker: string): boolean {
  const stretch = bestSample(words.reading().segments.filter((segment) => words.speaker(segment) === speaker));
  if (!stretch || !player.medium) return false;
  player.playStretch(stretch.from, stretch.to);
  return true;
}
