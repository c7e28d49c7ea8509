import type { ReviewView } from '#shared/reviews.ts';

/** Whether this person can read the report of a review. */
export const hasReport = ({ phase, mine }: Pick<ReviewView, 'phase' | 'mine'>): boolean =>
  phase === 'published' || (phase === 'open' && mine?.role !== 'student');
