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
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { ModelId } from '#shared/account-choices.ts';
import type { BlindRecord } from '#shared/reviews/agreement-view.ts';
import type { LayerKind } from '#shared/reviews/grants.ts';
import type { LibraryState } from '#shared/review-states.ts';
import type { Policy, ReviewerRole, ReviewerStatus } from '#shared/reviews/review.ts';
import { users } from './accounts.ts';
import { meetings } from './meetings.ts';

const when = (name: string) => timestamp(name, { withTimezone: true });
const meetingId = () =>
  text('meeting_id')
    .notNull()
    .references(() => meetings.id, { onDelete: 'cascade' });

// Reviews of recordings (shared/reviews/review.ts). Only server/reviews/apply.ts writes these tables; what it deletes
// leaves them thirty days later (server/reviews/trash.ts). People are a kind, 'user' or 'pending', and an id, as in
// meeting_access; no references, as an assessment outlives accounts.

export const reviews = pgTable(
  'reviews',
  {
    id: text('id').primaryKey(),
    meetingId: meetingId(),
    policy: text('policy').$type<Policy>().notNull(),
    /** The account that asked for the review. */
    leaderId: text('leader_id').notNull(),
    /** Set of outcome types that reviewers use; null: each their own. */
    outcomeModel: text('outcome_model').$type<ModelId>(),
    /** Types of a set that people made, as it was when the first reviewer began; null before, and for other sets. */
    askedTypes: text('asked_types').array(),
    anonymous: boolean('anonymous').notNull(),
    /** True if watchers and supervisors are shown as present. */
    observers: boolean('observers').notNull().default(false),
    due: text('due'),
    /** Percent of the recording that reviewers have to listen to before they complete; null: none. */
    coverage: integer('coverage'),
    /** Review that assessments are compared with; its id stays when it is deleted. */
    keyOf: text('key_of'),
    /** Review whose recording is assessed a second time here; only the leader and supervisors are told. */
    secondOf: text('second_of'),
    /** Time at which was decided whether this review gets a second pass. */
    secondDecidedAt: when('second_decided_at'),
    /** The due date of which people were reminded. */
    remindedFor: text('reminded_for'),
    selfSkipped: boolean('self_skipped').notNull().default(false),
    endedAt: when('ended_at'),
    openedAt: when('opened_at'),
    publishedAt: when('published_at'),
    deletedAt: when('deleted_at'),
    /** Reviewers whose assessments were counted at the first opening. */
    blindRecord: text('blind_record').array(),
    /** Agreement of these assessments, from the first opening on. */
    blindFigures: jsonb('blind_figures').$type<BlindRecord>(),
    /** Keys of people who could once read an assessment of somebody else. */
    haveRead: text('have_read').array().notNull(),
    /** Number of changes: what a change is judged by. */
    rev: integer('rev').notNull().default(1),
    createdAt: when('created_at').notNull(),
  },
  (t) => [
    index('reviews_meeting').on(t.meetingId),
    index('reviews_key')
      .on(t.keyOf)
      .where(sql`key_of is not null`),
    index('reviews_undecided')
      .on(t.openedAt)
      .where(sql`second_decided_at is null and second_of is null and opened_at is not null and deleted_at is null`),
    index('reviews_due')
      .on(t.due)
      .where(sql`opened_at is null and deleted_at is null`),
    index('reviews_deleted')
      .on(t.deletedAt)
      .where(sql`deleted_at is not null`),
  ],
);

/** Reviewers, and the person assessed with the role 'student'. */
export const reviewers = pgTable(
  'reviewers',
  {
    id: text('id').primaryKey(),
    reviewId: text('review_id')
      .notNull()
      .references(() => reviews.id, { onDelete: 'cascade' }),
    kind: text('kind').$type<'user' | 'pending'>().notNull(),
    principalId: text('principal_id').notNull(),
    /** The address as it was entered, of a person without an account. */
    email: text('email'),
    role: text('role').$type<ReviewerRole | 'student'>().notNull(),
    status: text('status').$type<ReviewerStatus>().notNull().default('new'),
    comment: text('comment').notNull().default(''),
    completedAt: when('completed_at'),
    addedAt: when('added_at').notNull(),
  },
  (t) => [
    uniqueIndex('reviewers_person').on(t.reviewId, t.kind, t.principalId),
    index('reviewers_principal').on(t.kind, t.principalId),
  ],
);

/**
 * People who were removed while a review was blind, had another role, or gave up the address that was asked: corrections
 * that they made as reviewers have no name until it opens.
 */
