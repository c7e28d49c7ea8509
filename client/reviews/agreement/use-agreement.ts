import { useQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import type { ReviewView } from '#shared/reviews.ts';

import { useApi } from '../../api.ts';
import { learnSets } from '../../outcome-models/known-sets.ts';
import { useTranslation } from '../../use-translation.ts';
import { useAssessmentNews } from '../use-review-news.ts';

/** Milliseconds after which figures are read again while people grade; while connected, the server tells of changes. */
const lookEvery = (connected: boolean): number => (connected ? 60_000 : 5_000);

/** Milliseconds in which news is gathered. */
const gatherMs = 3_000;

/** Agreement of the reviewers; null where the person does not read all assessments that count. */
export function useAgreement({ id, meetingId, phase }: ReviewView) {
  const api = useApi();
  const queries = useQueryClient();
  const key = ['review', id, 'agreement'];
  const connected = useAssessmentNews(id, gatherMs, () => void queries.invalidateQueries({ queryKey: key }));
  const running = phase === 'self' || phase === 'closed';
  return useQuery({
    // The phase decides which assessments the caller may read, and so the figures.
    queryKey: [...key, phase],
    queryFn: async ({ signal }) => {
      const param = { id: meetingId, reviewId: id };
      const call = api.meetings[':id'].reviews[':reviewId'].agreement;
      const { agreement } = await parseResponse(call.$get({ param }, { init: { signal } }));
      learnSets(agreement?.sets ?? []);
      return agreement;
    },
    staleTime: 0,
    refetchInterval: running && lookEvery(connected),
  });
}

/** Names of reviewers, where the person learns them. */
export function useReviewerName({ reviewers }: ReviewView): (id: string) => string {
  const { t } = useTranslation('agreement');
  return (id) => {
    const at = reviewers.findIndex((one) => one.id === id);
    const found = reviewers[at];
    return found?.name ?? found?.email ?? t('reviewer', { number: at + 1 });
  };
}
