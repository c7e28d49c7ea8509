import { queryOptions, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import type { SessionInfo } from '#shared/accounts.ts';

import { useApi, type Api } from './api.ts';
import { answerOr } from './last-answer.ts';
import { forgetSharing } from './sharing/kept.ts';

export const sessionKey = ['session'] as const;

export const sessionQuery = (api: Api) =>
  queryOptions({
    queryKey: sessionKey,
    queryFn: async ({ signal, client }) => {
      const asked = parseResponse(api.principals.whoami.$get({}, { init: { signal } })).then((session) => {
        keepSession(session);
        return session;
      });
      return answerOr(asked, keptSession(), (session) => putSession(client, session));
    },
    staleTime: 60_000,
    refetchOnReconnect: 'always',
  });

function putSession(client: QueryClient, session: SessionInfo): void {
  client.setQueryData(sessionKey, session);
}

const keptKey = 'colloquy-session';

/** Whoever was here last opens what this browser keeps of theirs without a network; their address is not kept for it. */
function keepSession(session: SessionInfo): void {
  try {
    const { principal } = session;
    if (principal.kind !== 'user') localStorage.removeItem(keptKey);
    else
      localStorage.setItem(
        keptKey,
        JSON.stringify({ ...session, principal: { ...principal, email: null }, billing: null, invitations: [] }),
      );
  } catch {
    // A browser that keeps nothing opens nothing without a network.
  }
}

/** Before signing out: nobody is to be taken for who was here. */
export function forgetSession(): void {
  try {
    localStorage.removeItem(keptKey);
    forgetSharing();
  } catch {
    // Storage refused: nothing to remove.
  }
}

function keptSession(): SessionInfo | undefined {
  try {
    const kept = localStorage.getItem(keptKey);
    return kept === null ? undefined : (JSON.parse(kept) as SessionInfo);
  } catch {
    return undefined;
  }
}

/** What somebody was shown is not merely stale: it is not for whoever is here now. */
export function forgetSeen(client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
  forgetSharing();
}

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
