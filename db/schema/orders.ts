import { sql } from 'drizzle-orm';
import { customType, index, integer, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';
import type { TranscriptType } from '#shared/formats/formats.ts';
import { users } from './accounts.ts';
import { meetings } from './meetings.ts';

const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
const when = (name: string) => timestamp(name, { withTimezone: true });

/** Orders for human transcripts, with everything an operator may know of the recording. */
export const orders = pgTable(
  'orders',
  {
    id: text('id').primaryKey(),
    meetingId: text('meeting_id')
      .notNull()
      .references(() => meetings.id, { onDelete: 'cascade' }),
    state: text('state').$type<'open' | 'delivered' | 'refused' | 'withdrawn'>().notNull(),
    title: text('title').notNull(),
    lang: text('lang').notNull(),
    speakers: integer('speakers').notNull(),
    vocabulary: text('vocabulary').notNull(),
    durationMs: integer('duration_ms'),
    createdAt: when('created_at').notNull(),
    /** The operator who works on it, or did; if their account is deleted, it waits for another. */
    holderId: text('holder_id').references(() => users.id, { onDelete: 'set null' }),
    /** The delivered file, until its words are in the document. */
    transcript: bytes('transcript'),
    transcriptType: text('transcript_type').$type<TranscriptType>(),
    /** The request that delivered it. */
    requestId: text('request_id'),
    /** The intake's `heard_ms` before these words; entering them advances it. */
    heardFrom: integer('heard_from'),
    refusal: text('refusal'),
    /** Failure to enter the delivered file, as a text key. */
    failure: text('failure'),
    finishedAt: when('finished_at'),
  },
  (t) => [
    // A meeting has one open order at a time.
    uniqueIndex('orders_open')
      .on(t.meetingId)
      .where(sql`state = 'open'`),
    index('orders_meeting').on(t.meetingId),
    index('orders_state').on(t.state, t.createdAt),
  ],
);
