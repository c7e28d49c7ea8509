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
import type { HistoryNeeds } from '#shared/roles.ts';
import { users } from './accounts.ts';
import { folders } from './library.ts';

const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
const when = (name: string) => timestamp(name, { withTimezone: true });

/** Recorded meetings. Their content is in their rooms. */
export const meetings = pgTable(
  'meetings',
  {
    id: text('id').primaryKey(),
    ownerId: text('owner_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: when('created_at').notNull().defaultNow(),
    deletedAt: when('deleted_at'),
    /** Folder in the library; null or a deleted folder means the top level. */
    folderId: text('folder_id').references(() => folders.id, { onDelete: 'set null' }),
    /** The folder whose deletion included this meeting. */
    deletedWith: text('deleted_with'),
    /** The document's version at the last change of its sharing. */
    aclVersion: bigint('acl_version', { mode: 'number' }).notNull().default(0),
    /** The permission that versions and deleted text need: 'write', or 'own' (shared/roles.ts). */
    historyNeeds: text('history_needs').$type<HistoryNeeds>().notNull().default('write'),
    /** Since when nobody changes the text; null while it is open. */
    closedAt: when('closed_at'),
    /** No reference: a closed text outlives the account of the person who closed it. */
    closedBy: text('closed_by'),
    /** Version of the text that was closed. */
    closedVersion: bigint('closed_version', { mode: 'number' }),
    /** The meeting this one is a copy of. No reference: a copy outlives it. */
    clonedFrom: text('cloned_from'),
    /** The assistant that is asked about it by default; one that is no longer offered counts as none. */
    chatModelId: text('chat_model_id'),
    /** The document's version at the last change of that. */
    chatModelVersion: bigint('chat_model_version', { mode: 'number' }).notNull().default(0),
  },
  (t) => [
    index('meetings_owner').on(t.ownerId),
    index('meetings_folder').on(t.folderId),
    index('meetings_deleted_with')
      .on(t.deletedWith)
      .where(sql`deleted_with is not null`),
    index('meetings_cloned_from')
      .on(t.clonedFrom)
      .where(sql`cloned_from is not null`),
  ],
);

/**
 * Permissions besides the owner's: one row for a person ('user'), one for an address that is not confirmed or has not
 * visited yet ('pending', with its key), and at most one for everyone with the link ('anonymous', ''). That of an address
 * which declined ('declined') gives nothing: it keeps what accepting would give.
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
    /** The address as the sharing person entered it. */
    email: text('email'),
    /** First visit of the person: from then on people who share the meeting see each other. */
    seenAt: when('seen_at'),
    /** Access code of a link, as a keyed hash; each new code has another id. */
    codeHash: bytes('code_hash'),
    codeId: text('code_id'),
    /** Expiry of a link. */
    expiresAt: when('expires_at'),
  },
  (t) => [
    primaryKey({ columns: [t.meetingId, t.kind, t.principalId] }),
    index('meeting_access_principal').on(t.kind, t.principalId),
    index('meeting_access_expiry')
      .on(t.expiresAt)
      .where(sql`expires_at is not null`),
    // Serves the search in other people's recordings, which leaves out the many that have only a link.
    index('meeting_access_discover')
      .on(t.meetingId)
      .where(sql`kind = 'anonymous' and 'discover' = any(permissions)`),
  ],
);

/**
 * Holders who entered the access code of a link: a browser ('b:' and the hash of its cookie), or a person with an API
 * token ('u:').
 */
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

/** Requests for access, by people without it or with less than the role they ask for. */
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
    /** The role they ask for. */
    role: text('role').notNull().default('canRead'),
    at: when('at').notNull(),
    answeredAt: when('answered_at'),
  },
  (t) => [uniqueIndex('access_requests_pair').on(t.meetingId, t.userId), index('access_requests_user').on(t.userId)],
);

/**
 * Properties of a meeting that lists show, read from its transcript at `version` (server/rooms/version.ts). The table
 * can be rebuilt from the rooms at any time.
 */
export const meetingProjections = pgTable('meeting_projections', {
  meetingId: text('meeting_id')
    .primaryKey()
    .references(() => meetings.id, { onDelete: 'cascade' }),
  version: bigint('version', { mode: 'number' }).notNull(),
  title: text('title').notNull(),
  /** Normalized title for sorting and searching: independent of the database's collations. */
  titleKey: text('title_key').notNull(),
  words: integer('words').notNull(),
  speakers: integer('speakers').notNull(),
  /** End of the last word; with a recording, the recording's duration counts instead. */
  spokenMs: integer('spoken_ms').notNull(),
  /** Turns of the speakers (shared/meetings/glance.ts); null in a row of an older version, until it is read anew. */
  lanes: text('lanes'),
  /** First words, without what is in curly braces. */
  opening: text('opening'),
  /** First lines for a recording's page (shared/meetings/first-text.ts), as JSON; null like `lanes`. */
  firstText: text('first_text'),
  /** Time of the last change. */
  updatedAt: when('updated_at').notNull(),
});

/**
 * Authors of annotations in a meeting. After an account is deleted, `gone` marks rows whose names are still to be
 * removed from the annotations.
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
