import { and, eq, inArray, lt, lte, ne, sql } from 'drizzle-orm';
import { ledgerPostings, ledgerTransfers } from '#db/schema/billing.ts';
import { paymentCalls, purchases, subscriptions } from '#db/schema/payments.ts';
import { after } from '../clock.ts';
import { transaction, type House } from '../context.ts';
import { isServiceAway, type Movement, type PaymentEvent } from '../outside/payments.ts';
import { startRounds, tryEach, workOnEach } from '../rounds.ts';
import { paymentsOf } from './payment-house.ts';
import { releasePromo } from './promo.ts';
import { findCheckout } from './purchase.ts';
import { settleCheckout, settleDispute, settlePayment, settleRefund, settleSubscription } from './settle.ts';
import { settleEvent } from './webhook.ts';

/** Seconds after which a purchase is looked at without an event. */
const patience = 300;
const hour = 3600;
const day = 86_400;
/** Milliseconds of real time between two rounds. */
const every = 60_000;

type Step = (house: House) => Promise<unknown>;

/** Settles purchases of which no event came. */
export async function settleOpen(house: House): Promise<void> {
  const payments = paymentsOf(house);
  const now = house.clock.now();
  const waiting = await house.db.orm
    .select()
    .from(purchases)
    .where(and(inArray(purchases.state, ['begun', 'open', 'pending']), lt(purchases.createdAt, after(now, -patience))))
    .orderBy(purchases.createdAt, purchases.id)
    .limit(200);
  const settle = async (purchase: typeof purchases.$inferSelect) => {
    const checkout = await findCheckout(payments, purchase);
    if (checkout) await settleCheckout(house, checkout.id);
    // Without a page, or with one that is gone, nothing can be paid any more.
    else if (purchase.state !== 'pending' && purchase.expiresAt < now)
      await transaction(house, async (tx) => {
        const ended = await tx
          .update(purchases)
          .set({ state: 'expired' })
          .where(and(eq(purchases.id, purchase.id), eq(purchases.state, purchase.state)))
          .returning({ id: purchases.id });
        if (ended.length > 0) await releasePromo(tx, purchase.id);
      });
  };
  const failure = 'a purchase could not be settled yet';
  await workOnEach(house, { items: waiting, failure, work: settle, endsRound: isServiceAway });
}

/** Tells the payment service what it must still know. */
async function makeCalls(house: House): Promise<void> {
  const payments = paymentsOf(house);
  const now = house.clock.now();
  const due = await house.db.orm.select().from(paymentCalls).where(lte(paymentCalls.nextAt, now)).limit(50);
  for (const { id, kind, object, attempts } of due) {
    try {
      // A page that was paid or has expired meanwhile cannot be closed any more.
      if (kind === 'expire') {
        if ((await payments.checkout(object))?.status === 'open') await payments.expire(object);
      } else {
        const plan = await payments.subscription(object);
        // One that does not exist there takes nothing from anybody.
        if (plan && plan.status !== 'ended') await payments.end(object);
      }
      await house.db.orm.delete(paymentCalls).where(eq(paymentCalls.id, id));
    } catch (error) {
      house.log.warn({ err: error, kind, attempts }, 'the payment service could not be told; tried again');
      const nextAt = after(now, Math.min(60 * 2 ** attempts, day));
      await house.db.orm
        .update(paymentCalls)
        .set({ nextAt, attempts: attempts + 1 })
        .where(eq(paymentCalls.id, id));
    }
  }
}

/** Plans whose period is over, and of whose next bill no event came. */
export async function settlePeriods(house: House): Promise<void> {
  const now = house.clock.now();
  const late = await house.db.orm
    .select()
    .from(subscriptions)
    .where(and(ne(subscriptions.state, 'ended'), lt(subscriptions.periodEnd, after(now, -patience))))
    .orderBy(subscriptions.periodEnd, subscriptions.id);
  const settle = async ({ id, serviceId }: typeof subscriptions.$inferSelect) => {
    if (serviceId !== null) await settleSubscription(house, serviceId);
    else await house.db.orm.update(subscriptions).set({ state: 'ended' }).where(eq(subscriptions.id, id));
  };
  const failure = 'the period of a plan could not be settled yet';
  await workOnEach(house, { items: late, failure, work: settle, endsRound: isServiceAway });
}

/** Events that did not reach the webhook. One that fails stops no other, and the round is tried again soon. */
export async function settleUndelivered(house: House): Promise<void> {
  const events = await paymentsOf(house).undelivered(after(house.clock.now(), -3 * day));
  const failure = 'an undelivered event could not be used yet';
  const use = (event: PaymentEvent) => settleEvent(house, event);
  await workOnEach(house, { items: events, failure, work: use, endsRound: isServiceAway });
}

