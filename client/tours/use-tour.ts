import { useSetAtom } from 'jotai';

import { usePreferences } from '../preferences.ts';
import { stepLeft, tourAtom, type TourId } from './current.ts';

/** Starts a tour, or continues it where it was left; `isOffered` unless the person has taken it or skips all. */
export function useTour(id: TourId): { play: () => void; isOffered: boolean } {
  const setTour = useSetAtom(tourAtom);
  const [{ productTours: { skipAll = false, completedToursIds = [] } = {} }] = usePreferences();
  return {
    play: () => setTour({ id, step: stepLeft(id) }),
    isOffered: !skipAll && !completedToursIds.includes(id),
  };
}
