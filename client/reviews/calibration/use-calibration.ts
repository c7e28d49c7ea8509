import { useQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import type { ReviewView } from '#shared/reviews.ts';

import { useApi } from '../../api.ts';
import { learnSets } from '../../outcome-models/known-sets.ts';
import { useAssessmentNews } from '../use-review-news.ts';

/** Milliseconds in which news is gathered. */
const gatherMs = 3_000;

/** Completed assessments beside the reference; null where it is not open, or the person reads none of them. */
export function useCalibration({ id, meetingId, phase, mine }: ReviewView) {
  const api = useApi();
  const queries = useQueryClient();
  const key = ['review', id, 'calibration'];
  useAssessmentNews(id, gatherMs, () => void queries.invalidateQueries({ queryKey: key }));
  return useQuery({
    // These decide which assessments the caller sees.
    queryKey: [...key, phase, mine?.status],
    queryFn: async ({ signal }) => {
      const param = { id: meetingId, reviewId: id };
      const call = api.meetings[':id'].reviews[':reviewId'].calibration;
      const { calibration } = await parseResponse(call.$get({ param }, { init: { signal } }));
      learnSets(calibration?.sets ?? []);
      return calibration;
    },
    staleTime: 0,
  });
}
