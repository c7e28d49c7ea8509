import { useNews } from '../news/use-news.ts';

/** Calls back when a review of the recording shows this person something else; true while the server can tell so. */
export const useReviewNews = (meetingId: string, onChange: () => void): boolean =>
  useNews((news) => news.kind === 'review' && news.meeting === meetingId, onChange);

/** The same for assessments of a review that the person reads, and for the review itself. */
export const useAssessmentNews = (reviewId: string, onChange: () => void): boolean =>
  useNews((news) => (news.kind === 'assessment' || news.kind === 'review') && news.review === reviewId, onChange);
