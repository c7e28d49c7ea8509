import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  unique,
  uniqueIndex,
  type AnyPgColumn,
} from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';

const when = (name: string) => timestamp(name, { withTimezone: true });
const amount = (name: string) => bigint(name, { mode: 'bigint' });

/** Micro-dollars, or seconds. */
export type Unit = 'usd' | 's';

export type HouseAccount =
  | ('stripe' | 'tax' | 'revenue' | 'promo' | 'granted' | 'gifts' | 'unclaimed')
  | ('minted' | 'used' | 'lapsed');

export type HeldAccount = 'heldCredits' | 'heldFree' | 'heldPaid';

/** A person's accounts; the row is locked by everything that moves their money, and outlives the account. */
export const purses = pgTable('purses', {
  id: text('id').primaryKey(),
  userId: text('user_id')
    .unique()
    .references(() => users.id, { onDelete: 'set null' }),
  createdAt: when('created_at').notNull(),
});

/** Accounts of purses and of the house. Those of the house keep no balance, so that nobody waits for one row. */
export const ledgerAccounts = pgTable(
  'ledger_accounts',
  {
    id: text('id').primaryKey(),
    /** Purse that the account is of; null for an account of the house. */
    purseId: text('purse_id').references(() => purses.id),
    name: text('name').$type<HouseAccount | HeldAccount | 'credits' | 'debt' | 'lot'>().notNull(),
    unit: text('unit').$type<Unit>().notNull(),
    balance: amount('balance')
      .notNull()
      .default(sql`0`),
    /** Only of a lot: whether its minutes were bought. */
    paid: boolean('paid'),
    /** Only of a lot: until when it can be spent; null: without an end. */
    lapsesAt: when('lapses_at'),
    /** Only of a lot: what it came from. */
    source: text('source'),
    /** Only of a lot: the lapsed one in whose place it takes minutes that come back. */
    succeeds: text('succeeds').references((): AnyPgColumn => ledgerAccounts.id),
    createdAt: when('created_at').notNull().defaultNow(),
  },
  (t) => [
    unique('ledger_accounts_unit').on(t.id, t.unit),
    index('ledger_accounts_purse').on(t.purseId),
    // A balance in any index, or in the condition of one, would make each change of a balance write to all indexes.
    index('ledger_accounts_lapsing')
      .on(t.lapsesAt)
      .where(sql`lapses_at is not null`),
    check(
      'ledger_accounts_funds',
      sql`case when purse_id is null then balance = 0 when name = 'debt' then balance <= 0 else balance >= 0 end`,
    ),
    check(
      'ledger_accounts_shape',
      sql`case
        when purse_id is null and name in ('stripe', 'tax', 'revenue', 'promo', 'granted', 'gifts', 'unclaimed') then unit = 'usd'
        when purse_id is null and name in ('minted', 'used', 'lapsed') then unit = 's'
        when purse_id is not null and name in ('credits', 'debt', 'heldCredits') then unit = 'usd'
        when purse_id is not null and name in ('heldFree', 'heldPaid', 'lot') then unit = 's'
        else false end
        and (name = 'lot') = (paid is not null) and (name = 'lot') = (source is not null)
        and (name = 'lot' or lapses_at is null)`,
    ),
  ],
);

/** Events; the key makes each one happen once. */
export const ledgerPostings = pgTable(
  'ledger_postings',
  {
    id: bigint('id', { mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
    key: text('key').notNull().unique(),
    kind: text('kind').notNull(),
    /** The person who caused it; null: the house. */
    by: text('by'),
    holdId: text('hold_id').references(() => holds.id),
    meetingId: text('meeting_id'),
    groupId: text('group_id'),
    details: jsonb('details').$type<Record<string, unknown>>().notNull().default({}),
    at: when('at').notNull(),
  },
  (t) => [
    index('ledger_postings_group')
      .on(t.groupId, t.at)
      .where(sql`group_id is not null`),
    index('ledger_postings_hold')
      .on(t.holdId)
      .where(sql`hold_id is not null`),
  ],
);

/** An amount that an event moves from one account to another. */
export const ledgerTransfers = pgTable(
  'ledger_transfers',
  {
    postingId: amount('posting_id')
      .notNull()
      .references(() => ledgerPostings.id),
    nth: smallint('nth').notNull(),
    fromAccount: text('from_account').notNull(),
    toAccount: text('to_account').notNull(),
    unit: text('unit').$type<Unit>().notNull(),
    amount: amount('amount').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.postingId, t.nth] }),
    foreignKey({
      name: 'ledger_transfers_from',
      columns: [t.fromAccount, t.unit],
      foreignColumns: [ledgerAccounts.id, ledgerAccounts.unit],
    }),
    foreignKey({
      name: 'ledger_transfers_to',
      columns: [t.toAccount, t.unit],
      foreignColumns: [ledgerAccounts.id, ledgerAccounts.unit],
    }),
    check('ledger_transfers_amount', sql`amount > 0`),
    check('ledger_transfers_two', sql`from_account <> to_account`),
  ],
);

/** The transactions of a person; what is held is still theirs, so that a job is one line. */
export const ledgerLines = pgTable(
  'ledger_lines',
  {
    purseId: text('purse_id')
      .notNull()
      .references(() => purses.id),
    nth: integer('nth').notNull(),
    postingId: amount('posting_id')
      .notNull()
      .references(() => ledgerPostings.id),
    usd: amount('usd').notNull(),
    freeSeconds: amount('free_seconds').notNull(),
    paidSeconds: amount('paid_seconds').notNull(),
  },
  (t) => [primaryKey({ columns: [t.purseId, t.nth] }), uniqueIndex('ledger_lines_posting').on(t.postingId, t.purseId)],
);

/** Money and minutes reserved for work that is under way. */
export const holds = pgTable(
  'holds',
  {
    id: text('id').primaryKey(),
    purseId: text('purse_id')
      .notNull()
      .references(() => purses.id),
    purpose: text('purpose').notNull(),
    meetingId: text('meeting_id').notNull(),
    /** Empty where a recording has one such work at a time; else who asked for it. */
    subject: text('subject').notNull().default(''),
    groupId: text('group_id'),
    /** The member whom the payer pays for. */
    memberId: text('member_id'),
    model: text('model'),
    /** Micro-dollars a minute; null for work with a fixed price. */
    minutePrice: amount('minute_price'),
    state: text('state').$type<'open' | 'captured' | 'released'>().notNull(),
    createdAt: when('created_at').notNull(),
    until: when('until').notNull(),
  },
  (t) => [
    uniqueIndex('holds_open')
      .on(t.meetingId, t.purpose, t.subject)
      .where(sql`state = 'open'`),
    // Recordings are shared at a price, and made paid ones, once.
    uniqueIndex('holds_once')
      .on(t.meetingId, t.purpose)
      .where(sql`state = 'captured' and purpose in ('share', 'upgrade')`),
    index('holds_paid')
      .on(t.meetingId)
      .where(sql`state = 'captured'`),
    index('holds_group')
      .on(t.groupId)
      .where(sql`state = 'open' and group_id is not null`),
    index('holds_until')
      .on(t.until)
      .where(sql`state = 'open'`),
    index('holds_purse')
      .on(t.purseId)
      .where(sql`state = 'open'`),
    index('holds_meeting').on(t.meetingId),
    check('holds_state', sql`state in ('open', 'captured', 'released')`),
  ],
);
