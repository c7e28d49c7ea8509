import { and, eq, isNull } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { purchases } from '#db/schema/payments.ts';
import { plans, type PlanName } from '#shared/catalogue.ts';
import type { Language } from '#shared/i18n/languages.ts';
import { newId } from '#shared/ids.ts';
import { creditsText } from '#shared/money.ts';
import type { PurchaseInput, PurchaseView } from '#shared/payments.ts';
import { Problem } from '#shared/problems.ts';
import { after } from '../clock.ts';
import { signedIn, transaction, type Ctx, type House, type Signed } from '../context.ts';
import { keepResult } from '../http/once.ts';
import { rules } from '../limits.ts';
import type { Checkout, CheckoutOrder, Payments } from '../outside/payments.ts';
import { findPurse, purseOf } from './ledger.ts';
import { paymentHouseOf, paymentsOf } from './payment-house.ts';
import { customerOf, saveProfile } from './profile.ts';
import { reservePromo } from './promo.ts';
import { returnUrl } from './return-path.ts';
import { settleCheckout } from './settle.ts';

type Purchase = typeof purchases.$inferSelect;

/** Seconds for which a payment page can be used; the least that Stripe allows is half of it. */
const openSeconds = 3600;

interface Wanted {
  plan: PlanName | null;
  amount: bigint;
  promoCode?: string | null | undefined;
  successUrl: string;
  cancelUrl: string;
  billingInfo?: PurchaseInput['billingInfo'];
}

/** Begins a purchase of credits; the person pays on the page that is answered. */
export async function purchaseCredits(ctx: Ctx, input: PurchaseInput) {
  return begin(signedIn(ctx), { ...input, plan: null, amount: input.balance });
}

/**
 * Begins a purchase. The row is committed before Stripe is asked and after it has answered, never in between: the same
 * request finds its row again and gets the same page, wherever the server was killed.
 */
export async function begin(ctx: Signed, wanted: Wanted) {
  const payments = paymentsOf(ctx);
  await ctx.limits.take(rules.payments, ctx.person.id);
  // Checked first: a wrong address stores nothing.
  returnUrl(ctx, wanted.successUrl, 'successUrl', '');
  returnUrl(ctx, wanted.cancelUrl, 'cancelUrl', '');
  const { purchase, isNew } = await transaction(ctx, (tx) => storePurchase(ctx, tx, wanted));
  const customer = await customerOf(ctx, payments, ctx.person, `${purchase.id}-customer`);
  const order = await orderOf(ctx, purchase, wanted, customer);
  const checkout =
    (isNew ? null : await findCheckout(payments, purchase)) ?? (await open(ctx, payments, order, purchase));
  const { url } = checkout;
  if (url === null) {
    await settleCheckout(ctx, checkout.id);
    throw new Problem('CONFLICT', { message: 'This payment was made already', info: { purchase: purchase.id } });
  }
  const answer = { stripeCheckoutSessionId: checkout.id, url, id: purchase.id };
  await transaction(ctx, async (tx) => {
    await tx
      .update(purchases)
      .set({ checkoutId: checkout.id, state: 'open' })
      .where(and(eq(purchases.id, purchase.id), isNull(purchases.checkoutId)));
    await keepResult(ctx, tx, answer);
  });
  return answer;
}

async function storePurchase(ctx: Signed, tx: Orm, wanted: Wanted): Promise<{ purchase: Purchase; isNew: boolean }> {
  const now = ctx.clock.now();
  const purseId = await purseOf(ctx, tx, ctx.person.id);
  const [before] = await tx
    .select()
    .from(purchases)
    .where(and(eq(purchases.purseId, purseId), eq(purchases.requestId, ctx.requestId)));
  if (before) return { purchase: before, isNew: false };
  if (wanted.billingInfo) await saveProfile(tx, ctx.person.id, wanted.billingInfo);
  const id = newId();
  const [made] = await tx
    .insert(purchases)
    .values({
      id,
      purseId,
      requestId: ctx.requestId,
      plan: wanted.plan,
      amount: wanted.amount,
      state: 'begun',
      createdAt: now,
      expiresAt: after(now, openSeconds),
    })
    .onConflictDoNothing()
    .returning();
  if (!made) throw new Problem('UNAVAILABLE', { retryAfter: 1 });
  if (!wanted.promoCode) return { purchase: made, isNew: true };
  const promo = await reservePromo(tx, wanted.promoCode, { purseId, purchaseId: id, amount: wanted.amount, now });
  const [withBonus] = await tx
    .update(purchases)
    .set({ promoCode: promo.code, bonus: promo.bonus })
    .where(eq(purchases.id, id))
    .returning();
  return { purchase: withBonus ?? made, isNew: true };
}