/**
 * Compares what moved at the payment service with the books: payments, refunds and disputes that are missing are settled,
 * anything else is counted and left to the operator. Payments of other databases at the same account are not ours to book.
 */
export async function compareMovements(house: House): Promise<number> {
  const since = after(house.clock.now(), -4 * day);
  const movements = await paymentsOf(house).movements(since);
  const found = movements.filter(({ kind }) => kind !== 'other');
  const failure = 'a movement could not be settled yet';
  const each = (items: readonly Movement[], work: (movement: Movement) => Promise<unknown>) =>
    tryEach(house, { items, failure, work, endsRound: isServiceAway });
  const failures = await each(found, async ({ kind, payment }) => {
    if (kind === 'payment' && payment !== null) await settlePayment(house, payment);
  });
  const before = await amountsOf(house, found);
  // No posting of its payment: it belongs to another database.
  const ours = found.filter(({ payment }) => before.has(`stripe:${payment}`));
  const missing = ours.filter((movement) => !before.has(keyOf(movement)));
  const unsettled = await each(missing, async ({ kind, source }) => {
    if (source !== null) await (kind === 'refund' ? settleRefund : settleDispute)(house, source);
  });
  const amounts = missing.length > 0 ? await amountsOf(house, found) : before;
  const taken = (source: string | null) => amounts.has(source ?? '');
  const differences = ours.filter(({ kind, cents, source, currency, ...movement }) => {
    const booked = amounts.get(keyOf({ kind, cents, source, ...movement }));
    // Money that came back before it was taken here was never taken.
    if (booked === undefined && kind !== 'payment' && !taken(source))
      return !ours.some((other) => other.source === source && Math.sign(other.cents) !== Math.sign(cents));
    return currency !== 'usd' || booked !== BigInt(Math.abs(cents)) * 10_000n;
  });
  house.metrics.billingDifferences.set(differences.length);
  for (const { id, kind } of differences)
    house.log.error({ movement: id, kind }, 'the books differ from the payment service');
  failures.push(...unsettled);
  if (failures.length > 0) throw new AggregateError(failures, failure);
  return differences.length;
}

/** Key under which a movement is booked: refunds and disputes under their own, those that came back under another. */
const keyOf = ({ kind, cents, source, payment }: Pick<Movement, 'kind' | 'cents' | 'source' | 'payment'>): string =>
  kind === 'payment'
    ? `stripe:${payment}`
    : cents < 0
      ? (source ?? '')
      : `${source}:${kind === 'refund' ? 'failed' : 'won'}`;

/** Micro-dollars that postings of movements and of their payments moved at the service, by key. */
async function amountsOf(house: House, movements: readonly Movement[]): Promise<ReadonlyMap<string, bigint>> {
  const keys = movements.flatMap((movement) => [`stripe:${movement.payment}`, keyOf(movement), movement.source ?? '']);
  const booked = await house.db.orm
    .select({
      key: ledgerPostings.key,
      micros: sql<string>`sum(case when ${ledgerTransfers.fromAccount} = 'stripe' then ${ledgerTransfers.amount}
        when ${ledgerTransfers.toAccount} = 'stripe' then -${ledgerTransfers.amount} else 0 end)::text`,
    })
    .from(ledgerPostings)
    .innerJoin(ledgerTransfers, eq(ledgerTransfers.postingId, ledgerPostings.id))
    .where(inArray(ledgerPostings.key, keys.length > 0 ? keys : ['']))
    .groupBy(ledgerPostings.key);
  return new Map(booked.map(({ key, micros }) => [key, BigInt(micros.replace('-', ''))]));
}

const steps: readonly [Step, seconds: number][] = [
  [settleOpen, 0],
  [makeCalls, 0],
  [settlePeriods, hour],
  [settleUndelivered, hour],
  [compareMovements, day],
];

/** All repairs, whether they are due or not. */
export async function reconcileNow(house: House): Promise<void> {
  for (const [step] of steps) await step(house);
}

/** Repairs what events alone do not: every step can run in several processes at once. */
export function startReconciling(house: House): { stop(): Promise<void> } {
  const lastRun = new Map<Step, number>();
  const round = async () => {
    const now = house.clock.now().getTime() / 1000;
    for (const [step, seconds] of steps) {
      if (now - (lastRun.get(step) ?? 0) < seconds) continue;
      lastRun.set(step, now);
      try {
        await step(house);
      } catch (error) {
        lastRun.delete(step);
        house.log.warn({ err: error }, 'payments could not be reconciled; tried again');
      }
    }
  };
  return startRounds(every, round);
}
