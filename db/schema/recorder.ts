import { customType, index, integer, jsonb, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import type { Gap, LiveState, Track } from '#shared/recorder.ts';
import { users } from './accounts.ts';
import { meetings } from './meetings.ts';

const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
const when = (name: string) => timestamp(name, { withTimezone: true });

/** Meetings that are, or were, recorded in a browser. */
export const liveRecordings = pgTable(
  'live_recordings',
  {
    meetingId: text('meeting_id')
      .primaryKey()
      .references(() => meetings.id, { onDelete: 'cascade' }),
    /** The person who began the recording; nobody else may send sound for it. */
    personId: text('person_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    state: text('state').$type<LiveState>().notNull(),
    tracks: text('tracks').array().$type<Track[]>().notNull(),
    model: text('model').notNull(),
    lang: text('lang').notNull(),
    /** Version of the notice that was confirmed, and when. */
    consentVersion: integer('consent_version').notNull(),
    consentAt: when('consent_at').notNull(),
    /** Times that were not recorded; known when the file is made. */
    gaps: jsonb('gaps').$type<Gap[]>().notNull().default([]),
    /** The scope it was begun in, by which a team pays or the person; null: the personal one. */
    scopeId: text('scope_id'),
    startedAt: when('started_at').notNull(),
    endedAt: when('ended_at'),
    /** Time of making and verifying the file; its pieces are deleted some time after. */
    assembledAt: when('assembled_at'),
  },
  (t) => [index('live_recordings_person').on(t.personId), index('live_recordings_state').on(t.state)],
);

/** Runs of a recorder on one track. */
export const takes = pgTable(
  'takes',
  {
    id: text('id').primaryKey(),
    meetingId: text('meeting_id')
      .notNull()
      .references(() => liveRecordings.meetingId, { onDelete: 'cascade' }),
    track: text('track').$type<Track>().notNull(),
    type: text('type').notNull(),
    /** Milliseconds from the start of the recording to the start of the take, by the recording device. */
    offsetMs: integer('offset_ms').notNull(),
    /** All pieces up to this one are stored; they are counted from 1. */
    kept: integer('kept').notNull().default(0),
    /** The highest piece that is stored; more than `kept` while one before it is missing. */
    highest: integer('highest').notNull().default(0),
    bytes: integer('bytes').notNull().default(0),
    /** Number of pieces, once its device has said so. */
    pieces: integer('pieces'),
    createdAt: when('created_at').notNull(),
    lastPieceAt: when('last_piece_at'),
    /** Since then another take of the track may begin. */
    endedAt: when('ended_at'),
  },
  (t) => [index('takes_meeting').on(t.meetingId)],
);

/** Recorded sound, as it came; a row has the pieces of about a second. */
export const takePieces = pgTable(
  'take_pieces',
  {
    takeId: text('take_id')
      .notNull()
      .references(() => takes.id, { onDelete: 'cascade' }),
    firstN: integer('first_n').notNull(),
    lastN: integer('last_n').notNull(),
    bytes: bytes('bytes').notNull(),
    /** Length and SHA-256 of each piece, one behind the other. */
    lengths: integer('lengths').array().notNull(),
    digests: bytes('digests').notNull(),
  },
  (t) => [primaryKey({ columns: [t.takeId, t.firstN] })],
);
