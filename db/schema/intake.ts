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
import type { TranscriptType } from '#shared/formats/formats.ts';
import type { ServiceFileType, ServiceId } from '#shared/meeting-services.ts';
import { invitations, users } from './accounts.ts';
import { holds } from './billing.ts';
import { meetings } from './meetings.ts';

const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
const when = (name: string) => timestamp(name, { withTimezone: true });

/**
 * Uploaded files, from their announcement on. An upload has no meeting until one is made of it; when the row is
 * deleted, a trigger adds its file to `store_leftovers`.
 */
export const uploads = pgTable(
  'uploads',
  {
    id: text('id').primaryKey(),
    ownerId: text('owner_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** The announced length; a file of any other length is never complete. */
    bytes: bigint('bytes', { mode: 'number' }).notNull(),
    storeKey: text('store_key').notNull().unique(),
    /** The store's name for the upload, and the length of its parts; null for a file sent in one piece. */
    reference: text('reference'),
    partBytes: integer('part_bytes'),
    createdAt: when('created_at').notNull(),
    /** Last request of its sender. */
    touchedAt: when('touched_at').notNull(),
    completedAt: when('completed_at'),
    /** Digest of the digests of its parts, equal for equal files. Null if the store does not report them. */
    digest: bytes('digest'),
    meetingId: text('meeting_id')
      .unique()
      .references(() => meetings.id, { onDelete: 'cascade' }),
  },
  (t) => [
    index('uploads_owner').on(t.ownerId, t.createdAt),
    index('uploads_touched').on(t.touchedAt),
    index('uploads_digest').on(t.digest),
  ],
);

/** Intake of a meeting: how it was added, and its progress. */
export const intakes = pgTable(
  'intakes',
  {
    meetingId: text('meeting_id')
      .primaryKey()
      .references(() => meetings.id, { onDelete: 'cascade' }),
    ownerId: text('owner_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /**
     * The request that made the meeting, and a digest of its content: a retry finds the meeting, another request with
     * the same id does not.
     */
    requestId: text('request_id').notNull(),
    requestDigest: bytes('request_digest').notNull(),
    /** `created` until a payment option is chosen; lists do not show it before. `recording` in a browser, just now. */
    state: text('state').$type<'created' | 'recording' | 'processing' | 'ready' | 'failed'>().notNull(),
    percentage: integer('percentage').notNull().default(0),
    /** Reason of the failure, as a text key. */
    failure: text('failure'),
    title: text('title').notNull(),
    model: text('model').notNull(),
    lang: text('lang').notNull(),
    speakers: integer('speakers').notNull(),
    vocabulary: text('vocabulary').notNull(),
    /** Address of the person who is asked to assess the recording when its processing begins; null: nobody, or done. */
    mentor: text('mentor'),
    /** Invitation by which the recording was added, until then. */
    invitationId: text('invitation_id').references(() => invitations.id, { onDelete: 'set null' }),
    /** The transcript file added with the recording, until its words are in the document. */
    transcript: bytes('transcript'),
    transcriptName: text('transcript_name'),
    transcriptType: text('transcript_type').$type<TranscriptType>(),
    /** True once its words are in the document: set together with the row of the log that adds them. */
    transcriptEntered: boolean('transcript_entered').notNull().default(false),
    /** Milliseconds an engine has transcribed: updated together with the row of the log that adds the words. */
    heardMs: integer('heard_ms').notNull().default(0),
    /** Money and minutes reserved for it. */
    holdId: text('hold_id').references(() => holds.id),
    /** Reserved minutes and their payer before there were holds; no longer read. */
    minutesHeld: integer('minutes_held').notNull().default(0),
    payerId: text('payer_id').references(() => users.id, { onDelete: 'set null' }),
    /** Length that the price was agreed for, and the length of the decoded sound; null until known. */
    agreedMs: integer('agreed_ms'),
    measuredMs: integer('measured_ms'),
    createdAt: when('created_at').notNull(),
    finishedAt: when('finished_at'),
  },
  (t) => [
    uniqueIndex('intakes_request').on(t.ownerId, t.requestId),
    index('intakes_invitation').on(t.invitationId),
    index('intakes_created').on(t.createdAt),
    index('intakes_hold')
      .on(t.holdId)
      .where(sql`${t.holdId} is not null`),
    index('intakes_payer')
      .on(t.payerId)
      .where(sql`${t.payerId} is not null`),
  ],
);

/** Recordings at another service: a job fetches them before any other step. */
export const recordingImports = pgTable(
  'recording_imports',
  {
    meetingId: text('meeting_id')
      .primaryKey()
      .references(() => meetings.id, { onDelete: 'cascade' }),
    service: text('service').$type<ServiceId>().notNull(),
    /** The service's ids of the meeting and of the file. */
    recordingId: text('recording_id').notNull(),
    fileId: text('file_id').notNull(),
    fileType: text('file_type').$type<ServiceFileType>().notNull(),
    /** The file's name in this product. */
    name: text('name').notNull(),
    /** Duration reported by the service; null if unknown. */
    seconds: integer('seconds'),
  },
  (t) => [index('recording_imports_file').on(t.service, t.recordingId, t.fileId)],
);

/** Permission to act in a person's name at another service, until they log out there. */
export const serviceAccounts = pgTable(
  'service_accounts',
  {
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    service: text('service').$type<ServiceId>().notNull(),
    /** Both tokens, encrypted for this person and service (server/keys.ts). */
    sealed: bytes('sealed').notNull(),
    /** Changes with each pair of tokens. */
    generation: text('generation').notNull(),
    /** Expiry of the shorter-lived token. */
    expiresAt: when('expires_at').notNull(),
    /** Until then one process requests the next pair: the service accepts each refresh token once. */
    renewingUntil: when('renewing_until'),
    createdAt: when('created_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.service] })],
);

/** Authorizations in progress at another service; only the session that began one can finish it. */
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
