import type { Actor } from '#shared/reviews/machine.ts';
import { isBlind, phaseOf, type Review } from '#shared/reviews/review.ts';
import type { StoredReview } from './rows.ts';

/** List of reviewers, how far they are, and who they are, as far as part and phase let this person know. */
export function whatIsSeen(
  review: Review,
  { owns }: Actor,
  role: StoredReview['people'][number]['role'] | null,
  leads: boolean,
): { names: boolean; states: boolean; people: boolean } {
  const phase = phaseOf(review);
  const opened = phase === 'open' || phase === 'published';
  // The list of an anonymous review is of use to those alone who learn something else by it.
  const owner = owns && !review.anonymous;
  if (role === 'student')
    return { names: owner || phase === 'published', states: phase === 'published', people: !review.anonymous };
  const states = leads || role === 'supervisor' || (role !== null && (opened || !isBlind(review)));
  return { names: states || owner, states, people: !review.anonymous || leads || role === 'supervisor' };
}

/** Whether a person is told that a review is a second pass: those who judge the people of the first one. */
export const knowsSecondPass = ({ leader, reviewers }: Review, { principal }: Actor): boolean => {
  const mine = reviewers.find((one) => one.principal === principal);
  return mine ? mine.role === 'supervisor' : leader === principal;
};
