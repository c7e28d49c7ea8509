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

/** Whether a person is told that a review is a second pass: those who judge the people of the first one. */
export const knowsSecondPass = ({ leader, reviewers }: Review, { principal }: Actor): boolean => {
  const mine = reviewers.find((one) => one.principal === principal);
  return mine ? mine.role === 'supervisor' : leader === principal;
};
