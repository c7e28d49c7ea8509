import { useMutation } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import type { Preferences } from '#shared/accounts.ts';
import { mergePreferences } from '#shared/preferences.ts';

import { useApi } from './api.ts';
import { useChangedSession, useSession } from './session.ts';

const none: Preferences = {};

/** The person's preferences, and their setter, which updates the page at once. A guest's choices last as long as the page. */
export function usePreferences(): readonly [Preferences, (change: Preferences) => void] {
  const api = useApi();
  const { data: session } = useSession();
  const changed = useChangedSession();
  const { mutate } = useMutation({
    mutationFn: (preferences: Preferences) => parseResponse(api.principals.me.$post({ json: { preferences } })),
  });
  const kept = session?.principal.preferences ?? none;
  const change = (preferences: Preferences) => {
    changed((known) => ({
      ...known,
      principal: { ...known.principal, preferences: mergePreferences(known.principal.preferences, preferences) },
    }));
    if (session?.principal.kind === 'user') mutate(preferences);
  };
  return [kept, change];
}
