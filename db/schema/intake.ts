import { bigint, customType, index, integer, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';
import type { ImportFormat } from '#shared/formats/formats.ts';
import { users } from './accounts.ts';
import { meetings } from './meetings.ts';

const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
const when = (name: string) => timestamp(name, { withTimezone: true });

/**
 * A file somebody sends, from the moment it is announced. It belongs to no meeting until one is made of it; when the row
 * goes, a trigger hands its file to `store_leftovers`.
 */
export const uploads = pgTable(
  'uploads',
  {
    id: text('id').primaryKey(),
    ownerId: text('owner_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** As announced; nothing else is ever taken for complete. */
    bytes: bigint('bytes', { mode: 'number' }).notNull(),
    storeKey: text('store_key').notNull().unique(),
    /** What the store calls the upload, and how long its parts are; null where the file comes as a whole. */
    reference: text('reference'),
    partBytes: integer('part_bytes'),
    createdAt: when('created_at').notNull(),
    /** When its sender was last heard of. */
    touchedAt: when('touched_at').notNull(),
    completedAt: when('completed_at'),
    /** The digest of the digests of its parts: the same file sent twice has the same. Null where the store does not tell. */
    digest: bytes('digest'),
    meetingId: text('meeting_id')
      .unique()
      .references(() => meetings.id, { onDelete: 'cascade' }),
  },
  (t) => [index('uploads_owner').on(t.ownerId, t.createdAt), index('uploads_touched').on(t.touchedAt)],
);

/** How a meeting came to be, and how far it is. */
export const intakes = pgTable(
  'intakes',
  {
    meetingId: text('meeting_id')
      .primaryKey()
      .references(() => meetings.id, { onDelete: 'cascade' }),
    ownerId: text('owner_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The request that made it, and what that said: a retry finds the meeting, another order under its name does not. */
    requestId: text('request_id').notNull(),
    requestDigest: bytes('request_digest').notNull(),
    /** `created` until somebody has chosen how it is paid for: lists do not show it. */
    state: text('state').$type<'created' | 'processing' | 'ready' | 'failed'>().notNull(),
    percentage: integer('percentage').notNull().default(0),
    /** Why it failed, as a key of the texts. */
    failure: text('failure'),
    title: text('title').notNull(),
    model: text('model').notNull(),
    lang: text('lang').notNull(),
    speakers: integer('speakers').notNull(),
    vocabulary: text('vocabulary').notNull(),
    /** The file somebody brought along, until its words stand in the document. */
    transcript: bytes('transcript'),
    transcriptName: text('transcript_name'),
    transcriptType: text('transcript_type').$type<ImportFormat>(),
    /** How far an engine has written it down, in milliseconds: moved on together with the row of the log that has the words. */
    heardMs: integer('heard_ms').notNull().default(0),
    /** Trial minutes taken for it. */
    minutesHeld: integer('minutes_held').notNull().default(0),
    createdAt: when('created_at').notNull(),
    finishedAt: when('finished_at'),
  },
  (t) => [uniqueIndex('intakes_request').on(t.ownerId, t.requestId), index('intakes_created').on(t.createdAt)],
);