const creditWords: Readonly<Record<Language, (amount: string) => string>> = {
  en: (amount) => `${amount} credits`,
  es: (amount) => `${amount} créditos`,
  ru: (amount) => `кредиты, ${amount}`,
  zh: (amount) => `${amount} 点数`,
};

/** Name of credits on the payment page and the invoice, as the language writes amounts. */
function creditsNamed(micros: bigint, language: Language): string {
  const amount = new Intl.NumberFormat(language, { minimumFractionDigits: 2 }).format(Number(creditsText(micros)));
  return `Colloquy: ${creditWords[language](amount)}`;
}

async function orderOf(
  ctx: Signed,
  purchase: Purchase,
  wanted: Wanted,
  customer: string | null,
): Promise<CheckoutOrder> {
  const { id: houseId } = await paymentHouseOf(ctx.db.orm);
  const { language } = ctx;
  const plan = wanted.plan === null ? null : plans[wanted.plan];
  return {
    purchaseId: purchase.id,
    houseId,
    name: plan ? plan.title : creditsNamed(purchase.amount, language),
    cents: Number(purchase.amount / 10_000n),
    every: plan?.period ?? null,
    email: ctx.person.email,
    customer,
    language,
    successUrl: returnUrl(ctx, wanted.successUrl, 'successUrl', purchase.id),
    cancelUrl: returnUrl(ctx, wanted.cancelUrl, 'cancelUrl', purchase.id),
    expiresAt: purchase.expiresAt,
  };
}

/** The page that was opened for a purchase before, if our row did not learn of it. */
export async function findCheckout(payments: Payments, purchase: Purchase): Promise<Checkout | null> {
  if (purchase.checkoutId !== null) return payments.checkout(purchase.checkoutId);
  // A minute earlier: the clocks of two machines differ.
  const all = await payments.checkoutsSince(after(purchase.createdAt, -60));
  return all.find(({ purchaseId }) => purchaseId === purchase.id) ?? null;
}

/** Each attempt has a key of its own, because Stripe repeats even a failure under the same one. */
async function open(house: House, payments: Payments, order: CheckoutOrder, purchase: Purchase): Promise<Checkout> {
  const attempt = purchase.attempt + 1;
  await house.db.orm.update(purchases).set({ attempt }).where(eq(purchases.id, purchase.id));
  return payments.begin(order, `${purchase.id}-${attempt}`);
}

/** State of a purchase; asks the payment service where that is not known yet, unless it was asked too often. */
export async function readPurchase(ctx: Ctx, { id }: { id: string }): Promise<PurchaseView> {
  const { person } = signedIn(ctx);
  const find = async () => {
    const purse = await findPurse(ctx.db.orm, person.id);
    const [row] = await ctx.db.orm
      .select()
      .from(purchases)
      .where(and(eq(purchases.id, id), eq(purchases.purseId, purse ?? '')));
    if (!row) throw new Problem('NO_ACCESS');
    return row;
  };
  const found = await find();
  const { checkoutId, state } = found;
  if (checkoutId === null || !ctx.payments || (state !== 'open' && state !== 'pending')) return viewOf(found);
  // Above the limit, what is stored is the answer: the webhook and the reconciler settle the payment too.
  if (!(await ctx.limits.allow(rules.purchaseStates, person.id))) return viewOf(found);
  await settleCheckout(ctx, checkoutId);
  return viewOf(await find());
}

const shownStates = {
  begun: 'waiting',
  open: 'waiting',
  pending: 'pending',
  paid: 'paid',
  expired: 'failed',
  unclaimed: 'unclaimed',
} as const;

function viewOf({ id, state, plan, amount, bonus, createdAt, paidAt }: Purchase): PurchaseView {
  return {
    id,
    state: shownStates[state],
    plan,
    balance: creditsText(amount),
    bonus: creditsText(bonus),
    date: (paidAt ?? createdAt).getTime(),
  };
}
