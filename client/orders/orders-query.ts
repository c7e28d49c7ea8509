import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import type { OrderView } from '#shared/orders.ts';

import { ApiError, useApi } from '../api.ts';
import { failureMessage } from '../ui/failure-message.ts';
import { useNotify } from '../store.ts';
import { useTranslation } from '../use-translation.ts';

const ordersKey = ['orders'] as const;
/** The list is asked for again at this interval: orders come in, and others take them. */
const askEvery = 30_000;

export function useOrders() {
  const api = useApi();
  return useQuery({
    queryKey: ordersKey,
    queryFn: async ({ signal }) => (await parseResponse(api.orders.$get({}, { init: { signal } }))).orders,
    staleTime: 0,
    // After a failure no more polling, so that it is shown once.
    refetchInterval: ({ state }) => state.status !== 'error' && askEvery,
  });
}

/** An action on an order; updates the list at once, and shows why it failed. */
export function useDeed<Input = void>(
  order: OrderView,
  deed: (input: Input) => Promise<OrderView>,
  { onDone, onFail }: { onDone?: () => void; onFail?: (message: string, error: unknown) => void } = {},
) {
  const queries = useQueryClient();
  const notify = useNotify();
  const { t } = useTranslation(['common', 'shell', 'orders']);
  return useMutation({
    mutationFn: deed,
    onSuccess: (now) => {
      queries.setQueryData<OrderView[]>(ordersKey, (all) => all?.map((one) => (one.id === order.id ? now : one)));
      onDone?.();
    },
    onError: (error) => {
      const late = error instanceof ApiError && (error.status === 404 || error.status === 409);
      const taken = late && error.info['reason'] === 'ORDER_TAKEN';
      const why = late ? t(taken ? 'orders:tooSlow' : 'orders:tooLate') : failureMessage(error, t);
      if (onFail && !late) onFail(why, error);
      else notify({ message: why });
    },
    // Also after a failure: somebody else may have changed the order.
    onSettled: () => queries.invalidateQueries({ queryKey: ordersKey }),
  });
}
