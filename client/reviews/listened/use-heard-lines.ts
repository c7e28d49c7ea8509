import { useAtomValue, useSetAtom } from 'jotai';
import { useEffect, useMemo } from 'react';

import type { ListenedPartsAnswer } from '#shared/reviews/listened.ts';
import type { ReviewView } from '#shared/reviews.ts';

import { heardLinesAtom } from '../../meetings/player/heard-lines.ts';
import { playedAtom } from './listened-query.ts';
import { linesOf, peopleHeard } from './people-heard.ts';

/** Draws what people listened to below the wave of the player, while the review is open. */
export function useHeardLines(review: ReviewView, answer: ListenedPartsAnswer | null): void {
  const played = useAtomValue(playedAtom);
  const draw = useSetAtom(heardLinesAtom);
  const lines = useMemo(() => (answer ? linesOf(peopleHeard(review, answer, played)) : []), [review, answer, played]);
  useEffect(() => draw(lines), [draw, lines]);
  useEffect(() => () => draw([]), [draw]);
}
