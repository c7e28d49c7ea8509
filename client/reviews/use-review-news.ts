import { useEffect, useRef } from 'react';

import { useNews } from '../news/use-news.ts';

/** Calls back when a review of the recording shows this person something else; true while the server can tell so. */
export const useReviewNews = (meetingId: string, onChange: () => void): boolean =>
  useNews((news) => news.kind === 'review' && news.meeting === meetingId, onChange);

/**
 * The same for assessments of a review that the person reads, and for the review itself; calls back once for all news of so
 * many milliseconds, because a request ends the one before, which otherwise might never be answered.
 */
export function useAssessmentNews(reviewId: string, gatherMs: number, onChange: () => void): boolean {
  const later = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(later.current), []);
  return useNews(
    (news) => (news.kind === 'assessment' || news.kind === 'review') && news.review === reviewId,
    () => {
      later.current ??= setTimeout(() => {
        later.current = undefined;
        onChange();
      }, gatherMs);
    },
  );
}
