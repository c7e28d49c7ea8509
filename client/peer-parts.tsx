import { part } from './errors/part.tsx';
import { AboveOutcomes } from './meetings/annotations/outcomes/above-outcomes.ts';

// Loaded from here, so that the first page does not hold the names of all files of a review.
const Peer = part(() => import('./reviews/peer/peer.tsx'));
const Suggestions = part(() => import('./ai/suggestions.tsx'));
const suggestions = <Suggestions />;

/** The page of a review, with what capabilities above it show there. */
export default function PeerWithParts() {
  return (
    <AboveOutcomes value={suggestions}>
      <Peer />
    </AboveOutcomes>
  );
}
