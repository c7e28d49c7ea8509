import { sql } from 'drizzle-orm';
import { index, integer, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';
import { meetings } from './meetings.ts';

const when = (name: string) => timestamp(name, { withTimezone: true });

/**
 * Jobs that take longer than a request. The holder of the lease works on a job, in one process at a time; a process
 * that lost its lease finds another one in the row and cannot finish the job.
 */
export const jobs = pgTable(
  'jobs',
  {
    id: text('id').primaryKey(),
    kind: text('kind').notNull(),
    /** Null for a job that no recording asks for. */
    meetingId: text('meeting_id').references(() => meetings.id, { onDelete: 'cascade' }),
    /** Subject of the job besides the meeting, such as the name of a model. */
    subject: text('subject').notNull().default(''),
    state: text('state').$type<'waiting' | 'running' | 'done' | 'failed' | 'cancelled'>().notNull(),
    /** The last step, for operators. */
    step: text('step').notNull().default(''),
    attempts: integer('attempts').notNull().default(0),
    nextAt: when('next_at').notNull(),
    lease: text('lease'),
    leasedUntil: when('leased_until'),
    /** Latest end of the job, counted from its first attempt. */
    deadlineAt: when('deadline_at'),
    error: text('error'),
    /** Files it may leave in the store; a trigger adds them to `store_leftovers` when the row is deleted. */
    storeKeys: text('store_keys').array().notNull().default([]),
    createdAt: when('created_at').notNull(),
    finishedAt: when('finished_at'),
  },
  (t) => [
    // A meeting has one unfinished job of a kind and subject; without a meeting there is one of each.
    uniqueIndex('jobs_one')
      .on(t.kind, sql`coalesce(${t.meetingId}, '')`, t.subject)
      .where(sql`state in ('waiting', 'running')`),
    index('jobs_due')
      .on(t.nextAt)
      .where(sql`state in ('waiting', 'running')`),
    index('jobs_meeting').on(t.meetingId),
  ],
);
