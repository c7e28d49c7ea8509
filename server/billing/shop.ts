import type { ShopView } from '#shared/payments.ts';
import { signedIn, type Ctx } from '../context.ts';
import { plansOf } from './plans.ts';
import { billingInfoOf } from './profile.ts';
import { recentPurchaseOf } from './purchase.ts';

/** What the caller can buy here, and what they have. */
export async function readShop(ctx: Ctx): Promise<ShopView> {
  const { person } = signedIn(ctx);
  const { tax, testPurchase } = ctx.config.payments;
  return {
    mode: ctx.payments?.mode ?? 'off',
    tax,
    testPurchase: testPurchase && ctx.payments !== null && ctx.payments.mode !== 'live',
    plans: await plansOf(ctx, person.id),
    billingInfo: await billingInfoOf(ctx.db.orm, person.id),
    recentCreditsPurchase: await recentPurchaseOf(ctx, person.id),
  };
}
