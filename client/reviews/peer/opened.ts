import { createContext, useContext } from 'react';

import type { ReviewView } from '#shared/reviews.ts';

import type { LayerChoice } from './shown-layer.ts';

/** A passage on which reviewers differ, in seconds. */
export interface Disputed {
  start: number;
  end: number;
}

/** The review whose page is open, and the layer that is shown in it. */
interface Opened {
  review: ReviewView;
  layers: readonly LayerChoice[];
  shown: LayerChoice;
  /** Shows a layer; with a passage, at that passage. */
  show: (id: string, passage?: Disputed) => void;
  /** Passage about which the layer was opened, to talk of it. */
  passage: Disputed | null;
}

export const OpenedReview = createContext<Opened | null>(null);

export function useOpened(): Opened {
  const opened = useContext(OpenedReview);
  if (!opened) throw new Error('outside of a review');
  return opened;
}
