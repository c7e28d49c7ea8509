import { sql } from 'drizzle-orm';
import { index, integer, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';
import type { AnnotationKind } from '#shared/meetings/annotations.ts';
import { users } from './accounts.ts';
import { meetings } from './meetings.ts';
import { layers } from './reviews.ts';

const when = (name: string) => timestamp(name, { withTimezone: true });

/**
 * Voice notes and files of a meeting. The annotation that carries one defines who can hear it; the row only names the annotation
 * it was sent for. The bytes are in the store; a trigger lists them in store_leftovers when a row is deleted.
 */
export const attachments = pgTable(
  'attachments',
  {
    id: text('id').primaryKey(),
    meetingId: text('meeting_id')
      .notNull()
      .references(() => meetings.id, { onDelete: 'cascade' }),
    /** Layer by whose id it was sent, and is opened; null for the recording itself. */
    layerId: text('layer_id').references(() => layers.id, { onDelete: 'cascade' }),
    /** The sender; null after their account was deleted. */
    userId: text('user_id').references(() => users.id, { onDelete: 'set null' }),
    type: text('type').notNull(),
    /** Name of a file; null for a voice note. */
    name: text('name'),
    bytes: integer('bytes').notNull(),
    durationMs: integer('duration_ms'),
    storeKey: text('store_key').notNull(),
    /** Id of the request that sent it: a repeated request does not store it twice. */
    requestId: text('request_id'),
    annotationKind: text('item_kind').$type<AnnotationKind>(),
    itemId: text('item_id'),
    createdAt: when('created_at').notNull(),
    /** Time of deletion, which can be undone for a day. */
    deletedAt: when('deleted_at'),
    /** Last search of housekeeping for its annotation. */
    lookedAt: when('looked_at').notNull(),
  },
  (t) => [
    index('attachments_meeting').on(t.meetingId),
    index('attachments_layer')
      .on(t.layerId)
      .where(sql`layer_id is not null`),
    index('attachments_user').on(t.userId),
    uniqueIndex('attachments_request').on(t.meetingId, sql`coalesce(${t.layerId}, '')`, t.userId, t.requestId),
    index('attachments_unused')
      .on(t.createdAt)
      .where(sql`item_id is null`),
    index('attachments_looked').on(t.lookedAt),
  ],
);
