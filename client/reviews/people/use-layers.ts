import { useQueries, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import type { Comment, Outcome } from '#shared/meetings/annotations.ts';
import type { SheetGrade } from '#shared/meetings/grades.ts';
import type { ReviewView } from '#shared/reviews.ts';

import { useApi } from '../../api.ts';
import { learnSets } from '../../outcome-models/known-sets.ts';
import { useAssessmentNews } from '../use-review-news.ts';
import type { LayerColumn } from './results-table.ts';

/** Milliseconds after which assessments are read again while people assess; while connected, the server tells of changes. */
const lookEvery = (connected: boolean): number => (connected ? 300_000 : 15_000);
/** Milliseconds in which news is gathered: an assessment is read with its whole transcript. */
const gatherMs = 15_000;

/** Annotations of layers, which a page reads by REST. */
export function useLayers({ id, phase }: ReviewView, columns: readonly LayerColumn[]) {
  const api = useApi();
  const queries = useQueryClient();
  const key = ['review', id, 'layer'];
  const connected = useAssessmentNews(id, gatherMs, () => void queries.invalidateQueries({ queryKey: key }));
  return useQueries({
    queries: columns.map(({ layer }) => ({
      queryKey: [...key, layer],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const param = { id: layer };
        const [answer, { models }] = await Promise.all([
          api.meetings[':id'].$get({ param }, { init: { signal } }),
          parseResponse(api.meetings[':id']['outcome-models'].$get({ param }, { init: { signal } })),
        ]);
        learnSets(models);
        const { doc } = JSON.parse(await answer.text()) as {
          doc: { outcomes: Outcome[]; comments: Comment[]; grades: SheetGrade[] };
        };
        return { outcomes: doc.outcomes, comments: doc.comments, grades: doc.grades };
      },
      staleTime: 0,
      refetchInterval: phase === 'self' || phase === 'closed' ? lookEvery(connected) : (false as const),
    })),
  });
}

/** Passages of each layer, and how many of them have a grade, as far as the person reads them. */
export function usePassageCounts(
  review: ReviewView,
  columns: readonly LayerColumn[],
): ReadonlyMap<string, { count: number; graded: number }> {
  const read = useLayers(review, columns);
  return new Map(
    columns.flatMap(({ layer }, i) => {
      const outcomes = read[i]?.data?.outcomes;
      if (!outcomes) return [];
      return [[layer, { count: outcomes.length, graded: outcomes.filter(({ grade }) => grade !== null).length }]];
    }),
  );
}
