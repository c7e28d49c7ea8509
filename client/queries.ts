import { MutationCache, notifyManager, QueryCache, QueryClient } from '@tanstack/react-query';

import { ApiError } from './api.ts';

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: { stay?: boolean };
    mutationMeta: { stay?: boolean; quiet?: boolean };
  }
}

export interface Failures {
  /** The session is gone: to the sign-in page, and back afterwards. */
  onSignedOut(): void;
  /** Nobody handles it more exactly. */
  onFailure(error: unknown): void;
}

/**
 * The rules for every call. A 401 leads to the sign-in page unless the call says `meta: { stay: true }`, or it is a link's access code that is missing. A failed
 * change is told in a notice unless it says `meta: { quiet: true }` and tells it itself. A failed read is shown by the
 * screen that wanted it; only when it was refreshing what is already on screen does the notice say so.
 */
export function createQueries({ onSignedOut, onFailure }: Failures): QueryClient {
  const signedOut = (error: unknown, stay: boolean | undefined) =>
    error instanceof ApiError && error.status === 401 && error.code !== 'IC' && !stay;
  // At once instead of in a later task: a switch that was pressed would be painted as it was before, for a moment.
  notifyManager.setScheduler(queueMicrotask);
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        if (signedOut(error, query.meta?.stay)) onSignedOut();
        else if (query.state.data !== undefined) onFailure(error);
      },
    }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, mutation) => {
        if (signedOut(error, mutation.meta?.stay)) onSignedOut();
        else if (!mutation.meta?.quiet) onFailure(error);
      },
    }),
    defaultOptions: {
      // api.ts has its own patience with the network; asking again on top of it would only multiply the waiting.
      queries: { retry: false, networkMode: 'always', staleTime: 30_000 },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}
