import type { Actor } from '#shared/reviews/machine.ts';
import { isBlind, phaseOf, type Review } from '#shared/reviews/review.ts';
import type { StoredReview } from './rows.ts';

/** Names of reviewers, and how far they are, as far as section and phase let this person know. */
export function whatIsSeen(
  review: Review,
  { owns }: Actor,
  role: StoredReview['people'][number]['role'] | null,
  leads: boolean,
): { names: boolean; states: boolean } {
  const phase = phaseOf(review);
  const opened = phase === 'open' || phase === 'published';
  if (role === 'student') return { names: owns || phase === 'published', states: phase === 'published' };
  const states = leads || role === 'supervisor' || (role !== null && (opened || !isBlind(review)));
  return { names: states || owns, states };
}
