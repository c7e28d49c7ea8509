import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import type { SessionInfo } from '#shared/accounts.ts';

import { useApi, type Api } from './api.ts';

export const sessionKey = ['session'] as const;

const sessionQuery = (api: Api) =>
  queryOptions({
    queryKey: sessionKey,
    queryFn: ({ signal }) => parseResponse(api.principals.whoami.$get({}, { init: { signal } })),
    staleTime: 60_000,
  });

/** Who is here. `principal.kind` is 'anonymous' when nobody is signed in. */
export function useSession() {
  return useQuery(sessionQuery(useApi()));
}

/** After signing in or out or changing oneself: asks again who is here, and resolves when that is known. */
export function useRefreshSession(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.refetchQueries({ queryKey: sessionKey }, { throwOnError: true });
}

/** Writes into what is known of who is here what was just changed about them, without asking again. */
export function useChangedSession(): (change: (known: SessionInfo) => SessionInfo) => void {
  const client = useQueryClient();
  return (change) => client.setQueryData<SessionInfo>(sessionKey, (known) => known && change(known));
}

export function fullName(person: { first_name: string; last_name: string; email: string | null }): string {
  return `${person.first_name} ${person.last_name}`.trim() || (person.email ?? '');
}
