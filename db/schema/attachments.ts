import { sql } from 'drizzle-orm';
import { index, integer, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';
import type { AnnotationKind } from '#shared/meetings/annotations.ts';
import { users } from './accounts.ts';
import { meetings } from './meetings.ts';

const when = (name: string) => timestamp(name, { withTimezone: true });

/**
 * What people spoke about a meeting. Who may hear it is told by the item that carries it, where that stands; here is only
 * which one was meant to. The bytes are in the store; a trigger remembers them when a row goes (store_leftovers).
 */
export const attachments = pgTable(
  'attachments',
  {
    id: text('id').primaryKey(),
    meetingId: text('meeting_id')
      .notNull()
      .references(() => meetings.id, { onDelete: 'cascade' }),
    /** Whoever sent it; null where the account is gone. */
    userId: text('user_id').references(() => users.id, { onDelete: 'set null' }),
    type: text('type').notNull(),
    bytes: integer('bytes').notNull(),
    durationMs: integer('duration_ms'),
    storeKey: text('store_key').notNull(),
    /** Of the request that sent it: sent again because its answer got lost, it is not taken twice. */
    requestId: text('request_id'),
    annotationKind: text('item_kind').$type<AnnotationKind>(),
    itemId: text('item_id'),
    createdAt: when('created_at').notNull(),
    /** When its item was last looked for. */
    lookedAt: when('looked_at').notNull(),
  },
  (t) => [
    index('attachments_meeting').on(t.meetingId),
    index('attachments_user').on(t.userId),
    uniqueIndex('attachments_request').on(t.meetingId, t.userId, t.requestId),
    index('attachments_unused')
      .on(t.createdAt)
      .where(sql`item_id is null`),
    index('attachments_looked').on(t.lookedAt),
  ],
);
