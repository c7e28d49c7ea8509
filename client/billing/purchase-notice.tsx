import { useQuery } from '@tanstack/react-query';
import { atom, useAtom, useAtomValue } from 'jotai';
import { parseResponse } from 'hono/client';
import { useEffect, useEffectEvent } from 'react';
import { useSearchParams } from 'react-router-dom';

import { useApi } from '../api.ts';
import { useTexts } from '../texts.ts';
import { useTranslation } from '../use-translation.ts';
import { creditsOf } from './prices.ts';
import styles from './shop.module.css';
import { useRefreshShop } from './shop-query.ts';

/** Milliseconds between two questions while a payment is being confirmed. */
const askEvery = 2000;

/** Query of the page of credits: another tab has what is to be paid. */
export const waitingQuery = 'waiting';

interface Named {
  id: string;
  wasLeft: boolean;
  /** Another tab has what is to be paid. */
  waits: boolean;
}

/** The purchase that the address of this page named until its result was known. */
const knownAtom = atom<Named | null>(null);

/**
 * Result of the purchase that the address names. Only the server's word counts, never the address itself: anybody can
 * write `success=50` into one. A page forgets the purchase when it is left or loaded anew, but for a dialog, whose address
 * has more in it (`keeps`).
 */
export function PurchaseNotice({ keeps = false }: { keeps?: boolean }) {
  const ready = useTexts('payments', { inBackground: true });
  const [parameters, setParameters] = useSearchParams();
  const [known, know] = useAtom(knownAtom);
  useEffect(() => () => know(null), [know]);
  const id = parameters.get('purchase');
  const named = id === null ? known : { id, wasLeft: parameters.has('cancel'), waits: parameters.has(waitingQuery) };
  if (!ready || named === null) return null;
  const onKnown = () => {
    if (id === null || keeps) return;
    know(named);
    setParameters(
      (all) => new URLSearchParams([...all].filter(([name]) => !['purchase', 'success', 'cancel'].includes(name))),
      { replace: true },
    );
  };
  return <Result {...named} onKnown={onKnown} />;
}

/** `onKnown`: nothing about it changes any more. */
function Result({ id, wasLeft, waits, onKnown }: Named & { onKnown: () => void }) {
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
  const onState = useEffectEvent(() => {
    if (state === 'paid') void refresh();
    if (state !== undefined && state !== 'waiting' && state !== 'pending') onKnown();
  });
  useEffect(() => onState(), [state]);
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

/** Whether the purchase that the address names, or named, was paid. */
export function useIsPaid(): boolean {
  const [parameters] = useSearchParams();
  const known = useAtomValue(knownAtom);
  const id = parameters.get('purchase') ?? known?.id ?? null;
  const { data } = useQuery<{ state: string }>({ queryKey: ['purchase', id], enabled: false });
  return data?.state === 'paid';
}
