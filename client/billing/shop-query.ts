import { useQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import { useApi } from '../api.ts';
import { useRefreshSession } from '../session.ts';
import { balanceKey } from './balance-query.ts';

const shopKey = ['shop'] as const;

/** Goods on sale, with what the person has. */
export function useShop() {
  const api = useApi();
  return useQuery({
    queryKey: shopKey,
    queryFn: ({ signal }) => parseResponse(api.shop.$get({}, { init: { signal } })),
    staleTime: 0,
  });
}

/** Reloads after a purchase, with the balance that other screens show. */
export function useRefreshShop(): () => Promise<void> {
  const queries = useQueryClient();
  const refreshSession = useRefreshSession();
  return async () => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: shopKey }),
      queries.invalidateQueries({ queryKey: balanceKey }),
      refreshSession(),
    ]);
  };
}
