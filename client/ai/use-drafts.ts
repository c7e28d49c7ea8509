import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';

import type { DraftKind, DraftState, DraftsView } from '#shared/ai/drafts.ts';

import { useApi } from '../api.ts';
import { useMeeting } from '../meetings/open/meeting-context.ts';
import { useSession } from '../session.ts';
import { isUnderWay, lookEvery, useAiNews } from './use-ai-news.ts';
import type { Cost } from './who-pays.tsx';

/** True for people who may have this drafted: points for themselves, chapters for everyone. */
export function useMayDraft(kind: DraftKind): boolean {
  const { about, layer } = useMeeting();
  const signedIn = useSession().data?.principal.kind === 'user';
  return signedIn && layer === null && about.permissions.includes(kind === 'summary' ? 'comment' : 'write');
}

const draftsOf = (api: ReturnType<typeof useApi>, id: string, kind: DraftKind) =>
  queryOptions({
    queryKey: ['drafts', id, kind],
    queryFn: async ({ signal }): Promise<DraftsView> => {
      const answer = await api.meetings[':id'].drafts[':kind'].$get({ param: { id, kind } }, { init: { signal } });
      return answer.json();
    },
  });

/** The person's drafts for the open recording. */
export function useDrafts(kind: DraftKind) {
  const api = useApi();
  const { id } = useMeeting().about;
  const queries = useQueryClient();
  const enabled = useMayDraft(kind);
  const query = draftsOf(api, id, kind);
  const again = () => queries.invalidateQueries({ queryKey: query.queryKey });
  const connected = useAiNews(() => void again());
  const drafts = useQuery({
    ...query,
    enabled,
    // Its failure is shown beside it.
    meta: { quiet: true },
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (data && isUnderWay(data) ? lookEvery(connected) : false),
  });
  const make = useMutation({
    mutationFn: (json: { model: string; cost: Cost }) =>
      api.meetings[':id'].drafts[':kind'].$post({ param: { id, kind }, json }),
    meta: { quiet: true },
    onSettled: again,
  });
  const stop = useMutation({
    mutationFn: () => api.meetings[':id'].drafts[':kind'].stop.$post({ param: { id, kind } }),
    onSettled: again,
  });
  const decide = useMutation({
    mutationFn: ({ id: draftId, state }: { id: string; state: DraftState }) =>
      api.meetings[':id'].drafts[':kind'][':draftId'].$put({ param: { id, kind, draftId }, json: { state } }),
    meta: { quiet: true },
    onSettled: again,
  });
  return { drafts, make, stop, decide };
}

/** Drafts that `useDrafts` has loaded elsewhere on the page. */
export function useLoadedDrafts(kind: DraftKind): DraftsView | undefined {
  const api = useApi();
  const { id } = useMeeting().about;
  return useQuery({ ...draftsOf(api, id, kind), enabled: false }).data;
}
