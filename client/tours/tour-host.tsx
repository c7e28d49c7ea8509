import { useAtomValue } from 'jotai';

import { part } from '../errors/part.tsx';
import { tourAtom } from './current.ts';

const Tour = part(() => import('./tour.tsx'));

/** The tour that somebody takes, over any page. */
export function TourHost() {
  return useAtomValue(tourAtom) === null ? null : <Tour />;
}
