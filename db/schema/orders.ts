import { sql } from 'drizzle-orm';
import { customType, index, integer, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';
import type { ImportFormat } from '#shared/formats/formats.ts';
import { users } from './accounts.ts';
import { meetings } from './meetings.ts';

const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
const when = (name: string) => timestamp(name, { withTimezone: true });

/** Transcripts that people were asked to write. What an operator has to know of the recording is told here, and no more. */
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
    /** Whoever works on it, or did; where they are gone it waits for another. */
    holderId: text('holder_id').references(() => users.id, { onDelete: 'set null' }),
    /** The file that answers it, until its words stand in the document. */
    transcript: bytes('transcript'),
    transcriptType: text('transcript_type').$type<ImportFormat>(),
    /** The request that brought it. */
    requestId: text('request_id'),
    /** Where the mark of the intake stood before its words: with them it is moved on. */
    heardFrom: integer('heard_from'),
    refusal: text('refusal'),
    /** Why what was brought could not be entered, as a key of the texts. */
    failure: text('failure'),
    finishedAt: when('finished_at'),
  },
  (t) => [
    // A meeting waits for one at a time.
    uniqueIndex('orders_open')
      .on(t.meetingId)
      .where(sql`state = 'open'`),
    index('orders_meeting').on(t.meetingId),
    index('orders_state').on(t.state, t.createdAt),
  ],
);
