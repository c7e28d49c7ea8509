import { useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import { useApi } from '../api.ts';

/** Milliseconds after which a review is read again on an open page: others may have completed, or taken back. */
const lookEvery = 60_000;

export const reviewKey = (meetingId: string, reviewId: string): readonly string[] => ['review', meetingId, reviewId];

/** A review as far as this person may know it. */
export function useReview(meetingId: string, reviewId: string) {
  const api = useApi();
  return useQuery({
    queryKey: reviewKey(meetingId, reviewId),
    queryFn: async ({ signal }) => {
      const param = { id: meetingId, reviewId };
      return (await parseResponse(api.meetings[':id'].reviews[':reviewId'].$get({ param }, { init: { signal } })))
        .review;
    },
    // The page tells of a part that has ended.
    meta: { quiet: true },
    refetchInterval: ({ state }) => (state.error ? false : lookEvery),
  });
}
