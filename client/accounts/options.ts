import { useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import { useApi } from '../api.ts';

/** Sign-in options of this server: an identity provider, a bot check, demo accounts. */
export function useSignInOptions() {
  const api = useApi();
  return useQuery({
    queryKey: ['sign-in options'],
    queryFn: ({ signal }) => parseResponse(api['sign-in-options'].$get({}, { init: { signal } })),
    staleTime: Infinity,
  }).data;
}
