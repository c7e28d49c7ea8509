import { useMutation } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useEffect, useRef } from 'react';
import { useLocation, useNavigate, useSearchParams } from 'react-router-dom';

import { dollarsOf } from '#shared/dollars.ts';
import type { PlanView } from '#shared/catalogue.ts';
import type { ShopView } from '#shared/payments.ts';
import { periodEnd } from '#shared/periods.ts';
import { safePath } from '#shared/redirects.ts';
import { bundlePage } from '#shared/return-pages.ts';

import { ApiError, useApi } from '../api.ts';
import { paths } from '../paths.ts';
import { useConfirm, useNotify } from '../store.ts';
import { Button } from '../ui/button.tsx';
import { failureMessage } from '../ui/failure-message.ts';
import { useTranslation } from '../use-translation.ts';
import { creditsOf, dayOf } from './prices.ts';
import styles from './shop.module.css';
import { useCheckout } from './checkout.ts';
import { ModeBanner } from './mode-banner.tsx';
import { PlanCard, PlanFacts, planReturns, usePlanTitle } from './plan-card.tsx';
import { useIsPaid } from './purchase-notice.tsx';
import { ShopPage } from './shop-page.tsx';
import { useRefreshShop } from './shop-query.ts';

/** Milliseconds for which a success is shown before the page leads on. */
const showSuccess = 1000;

/** Plans that renew, and bundles that are paid from credits. */
export default function ChangePlan() {
  return <ShopPage name="plans">{(shop) => <Shelves shop={shop} />}</ShopPage>;
}

const bundlesId = 'bundles';

const byPrice = (a: PlanView, b: PlanView): number => Number(a.price) - Number(b.price);

function Shelves({ shop }: { shop: ShopView }) {
  const { t } = useTranslation('payments');
  const [parameters] = useSearchParams();
  const paid = useIsPaid();
  const bundlesHead = useJump(bundlesId);
  const wanted = parameters.get('bundle');
  const sold = shop.plans.filter(({ isIndividual }) => !isIndividual).toSorted(byPrice);
  const mine = sold.filter(({ active }) => active);
  const available = sold.filter(({ type, active }) => type === 'plan' && !active);
  const bundles = sold.filter(({ type }) => type === 'bundle');
  const hasTeamPlan = mine.some(({ type, minutes }) => type === 'plan' && minutes === null);
  return (
    <>
      <ModeBanner mode={shop.mode} />
      {paid && wanted !== null && (
        <p className={styles.result} role="status" data-state="paid">
          {t('plans.recharged')}
        </p>
      )}
      <section className={styles.shelf}>
        <h2>{t('plans.mine')}</h2>
        {mine.length === 0 ? (
          <p className={styles.muted}>{t('plans.none')}</p>
        ) : (
          <ul className={styles.cards}>
            {mine.map((plan) => (
              <PlanCard key={plan.name} plan={plan} />
            ))}
          </ul>
        )}
      </section>
      {available.length > 0 && (
        <section className={styles.shelf}>
          <h2>{t('plans.available')}</h2>
          <ul className={styles.cards}>
            {available.map((plan) => (
              <Offered key={plan.name} plan={plan} mode={shop.mode} note={hasTeamPlan && plan.minutes !== null} />
            ))}
          </ul>
        </section>
      )}
      <section className={styles.shelf}>
        <h2 id={bundlesId} ref={bundlesHead} tabIndex={-1}>
          {t('plans.bundles')}
        </h2>
        <ul className={styles.cards}>
          {bundles.map((plan) => (
            <Offered key={plan.name} plan={plan} mode={shop.mode} note={hasTeamPlan} first={plan.name === wanted} />
          ))}
        </ul>
      </section>
    </>
  );
}

/** Shows the part that the address names, which exists only once the page is loaded. */
function useJump(id: string) {
  const { hash } = useLocation();
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (hash !== `#${id}`) return;
    head.current?.scrollIntoView();
    head.current?.focus({ preventScroll: true });
  }, [hash, id]);
  return head;
}

