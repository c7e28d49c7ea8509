import type { ShopView } from '#shared/payments.ts';
import { signedIn, type Ctx } from '../context.ts';
import { holdingsOf } from './holdings.ts';

/** Offers to the caller, and what they have. */
export async function readShop(ctx: Ctx): Promise<ShopView> {
  const { person } = signedIn(ctx);
  const { tax, testPurchase } = ctx.config.payments;
  const { plans, billingInfo, recentCreditsPurchase } = await holdingsOf(ctx, ctx.db.orm, person.id);
  return {
    mode: ctx.payments?.mode ?? 'off',
    tax,
    testPurchase: testPurchase && ctx.payments !== null && ctx.payments.mode !== 'live',
    plans,
    billingInfo,
    recentCreditsPurchase,
  };
}
