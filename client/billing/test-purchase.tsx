import { parseResponse } from 'hono/client';

import { useApi } from '../api.ts';
import { paths } from '../paths.ts';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { PageBones } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import { useCheckout } from './checkout.ts';
import { ModeBanner } from './mode-banner.tsx';
import { PurchaseNotice } from './purchase-notice.tsx';
import { useShop } from './shop-query.ts';

/** Buys 50 credits with a test payment, where the operator has allowed that. */
export default function TestPurchase() {
  const ready = useTexts('payments');
  const { data: shop } = useShop();
  return ready && shop ? <Page allowed={shop.testPurchase} mode={shop.mode} /> : <PageBones />;
}

function Page({ allowed, mode }: { allowed: boolean; mode: 'live' | 'test' | 'practice' | 'off' }) {
  const { t } = useTranslation('payments');
  const api = useApi();
  const { origin } = window.location;
  const { open, busy } = useCheckout(() =>
    parseResponse(
      api.credits.purchase.$post({
        json: {
          balance: '50',
          successUrl: `${origin}${paths.testPurchase}`,
          cancelUrl: `${origin}${paths.testPurchase}?cancel=1`,
        },
      }),
    ),
  );
  return (
    <>
      <PageTitle>{t('test.title')}</PageTitle>
      <PurchaseNotice />
      {allowed ? (
        <>
          <ModeBanner mode={mode} />
          <Button look="primary" busy={busy} onClick={() => open(undefined)}>
            {t('test.action')}
          </Button>
        </>
      ) : (
        <p>{t('test.closed')}</p>
      )}
    </>
  );
}
