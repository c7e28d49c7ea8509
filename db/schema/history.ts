import { sql } from 'drizzle-orm';
import { bigint, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import { meetings } from './meetings.ts';
import { rooms } from './rooms.ts';

const when = (name: string) => timestamp(name, { withTimezone: true });
const count = (name: string) => bigint(name, { mode: 'number' });

/** Names that people gave to versions of a transcript. */
export const versionNames = pgTable(
  'version_names',
  {
    meetingId: text('meeting_id')
      .notNull()
      .references(() => meetings.id, { onDelete: 'cascade' }),
    version: count('version').notNull(),
    name: text('name').notNull(),
    /** No reference: a name outlives the account of its author. */
    userId: text('user_id').notNull(),
    at: when('at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.meetingId, t.version] })],
);

/** Generations restored from an earlier state of the same room, which has the authors of their characters. */
export const roomOrigins = pgTable(
  'room_origins',
  {
    room: text('room')
      .notNull()
      .references(() => rooms.name, { onDelete: 'cascade' }),
    generation: integer('generation').notNull(),
    fromGeneration: integer('from_generation').notNull(),
    fromSeq: count('from_seq').notNull(),
  },
  (t) => [primaryKey({ columns: [t.room, t.generation] })],
);

/** Generations that took the place of an earlier one, and what became of annotations on its words. */
export const roomRenewals = pgTable(
  'room_renewals',
  {
    room: text('room')
      .notNull()
      .references(() => rooms.name, { onDelete: 'cascade' }),
    generation: integer('generation').notNull(),
    /** Null until all annotations were carried over. */
    carriedAt: when('carried_at'),
    /** Shared annotations that stand on their words, and those whose words are gone. */
    kept: integer('kept').notNull().default(0),
    lost: integer('lost').notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.room, t.generation] }),
    index('room_renewals_waiting')
      .on(t.room)
      .where(sql`carried_at is null`),
  ],
);
