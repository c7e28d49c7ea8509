import { useQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import type { OutcomeModelView } from '#shared/outcome-models.ts';

import { useApi } from './api.ts';
import { learnSets } from './outcome-models/known-sets.ts';

const ownSetsKey = ['outcome-models'] as const;

/** Sets of outcome types of this person, and of the teams that they are in. */
export function useOwnSets() {
  const api = useApi();
  return useQuery({
    queryKey: ownSetsKey,
    queryFn: async ({ signal }): Promise<OutcomeModelView[]> => {
      const { models } = await parseResponse(api['outcome-models'].$get({}, { init: { signal } }));
      learnSets(models);
      return models;
    },
    staleTime: 0,
  });
}

export function useRefreshOwnSets(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ownSetsKey });
}

/** Sets that can be chosen, as options of a list; a set that was chosen before stays in it. */
export function useSetOptions(): { value: OutcomeModelView['id']; label: string }[] {
  const { data = [] } = useOwnSets();
  return data.flatMap(({ id, name, retired }) => (retired ? [] : [{ value: id, label: name }]));
}
