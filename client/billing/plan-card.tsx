import { useMutation } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import { dollarsOf } from '#shared/dollars.ts';
import type { PlanView } from '#shared/catalogue.ts';

import { useApi } from '../api.ts';
import { paths } from '../paths.ts';
import { useConfirm, useNotify } from '../store.ts';
import { Button } from '../ui/button.tsx';
import { Chip } from '../ui/chip.tsx';
import { Explained } from '../ui/hint.tsx';
import { failureMessage } from '../ui/failure-message.ts';
import { useTranslation } from '../use-translation.ts';
import { creditsOf, dayOf } from './prices.ts';
import styles from './shop.module.css';
import { useCheckout } from './checkout.ts';
import { useRefreshShop } from './shop-query.ts';

export function usePlanTitle(): (plan: PlanView) => string {
  const minutesOf = useMinutesText();
  return ({ type, title, minutes }) => (type === 'bundle' ? minutesOf(minutes ?? 0) : title);
}

/** So many minutes, in the numbers of the language. */
function useMinutesText(): (count: number) => string {
  const { t, i18n } = useTranslation('payments');
  const plain = new Intl.NumberFormat(i18n.language, { useGrouping: 'always' });
  return (count) => t('plans.minutes', { count, minutes: plain.format(count) });
}

export function PlanFacts({ plan }: { plan: PlanView }) {
  const { t, i18n } = useTranslation('payments');
  const minutesOf = useMinutesText();
  const { type, minutes, minutePrice, price, period } = plan;
  const { language } = i18n;
  const cost =
    type === 'bundle'
      ? t('plans.once', { price: creditsOf(price, language) })
      : t(period === 'month' ? 'plans.perMonth' : 'plans.perYear', { price: dollarsOf(price, language) });
  return (
    <ul className={styles.facts}>
      <li className={styles.price}>
        <Explained text={t(type === 'bundle' ? 'plans.why.once' : 'plans.why.renews')}>{cost}</Explained>
      </li>
      {type === 'plan' && minutes === null && (
        <li>
          <Explained text={t('plans.why.credits')}>
            {t('plans.creditsIncluded', { credits: creditsOf(price, language) })}
          </Explained>
        </li>
      )}
      {type === 'plan' && minutes !== null && (
        <li>
          <Explained text={t('plans.why.minutes')}>{minutesOf(minutes)}</Explained>
        </li>
      )}
      {type === 'bundle' && (
        <li>
          <Explained text={t('plans.why.aYear')}>{t('plans.aYear')}</Explained>
        </li>
      )}
      {minutePrice !== null && (
        <li>
          <Explained text={t('plans.why.minutePrice')}>
            {t('plans.minutePrice', { price: dollarsOf(minutePrice, language) })}
          </Explained>
        </li>
      )}
    </ul>
  );
}

/** A plan or bundle that the person has, with its end, its unpaid bill, and cancelling. */
export function PlanCard({ plan }: { plan: PlanView }) {
  const { t, i18n } = useTranslation('payments');
  const titleOf = usePlanTitle();
  const { cancel, keep, busy } = useCancelling(plan);
  const { endDate, pastDue, billUrl, cancellable, cancelled, type } = plan;
  const date = endDate === null ? '' : dayOf(endDate, i18n.language);
  return (
    <li className={styles.card}>
      <h3>
        {titleOf(plan)} {pastDue && <Chip tone="danger">{t('plans.pastDue')}</Chip>}
      </h3>
      <PlanFacts plan={plan} />
      {endDate !== null && !pastDue && (
        <p>{cancellable && !cancelled ? t('plans.renews', { date }) : t('plans.expires', { date })}</p>
      )}
      <div className={styles.actions}>
        {billUrl !== null && (
          <a className={styles.link} href={billUrl}>
            {t('plans.payBill')}
          </a>
        )}
        {cancellable && (
          <Button busy={busy} onClick={cancel}>
            {t('plans.cancel')}
          </Button>
        )}
        {type === 'plan' && cancelled && (
          <Button busy={busy} onClick={keep}>
            {t('plans.keep')}
          </Button>
        )}
      </div>
    </li>
  );
}

/** Cancelling of a plan, and taking it back until its period ends. */
function useCancelling(plan: PlanView) {
  const { t, i18n } = useTranslation('payments');
  const { t: said } = useTranslation(['common', 'shell']);
  const api = useApi();
  const confirm = useConfirm();
  const notify = useNotify();
  const refresh = useRefreshShop();
  const { mutate, isPending } = useMutation({
    mutationFn: () => api.plans.cancel.$post({ json: { planName: plan.name } }),
    meta: { quiet: true },
    onSuccess: async () => {
      notify({ type: 'info', message: t('plans.cancelled') });
      await refresh();
    },
    onError: (error) => {
      notify({ message: failureMessage(error, said) });
      void refresh();
    },
  });
  const back = useCheckout(
    () => parseResponse(api.plans.purchase.$post({ json: { planName: plan.name, ...planReturns() } })),
    () => {
      notify({ type: 'info', message: t('plans.kept') });
      void refresh();
    },
  );
  const cancel = async () => {
    const date = dayOf(plan.endDate ?? Date.now(), i18n.language);
    const yes = await confirm({
      title: t('plans.cancelTitle', { title: plan.title }),
      text: t('plans.cancelText', { date }),
      action: t('plans.cancel'),
    });
    if (yes) mutate();
  };
  return { cancel: () => void cancel(), keep: () => back.open(undefined), busy: isPending || back.busy };
}

export const planReturns = () => {
  const { origin } = window.location;
  return { successUrl: `${origin}${paths.changePlan}`, cancelUrl: `${origin}${paths.changePlan}?cancel=1` };
};
