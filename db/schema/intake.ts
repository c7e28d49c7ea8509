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
import type { ImportFormat } from '#shared/formats/formats.ts';
import type { ServiceFileType, ServiceId } from '#shared/meeting-services.ts';
import { users } from './accounts.ts';
import { meetings } from './meetings.ts';

const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
const when = (name: string) => timestamp(name, { withTimezone: true });

/**
 * A file somebody sends, from the moment it is announced. It belongs to no meeting until one is made of it; when the row
 * goes, a trigger hands its file to `store_leftovers`.
 */
export const uploads = pgTable(
  'uploads',
  {
    id: text('id').primaryKey(),
    ownerId: text('owner_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** As announced; nothing else is ever taken for complete. */
    bytes: bigint('bytes', { mode: 'number' }).notNull(),
    storeKey: text('store_key').notNull().unique(),
    /** What the store calls the upload, and how long its parts are; null where the file comes as a whole. */
    reference: text('reference'),
    partBytes: integer('part_bytes'),
    createdAt: when('created_at').notNull(),
    /** When its sender was last heard of. */
    touchedAt: when('touched_at').notNull(),
    completedAt: when('completed_at'),
    /** The digest of the digests of its parts: the same file sent twice has the same. Null where the store does not tell. */
    digest: bytes('digest'),
    meetingId: text('meeting_id')
      .unique()
      .references(() => meetings.id, { onDelete: 'cascade' }),
  },
  (t) => [index('uploads_owner').on(t.ownerId, t.createdAt), index('uploads_touched').on(t.touchedAt)],
);

/** How a meeting came to be, and how far it is. */
export const intakes = pgTable(
  'intakes',
  {
    meetingId: text('meeting_id')
      .primaryKey()
      .references(() => meetings.id, { onDelete: 'cascade' }),
    ownerId: text('owner_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The request that made it, and what that said: a retry finds the meeting, another order under its name does not. */
    requestId: text('request_id').notNull(),
    requestDigest: bytes('request_digest').notNull(),
    /** `created` until somebody has chosen how it is paid for: lists do not show it. */
    state: text('state').$type<'created' | 'processing' | 'ready' | 'failed'>().notNull(),
    percentage: integer('percentage').notNull().default(0),
    /** Why it failed, as a key of the texts. */
    failure: text('failure'),
    title: text('title').notNull(),
    model: text('model').notNull(),
    lang: text('lang').notNull(),
    speakers: integer('speakers').notNull(),
    vocabulary: text('vocabulary').notNull(),
    /** The file somebody brought along, until its words stand in the document. */
    transcript: bytes('transcript'),
    transcriptName: text('transcript_name'),
    transcriptType: text('transcript_type').$type<ImportFormat>(),
    /** Its words stand in the document: moved on together with the row of the log that has them. */
    transcriptEntered: boolean('transcript_entered').notNull().default(false),
    /** How far an engine has written it down, in milliseconds: moved on together with the row of the log that has the words. */
    heardMs: integer('heard_ms').notNull().default(0),
    /** Trial minutes taken for it, and of whom: whoever shares a recording with its owner may have it processed. */
    minutesHeld: integer('minutes_held').notNull().default(0),
    payerId: text('payer_id').references(() => users.id, { onDelete: 'set null' }),
    createdAt: when('created_at').notNull(),
    finishedAt: when('finished_at'),
  },
  (t) => [
    uniqueIndex('intakes_request').on(t.ownerId, t.requestId),
    index('intakes_created').on(t.createdAt),
    index('intakes_payer')
      .on(t.payerId)
      .where(sql`${t.payerId} is not null`),
  ],
);

/** A recording that another service has: fetched by a job before anything else is done with it. */
export const recordingImports = pgTable(
  'recording_imports',
  {
    meetingId: text('meeting_id')
      .primaryKey()
      .references(() => meetings.id, { onDelete: 'cascade' }),
    service: text('service').$type<ServiceId>().notNull(),
    /** What the service calls the meeting, and the file of it. */
    recordingId: text('recording_id').notNull(),
    fileId: text('file_id').notNull(),
    fileType: text('file_type').$type<ServiceFileType>().notNull(),
    /** What its file is called here. */
    name: text('name').notNull(),
    /** As the service says; null where it does not. */
    seconds: integer('seconds'),
  },
  (t) => [index('recording_imports_file').on(t.service, t.recordingId, t.fileId)],
);

/** What a person has let us do in their name at another service, until they log out there. */
export const serviceAccounts = pgTable(
  'service_accounts',
  {
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    service: text('service').$type<ServiceId>().notNull(),
    /** Both tokens, sealed for this person and service (server/keys.ts). */
    sealed: bytes('sealed').notNull(),
    /** Another one with each pair of tokens. */
    generation: text('generation').notNull(),
    /** Of the shorter-lived token. */
    expiresAt: when('expires_at').notNull(),
    /** Until then one of us is asking for the next pair: the service takes each token for it once. */
    renewingUntil: when('renewing_until'),
    createdAt: when('created_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.service] })],
);

/** Somebody is at another service to let us in; only the session that began it can end it. */
export const serviceFlows = pgTable(
  'service_flows',
  {
    stateHash: bytes('state_hash').primaryKey(),
    service: text('service').$type<ServiceId>().notNull(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    sessionHash: bytes('session_hash').notNull(),
    verifier: text('verifier').notNull(),
    redirectUri: text('redirect_uri').notNull(),
    nextPath: text('next_path').notNull(),
    expiresAt: when('expires_at').notNull(),
  },
  (t) => [index('service_flows_expiry').on(t.expiresAt)],
);
