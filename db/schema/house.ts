import { sql } from 'drizzle-orm';
import { bigint, boolean, customType, index, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
const when = (name: string) => timestamp(name, { withTimezone: true });

/** Keys the house signs its short-lived tokens with; made at the first start, shared by all processes. */
export const signingKeys = pgTable('signing_keys', {
  id: text('id').primaryKey(),
  secret: bytes('secret').notNull(),
  createdAt: when('created_at').notNull().defaultNow(),
});

/** Mail waits here from the transaction that decided on it until it has left. */
export const mailOutbox = pgTable(
  'mail_outbox',
  {
    id: text('id').primaryKey(),
    /** One decision, one mail: a retry of the same deed finds its row. */
    dedupeKey: text('dedupe_key').unique(),
    /** Fixed per row, so that a mail server that got it twice can tell. */
    messageId: text('message_id').notNull().unique(),
    toAddress: text('to_address').notNull(),
    subject: text('subject').notNull(),
    text: text('text').notNull(),
    html: text('html').notNull(),
    createdAt: when('created_at').notNull(),
    /** After this the mail's link is dead, so it is dropped instead of sent. */
    expiresAt: when('expires_at').notNull(),
    attempts: integer('attempts').notNull().default(0),
    nextAt: when('next_at').notNull(),
    leasedUntil: when('leased_until'),
    sentAt: when('sent_at'),
    failedAt: when('failed_at'),
    /** A mail server once had all of it when the line broke: it may have been delivered, so it is tried once more at most. */
    unsure: boolean('unsure').notNull().default(false),
    lastError: text('last_error'),
  },
  (t) => [
    index('mail_outbox_due')
      .on(t.nextAt)
      .where(sql`sent_at is null and failed_at is null`),
    index('mail_outbox_to').on(t.toAddress, t.createdAt),
  ],
);

/** How often something was tried within its window. */
export const rateLimits = pgTable(
  'rate_limits',
  {
    key: text('key').primaryKey(),
    count: bigint('count', { mode: 'number' }).notNull(),
    resetsAt: when('resets_at').notNull(),
  },
  (t) => [index('rate_limits_reset').on(t.resetsAt)],
);

/** Proofs of work already handed in: each counts once. */
export const usedProofs = pgTable(
  'used_proofs',
  { hash: bytes('hash').primaryKey(), expiresAt: when('expires_at').notNull() },
  (t) => [index('used_proofs_expiry').on(t.expiresAt)],
);
