import { sql } from 'drizzle-orm';
import { bigint, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';
import { folders } from './library.ts';

const when = (name: string) => timestamp(name, { withTimezone: true });

/** A recorded meeting. What people write on it lives in its rooms. */
export const meetings = pgTable(
  'meetings',
  {
    id: text('id').primaryKey(),
    ownerId: text('owner_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: when('created_at').notNull().defaultNow(),
    deletedAt: when('deleted_at'),
    /** Of the library it lies in; null, or a deleted one: at the top. */
    folderId: text('folder_id').references(() => folders.id, { onDelete: 'set null' }),
    /** The folder whose deletion took it along. */
    deletedWith: text('deleted_with'),
  },
  (t) => [
    index('meetings_owner').on(t.ownerId),
    index('meetings_folder').on(t.folderId),
    index('meetings_deleted_with')
      .on(t.deletedWith)
      .where(sql`deleted_with is not null`),
  ],
);

/** Who beside the owner may do what: one row a person, and at most one for whoever has the link ('anonymous', ''). */
export const meetingAccess = pgTable(
  'meeting_access',
  {
    meetingId: text('meeting_id')
      .notNull()
      .references(() => meetings.id, { onDelete: 'cascade' }),
    kind: text('kind').notNull(),
    principalId: text('principal_id').notNull(),
    permissions: text('permissions').array().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.meetingId, t.kind, t.principalId] }),
    index('meeting_access_principal').on(t.kind, t.principalId),
  ],
);

/**
 * What lists show of a meeting, read from its transcript when that had `version` (server/meetings/version.ts). Nothing
 * hangs on it: it can be made anew from the room at any time.
 */
export const meetingProjections = pgTable('meeting_projections', {
  meetingId: text('meeting_id')
    .primaryKey()
    .references(() => meetings.id, { onDelete: 'cascade' }),
  version: bigint('version', { mode: 'number' }).notNull(),
  title: text('title').notNull(),
  /** The title as it is sorted and searched by: no database has to know the letters of any language. */
  titleKey: text('title_key').notNull(),
  words: integer('words').notNull(),
  speakers: integer('speakers').notNull(),
  /** When the last word ends; where there is a recording, that says how long it is. */
  spokenMs: integer('spoken_ms').notNull(),
  /** When somebody last wrote something. */
  updatedAt: when('updated_at').notNull(),
});
