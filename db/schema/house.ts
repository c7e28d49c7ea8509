import { sql } from 'drizzle-orm';
import { bigint, boolean, customType, index, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
const when = (name: string) => timestamp(name, { withTimezone: true });

/** Keys that sign short-lived tokens; created at the first start, shared by all processes. */
export const signingKeys = pgTable('signing_keys', {
  id: text('id').primaryKey(),
  secret: bytes('secret').notNull(),
  createdAt: when('created_at').notNull().defaultNow(),
});

/** Mail, from the transaction that decides to send it until it is sent. */
export const mailOutbox = pgTable(
  'mail_outbox',
  {
    id: text('id').primaryKey(),
    /** One mail for each event: a retry finds the existing row. */
    dedupeKey: text('dedupe_key').unique(),
    /** Fixed for each row, so that a mail server recognizes a duplicate. */
    messageId: text('message_id').notNull().unique(),
    toAddress: text('to_address').notNull(),
    subject: text('subject').notNull(),
    text: text('text').notNull(),
    html: text('html').notNull(),
    createdAt: when('created_at').notNull(),
    /** After this time the mail's link has expired, and the mail is dropped. */
    expiresAt: when('expires_at').notNull(),
    attempts: integer('attempts').notNull().default(0),
    nextAt: when('next_at').notNull(),
    leasedUntil: when('leased_until'),
    sentAt: when('sent_at'),
    failedAt: when('failed_at'),
    /**
     * The connection broke after a mail server had received all of it: it may have been delivered, so there is at most
     * one more attempt.
     */
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

/** Attempts within a rate limit's window. */
export type NewMail = typeof mailOutbox.$inferInsert;

export const rateLimits = pgTable(
  'rate_limits',
  {
    key: text('key').primaryKey(),
    count: bigint('count', { mode: 'number' }).notNull(),
    resetsAt: when('resets_at').notNull(),
  },
  (t) => [index('rate_limits_reset').on(t.resetsAt)],
);

/** Proofs of work that were used: each counts once. */
export const usedProofs = pgTable(
  'used_proofs',
  { hash: bytes('hash').primaryKey(), expiresAt: when('expires_at').notNull() },
  (t) => [index('used_proofs_expiry').on(t.expiresAt)],
);
