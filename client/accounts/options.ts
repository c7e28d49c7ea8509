import { useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import { useApi } from '../api.ts';

/** What the sign-in screens offer here: an identity provider, a check against robots, demo people. */
export function useSignInOptions() {
  const api = useApi();
  return useQuery({
    queryKey: ['sign-in options'],
    queryFn: ({ signal }) => parseResponse(api['sign-in-options'].$get({}, { init: { signal } })),
    staleTime: Infinity,
  }).data;
}
