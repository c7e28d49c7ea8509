import { and, eq, gt, inArray, isNotNull, ne, or } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { purses } from '#db/schema/billing.ts';
import { subscriptions } from '#db/schema/payments.ts';
import { isPlan, plans } from '#shared/catalogue.ts';

/** A plan that renews is held until the payment service ends it; one that was paid from credits, for its period. */
export const isHeld = (at: Date) =>
  and(ne(subscriptions.state, 'ended'), or(isNotNull(subscriptions.serviceId), gt(subscriptions.periodEnd, at)));

/** Micro-dollars a minute by the plans of people; those who pay the usual price are left out. */
export async function planPricesOf(
  orm: Orm,
  userIds: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, bigint>> {
  const prices = new Map<string, bigint>();
  if (userIds.length === 0) return prices;
  const held = await orm
    .select({ userId: purses.userId, plan: subscriptions.plan })
    .from(subscriptions)
    .innerJoin(purses, eq(purses.id, subscriptions.purseId))
    .where(and(inArray(purses.userId, [...userIds]), eq(subscriptions.state, 'active'), isHeld(now)));
  for (const { userId, plan } of held) {
    const price = isPlan(plan) ? plans[plan].minutePrice : null;
    if (userId === null || price === null) continue;
    const before = prices.get(userId);
    if (before === undefined || price < before) prices.set(userId, price);
  }
  return prices;
}
