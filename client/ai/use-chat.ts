import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';

import type { ChatView } from '#shared/ai/views.ts';

import { useApi } from '../api.ts';
import { useMeeting } from '../meetings/open/meeting-context.ts';
import { isUnderWay, lookEvery, useAiNews } from './use-ai-news.ts';
import type { Cost } from './who-pays.tsx';

/** The person's chat about the open recording, and what can be done with it. */
export function useChat() {
  const api = useApi();
  const { id } = useMeeting().about;
  const queries = useQueryClient();
  const key = ['chat', id];
  const again = () => queries.invalidateQueries({ queryKey: key });
  const connected = useAiNews(() => void again());
  const chat = useQuery({
    queryKey: key,
    queryFn: async ({ signal }): Promise<ChatView> => {
      const answer = await api.meetings[':id'].chat.$get({ param: { id }, query: {} }, { init: { signal } });
      return answer.json();
    },
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (data?.messages.some(isUnderWay) ? lookEvery(connected) : false),
  });
  const ask = useMutation({
    mutationFn: async (json: { content: string; annotations: boolean; model: string; cost: Cost }) => {
      const answer = await api.meetings[':id'].chat.$post({ param: { id }, json });
      return answer.json();
    },
    meta: { quiet: true },
    onSettled: again,
  });
  const stop = useMutation({
    mutationFn: () => api.meetings[':id'].chat.stop.$post({ param: { id } }),
    onSettled: again,
  });
  const remove = useMutation({
    mutationFn: (messageId: string | null) =>
      messageId === null
        ? api.meetings[':id'].chat.$delete({ param: { id } })
        : api.meetings[':id'].chat[':messageId'].$delete({ param: { id, messageId } }),
    onSettled: again,
  });
  return { chat, ask, stop, remove };
}
