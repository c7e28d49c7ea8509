import { and, eq, inArray, isNull, lte, ne, notInArray, or, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { ledgerLines, ledgerPostings, ledgerTransfers, purses } from '#db/schema/billing.ts';
import { paymentCalls, purchases, subscriptions } from '#db/schema/payments.ts';
import { isPlan, plans } from '#shared/catalogue.ts';
import { newId } from '#shared/ids.ts';
import { creditsText } from '#shared/money.ts';
import { after } from '../clock.ts';
import { transaction, type House } from '../context.ts';
import { queueMail } from '../mail/queue.ts';
import type { Checkout, Invoice, PaymentMode, Subscription } from '../outside/payments.ts';
import { lockPurse, lotsOf, moneyTransaction, newLot, post, spendable, type Posting } from './ledger.ts';
import { keepMode, paymentHouseOf, paymentsOf } from './payment-house.ts';
import { releasePromo } from './promo.ts';
import { balanceOf, giving, least, moved } from './transfers.ts';

// Payments become credits or minutes here, and nowhere else: the webhook, the page that a person returns to and the
// reconciler all call these functions. Each reads the object at the payment service first, outside of any transaction,
// and books under a key of the payment, so that it does not matter how often and in which order they are called.

type Purchase = typeof purchases.$inferSelect;
type Transfers = Posting['transfers'];
type MutableTransfers = Transfers[number][];

/** `foreign`: it belongs to another database, or does not exist. */
export type Settled = 'done' | 'foreign';

const cent = 10_000n;
const micros = (cents: number): bigint => BigInt(cents) * cent;
const mailLifetime = 7 * 86_400;
/** Minutes of a period can be spent a day longer, until the next bill is paid. */
const graceSeconds = 86_400;

/** Effect of a payment, kept with its posting so that it can be taken back. */
interface Booked {
  purse: string | null;
  net: string;
  tax: string;
  bonus: string;
  lot: string | null;
  seconds: string;
}

export async function settleCheckout(house: House, id: string): Promise<Settled> {
  const payments = paymentsOf(house);
  const checkout = await payments.checkout(id);
  if (!checkout || !(await isOurs(house, checkout))) return 'foreign';
  const bill = checkout.subscription === null ? null : checkout.invoice;
  if (bill !== null && checkout.paid) return settleInvoice(house, bill);
  await moneyTransaction(house, (tx) => settleOne(house, tx, payments.mode, checkout));
  // The first bill of a plan that was promised for later may have been refused.
  return bill === null ? 'done' : settleInvoice(house, bill);
}

async function isOurs({ db }: House, { houseId }: { houseId: string | null }): Promise<boolean> {
  return houseId !== null && houseId === (await paymentHouseOf(db.orm)).id;
}

const lockPurchase = async (tx: Orm, id: string | null): Promise<Purchase | undefined> =>
  id === null ? undefined : (await tx.select().from(purchases).where(eq(purchases.id, id)).for('update'))[0];

async function settleOne(house: House, tx: Orm, mode: PaymentMode, checkout: Checkout): Promise<void> {
  const purchase = await lockPurchase(tx, checkout.purchaseId);
  const isWaiting = purchase && ['begun', 'open', 'pending'].includes(purchase.state);
  if (purchase && (checkout.status === 'expired' || checkout.refused)) {
    if (!isWaiting) return;
    await tx.update(purchases).set({ state: 'expired', checkoutId: checkout.id }).where(eq(purchases.id, purchase.id));
    await releasePromo(tx, purchase.id);
    return;
  }
  if (!checkout.paid || checkout.payment === null) {
    if (!isWaiting) return;
    const state = checkout.status === 'complete' ? 'pending' : 'open';
    await tx.update(purchases).set({ state, checkoutId: checkout.id }).where(eq(purchases.id, purchase.id));
    return;
  }
  const received = { payment: checkout.payment, net: micros(checkout.cents), tax: micros(checkout.taxCents) };
  const matches =
    purchase && isWaiting && checkout.currency === 'usd' && purchase.amount === received.net && purchase.plan === null;
  const holder = matches ? await holderOf(tx, purchase.purseId) : null;
  if (purchase?.state === 'paid' && purchase.paymentId === checkout.payment) return;
  if (!purchase || !holder) {
    await bookUnclaimed(house, tx, mode, received, checkout.purchaseId);
    if (isWaiting) await finish(house, tx, purchase, { state: 'unclaimed', checkout, tax: received.tax });
    return;
  }
  await keepMode(tx, mode);
  await lockPurse(tx, purchase.purseId);
  const booked: Booked = {
    ...{ purse: purchase.purseId, lot: null, seconds: '0' },
    ...{ net: String(received.net), tax: String(received.tax), bonus: String(purchase.bonus) },
  };
  const isNew = await post(house, tx, {
    key: `stripe:${received.payment}`,
    kind: 'purchase',
    by: holder.id,
    details: { ...booked, payment: received.payment, purchase: purchase.id, invoice: checkout.invoice },
    transfers: [
      ...(await giving(tx, purchase.purseId, received.net, { house: 'stripe' })),
      ...moved({ house: 'promo' }, { purse: purchase.purseId, kind: 'credits' }, purchase.bonus),
      ...moved({ house: 'stripe' }, { house: 'tax' }, received.tax),
    ],
  });
  await finish(house, tx, purchase, { state: 'paid', checkout, tax: received.tax });
  if (!isNew) return;
  await queueMail(house, tx, {
    to: holder.email,
    language: holder.language,
    lifetime: mailLifetime,
    dedupeKey: `purchase:${purchase.id}`,
    mail: {
      kind: 'purchased',
      firstName: holder.firstName,
      what: creditsText(received.net + purchase.bonus),
      practice: mode !== 'live',
    },
  });
}

async function finish(
  { clock }: House,
  tx: Orm,
  { id }: Purchase,
  { state, checkout, tax }: { state: 'paid' | 'unclaimed'; checkout: Checkout; tax: bigint },
): Promise<void> {
  await tx
    .update(purchases)
    .set({ state, tax, checkoutId: checkout.id, paymentId: checkout.payment, paidAt: clock.now() })
    .where(eq(purchases.id, id));
}

/** The person behind a purse; null when the account was deleted. */
async function holderOf(tx: Orm, purseId: string) {
  const [row] = await tx
    .select({ id: users.id, email: users.email, firstName: users.firstName, language: users.language })
    .from(purses)
    .innerJoin(users, eq(users.id, purses.userId))
    .where(eq(purses.id, purseId));
  return row ?? null;
}

interface Received {
  payment: string;
  net: bigint;
  tax: bigint;
}

/** Books money that fits no purchase, for the operator to look into. */
async function bookUnclaimed(
  house: House,
  tx: Orm,
  mode: PaymentMode,
  { payment, net, tax }: Received,
  purchase: string | null,
): Promise<void> {
  await keepMode(tx, mode);
  const booked: Booked = { purse: null, lot: null, seconds: '0', bonus: '0', net: String(net), tax: String(tax) };
  const isNew = await post(house, tx, {
    key: `stripe:${payment}`,
    kind: 'unclaimed',
    by: null,
    details: { ...booked, payment, purchase },
    transfers: [
      ...moved({ house: 'stripe' }, { house: 'unclaimed' }, net),
      ...moved({ house: 'stripe' }, { house: 'tax' }, tax),
    ],
  });
  if (!isNew) return;
  house.metrics.billingAlarms.inc({ kind: 'unclaimed' });
  house.log.error({ payment, purchase }, 'a payment fits no purchase; it is booked as unclaimed');
}

/**
 * A bill of a plan: when it is paid, its period begins; when the card did not pay it, the person is told. `plan`: its
 * subscription, if the caller has just read it.
 */
export async function settleInvoice(house: House, id: string, plan?: Subscription): Promise<Settled> {
  const payments = paymentsOf(house);
  const invoice = await payments.invoice(id);
  if (!invoice || !(await isOurs(house, invoice))) return 'foreign';
  const { subscription: serviceId } = invoice;
  if (serviceId === null) return 'done';
  if (!invoice.paid) {
    // The bill of a next period is a draft for an hour, and a bank may take days: only a payment that failed is missed.
    const found = plan ?? (await payments.subscription(serviceId));
    if (found?.status === 'past_due')
      await house.db.orm
        .update(subscriptions)
        .set({ state: 'past_due', billUrl: invoice.url })
        .where(and(eq(subscriptions.serviceId, serviceId), eq(subscriptions.state, 'active')));
    if (invoice.refused)
      await transaction(house, (tx) => refuseFirst(house, tx, { ...invoice, subscription: serviceId }));
    return 'done';
  }
  await moneyTransaction(house, (tx) =>
    settlePeriod(house, tx, payments.mode, { ...invoice, subscription: serviceId }),
  );
  return 'done';
}

/** A plan whose first bill was promised for later and is refused does not begin; its page is closed, so nothing can be paid there. */
async function refuseFirst(
  house: House,
  tx: Orm,
  { purchaseId, subscription }: Pick<Invoice, 'purchaseId'> & { subscription: string },
): Promise<void> {
  const purchase = await lockPurchase(tx, purchaseId);
  if (purchase?.state !== 'pending') return;
  await tx.update(purchases).set({ state: 'expired' }).where(eq(purchases.id, purchase.id));
  await tellLater(house, tx, 'end', subscription);
}

async function settlePeriod(
  house: House,
  tx: Orm,
  mode: PaymentMode,
  invoice: Invoice & { subscription: string },
): Promise<void> {
  const received = {
    payment: invoice.payment ?? invoice.id,
    net: micros(invoice.cents),
    tax: micros(invoice.taxCents),
  };
  const purchase = await lockPurchase(tx, invoice.purchaseId);
  const plan = purchase?.plan && isPlan(purchase.plan) ? plans[purchase.plan] : null;
  const holder = purchase && plan && invoice.currency === 'usd' ? await holderOf(tx, purchase.purseId) : null;
  const key = `stripe:${received.payment}`;
  const booking = await postingOf(tx, key);
  // An unclaimed bill stays unclaimed, also where the plan that stood in its way has ended by now.
  if (booking?.kind === 'unclaimed') return;
  const isBooked = booking !== null;
  // A plan that had ended when its first bill was paid all the same: no event begins it again.
  if (isBooked && purchase?.state === 'paid' && !(await isKept(tx, invoice.subscription))) return;
  const keep = purchase?.state === 'expired' ? keepLatePeriod : keepSubscription;
  const isMine = purchase && holder ? await keep(house, tx, purchase, invoice) : false;
  if (!purchase || !plan || !holder || !isMine) {
    await tellLater(house, tx, 'end', invoice.subscription);
    await bookUnclaimed(house, tx, mode, received, invoice.purchaseId);
    if (purchase && purchase.state !== 'paid')
      await tx.update(purchases).set({ state: 'unclaimed' }).where(eq(purchases.id, purchase.id));
    return;
  }
  await keepMode(tx, mode);
  await lockPurse(tx, purchase.purseId);
  if (!isBooked) {
    const { purseId: purse } = purchase;
    const { seconds } = plan;
    const lapsesAt = after(invoice.periodEnd, graceSeconds);
    const lot =
      seconds === null ? null : await newLot(house, tx, purse, { paid: true, lapsesAt, source: purchase.plan ?? '' });
    const booked: Booked = {
      ...{ purse, lot, seconds: String(seconds ?? 0n) },
      ...{ net: String(received.net), tax: String(received.tax), bonus: '0' },
    };
    await post(house, tx, {
      key,
      kind: 'period',
      by: holder.id,
      details: {
        ...{ ...booked, payment: received.payment, purchase: purchase.id },
        ...{ plan: purchase.plan, invoice: invoice.id },
      },
      transfers: [
        ...(lot === null || seconds === null
          ? await giving(tx, purse, received.net, { house: 'stripe' })
          : [
              ...moved({ house: 'stripe' }, { house: 'revenue' }, received.net),
              ...moved({ house: 'minted' }, { purse, lot }, seconds),
            ]),
        ...moved({ house: 'stripe' }, { house: 'tax' }, received.tax),
      ],
    });
  }
  if (purchase.state !== 'paid')
    await tx
      .update(purchases)
      .set({ state: 'paid', tax: received.tax, paymentId: received.payment, paidAt: house.clock.now() })
      .where(eq(purchases.id, purchase.id));
}

/** Stores the plan of a person; false where they have the same plan by another subscription. */
async function keepSubscription(
  { clock }: House,
  tx: Orm,
  { purseId, plan }: Purchase,
  { subscription, periodEnd }: Invoice & { subscription: string },
): Promise<boolean> {
  const now = clock.now();
  await endPeriods(tx, { purseId, plan }, now);
  const rows = await tx
    .select()
    .from(subscriptions)
    .where(
      and(
        eq(subscriptions.purseId, purseId),
        or(
          eq(subscriptions.serviceId, subscription),
          and(eq(subscriptions.plan, plan ?? ''), ne(subscriptions.state, 'ended')),
        ),
      ),
    )
    .for('update');
  const known = rows.find(({ serviceId }) => serviceId === subscription);
  if (known) {
    // A late event of an earlier period changes nothing, and a plan that has ended stays so.
    if (known.state !== 'ended' && known.periodEnd <= periodEnd)
      await tx
        .update(subscriptions)
        .set({ state: 'active', billUrl: null, periodEnd })
        .where(eq(subscriptions.id, known.id));
    return true;
  }
  if (rows.length > 0) return false;
  const made = await tx
    .insert(subscriptions)
    .values({
      ...{ id: newId(), purseId, plan: plan ?? '', serviceId: subscription },
      ...{ state: 'active' as const, cancelled: false, periodEnd, createdAt: now },
    })
    .onConflictDoNothing()
    .returning({ id: subscriptions.id });
  return made.length > 0;
}

const isKept = async (tx: Orm, serviceId: string): Promise<boolean> =>
  (await tx.$count(subscriptions, eq(subscriptions.serviceId, serviceId))) > 0;

/**
 * Stores the period of a plan that had ended at the payment service, or is about to, when its first bill was paid all the
 * same: what was paid for is theirs, and does not renew. False where they have this plan otherwise.
 */
async function keepLatePeriod(
  house: House,
  tx: Orm,
  { purseId, plan }: Purchase,
  { subscription, periodEnd }: Invoice & { subscription: string },
): Promise<boolean> {
  await tellLater(house, tx, 'end', subscription);
  const now = house.clock.now();
  await endPeriods(tx, { purseId, plan }, now);
  const made = await tx
    .insert(subscriptions)
    .values({
      ...{ id: newId(), purseId, plan: plan ?? '', serviceId: null },
      ...{ state: 'active' as const, cancelled: true, periodEnd, createdAt: now },
    })
    .onConflictDoNothing()
    .returning({ id: subscriptions.id });
  return made.length > 0;
}

/** A period without renewal is over by itself, and the round that notes it comes only each hour. */
const endPeriods = (tx: Orm, { purseId, plan }: Pick<Purchase, 'purseId' | 'plan'>, now: Date) =>
  tx
    .update(subscriptions)
    .set({ state: 'ended' })
    .where(
      and(
        ...[eq(subscriptions.purseId, purseId), eq(subscriptions.plan, plan ?? ''), ne(subscriptions.state, 'ended')],
        ...[isNull(subscriptions.serviceId), lte(subscriptions.periodEnd, now)],
      ),
    );

/** Notes what the payment service must be told, for the reconciler. */
async function tellLater({ clock }: House, tx: Orm, kind: 'end' | 'expire', object: string): Promise<void> {
  await tx.insert(paymentCalls).values({ id: newId(), kind, object, nextAt: clock.now() }).onConflictDoNothing();
}

/** Reads what became of a plan at the payment service. */
export async function settleSubscription(house: House, id: string): Promise<Settled> {
  const found = await paymentsOf(house).subscription(id);
  if (!found || !(await isOurs(house, found))) return 'foreign';
  if (found.invoice !== null) await settleInvoice(house, found.invoice, found);
  await house.db.orm
    .update(subscriptions)
    .set({
      cancelled: found.endsAtPeriodEnd,
      ...(found.status === 'ended' && { state: 'ended' as const, billUrl: null }),
    })
    .where(and(eq(subscriptions.serviceId, id), ne(subscriptions.state, 'ended')));
  return 'done';
}

async function postingOf(tx: Orm, key: string) {
  const [row] = await tx.select().from(ledgerPostings).where(eq(ledgerPostings.key, key));
  return row ?? null;
}

/** Books a payment that the service reports, if its own event was lost. */
export async function settlePayment(house: House, id: string): Promise<Settled> {
  if (await postingOf(house.db.orm, `stripe:${id}`)) return 'done';
  const payments = paymentsOf(house);
  const payment = await payments.payment(id);
  if (!payment || !(await isOurs(house, payment))) return 'foreign';
  const [row] = await house.db.orm
    .select({ checkoutId: purchases.checkoutId, createdAt: purchases.createdAt })
    .from(purchases)
    .where(eq(purchases.id, payment.purchaseId ?? ''));
  const since = after(row?.createdAt ?? house.clock.now(), -86_400);
  const checkoutId =
    row?.checkoutId ?? (await payments.checkoutsSince(since)).find((one) => one.payment === id)?.id ?? null;
  return checkoutId === null ? 'foreign' : settleCheckout(house, checkoutId);
}

/** Money that went back to the payer is taken from what it brought. */
export async function settleRefund(house: House, id: string): Promise<Settled> {
  const refund = await paymentsOf(house).refund(id);
  if (!refund?.payment || (await settlePayment(house, refund.payment)) === 'foreign') return 'foreign';
  const { payment, cents } = refund;
  await moneyTransaction(house, async (tx) => {
    if (refund.counts) await take(house, tx, { key: id, kind: 'refund', payment, amount: micros(cents) });
    else await giveBack(house, tx, { key: `${id}:failed`, kind: 'refund', taken: id });
  });
  return 'done';
}

/** A payment that the payer's bank took back, or returned. An inquiry takes nothing. */
export async function settleDispute(house: House, id: string): Promise<Settled> {
  const dispute = await paymentsOf(house).dispute(id);
  if (!dispute?.payment || (await settlePayment(house, dispute.payment)) === 'foreign') return 'foreign';
  const { payment, cents, state } = dispute;
  await moneyTransaction(house, async (tx) => {
    if (state === 'taken') await take(house, tx, { key: id, kind: 'dispute', payment, amount: micros(cents) });
    if (state === 'won') await giveBack(house, tx, { key: `${id}:won`, kind: 'dispute', taken: id });
  });
  return 'done';
}

interface Taking {
  key: string;
  kind: 'refund' | 'dispute';
  payment: string;
  amount: bigint;
}

async function take(house: House, tx: Orm, { key, kind, payment, amount }: Taking): Promise<void> {
  const brought = await postingOf(tx, `stripe:${payment}`);
  if (!brought) throw new Error('a payment without a posting cannot be taken back');
  const booked = brought.details as unknown as Booked;
  const [net, tax, bonus, seconds] = [booked.net, booked.tax, booked.bonus, booked.seconds].map(BigInt) as [
    bigint,
    bigint,
    bigint,
    bigint,
  ];
  const whole = net + tax;
  const taxBack = (amount * tax) / whole;
  const netBack = amount - taxBack;
  const transfers: MutableTransfers = [...moved({ house: 'tax' }, { house: 'stripe' }, taxBack)];
  const { purse, lot } = booked;
  if (purse !== null) await lockPurse(tx, purse);
  if (purse === null) transfers.push(...moved({ house: 'unclaimed' }, { house: 'stripe' }, netBack));
  else if (lot === null) {
    const bonusBack = (bonus * amount) / whole;
    const credits = await balanceOf(tx, `${purse}/credits`);
    const fromCredits = least(credits, netBack);
    const bonusFromCredits = least(credits - fromCredits, bonusBack);
    transfers.push(
      ...moved({ purse, kind: 'credits' }, { house: 'stripe' }, fromCredits),
      ...moved({ purse, kind: 'debt' }, { house: 'stripe' }, netBack - fromCredits),
      ...moved({ purse, kind: 'credits' }, { house: 'promo' }, bonusFromCredits),
      ...moved({ purse, kind: 'debt' }, { house: 'promo' }, bonusBack - bonusFromCredits),
    );
  } else {
    const secondsBack = (seconds * amount) / whole;
    const lots = await lotsOf(tx, lot);
    let left = 0n;
    for (const { id, seconds: there } of lots) {
      const taken = least(there, secondsBack - left);
      transfers.push(...moved({ purse, lot: id }, { house: 'lapsed' }, taken));
      left += taken;
    }
    const ids = lots.map(({ id }) => id);
    // Minutes that were used cannot be taken: their part of the price is.
    const used = secondsBack - left - least(secondsBack - left, await lapsedOf(tx, purse, ids));
    const price = used > 0n ? (netBack * used) / secondsBack : 0n;
    const fromCredits = least(await balanceOf(tx, `${purse}/credits`), price);
    transfers.push(
      ...moved({ house: 'revenue' }, { house: 'stripe' }, netBack - price),
      ...moved({ purse, kind: 'credits' }, { house: 'stripe' }, fromCredits),
      ...moved({ purse, kind: 'debt' }, { house: 'stripe' }, price - fromCredits),
    );
  }
  await post(house, tx, { key, kind, by: null, details: { payment, purse, lot }, transfers });
}

/** Seconds of lots that nobody has used before their end. */
async function lapsedOf(tx: Orm, purse: string, lots: readonly string[]): Promise<bigint> {
  const [row] = await tx
    .select({ seconds: sql<string>`coalesce(sum(${ledgerTransfers.amount}), 0)::text` })
    .from(ledgerLines)
    .innerJoin(ledgerPostings, eq(ledgerPostings.id, ledgerLines.postingId))
    .innerJoin(ledgerTransfers, eq(ledgerTransfers.postingId, ledgerPostings.id))
    .where(
      and(
        ...[eq(ledgerLines.purseId, purse), notInArray(ledgerPostings.kind, ['refund', 'dispute'])],
        ...[inArray(ledgerTransfers.fromAccount, [...lots]), eq(ledgerTransfers.toAccount, 'lapsed')],
      ),
    );
  return BigInt(row?.seconds ?? 0);
}

/** Returns what was taken back, for a refund that failed or a dispute that was won. */
async function giveBack(
  house: House,
  tx: Orm,
  { key, kind, taken: takenKey }: { key: string; kind: 'refund' | 'dispute'; taken: string },
): Promise<void> {
  const taken = await postingOf(tx, takenKey);
  // Nothing was taken here, because its event came after this one.
  if (!taken) return;
  const { purse, lot } = taken.details as { purse: string | null; lot: string | null };
  if (purse !== null) await lockPurse(tx, purse);
  if (await postingOf(tx, key)) return;
  const rows = await tx.select().from(ledgerTransfers).where(eq(ledgerTransfers.postingId, taken.id));
  const sum = (from: readonly string[], to: string) =>
    rows
      .filter((row) => from.includes(row.fromAccount) && row.toAccount === to)
      .reduce((all, row) => all + row.amount, 0n);
  const ofPurse = [`${purse}/credits`, `${purse}/debt`];
  const transfers: MutableTransfers = [
    ...moved({ house: 'stripe' }, { house: 'tax' }, sum(['tax'], 'stripe')),
    ...moved({ house: 'stripe' }, { house: 'revenue' }, sum(['revenue'], 'stripe')),
    ...moved({ house: 'stripe' }, { house: 'unclaimed' }, sum(['unclaimed'], 'stripe')),
  ];
  if (purse !== null) {
    // A debt is paid once, whichever account it comes from.
    const [net, bonus] = [sum(ofPurse, 'stripe'), sum(ofPurse, 'promo')];
    const owed = -(await balanceOf(tx, `${purse}/debt`));
    const netOwed = least(owed, net);
    const bonusOwed = least(owed - netOwed, bonus);
    transfers.push(
      ...moved({ house: 'stripe' }, { purse, kind: 'debt' }, netOwed),
      ...moved({ house: 'stripe' }, { purse, kind: 'credits' }, net - netOwed),
      ...moved({ house: 'promo' }, { purse, kind: 'debt' }, bonusOwed),
      ...moved({ house: 'promo' }, { purse, kind: 'credits' }, bonus - bonusOwed),
    );
    const lots = lot === null ? [] : await lotsOf(tx, lot);
    const seconds = sum(
      lots.map(({ id }) => id),
      'lapsed',
    );
    if (lot !== null && seconds > 0n)
      transfers.push(...moved({ house: 'lapsed' }, { purse, lot: await spendable(house, tx, purse, lot) }, seconds));
  }
  await post(house, tx, { key, kind, by: null, details: { payment: taken.details['payment'], purse, lot }, transfers });
}
