import { useMutation } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useState } from 'react';
import { useSearchParams } from 'react-router-dom';

import { dollarsOf } from '#shared/dollars.ts';
import type { BillingInfo, ShopView } from '#shared/payments.ts';
import { safePath } from '#shared/redirects.ts';
import { isReturnPage } from '#shared/return-pages.ts';

import { useApi } from '../api.ts';
import { paths } from '../paths.ts';
import { useConfirm } from '../store.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Actions, Form } from '../ui/form.tsx';
import { useTranslation } from '../use-translation.ts';
import { centsOf, creditsOf, prefilled, timeSince } from './prices.ts';
import { BillingInfoFields, emptyInfo, isEmptyInfo } from './billing-info.tsx';
import styles from './shop.module.css';
import { useCheckout } from './checkout.ts';
import { ModeBanner } from './mode-banner.tsx';
import { waitingQuery } from './purchase-notice.tsx';
import { ShopPage } from './shop-page.tsx';

/** Buys credits by card, on the page of the payment service. */
export default function BuyCredits() {
  return <ShopPage name="buy">{(shop) => <Purchase shop={shop} />}</ShopPage>;
}

function Purchase({ shop }: { shop: ShopView }) {
  const { t, i18n } = useTranslation('payments');
  const api = useApi();
  const confirm = useConfirm();
  const [parameters] = useSearchParams();
  const [amount, setAmount] = useState(() => prefilled(parameters.get('amount')));
  const [touched, setTouched] = useState(false);
  const [info, setInfo] = useState<BillingInfo>(shop.billingInfo ?? emptyInfo);
  const promo = usePromo();
  const before = pageBefore(parameters.get('redirectTo'));
  const cents = centsOf(amount);
  const { open, busy, errors } = useCheckout(() =>
    parseResponse(
      api.credits.purchase.$post({
        json: {
          balance: ((cents ?? 0) / 100).toFixed(2),
          ...returnsTo(parameters.get('redirectTo'), cents ?? 0, parameters.has(waitingQuery)),
          ...(!isEmptyInfo(info) && { billingInfo: info }),
          ...(promo.code.trim() !== '' && { promoCode: promo.code }),
        },
      }),
    ),
  );
  if (shop.mode === 'off') return <ModeBanner mode={shop.mode} />;

  const submit = async () => {
    setTouched(true);
    if (busy || cents === null) return;
    const recent = shop.recentCreditsPurchase;
    const goesOn =
      recent === null ||
      (await confirm({
        title: t('buy.againTitle'),
        text: t('buy.again', {
          balance: creditsOf(recent.balance, i18n.language),
          time: timeSince(recent.date, Date.now(), i18n.language),
        }),
        action: t('buy.proceed'),
      }));
    if (goesOn) open(undefined);
  };
  const isWrong = touched && cents === null;
  const promoWrong = promo.refused || errors.some(({ field }) => field === 'promoCode');
  const billErrors = errors
    .filter(({ field }) => field.startsWith('billingInfo.'))
    .map((one) => ({ ...one, field: one.field.slice('billingInfo.'.length) }));
  return (
    <>
      <ModeBanner mode={shop.mode} />
      <Form label={t('buy.title')} onSubmit={() => void submit()}>
        <div className={styles.narrow}>
          <TextField
            label={t('buy.amount')}
            hint={t('buy.minimum')}
            value={amount}
            inputMode="decimal"
            autoComplete="off"
            required
            error={isWrong ? t('buy.wrong') : undefined}
            onChange={(value) => {
              setAmount(value);
              promo.forget();
            }}
            onBlur={() => amount !== '' && setTouched(true)}
          />
          <div className={styles.promo}>
            <TextField
              label={t('buy.promo')}
              value={promo.code}
              autoComplete="off"
              autoCapitalize="characters"
              error={promoWrong ? t('buy.promoWrong') : undefined}
              onChange={promo.change}
            />
            <Button
              disabled={promo.code.trim() === '' || cents === null}
              busy={promo.busy}
              onClick={() => promo.ask(((cents ?? 0) / 100).toFixed(2))}
            >
              {t('buy.apply')}
            </Button>
          </div>
          <details className={styles.details} open={billErrors.length > 0 || undefined}>
            <summary>{t('buy.bill')}</summary>
            <BillingInfoFields info={info} onChange={setInfo} errors={billErrors} />
          </details>
          {cents !== null && <Summary cents={cents} bonus={promo.bonus} tax={shop.tax} />}
          <Actions>
            <Button type="submit" look="primary" busy={busy} disabled={amount.trim() === ''}>
              {busy ? t('buy.opening') : t('buy.checkout')}
            </Button>
            {before !== null && <ButtonLink to={before}>{t('buy.back')}</ButtonLink>}
          </Actions>
        </div>
      </Form>
    </>
  );
}

/** Page that the person came from; null: none that a payment may lead back to. */
function pageBefore(redirectTo: string | null): string | null {
  const { pathname, search } = new URL(safePath(redirectTo), window.location.origin);
  return isReturnPage(pathname) ? pathname + search : null;
}

/** Return address of a payment: the page that the person came from, or their balance. */
function returnsTo(
  redirectTo: string | null,
  cents: number,
  waits: boolean,
): { successUrl: string; cancelUrl: string } {
  const own = pageBefore(redirectTo);
  const search = new URLSearchParams({ success: (cents / 100).toFixed(2) });
  const cancel = new URLSearchParams({ cancel: '1', amount: (cents / 100).toFixed(2) });
  if (own !== null) cancel.set('redirectTo', own);
  if (waits) for (const one of [search, cancel]) one.set(waitingQuery, '1');
  const { origin } = window.location;
  return {
    successUrl: `${origin}${own ?? paths.balance}${own?.includes('?') ? '&' : '?'}${search}`,
    cancelUrl: `${origin}${paths.buyCredits}?${cancel}`,
  };
}

/** Promo code and the credits that it adds to this amount. */
function usePromo() {
  const api = useApi();
  const [code, setCode] = useState('');
  const { mutate, data, isPending, isError, reset } = useMutation({
    mutationFn: (balance: string) => parseResponse(api.credits.promo.$post({ json: { code, balance } })),
    meta: { quiet: true },
  });
  return {
    code,
    bonus: data?.bonus ?? null,
    busy: isPending,
    refused: isError,
    ask: mutate,
    forget: reset,
    change: (value: string) => {
      setCode(value);
      reset();
    },
  };
}

function Summary({ cents, bonus, tax }: { cents: number; bonus: string | null; tax: boolean }) {
  const { t, i18n } = useTranslation('payments');
  const { language } = i18n;
  return (
    <dl className={styles.summary} aria-live="polite">
      <dt>{t('buy.price')}</dt>
      <dd>{dollarsOf(cents / 100, language)}</dd>
      <dt>{t('buy.tax')}</dt>
      <dd>{tax ? t('buy.taxLater') : t('buy.noTax')}</dd>
      {bonus !== null && (
        <>
          <dt>{t('buy.bonus')}</dt>
          <dd>{creditsOf(bonus, language)}</dd>
        </>
      )}
      <dt className={styles.total}>{t('buy.youGet')}</dt>
      <dd className={styles.total}>
        {creditsOf(cents / 100 + Number(bonus ?? 0), language)} {t('buy.credits').toLocaleLowerCase(language)}
      </dd>
    </dl>
  );
}
