import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';
import { purses } from './billing.ts';

const when = (name: string) => timestamp(name, { withTimezone: true });
const micros = (name: string) => bigint(name, { mode: 'bigint' });

/** One row: what this database is called at the payment service, and the mode of its first payment. */
export const paymentHouse = pgTable(
  'payment_house',
  {
    one: boolean('one').primaryKey().default(true),
    id: text('id').notNull(),
    mode: text('mode').$type<'live' | 'test' | 'practice'>(),
  },
  () => [check('payment_house_one', sql`one`)],
);

export type PurchaseState = 'begun' | 'open' | 'pending' | 'paid' | 'expired' | 'unclaimed';

/** Purchases that people begin at the payment service. Amounts are before tax. */
export const purchases = pgTable(
  'purchases',
  {
    id: text('id').primaryKey(),
    purseId: text('purse_id')
      .notNull()
      .references(() => purses.id),
    /** Id of the request, by which a repeat finds the same checkout. */
    requestId: text('request_id').notNull(),
    /** Plan that is bought; null for credits. */
    plan: text('plan'),
    amount: micros('amount').notNull(),
    bonus: micros('bonus')
      .notNull()
      .default(sql`0`),
    promoCode: text('promo_code'),
    tax: micros('tax')
      .notNull()
      .default(sql`0`),
    state: text('state').$type<PurchaseState>().notNull(),
    /** Begins at the service, each under a key of its own. */
    attempt: integer('attempt').notNull().default(0),
    checkoutId: text('checkout_id').unique(),
    paymentId: text('payment_id'),
    createdAt: when('created_at').notNull(),
    expiresAt: when('expires_at').notNull(),
    paidAt: when('paid_at'),
  },
  (t) => [
    uniqueIndex('purchases_request').on(t.purseId, t.requestId),
    index('purchases_waiting')
      .on(t.createdAt)
      .where(sql`state in ('begun', 'open', 'pending')`),
    index('purchases_purse').on(t.purseId, t.createdAt),
    check('purchases_amount', sql`amount > 0 and bonus >= 0 and tax >= 0`),
    check('purchases_state', sql`state in ('begun', 'open', 'pending', 'paid', 'expired', 'unclaimed')`),
  ],
);

/** Plans that people have: renewed by card, or one period paid from credits. */
export const subscriptions = pgTable(
  'subscriptions',
  {
    id: text('id').primaryKey(),
    purseId: text('purse_id')
      .notNull()
      .references(() => purses.id),
    plan: text('plan').notNull(),
    /** Subscription at the payment service; null for a plan paid from credits, which is not renewed. */
    serviceId: text('service_id').unique(),
    state: text('state').$type<'active' | 'past_due' | 'ended'>().notNull(),
    /** Ends with its period. */
    cancelled: boolean('cancelled').notNull(),
    periodEnd: when('period_end').notNull(),
    /** Page to pay a bill that the card did not pay. */
    billUrl: text('bill_url'),
    createdAt: when('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('subscriptions_one')
      .on(t.purseId, t.plan)
      .where(sql`state <> 'ended'`),
    check('subscriptions_state', sql`state in ('active', 'past_due', 'ended')`),
  ],
);

/** Events of the payment service that were acted on. */
export const paymentEvents = pgTable('payment_events', {
  id: text('id').primaryKey(),
  type: text('type').notNull(),
  at: when('at').notNull(),
});

/** Calls still owed to the payment service. */
export const paymentCalls = pgTable(
  'payment_calls',
  {
    id: text('id').primaryKey(),
    kind: text('kind').$type<'end' | 'expire'>().notNull(),
    object: text('object').notNull(),
    attempts: integer('attempts').notNull().default(0),
    nextAt: when('next_at').notNull(),
  },
  (t) => [uniqueIndex('payment_calls_object').on(t.kind, t.object), index('payment_calls_next').on(t.nextAt)],
);

/** Text that people want on their invoices. */
export const billingProfiles = pgTable('billing_profiles', {
  userId: text('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  name: text('name').notNull(),
  address: jsonb('address').$type<Record<string, string>>().notNull(),
  taxIds: jsonb('tax_ids').$type<{ type: string; value: string }[]>().notNull(),
  /** Its id at the payment service; null until it is used, and after a change. */
  customer: text('customer'),
});

/** Codes that add credits to a paid purchase. */
export const promoCodes = pgTable(
  'promo_codes',
  {
    code: text('code').primaryKey(),
    bonus: micros('bonus').notNull(),
    /** Smallest purchase that the code is for. */
    least: micros('least').notNull(),
    limit: integer('use_limit').notNull(),
    used: integer('used').notNull().default(0),
    expiresAt: when('expires_at'),
  },
  () => [check('promo_codes_used', sql`used >= 0 and used <= use_limit and bonus > 0 and least >= 0`)],
);

/** Uses of a code, reserved while the checkout can be paid. */
export const promoUses = pgTable(
  'promo_uses',
  {
    code: text('code')
      .notNull()
      .references(() => promoCodes.code),
    purseId: text('purse_id')
      .notNull()
      .references(() => purses.id),
    purchaseId: text('purchase_id')
      .notNull()
      .references(() => purchases.id),
  },
  (t) => [primaryKey({ columns: [t.code, t.purseId] })],
);

export type GiftState = 'waiting' | 'taken' | 'returned';

/** Credits that one person transfers to another. For an address without an account they wait. */
export const gifts = pgTable(
  'gifts',
  {
    id: text('id').primaryKey(),
    fromPurse: text('from_purse')
      .notNull()
      .references(() => purses.id),
    /** Null until somebody has it. */
    toPurse: text('to_purse').references(() => purses.id),
    /** Address as the sender typed it; null after the account of its owner was deleted. */
    email: text('email'),
    emailKey: text('email_key'),
    amount: micros('amount').notNull(),
    state: text('state').$type<GiftState>().notNull(),
    createdAt: when('created_at').notNull(),
    /** Time of its return, if it still waits. */
    expiresAt: when('expires_at').notNull(),
  },
  (t) => [
    index('gifts_address')
      .on(t.emailKey)
      .where(sql`state = 'waiting'`),
    index('gifts_expiry')
      .on(t.expiresAt)
      .where(sql`state = 'waiting'`),
    index('gifts_received').on(t.toPurse),
    check('gifts_amount', sql`amount > 0`),
    check('gifts_state', sql`state in ('waiting', 'taken', 'returned') and (state = 'taken') = (to_purse is not null)`),
  ],
);

/** The code in the link by which a person invites others. */
export const referralLinks = pgTable('referral_links', {
  userId: text('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  code: text('code').notNull().unique(),
});

/** Accounts that were made by such a link; their address may not be confirmed yet. */
export const referrals = pgTable('referrals', {
  userId: text('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  /** Purse of the person who invited them. */
  purseId: text('purse_id')
    .notNull()
    .references(() => purses.id),
});
