import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  customType,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';
import { folders } from './library.ts';

const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
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
    /** The document's version in which its sharing was last changed. */
    aclVersion: bigint('acl_version', { mode: 'number' }).notNull().default(0),
  },
  (t) => [
    index('meetings_owner').on(t.ownerId),
    index('meetings_folder').on(t.folderId),
    index('meetings_deleted_with')
      .on(t.deletedWith)
      .where(sql`deleted_with is not null`),
  ],
);

/**
 * Who beside the owner may do what: one row a person ('user'), one an address that nobody has confirmed to be theirs or has
 * come with yet ('pending', with its key), and at most one for whoever has the link ('anonymous', '').
 */
export const meetingAccess = pgTable(
  'meeting_access',
  {
    meetingId: text('meeting_id')
      .notNull()
      .references(() => meetings.id, { onDelete: 'cascade' }),
    kind: text('kind').notNull(),
    principalId: text('principal_id').notNull(),
    permissions: text('permissions').array().notNull(),
    /** The address as whoever shares knows it. */
    email: text('email'),
    /** When the person first came: from then on those who share with each other know each other. */
    seenAt: when('seen_at'),
    /** Of a link: what has to be typed first, as a keyed hash; another id with each new code. */
    codeHash: bytes('code_hash'),
    codeId: text('code_id'),
    /** Of a link: from then on it opens nothing. */
    expiresAt: when('expires_at'),
  },
  (t) => [
    primaryKey({ columns: [t.meetingId, t.kind, t.principalId] }),
    index('meeting_access_principal').on(t.kind, t.principalId),
    index('meeting_access_expiry')
      .on(t.expiresAt)
      .where(sql`expires_at is not null`),
  ],
);

/** Who has typed the access code of a link: a browser ('b:' and the hash of its cookie), or a person by an API token ('u:'). */
export const linkPasses = pgTable(
  'link_passes',
  {
    meetingId: text('meeting_id')
      .notNull()
      .references(() => meetings.id, { onDelete: 'cascade' }),
    holder: text('holder').notNull(),
    codeId: text('code_id').notNull(),
    expiresAt: when('expires_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.meetingId, t.holder] }), index('link_passes_expiry').on(t.expiresAt)],
);

/** Somebody without access has asked for it. */
export const accessRequests = pgTable(
  'access_requests',
  {
    id: text('id').primaryKey(),
    meetingId: text('meeting_id')
      .notNull()
      .references(() => meetings.id, { onDelete: 'cascade' }),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    at: when('at').notNull(),
    answeredAt: when('answered_at'),
  },
  (t) => [uniqueIndex('access_requests_pair').on(t.meetingId, t.userId), index('access_requests_user').on(t.userId)],
);

/**
 * What lists show of a meeting, read from its transcript when that had `version` (server/rooms/version.ts). Nothing
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

/**
 * Who has said something beside the text of a meeting. When an account goes, their name is taken out of what they said;
 * `gone` is what is still to be done of it.
 */
export const annotationAuthors = pgTable(
  'item_authors',
  {
    meetingId: text('meeting_id')
      .notNull()
      .references(() => meetings.id, { onDelete: 'cascade' }),
    userId: text('user_id').notNull(),
    gone: boolean('gone').notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.meetingId, t.userId] }),
    index('item_authors_user').on(t.userId),
    index('item_authors_gone')
      .on(t.meetingId)
      .where(sql`gone`),
  ],
);
