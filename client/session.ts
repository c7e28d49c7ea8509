import { queryOptions, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import type { SessionInfo } from '#shared/accounts.ts';

import { useApi, type Api } from './api.ts';
import type { PersonalKey } from './device-keys.ts';
import { answerOr } from './last-answer.ts';
import { forgetSharing } from './sharing/stored-list.ts';

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

const keptKey: PersonalKey = 'colloquy-session';

/** The last session, by which recordings stored in this browser open without a network; stored without addresses and money. */
function keepSession(session: SessionInfo): void {
  try {
    const { principal } = session;
    if (principal.kind !== 'user') localStorage.removeItem(keptKey);
    else
      localStorage.setItem(
        keptKey,
        JSON.stringify({
          ...session,
          principal: { ...principal, email: null, billingInfo: null },
          billing: null,
          invitations: [],
        }),
      );
  } catch {
    // Storage refused: nothing opens without a network.
  }
}

/** Called before signing out, so that the next person is not taken for this one. */
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

/** Removes all data shown to the last person: not stale, but not for this one. */
export function forgetSeen(client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
  forgetSharing();
}

/** The session. `principal.kind` is 'anonymous' when nobody is signed in. */
export function useSession() {
  return useQuery(sessionQuery(useApi()));
}

/** Reloads the session after signing in or out or changing the profile; resolves when it is loaded. */
export function useRefreshSession(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.refetchQueries({ queryKey: sessionKey }, { throwOnError: true });
}

/** Writes a change of the profile into the loaded session, without a request. */
export function useChangedSession(): (change: (known: SessionInfo) => SessionInfo) => void {
  const client = useQueryClient();
  return (change) => client.setQueryData<SessionInfo>(sessionKey, (known) => known && change(known));
}

export function fullName(person: { first_name: string; last_name: string; email: string | null }): string {
  return `${person.first_name} ${person.last_name}`.trim() || (person.email ?? '');
}
