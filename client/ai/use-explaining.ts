import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import type { VerdictView } from '#shared/ai/verdicts.ts';

import { useApi } from '../api.ts';
import { useMeeting } from '../meetings/open/meeting-context.ts';
import { isUnderWay, lookEvery, useAiNews } from './use-ai-news.ts';
import type { Cost } from './who-pays.tsx';

/** True where this server has a language model. */
export function useHasModel(): boolean {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['ai'],
    queryFn: ({ signal }) => parseResponse(api.ai.$get({}, { init: { signal } })),
    meta: { quiet: true },
    staleTime: 300_000,
  });
  return data !== undefined && data.models.length > 0;
}

/** The person's explained grade of a competency in the open assessment. */
export function useExplaining(type: string) {
  const api = useApi();
  const { id } = useMeeting().about;
  const queries = useQueryClient();
  const key = ['explanation', id, type];
  const again = () => queries.invalidateQueries({ queryKey: key });
  const connected = useAiNews(() => void again());
  const call = api.meetings[':id'].grades[':type'].explanation;
  const param = { id, type };
  const explanation = useQuery({
    queryKey: key,
    queryFn: async ({ signal }): Promise<VerdictView> => {
      const answer = await call.$get({ param }, { init: { signal } });
      return answer.json();
    },
    meta: { quiet: true },
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (data && isUnderWay(data) ? lookEvery(connected) : false),
  });
  const explain = useMutation({
    mutationFn: (json: { model: string; cost: Cost }) => call.$post({ param, json }),
    meta: { quiet: true },
    onSettled: again,
  });
  const stop = useMutation({ mutationFn: () => call.stop.$post({ param }), onSettled: again });
  return { explanation, explain, stop };
}
