import { isOverdue } from '#shared/reviews/review.ts';

/** Whether the server takes the day until which people are asked to complete for over. */
export const isOverNow = (review: Parameters<typeof isOverdue>[0]): boolean => isOverdue(review, Date.now());
