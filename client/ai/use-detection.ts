import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';

import type { DetectInput, DetectionView, RejectReason, SuggestionView } from '#shared/ai/suggestions.ts';

import { useApi } from '../api.ts';
import { useMeeting } from '../meetings/open/meeting-context.ts';
import { useNews } from '../news/use-news.ts';
import { isUnderWay, lookEvery, useAiNews } from './use-ai-news.ts';
import type { Cost } from './who-pays.tsx';

/** A decision on one suggestion. */
export type Decision = { id: string } & (
  | { do: 'accept'; type: string }
  | { do: 'reject'; reason: RejectReason }
  | { do: 'reopen' }
);

/** The person's search for outcomes of the open recording, and the suggestions that wait for a decision. */
export function useDetection() {
  const api = useApi();
  const { about, layer } = useMeeting();
  const { id } = about;
  const queries = useQueryClient();
  const key = ['detection', id];
  const again = () => queries.invalidateQueries({ queryKey: key });
  const connected = useAiNews(() => void again());
  useNews(
    (news) => news.kind === 'assessment' && news.review === layer?.reviewId,
    () => void again(),
  );
  const detection = useQuery({
    queryKey: key,
    queryFn: async ({ signal }): Promise<DetectionView> => {
      const answer = await api.meetings[':id'].outcomes.autodetect.$get({ param: { id } }, { init: { signal } });
      return answer.json();
    },
    // Its failure is shown beside it.
    meta: { quiet: true },
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (data && isUnderWay(data) ? lookEvery(connected) : false),
  });
  const search = useMutation({
    mutationFn: ({ model, ...about }: Omit<DetectInput, 'cost' | 'modelId'> & { model: string; cost: Cost }) =>
      api.meetings[':id'].outcomes.autodetect.$post({ param: { id }, json: { ...about, modelId: model } }),
    meta: { quiet: true },
    onSettled: again,
  });
  const stop = useMutation({
    mutationFn: () => api.meetings[':id'].outcomes.autodetect.stop.$post({ param: { id } }),
    onSettled: again,
  });
  const arrange = (next: (all: SuggestionView[]) => SuggestionView[]) =>
    queries.setQueryData<DetectionView>(key, (now) => now && { ...now, suggestions: next(now.suggestions) });
  const decide = useMutation({
    mutationFn: async (decision: Decision) => {
      const param = { id, itemId: decision.id };
      const one = api.meetings[':id'].outcomes[':itemId'];
      if (decision.do === 'accept') await one.accept.$post({ param, json: { type: decision.type } });
      else if (decision.do === 'reject') await one.reject.$post({ param, json: { reason: decision.reason } });
      else await one.reopen.$post({ param });
    },
    meta: { quiet: true },
    // The card is gone at once, and comes back if the server refuses.
    onMutate: async (decision) => {
      if (decision.do === 'reopen') return null;
      await queries.cancelQueries({ queryKey: key });
      const gone = queries.getQueryData<DetectionView>(key)?.suggestions.find(({ id: one }) => one === decision.id);
      arrange((all) => all.filter((one) => one.id !== decision.id));
      return gone ?? null;
    },
    onError: (_error, _decision, gone) => {
      if (gone)
        arrange((all) =>
          [...all.filter(({ id: one }) => one !== gone.id), gone].sort((one, other) => one.start - other.start),
        );
    },
    onSettled: again,
  });
  return { detection, search, stop, decide };
}
