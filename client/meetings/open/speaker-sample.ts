import type { SpokenSegment } from '#shared/meetings/words.ts';

import type { OpenMeeting } from './meeting-context.ts';

const sample = 5_000;

/** Where a voice is heard best: the first stretch that is long enough, else the longest there is. */
export function bestSample(
  segments: readonly Pick<SpokenSegment, 'from' | 'to'>[],
): { from: number; to: number } | null {
  const length = ({ from, to }: { from: number; to: number }) => to - from;
  const long = segments.find((one) => length(one) >= sample);
  const best = long ?? segments.toSorted((one, other) => length(other) - length(one))[0];
  return best && length(best) > 0 ? { from: best.from, to: Math.min(best.to, best.from + sample) } : null;
}

/** Plays some seconds of a speaker, then goes back to where one was; false where nothing of them can be heard. */
export function playSpeaker({ player, words }: Pick<OpenMeeting, 'player' | 'words'>, speaker: string): boolean {
  const stretch = bestSample(words.reading().segments.filter((segment) => words.speaker(segment) === speaker));
  if (!stretch || !player.medium) return false;
  player.playStretch(stretch.from, stretch.to);
  return true;
}
