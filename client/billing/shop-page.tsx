import type { ReactNode } from 'react';

import type { ShopView } from '#shared/payments.ts';

import { Failure } from '../errors/failure.tsx';
import { useTexts } from '../texts.ts';
import { PageTitle } from '../ui/page-title.tsx';
import { PageBones } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import { PurchaseNotice } from './purchase-notice.tsx';
import { useShop } from './shop-query.ts';

const heads = { buy: ['buy.title', 'buy.lead'], plans: ['plans.title', 'plans.lead'] } as const;

interface ShopPageProps {
  name: keyof typeof heads;
  children: (shop: ShopView) => ReactNode;
}

/** A page on which something is sold: its title, the result of the last purchase, and what is offered. */
export function ShopPage({ name, children }: ShopPageProps) {
  const ready = useTexts('payments');
  const { t } = useTranslation('payments');
  const { data: shop, error, refetch } = useShop();
  const [title, lead] = heads[name];
  if (!ready) return <PageBones />;
  return (
    <>
      <PageTitle lead={t(lead)}>{t(title)}</PageTitle>
      <PurchaseNotice />
      {shop ? children(shop) : error ? <Failure error={error} onRetry={() => void refetch()} /> : <PageBones headed />}
    </>
  );
}