export const removedReviewers = pgTable(
  'removed_reviewers',
  {
    id: text('id').primaryKey(),
    reviewId: text('review_id')
      .notNull()
      .references(() => reviews.id, { onDelete: 'cascade' }),
    kind: text('kind').$type<'user' | 'pending'>().notNull(),
    principalId: text('principal_id').notNull(),
    role: text('role').$type<ReviewerRole | 'student'>().notNull(),
    addedAt: when('added_at').notNull(),
    removedAt: when('removed_at').notNull(),
  },
  (t) => [index('removed_reviewers_review').on(t.reviewId)],
);

/** Times of corrections that never get a name: those made in blind reviews that were deleted and have been cleared away. */
export const unnamedCorrections = pgTable(
  'unnamed_corrections',
  {
    meetingId: meetingId(),
    userId: text('user_id').notNull(),
    fromAt: when('from_at').notNull(),
    untilAt: when('until_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.meetingId, t.userId, t.fromAt] })],
);

/** Annotations over the one transcript, each in a room of its own. Its id stands in the place of a meeting's in some calls. */
export const layers = pgTable(
  'layers',
  {
    id: text('id').primaryKey(),
    meetingId: meetingId(),
    reviewId: text('review_id')
      .notNull()
      .references(() => reviews.id, { onDelete: 'cascade' }),
    kind: text('kind').$type<LayerKind>().notNull(),
    /** Reviewer or student whose own layer it is. */
    reviewerId: text('reviewer_id'),
    /** Time of its reviewer's removal. */
    deletedAt: when('deleted_at'),
  },
  (t) => [
    index('layers_meeting').on(t.meetingId),
    index('layers_deleted')
      .on(t.deletedAt)
      .where(sql`deleted_at is not null`),
    uniqueIndex('layers_once').on(t.reviewId, t.kind, sql`coalesce(${t.reviewerId}, '')`),
  ],
);

const ranges = customType<{ data: string }>({ dataType: () => 'int4multirange' });

/**
 * Parts of the recording, in milliseconds, that people have listened to while they assess in a layer: of those who show
 * them, and of all where the review asks that they listen.
 */
export const listened = pgTable(
  'listened',
  {
    layerId: text('layer_id')
      .notNull()
      .references(() => layers.id, { onDelete: 'cascade' }),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    heard: ranges('heard').notNull(),
    /** Whether those who read the layer see them. */
    shared: boolean('shared').notNull().default(false),
    /** Time of the last change: parts grow no faster than sound can be played. */
    at: when('at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.layerId, t.userId] }), index('listened_user').on(t.userId)],
);

/** Permissions on layers: *read*, with *comment* to annotate, or with *write* to correct words. */
export const layerAccess = pgTable(
  'layer_access',
  {
    layerId: text('layer_id')
      .notNull()
      .references(() => layers.id, { onDelete: 'cascade' }),
    /** The layer's meeting, repeated here because a trigger announces it after the layer's row is deleted. */
    meetingId: text('meeting_id').notNull(),
    kind: text('kind').$type<'user' | 'pending'>().notNull(),
    principalId: text('principal_id').notNull(),
    permissions: text('permissions').array().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.layerId, t.kind, t.principalId] }),
    index('layer_access_principal').on(t.kind, t.principalId),
  ],
);

/** How lists show a review to each person with a part in it. */
export const reviewStates = pgTable(
  'review_states',
  {
    reviewId: text('review_id')
      .notNull()
      .references(() => reviews.id, { onDelete: 'cascade' }),
    meetingId: meetingId(),
    kind: text('kind').$type<'user' | 'pending'>().notNull(),
    principalId: text('principal_id').notNull(),
    state: text('state').$type<LibraryState>().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.reviewId, t.kind, t.principalId] }),
    index('review_states_principal').on(t.kind, t.principalId),
    index('review_states_meeting').on(t.meetingId),
  ],
);

/** Events of a review, in their order. */
export const reviewLog = pgTable(
  'review_log',
  {
    reviewId: text('review_id')
      .notNull()
      .references(() => reviews.id, { onDelete: 'cascade' }),
    nth: bigint('nth', { mode: 'number' }).notNull(),
    userId: text('user_id').notNull(),
    event: jsonb('event').notNull(),
    at: when('at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.reviewId, t.nth] })],
);

/** Notices on reviews that wait for a digest by mail, and those of the last one. */
export const reviewNotices = pgTable(
  'review_notices',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Cause as mails name it. */
    what: text('what').notNull(),
    byId: text('by_id').references(() => users.id, { onDelete: 'set null' }),
    meetingId: meetingId(),
    reviewId: text('review_id')
      .notNull()
      .references(() => reviews.id, { onDelete: 'cascade' }),
    at: when('at').notNull(),
    /** Time of the mail. */
    toldAt: when('told_at'),
  },
  (t) => [
    index('review_notices_person').on(t.userId),
    index('review_notices_by').on(t.byId),
    index('review_notices_meeting').on(t.meetingId),
    index('review_notices_review').on(t.reviewId),
    index('review_notices_told').on(t.toldAt),
  ],
);
