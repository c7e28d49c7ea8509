import { useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useEffect, useEffectEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';

import { useApi } from '../api.ts';
import { useTexts } from '../texts.ts';
import { creditsOf } from './prices.ts';
import styles from './shop.module.css';
import { useRefreshShop } from './shop-query.ts';

/** Milliseconds between two questions while a payment is being confirmed. */
const askEvery = 2000;

/** Query of the page of credits: another tab has what is to be paid. */
export const waitingQuery = 'waiting';

/**
 * Result of the purchase that the address names. Only the server's word counts, never the address itself: anybody can
 * write `success=50` into one.
 */
export function PurchaseNotice() {
  const ready = useTexts('payments');
  const [parameters] = useSearchParams();
  const id = parameters.get('purchase');
  return ready && id !== null ? (
    <Result id={id} wasLeft={parameters.has('cancel')} waits={parameters.has(waitingQuery)} />
  ) : null;
}

interface ResultProps {
  id: string;
  wasLeft: boolean;
  /** Another tab has what is to be paid. */
  waits: boolean;
}

function Result({ id, wasLeft, waits }: ResultProps) {
  const { t, i18n } = useTranslation('payments');
  const api = useApi();
  const refresh = useRefreshShop();
  const { data, error } = useQuery({
    queryKey: ['purchase', id],
    queryFn: ({ signal }) => parseResponse(api.credits.purchases[':id'].$get({ param: { id } }, { init: { signal } })),
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.data?.state === 'waiting' || state.data?.state === 'pending' ? askEvery : false,
  });
  const state = data?.state;
  const onPaid = useEffectEvent(() => void refresh());
  useEffect(() => {
    if (state === 'paid') onPaid();
  }, [state]);
  // A page that was left without paying stays open for an hour: nothing is being confirmed.
  const waiting = wasLeft ? 'purchase.left' : 'purchase.confirming';
  const text = error
    ? t('purchase.unknown')
    : state === undefined || state === 'waiting'
      ? t(waiting)
      : state === 'pending'
        ? t('purchase.pending')
        : state === 'failed'
          ? t('purchase.failed')
          : state === 'unclaimed'
            ? t('purchase.unclaimed')
            : data?.plan
              ? t('purchase.paidPlan')
              : t('purchase.paid', { balance: creditsOf(Number(data?.balance) + Number(data?.bonus), i18n.language) });
  return (
    <p className={styles.result} role="status" data-state={error ? 'unknown' : (state ?? 'waiting')}>
      {text}
      {waits && state === 'paid' && <> {t('purchase.otherTab')}</>}
    </p>
  );
}

/** Whether the purchase that the address names was paid. */
export function useIsPaid(): boolean {
  const [parameters] = useSearchParams();
  const id = parameters.get('purchase');
  const { data } = useQuery<{ state: string }>({ queryKey: ['purchase', id], enabled: false });
  return data?.state === 'paid';
}
