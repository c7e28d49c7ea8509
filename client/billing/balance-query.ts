import { useQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useAtomValue } from 'jotai';
import { useEffect, useEffectEvent } from 'react';

import { transactionsPage } from '#shared/billing.ts';
import type { PageNews } from '#shared/page-news.ts';

import { useApi } from '../api.ts';
import { ownLineAtom } from '../news/own-line.ts';
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

/** A page of the transactions, counted from 0; the last one stays on screen while another is loaded. */
export function useTransactions(page: number) {
  const api = useApi();
  useBalanceNews();
  const query = { skip: String(page * transactionsPage), count: String(transactionsPage) };
  return useQuery({
    queryKey: [...transactionsKey, page],
    queryFn: ({ signal }) => parseResponse(api.transactions.$get({ query }, { init: { signal } })),
    placeholderData: (before) => before,
    staleTime: 0,
  });
}

/** Reloads what is shown of the balance when it changes anywhere. */
function useBalanceNews(): void {
  const line = useAtomValue(ownLineAtom);
  const queries = useQueryClient();
  const changed = useEffectEvent(() => {
    for (const queryKey of [balanceKey, transactionsKey, sessionKey])
      queries.invalidateQueries({ queryKey }).catch(() => undefined);
  });
  useEffect(
    () =>
      line.subscribe({
        connected: () => {},
        received: (news) => {
          const { kind } = news as PageNews;
          if (kind === 'balance' || kind === 'again') changed();
        },
      }),
    [line],
  );
}
