import { useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import { useApi } from '../../api.ts';
import { learnSets } from '../../outcome-models/known-sets.ts';

/** The report of a review; null unless it is open, and this person may read all of it. */
export function useReport(meetingId: string, reviewId: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['review', reviewId, 'report', meetingId],
    queryFn: async ({ signal }) => {
      const param = { id: meetingId, reviewId };
      const call = api.meetings[':id'].reviews[':reviewId'].report;
      const { report } = await parseResponse(call.$get({ param }, { init: { signal } }));
      learnSets(report?.sets ?? []);
      return report;
    },
    // The page says so in the place of the report.
    meta: { quiet: true },
    staleTime: 0,
  });
}
