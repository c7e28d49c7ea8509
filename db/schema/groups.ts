import { sql } from 'drizzle-orm';
import { bigint, boolean, check, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import type { MailTime } from '#shared/team-rules.ts';
import { users } from './accounts.ts';

const when = (name: string) => timestamp(name, { withTimezone: true });

/** Groups of people: a plain group, or a team with centralized billing. */
export const groups = pgTable('groups', {
  id: text('id').primaryKey(),
  /** 'group' or 'team'. */
  type: text('type').notNull(),
  name: text('name').notNull(),
  description: text('description').notNull().default(''),
  createdAt: when('created_at').notNull(),
  /** While set, the group gives no access to what is shared with it; cleared when the group is unarchived. */
  archivedAt: when('archived_at'),
  /** Outcome models that its members are offered. */
  models: text('models').array().notNull().default([]),
});

/** Members who have joined; people only invited are in `invitations`. */
export const groupMembers = pgTable(
  'group_members',
  {
    groupId: text('group_id')
      .notNull()
      .references(() => groups.id, { onDelete: 'cascade' }),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** 'admin' or 'member'. */
    role: text('role').notNull(),
    joinedAt: when('joined_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.groupId, t.userId] }), index('group_members_user').on(t.userId)],
);

/** Money in micro-dollars. */
const micros = (name: string) => bigint(name, { mode: 'bigint' });

/** Centralized billing of a group of type 'team'. The row outlives a time as a plain group, with its settings. */
export const teams = pgTable(
  'teams',
  {
    groupId: text('group_id')
      .primaryKey()
      .references(() => groups.id, { onDelete: 'cascade' }),
    /** The admin whose credits pay; null after they left, until an admin takes over. */
    payerId: text('payer_id').references(() => users.id, { onDelete: 'set null' }),
    /** The admin who is asked to pay, and has not accepted yet. */
    askedPayerId: text('asked_payer_id').references(() => users.id, { onDelete: 'set null' }),
    defaultQuota: micros('default_quota'),
    maxDurationMins: integer('max_duration_mins'),
    /** Balance below which admins are told; null for never. */
    balanceThreshold: micros('balance_threshold').default(sql`10000000`),
    /** Since when the balance is below the threshold, as far as admins were told. */
    lowSince: when('low_since'),
    uploadMails: text('upload_mails').$type<MailTime>().notNull().default('off'),
    /** Up to when admins were told of recordings. */
    uploadsTold: when('uploads_told').notNull().defaultNow(),
    forceAccountType: text('force_account_type'),
    forceOutcomeModel: text('force_outcome_model'),
    hideBuiltinModels: boolean('hide_builtin_models').notNull().default(false),
    invitationEmail: text('invitation_email').notNull().default(''),
    assessmentEmail: text('assessment_email').notNull().default(''),
    noWelcomeEmail: boolean('no_welcome_email').notNull().default(false),
    assessmentMails: text('assessment_mails').$type<MailTime>().notNull().default('once'),
    /** Percent of the reviews led by members that are assessed a second time. */
    secondPass: integer('second_pass').notNull().default(0),
    /** Accounts of those who do so; people who have left are skipped. */
    secondReaders: text('second_readers').array().notNull().default([]),
  },
  (t) => [index('teams_payer').on(t.payerId)],
);

/** Sum that a team pays for a member in all, and its used part. It outlives the membership. */
export const allowances = pgTable(
  'allowances',
  {
    groupId: text('group_id')
      .notNull()
      .references(() => groups.id, { onDelete: 'cascade' }),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Limit of a member; null for none. */
    quota: micros('quota'),
    /** Whether the limit was set for this member; otherwise it follows the team's. */
    own: boolean('own').notNull().default(false),
    used: micros('used')
      .notNull()
      .default(sql`0`),
  },
  (t) => [
    primaryKey({ columns: [t.groupId, t.userId] }),
    index('allowances_user').on(t.userId),
    check('allowances_used', sql`${t.used} >= 0 and ${t.used} <= ${t.quota}`),
  ],
);

/**
 * Recordings that members worked on in a team at no cost: its report and its mails count them beside those it paid for.
 * Rows outlive the recording and the account of the member, as postings of the ledger do.
 */
export const freeWork = pgTable(
  'free_work',
  {
    id: text('id').primaryKey(),
    groupId: text('group_id')
      .notNull()
      .references(() => groups.id, { onDelete: 'cascade' }),
    memberId: text('member_id').notNull(),
    meetingId: text('meeting_id').notNull(),
    begunAt: when('begun_at').notNull(),
    /** Null while it is under way, and for work that failed. */
    endedAt: when('ended_at'),
    /** Measured length of what was transcribed; null for a recording without a transcript. */
    seconds: integer('seconds'),
  },
  (t) => [
    index('free_work_begun').on(t.groupId, t.begunAt),
    index('free_work_ended').on(t.groupId, t.endedAt),
    index('free_work_open')
      .on(t.meetingId)
      .where(sql`ended_at is null`),
  ],
);

/** People who left a group or were removed: for reports, and to undo a removal. */
export const formerMembers = pgTable(
  'former_members',
  {
    groupId: text('group_id')
      .notNull()
      .references(() => groups.id, { onDelete: 'cascade' }),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    role: text('role').notNull(),
    joinedAt: when('joined_at').notNull(),
    leftAt: when('left_at').notNull(),
    /** The admin who removed them; null if they left by themselves. */
    removedBy: text('removed_by').references(() => users.id, { onDelete: 'set null' }),
  },
  (t) => [primaryKey({ columns: [t.groupId, t.userId] }), index('former_members_user').on(t.userId)],
);
