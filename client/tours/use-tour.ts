import { useSetAtom } from 'jotai';

import { usePreferences } from '../preferences.ts';
import { stepLeft, tourAtom, type TourId } from './current.ts';

type Tours = readonly [TourId, ...TourId[]];

/** Tours of the page with all recordings; a folder has the last of them alone. */
export const homeTours: Tours = ['home', 'library'];

/**
 * Starts tours, one after the other, or continues the one that was left; `isOffered` unless the person has taken one of
 * them or skips all.
 */
export function useTour(...ids: Tours): { play: () => void; isOffered: boolean } {
  const setTour = useSetAtom(tourAtom);
  const [{ productTours: { skipAll = false, completedToursIds = [] } = {} }] = usePreferences();
  return {
    play: () => {
      const left = Math.max(
        0,
        ids.findIndex((id) => stepLeft(id) > 0),
      );
      const id = ids[left] ?? ids[0];
      setTour({ id, step: stepLeft(id), next: ids.slice(left + 1) });
    },
    isOffered: !skipAll && !ids.some((id) => completedToursIds.includes(id)),
  };
}
