import { and, eq, inArray, isNotNull, isNull, ne, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { ledgerAccounts } from '#db/schema/billing.ts';
import { purchases, subscriptions } from '#db/schema/payments.ts';
import { isPlan, plans, soldAs, type PlanName, type PlanView } from '#shared/catalogue.ts';
import { newId } from '#shared/ids.ts';
import { creditsText } from '#shared/money.ts';
import type { PlanInput, PlanPurchaseInput } from '#shared/payments.ts';
import { periodEnd } from '#shared/periods.ts';
import { invalid, Problem } from '#shared/problems.ts';
import { after } from '../clock.ts';
import { signedIn, transaction, type Ctx } from '../context.ts';
import { keepResult } from '../http/once.ts';
import { rules } from '../limits.ts';
import { holdingsOf } from './holdings.ts';
import { findPurse, lockPurse, moneyTransaction, newLot, post, purseOf } from './ledger.ts';
import { isHeld } from './minute-price.ts';
import { paymentsOf } from './payment-house.ts';
import { begin } from './purchase.ts';
import { settleCheckout, settleSubscription } from './settle.ts';

const graceSeconds = 86_400;

type Subscription = typeof subscriptions.$inferSelect;

const hasIt = () => new Problem('CONFLICT', { message: 'You have this plan already' });

/** Begins a plan that is paid by card and renews, or takes the cancelling of one back. */
export async function purchasePlan(ctx: Ctx, { planName, successUrl, cancelUrl }: PlanPurchaseInput) {
  const signed = signedIn(ctx);
  const payments = paymentsOf(ctx);
  if (!isPlan(planName)) throw invalid({ field: 'planName', code: 'plan' });
  const purse = await findPurse(ctx.db.orm, signed.person.id);
  const held = purse === null ? null : await heldPlan(ctx.db.orm, purse, planName, ctx.clock.now());
  if (held) {
    if (!held.cancelled || held.serviceId === null) throw hasIt();
    await ctx.limits.take(rules.payments, signed.person.id);
    await payments.endWithPeriod(held.serviceId, false);
    const answer = { undone: true as const };
    await transaction(ctx, async (tx) => {
      await tx.update(subscriptions).set({ cancelled: false }).where(eq(subscriptions.id, held.id));
      await keepResult(ctx, tx, answer);
    });
    return answer;
  }
  await closeOpenPages(ctx, purse, planName);
  return begin(signed, { plan: planName, amount: plans[planName].price, successUrl, cancelUrl });
}

async function heldPlan(orm: Orm, purse: string, plan: PlanName, now: Date): Promise<Subscription | null> {
  const [row] = await orm
    .select()
    .from(subscriptions)
    .where(and(eq(subscriptions.purseId, purse), eq(subscriptions.plan, plan), isHeld(now)));
  return row ?? null;
}

/** Payment pages of a plan that is bought otherwise are closed, so that nobody pays for the same plan twice. */
async function closeOpenPages(ctx: Ctx, purse: string | null, plan: PlanName): Promise<void> {
  const { payments } = ctx;
  if (purse === null || !payments) return;
  const open = await ctx.db.orm
    .select()
    .from(purchases)
    .where(
      and(
        ...[eq(purchases.purseId, purse), eq(purchases.plan, plan), ne(purchases.requestId, ctx.requestId)],
        ...[inArray(purchases.state, ['open', 'pending']), isNotNull(purchases.checkoutId)],
      ),
    );
  for (const { checkoutId } of open) {
    if (checkoutId === null) continue;
    // A page that cannot be closed was paid or has expired.
    await payments.expire(checkoutId).catch(() => null);
    await settleCheckout(ctx, checkoutId);
  }
  if (open.length > 0 && (await heldPlan(ctx.db.orm, purse, plan, ctx.clock.now()))) throw hasIt();
}

/** Ends a plan with its period. */
export async function cancelPlan(ctx: Ctx, { planName }: { planName: string }): Promise<void> {
  const { person } = signedIn(ctx);
  const payments = paymentsOf(ctx);
  await ctx.limits.take(rules.payments, person.id);
  const purse = await findPurse(ctx.db.orm, person.id);
  const held = purse !== null && isPlan(planName) ? await heldPlan(ctx.db.orm, purse, planName, ctx.clock.now()) : null;
  if (!held || held.cancelled || held.serviceId === null)
    throw new Problem('CONFLICT', { message: 'There is no plan to cancel' });
  const { serviceId } = held;
  await payments.endWithPeriod(serviceId, true);
  await transaction(ctx, async (tx) => {
    await tx.update(subscriptions).set({ cancelled: true }).where(eq(subscriptions.id, held.id));
    await keepResult(ctx, tx, null);
  });
  await settleSubscription(ctx, serviceId);
}

/** Buys a bundle, or one period of a plan with minutes, from credits. */
export async function buyFromCredits(ctx: Ctx, { plan: name, balance }: PlanInput): Promise<{ plans: PlanView[] }> {
  const { person } = signedIn(ctx);
  await ctx.limits.take(rules.payments, person.id);
  const sold = soldAs(name);
  // Plans of teams become credits themselves, so they are paid by card.
  if (!sold || sold.seconds === null) throw invalid({ field: 'plan', code: 'plan' });
  if (balance !== sold.price) throw new Problem('PRICE', { info: { price: creditsText(sold.price) } });
  const { price, seconds } = sold;
  if (isPlan(name)) await closeOpenPages(ctx, await findPurse(ctx.db.orm, person.id), name);
  await moneyTransaction(ctx, async (tx) => {
    const now = ctx.clock.now();
    const purse = await purseOf(ctx, tx, person.id);
    const end = periodEnd(now, sold);
    // The plan comes before the purse, as where its bill is paid by card.
    if (sold.type === 'plan' && isPlan(name)) {
      if (await heldPlan(tx, purse, name, now)) throw hasIt();
      await keepPeriod(tx, { purseId: purse, plan: name, periodEnd: end, createdAt: now });
    }
    await lockPurse(tx, purse);
    const debt = await tx
      .select({ id: ledgerAccounts.id })
      .from(ledgerAccounts)
      .where(
        and(eq(ledgerAccounts.purseId, purse), eq(ledgerAccounts.name, 'debt'), sql`${ledgerAccounts.balance} < 0`),
      );
    if (debt.length > 0) throw new Problem('FUNDS', { info: { price: creditsText(price) } });
    const lapsesAt = sold.type === 'plan' ? after(end, graceSeconds) : end;
    const lot = await newLot(ctx, tx, purse, { paid: true, lapsesAt, source: name });
    await post(ctx, tx, {
      key: `plan:${person.id}:${ctx.requestId}`,
      kind: sold.type,
      by: person.id,
      details: { plan: name },
      transfers: [
        { from: { purse, kind: 'credits' }, to: { house: 'revenue' }, amount: price },
        { from: { house: 'minted' }, to: { purse, lot }, amount: seconds },
      ],
    });
    await keepResult(ctx, tx, {});
  }).catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'FUNDS')
      throw new Problem('FUNDS', { info: { price: creditsText(price) } });
    throw error;
  });
  const { plans: all } = await holdingsOf(ctx, ctx.db.orm, person.id);
  return { plans: all };
}

/** Stores a period that is paid from credits, which ends by itself; refused where somebody else was faster. */
async function keepPeriod(
  tx: Orm,
  row: Pick<Subscription, 'purseId' | 'plan' | 'periodEnd' | 'createdAt'>,
): Promise<void> {
  await tx
    .update(subscriptions)
    .set({ state: 'ended' })
    .where(
      and(
        ...[eq(subscriptions.purseId, row.purseId), eq(subscriptions.plan, row.plan)],
        ...[ne(subscriptions.state, 'ended'), isNull(subscriptions.serviceId)],
      ),
    );
  const made = await tx
    .insert(subscriptions)
    .values({ ...row, id: newId(), serviceId: null, state: 'active', cancelled: true })
    .onConflictDoNothing()
    .returning({ id: subscriptions.id });
  if (made.length === 0) throw hasIt();
}
