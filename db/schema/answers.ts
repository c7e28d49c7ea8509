import { customType, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';

const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/**
 * Answers to changing requests, by request id, for a day. A row is written in the same transaction as the change, so
 * that nothing is done twice if a process dies.
 */
export const requestAnswers = pgTable(
  'request_answers',
  {
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    requestId: text('request_id').notNull(),
    /** Hash of the request: the same id with another request is an error. */
    fingerprint: bytes('fingerprint').notNull(),
    status: integer('status').notNull(),
    etag: text('etag'),
    body: text('body'),
    at: timestamp('at', { withTimezone: true }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.requestId] }), index('request_answers_at').on(t.at)],
);
