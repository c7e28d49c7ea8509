import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';

import type { AnalysisView } from '#shared/ai/views.ts';

import { useApi } from '../api.ts';
import { useMeeting } from '../meetings/open/meeting-context.ts';
import { isUnderWay, lookEvery, useAiNews } from './use-ai-news.ts';
import type { Cost } from './who-pays.tsx';

/** The analysis that all readers of the open recording share. */
export function useAnalysis() {
  const api = useApi();
  const { id } = useMeeting().about;
  const queries = useQueryClient();
  const key = ['analysis', id];
  const again = () => queries.invalidateQueries({ queryKey: key });
  const connected = useAiNews(() => void again());
  const analysis = useQuery({
    queryKey: key,
    queryFn: async ({ signal }): Promise<AnalysisView> => {
      const answer = await api.meetings[':id'].analysis.$get({ param: { id } }, { init: { signal } });
      return answer.json();
    },
    staleTime: 0,
    refetchInterval: ({ state: { data } }) =>
      // News of a run go to the person who asked for it alone.
      data && isUnderWay(data) ? lookEvery(connected && data.run?.mine === true) : false,
  });
  const make = useMutation({
    mutationFn: (json: { model: string; cost: Cost }) => api.meetings[':id'].analysis.$post({ param: { id }, json }),
    meta: { quiet: true },
    onSettled: again,
  });
  const stop = useMutation({
    mutationFn: () => api.meetings[':id'].analysis.stop.$post({ param: { id } }),
    onSettled: again,
  });
  return { analysis, make, stop };
}