interface OfferedProps {
  plan: PlanView;
  mode: ShopView['mode'];
  /** Says that minutes do not pay for a team. */
  note: boolean;
  /** The one that the person came back to buy. */
  first?: boolean;
}

function Offered({ plan, mode, note, first = false }: OfferedProps) {
  const { t, i18n } = useTranslation('payments');
  const titleOf = usePlanTitle();
  const api = useApi();
  const confirm = useConfirm();
  const buying = useBuying(plan);
  const { open, busy } = useCheckout(() =>
    parseResponse(api.plans.purchase.$post({ json: { planName: plan.name, ...planReturns() } })),
  );
  const { type, price, minutes } = plan;
  const date = dayOf(endNow(plan), i18n.language);
  const subscribe = async () => {
    const yes = await confirm({
      title: t('plans.subscribeTitle', { title: titleOf(plan) }),
      text: t('plans.subscribeText', { price: dollarsOf(price, i18n.language), date }),
      action: t('plans.subscribe'),
    });
    if (yes) open(undefined);
  };
  const buy = async () => {
    const yes = await confirm({
      title: t('plans.buyTitle', { title: titleOf(plan) }),
      text: t('plans.buyText', { price: creditsOf(price, i18n.language), date }),
      action: t('plans.buy'),
    });
    if (yes) buying.buy();
  };
  const isBusy = busy || buying.busy;
  return (
    <li className={styles.card} data-first={first || undefined}>
      <h3>{titleOf(plan)}</h3>
      <PlanFacts plan={plan} />
      {note && <p className={styles.muted}>{t('plans.teamNote')}</p>}
      <div className={styles.actions}>
        {type === 'plan' && mode !== 'off' && (
          <Button look="primary" busy={isBusy} onClick={() => void subscribe()}>
            {t('plans.subscribe')}
          </Button>
        )}
        {minutes !== null && (
          <Button look={type === 'bundle' ? 'primary' : 'plain'} busy={isBusy} onClick={() => void buy()}>
            {type === 'bundle' ? t('plans.buy') : t('plans.fromCredits')}
          </Button>
        )}
      </div>
    </li>
  );
}

/** End of what is bought now. */
const endNow = (plan: PlanView): number => periodEnd(new Date(), plan).getTime();

/** Buys from credits; where they are too few, leads to buying credits and back to the same bundle. Both keep the page to return to. */
function useBuying({ name, price, type }: PlanView) {
  const { t, i18n } = useTranslation('payments');
  const { t: said } = useTranslation(['common', 'shell']);
  const api = useApi();
  const notify = useNotify();
  const navigate = useNavigate();
  const refresh = useRefreshShop();
  const [parameters] = useSearchParams();
  const { mutate, isPending } = useMutation({
    mutationFn: () => parseResponse(api.plan.$post({ json: { plan: name, balance: price } })),
    meta: { quiet: true },
    onSuccess: async () => {
      notify({ type: 'info', message: t(type === 'bundle' ? 'plans.bought' : 'purchase.paidPlan') });
      await refresh();
      const back = parameters.get('redirectTo');
      setTimeout(() => {
        // Not for somebody who has gone elsewhere meanwhile.
        if (window.location.pathname === paths.changePlan)
          void navigate(back === null ? paths.balance : safePath(back), { replace: parameters.has('bundle') });
      }, showSuccess);
    },
    onError: (error) => {
      if (!(error instanceof ApiError) || error.status === 401) return;
      if (error.status === 402) {
        notify({ message: t('plans.funds') });
        const search = new URLSearchParams({
          amount: price,
          redirectTo: bundlePage(name, parameters.get('redirectTo')),
        });
        void navigate(`${paths.buyCredits}?${search}`);
        return;
      }
      const { price: now } = error.info;
      notify({
        message:
          error.code === 'PRICE' && typeof now === 'string'
            ? t('plans.price', { price: creditsOf(now, i18n.language) })
            : failureMessage(error, said),
      });
      void refresh();
    },
  });
  return { buy: () => mutate(), busy: isPending };
}
