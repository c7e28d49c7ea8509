import { isOverdue } from '#shared/reviews/review.ts';

/** The day of the person, as a field for dates writes it. */
export function today(now = new Date()): string {
  const two = (part: number) => String(part).padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

/** Whether the server takes the day until which people are asked to complete for over. */
export const isOverNow = (review: Parameters<typeof isOverdue>[0]): boolean => isOverdue(review, Date.now());
