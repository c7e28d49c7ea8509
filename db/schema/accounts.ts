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

const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
const when = (name: string) => timestamp(name, { withTimezone: true });

/**
 * People. Several unconfirmed rows may share an address, so that registration reveals nothing about other accounts;
 * only one of them can ever be confirmed.
 */
export const users = pgTable(
  'users',
  {
    id: text('id').primaryKey(),
    email: text('email').notNull(),
    emailKey: text('email_key').notNull(),
    passwordHash: text('password_hash'),
    firstName: text('first_name').notNull(),
    lastName: text('last_name').notNull(),
    language: text('language'),
    confirmedAt: when('confirmed_at'),
    accountType: text('account_type'),
    outcomeModels: jsonb('outcome_models').$type<Record<string, string>>().notNull().default({}),
    preferences: jsonb('preferences').$type<Record<string, unknown>>().notNull().default({}),
    /** Minutes before there were lots; no longer read. */
    trialMinutes: integer('trial_minutes').notNull().default(0),
    createdAt: when('created_at').notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('users_confirmed_email')
      .on(t.emailKey)
      .where(sql`confirmed_at is not null`),
    index('users_email').on(t.emailKey),
    index('users_unconfirmed')
      .on(t.createdAt)
      .where(sql`confirmed_at is null`),
  ],
);

/** Sign-ins. Only the hash of the cookie's value is stored: a reader of this table cannot impersonate anyone. */
export const sessions = pgTable(
  'sessions',
  {
    hash: bytes('hash').primaryKey(),
    id: text('id').notNull().unique(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    remember: boolean('remember').notNull(),
    scopeId: text('scope_id'),
    roleId: text('role_id'),
    userAgent: text('user_agent').notNull(),
    createdAt: when('created_at').notNull(),
    seenAt: when('seen_at').notNull(),
    provedAt: when('proved_at').notNull(),
  },
  (t) => [index('sessions_user').on(t.userId), index('sessions_seen').on(t.seenAt)],
);

/** Tokens of mailed links. The link carries a signed token; the table has the hash of its id, so that it works once. */
export const mailTokens = pgTable(
  'mail_tokens',
  {
    hash: bytes('hash').primaryKey(),
    purpose: text('purpose').notNull(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The account's address when the link was made: changing the address invalidates the link. */
    emailKey: text('email_key').notNull(),
    newEmail: text('new_email'),
    createdAt: when('created_at').notNull(),
    expiresAt: when('expires_at').notNull(),
    usedAt: when('used_at'),
  },
  (t) => [index('mail_tokens_user').on(t.userId, t.purpose), index('mail_tokens_expiry').on(t.expiresAt)],
);

export const apiTokens = pgTable(
  'api_tokens',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    hash: bytes('hash').notNull().unique(),
    createdAt: when('created_at').notNull(),
    usedAt: when('used_at'),
  },
  (t) => [index('api_tokens_user').on(t.userId)],
);

/** A person's identity at an external identity provider. */
export const identities = pgTable(
  'identities',
  {
    issuer: text('issuer').notNull(),
    subject: text('subject').notNull(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: when('created_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.issuer, t.subject] }), index('identities_user').on(t.userId)],
);

/** Sign-ins in progress at the provider; everything but the state stays on our side. */
export const identityFlows = pgTable(
  'identity_flows',
  {
    stateHash: bytes('state_hash').primaryKey(),
    browserHash: bytes('browser_hash').notNull(),
    nonce: text('nonce').notNull(),
    verifier: text('verifier').notNull(),
    nextPath: text('next_path').notNull(),
    /** Set if a signed-in person proves their identity again; null for a sign-in. */
    userId: text('user_id').references(() => users.id, { onDelete: 'cascade' }),
    /** Code of the link by which somebody invited the person. */
    referral: text('referral'),
    expiresAt: when('expires_at').notNull(),
  },
  (t) => [index('identity_flows_expiry').on(t.expiresAt)],
);

export const invitations = pgTable(
  'invitations',
  {
    id: text('id').primaryKey(),
    hash: bytes('hash').notNull().unique(),
    /** 'account', or a kind that a module registers an applier for. */
    kind: text('kind').notNull(),
    targetId: text('target_id'),
    role: text('role'),
    /** Quota that the invited person gets, in micro-dollars; null: the team's default. */
    quota: bigint('quota', { mode: 'bigint' }),
    email: text('email').notNull(),
    emailKey: text('email_key').notNull(),
    inviterId: text('inviter_id').references(() => users.id, { onDelete: 'cascade' }),
    createdAt: when('created_at').notNull(),
    expiresAt: when('expires_at').notNull(),
    acceptedAt: when('accepted_at'),
    acceptedBy: text('accepted_by').references(() => users.id, { onDelete: 'set null' }),
    revokedAt: when('revoked_at'),
    /** Since when the invited person does not want it; they can still accept. */
    declinedAt: when('declined_at'),
  },
  (t) => [index('invitations_email').on(t.emailKey)],
);

/** Scopes besides a person's own; operators or other capabilities add them. */
export const userScopes = pgTable(
  'user_scopes',
  {
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    scopeId: text('scope_id').notNull(),
    scopeName: text('scope_name').notNull(),
    roleId: text('role_id').notNull(),
    roleName: text('role_name').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.scopeId, t.roleId] })],
);

/**
 * Reasons for deleting an account or for leaving an address behind; the address only as a keyed hash, so that it gets
 * one trial.
 */
export const accountDeletions = pgTable('account_deletions', {
  id: text('id').primaryKey(),
  emailHash: bytes('email_hash').notNull(),
  reason: text('reason').notNull(),
  comment: text('comment'),
  at: when('at').notNull(),
});

export const feedback = pgTable('feedback', {
  id: text('id').primaryKey(),
  userId: text('user_id').references(() => users.id, { onDelete: 'set null' }),
  contact: text('contact'),
  text: text('text').notNull(),
  at: when('at').notNull(),
});
