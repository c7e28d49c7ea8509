import { bigint, index, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import type { MediaTag, trackTag } from '#shared/meetings/media.ts';
import { meetings } from './meetings.ts';

/** Recordings of a meeting and files made of them. The bytes are in the store, under `store_key`. */
export const media = pgTable(
  'media',
  {
    id: text('id').primaryKey(),
    meetingId: text('meeting_id')
      .notNull()
      .references(() => meetings.id, { onDelete: 'cascade' }),
    tag: text('tag').$type<MediaTag | typeof trackTag>().notNull(),
    name: text('name').notNull(),
    type: text('type').notNull(),
    bytes: bigint('bytes', { mode: 'number' }).notNull(),
    durationMs: integer('duration_ms'),
    storeKey: text('store_key').notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (t) => [index('media_meeting').on(t.meetingId)],
);

/** Files of the store whose row was deleted: triggers add them, housekeeping removes the files. */
export const storeLeftovers = pgTable('store_leftovers', { key: text('key').primaryKey() });
