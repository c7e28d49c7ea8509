import { useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import { learnSet } from '#shared/meetings/own-types.ts';

import { useApi } from '../../api.ts';

/** The report of a review; null unless it is open, and this person may read all of it. */
export function useReport(meetingId: string, reviewId: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['review', reviewId, 'report', meetingId],
    queryFn: async ({ signal }) => {
      const param = { id: meetingId, reviewId };
      const call = api.meetings[':id'].reviews[':reviewId'].report;
      const { report } = await parseResponse(call.$get({ param }, { init: { signal } }));
      report?.sets.forEach(learnSet);
      return report;
    },
    // The page says so in the place of the report.
    meta: { quiet: true },
    staleTime: 0,
  });
}
