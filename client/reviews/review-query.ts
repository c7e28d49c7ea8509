import { useQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import { useApi } from '../api.ts';
import { useReviewNews } from './use-review-news.ts';

/** Milliseconds after which a review is read again on an open page; while connected, the server tells of changes. */
const lookEvery = (connected: boolean): number => (connected ? 60_000 : 15_000);

export const reviewKey = (meetingId: string, reviewId: string): readonly string[] => ['review', meetingId, reviewId];

/** A review as far as this person may know it. */
export function useReview(meetingId: string, reviewId: string) {
  const api = useApi();
  const queries = useQueryClient();
  const connected = useReviewNews(
    meetingId,
    () => void queries.invalidateQueries({ queryKey: reviewKey(meetingId, reviewId) }),
  );
  return useQuery({
    queryKey: reviewKey(meetingId, reviewId),
    queryFn: async ({ signal }) => {
      const param = { id: meetingId, reviewId };
      return (await parseResponse(api.meetings[':id'].reviews[':reviewId'].$get({ param }, { init: { signal } })))
        .review;
    },
    // A review that an earlier page read may lack an assessment that a link leads to.
    staleTime: 0,
    // The page tells of a part that has ended.
    meta: { quiet: true },
    refetchInterval: ({ state }) => (state.error ? false : lookEvery(connected)),
  });
}
