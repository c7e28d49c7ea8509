import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  customType,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { ActionKind } from '#shared/actions.ts';
import type { Filters } from '#shared/filters.ts';
import type { SearchView } from '#shared/searches.ts';
import { users } from './accounts.ts';
import { rooms } from './rooms.ts';

const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
const vector = customType<{ data: string }>({ dataType: () => 'tsvector' });

// The index of all words, made of the rooms (server/finding/indexing.ts); it can be rebuilt at any time. Audience of a row:
// `t` all who read the recording, `m` those who read its own annotations too, `u:<person>` that person alone,
// `l:<layer>` readers of that layer.

/** State of each room that is indexed. */
export const searchRooms = pgTable(
  'search_rooms',
  {
    room: text('room')
      .primaryKey()
      .references(() => rooms.name, { onDelete: 'cascade' }),
    meetingId: text('meeting_id').notNull(),
    audience: text('audience').notNull(),
    generation: integer('generation').notNull(),
    /** Version of the document (server/rooms/version.ts). */
    version: bigint('version', { mode: 'number' }).notNull(),
    /** Version of the rules that cut texts into words (shared/finding/tokens.ts), or of a part's own (server/finding/indexing.ts). */
    tokens: integer('tokens').notNull(),
    /** Tags, speakers, types of outcomes and the language, each `<facet>:<value>` (shared/facets.ts). */
    facets: text('facets').array().notNull().default([]),
  },
  (t) => [index('search_rooms_meeting').on(t.meetingId)],
);

/** Rows reference the state, not the room, whose row every keystroke locks. */
const room = () =>
  text('room')
    .notNull()
    .references(() => searchRooms.room, { onDelete: 'cascade' });

/**
 * Recordings by word: the words of a room in sixteen parts, so that a corrected word rewrites one of them.
 * `word+` marks what is said often or names something.
 */
export const searchWords = pgTable(
  'search_words',
  {
    room: room(),
    /** With words in curly braces, for people who may write. */
    braces: boolean('braces').notNull(),
    part: smallint('part').notNull(),
    meetingId: text('meeting_id').notNull(),
    audience: text('audience').notNull(),
    lexemes: vector('lexemes').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.room, t.braces, t.part] }),
    index('search_words_lexemes').using('gin', t.lexemes).with({ gin_pending_list_limit: 512 }),
  ],
);

/** Passages of a recording, each of 200 to 400 words in whole paragraphs, or one annotation, speaker, tag or chapter. */
export const searchPassages = pgTable(
  'search_passages',
  {
    room: room(),
    kind: text('kind').notNull(),
    key: text('key').notNull(),
    braces: boolean('braces').notNull(),
    meetingId: text('meeting_id').notNull(),
    audience: text('audience').notNull(),
    fromMs: integer('from_ms'),
    body: text('body').notNull(),
    segments: text('segments').array().notNull(),
    times: bytes('times').notNull(),
    /** Type and grade of an outcome. */
    type: text('type'),
    grade: integer('grade'),
    lexemes: vector('lexemes').notNull(),
    digest: bytes('digest').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.room, t.kind, t.key, t.braces] }),
    index('search_passages_lexemes').using('gin', t.lexemes).with({ gin_pending_list_limit: 512 }),
    index('search_passages_meeting').on(t.meetingId, t.fromMs),
    index('search_passages_outcomes')
      .on(t.meetingId, t.type, t.grade)
      .where(sql`type is not null`),
  ],
);

/** Actions of the last 30 days that a person can undo (server/library/actions.ts). */
export const undoableActions = pgTable(
  'undoable_actions',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    kind: text('kind').$type<ActionKind>().notNull(),
    /** Facts that a list shows of it. */
    what: jsonb('what').$type<Record<string, unknown>>().notNull(),
    /** Number of its parts that are not undone. */
    parts: integer('parts').notNull().default(0),
    /** Unread: the parts are rows of their own. A process of the release before may still write them here. */
    changes: jsonb('changes').$type<unknown[]>().notNull().default([]),
    at: timestamp('at', { withTimezone: true }).notNull(),
    /** Time of undoing its last part. */
    undoneAt: timestamp('undone_at', { withTimezone: true }),
  },
  (t) => [index('undoable_actions_person').on(t.userId, t.at.desc()), index('undoable_actions_at').on(t.at)],
);

/** Parts of actions that are to be changed back, each for itself; one that is undone is deleted. */
export const actionParts = pgTable(
  'action_parts',
  {
    actionId: text('action_id')
      .notNull()
      .references(() => undoableActions.id, { onDelete: 'cascade' }),
    /** Recording or folder that was changed. */
    about: text('about').notNull(),
    change: jsonb('change').notNull(),
  },
  (t) => [primaryKey({ columns: [t.actionId, t.about] })],
);

/** Searches of the library that a person has saved (server/library/saved.ts). */
export const savedSearches = pgTable(
  'saved_searches',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** Comparison key of the name. */
    nameKey: text('name_key').notNull(),
    query: text('query').notNull(),
    filters: jsonb('filters').$type<Filters>().notNull(),
    sort: text('sort').$type<SearchView['sort']>().notNull(),
    /**
     * Folder that is searched; null is the whole library. Without a foreign key: a search in a folder that is gone must
     * not become one in everything.
     */
    folderId: text('folder_id'),
    /** Only what others share with the person. */
    shared: boolean('shared').notNull(),
    /** Recordings that were results when the person looked last, each as the first 64 bits of the MD5 of its id. */
    seen: bigint('seen', { mode: 'bigint' })
      .array()
      .notNull()
      .default(sql`'{}'`),
    lookedAt: timestamp('looked_at', { withTimezone: true }).notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
  },
  (t) => [uniqueIndex('saved_searches_name').on(t.userId, t.nameKey)],
);
