import { useQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import { useApi } from '../api.ts';
import { useNews } from '../news/use-news.ts';
import { sessionKey } from '../session.ts';

export const balanceKey = ['balance'] as const;
const transactionsKey = ['transactions'] as const;

export function useBalance() {
  const api = useApi();
  useBalanceNews();
  return useQuery({
    queryKey: balanceKey,
    queryFn: ({ signal }) => parseResponse(api.balance.$get({}, { init: { signal } })),
    staleTime: 0,
  });
}

/** A page of so many transactions, counted from 0; the last one stays on screen while another is loaded. */
export function useTransactions(page: number, size: number) {
  const api = useApi();
  useBalanceNews();
  const query = { skip: String(page * size), count: String(size) };
  return useQuery({
    queryKey: [...transactionsKey, page],
    queryFn: ({ signal }) => parseResponse(api.transactions.$get({ query }, { init: { signal } })),
    placeholderData: (before) => before,
    staleTime: 0,
  });
}

/** Reloads what is shown of the balance when it changes anywhere. */
function useBalanceNews(): void {
  const queries = useQueryClient();
  useOnBalance(() => {
    for (const queryKey of [balanceKey, transactionsKey, sessionKey])
      queries.invalidateQueries({ queryKey }).catch(() => undefined);
  });
}

/** Calls back when the person's balance changes anywhere. */
export function useOnBalance(onChange: () => void): void {
  useNews(({ kind }) => kind === 'balance', onChange);
}
