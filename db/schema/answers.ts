import { customType, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';

const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/**
 * What changing requests were answered, by the id each came with, for a day. A row is written with what its request did,
 * in one transaction, so that nothing is done twice whoever dies in between.
 */
export const requestAnswers = pgTable(
  'request_answers',
  {
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    requestId: text('request_id').notNull(),
    /** Of what was asked: another request under the same id is a mistake. */
    fingerprint: bytes('fingerprint').notNull(),
    status: integer('status').notNull(),
    etag: text('etag'),
    body: text('body'),
    at: timestamp('at', { withTimezone: true }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.requestId] }), index('request_answers_at').on(t.at)],
);
