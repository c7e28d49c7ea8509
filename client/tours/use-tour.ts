import { useSetAtom } from 'jotai';

import { usePreferences } from '../preferences.ts';
import { stepLeft, tourAtom, type TourId } from './current.ts';

/** Begins a tour, or goes on where it was left; and whether it may be offered. */
export function useTour(id: TourId): { play: () => void; isOffered: boolean } {
  const setTour = useSetAtom(tourAtom);
  const [{ productTours: { skipAll = false, completedToursIds = [] } = {} }] = usePreferences();
  return {
    play: () => setTour({ id, step: stepLeft(id) }),
    isOffered: !skipAll && !completedToursIds.includes(id),
  };
}
