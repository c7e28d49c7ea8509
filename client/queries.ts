import { MutationCache, notifyManager, QueryCache, QueryClient } from '@tanstack/react-query';

import { ApiError } from './api.ts';

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: { stay?: boolean; quiet?: boolean };
    mutationMeta: { stay?: boolean; quiet?: boolean };
  }
}

interface Failures {
  /** The session has ended: leads to the sign-in page, and back afterwards. */
  onSignedOut(): void;
  /** A failure without a handler of its own. */
  onFailure(error: unknown): void;
}

/**
 * The rules for every call. A 401 leads to the sign-in page, unless the call has `meta: { stay: true }` or a link's
 * access code is missing (`IC`). A failed mutation is shown in a notice, unless it has `meta: { quiet: true }`. A failed
 * query is shown by its screen, or in a notice where the screen has data already and is not `quiet`.
 */
export function createQueries({ onSignedOut, onFailure }: Failures): QueryClient {
  const signedOut = (error: unknown, stay: boolean | undefined) =>
    error instanceof ApiError && error.status === 401 && error.code !== 'IC' && !stay;
  // In a microtask instead of a later task: else a pressed switch is painted once in its old state.
  notifyManager.setScheduler(queueMicrotask);
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        if (signedOut(error, query.meta?.stay)) onSignedOut();
        else if (query.state.data !== undefined && !query.meta?.quiet) onFailure(error);
      },
    }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, mutation) => {
        if (signedOut(error, mutation.meta?.stay)) onSignedOut();
        else if (!mutation.meta?.quiet) onFailure(error);
      },
    }),
    defaultOptions: {
      // api.ts has retries of its own.
      queries: { retry: false, networkMode: 'always', staleTime: 30_000 },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}
