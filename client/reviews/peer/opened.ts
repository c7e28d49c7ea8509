import { createContext, useContext } from 'react';

import type { ReviewView } from '#shared/reviews.ts';

import type { LayerChoice } from './shown-layer.ts';

/** The review whose page is open, and the layer that is shown in it. */
interface Opened {
  review: ReviewView;
  layers: readonly LayerChoice[];
  shown: LayerChoice;
  show: (id: string) => void;
}

export const OpenedReview = createContext<Opened | null>(null);

export function useOpened(): Opened {
  const opened = useContext(OpenedReview);
  if (!opened) throw new Error('outside of a review');
  return opened;
}
