import { sql } from 'drizzle-orm';
import { index, integer, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';
import { meetings } from './meetings.ts';

const when = (name: string) => timestamp(name, { withTimezone: true });

/**
 * Work that takes longer than a request. Whoever holds the lease does it, in one process at a time: who has lost it finds
 * another one in the row and can finish nothing any more.
 */
export const jobs = pgTable(
  'jobs',
  {
    id: text('id').primaryKey(),
    kind: text('kind').notNull(),
    meetingId: text('meeting_id')
      .notNull()
      .references(() => meetings.id, { onDelete: 'cascade' }),
    state: text('state').$type<'waiting' | 'running' | 'done' | 'failed' | 'cancelled'>().notNull(),
    /** What it did last, for whoever looks after the house. */
    step: text('step').notNull().default(''),
    attempts: integer('attempts').notNull().default(0),
    nextAt: when('next_at').notNull(),
    lease: text('lease'),
    leasedUntil: when('leased_until'),
    /** It ends by then, one way or the other; counted from its first try. */
    deadlineAt: when('deadline_at'),
    error: text('error'),
    /** Files it may leave in the store; a trigger hands them over when the row goes. */
    storeKeys: text('store_keys').array().notNull().default([]),
    createdAt: when('created_at').notNull(),
    finishedAt: when('finished_at'),
  },
  (t) => [
    // A meeting has one of a kind at a time.
    uniqueIndex('jobs_one')
      .on(t.kind, t.meetingId)
      .where(sql`state in ('waiting', 'running')`),
    index('jobs_due')
      .on(t.nextAt)
      .where(sql`state in ('waiting', 'running')`),
    index('jobs_meeting').on(t.meetingId),
  ],
);
