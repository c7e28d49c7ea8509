import { sql } from 'drizzle-orm';
import { check, index, integer, jsonb, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import type { OwnModelId } from '#shared/account-choices.ts';
import type { Language } from '#shared/i18n/languages.ts';
import type { OwnType } from '#shared/meetings/own-types.ts';
import { users } from './accounts.ts';
import { groups } from './groups.ts';
import { meetings } from './meetings.ts';

const when = (name: string) => timestamp(name, { withTimezone: true });

/**
 * Sets of outcome types that people made, for themselves or for a group. A set outlives both, as outcomes need its words;
 * nobody changes it then.
 */
export const outcomeModels = pgTable(
  'outcome_models',
  {
    id: text('id').$type<OwnModelId>().primaryKey(),
    ownerId: text('owner_id').references(() => users.id, { onDelete: 'set null' }),
    groupId: text('group_id').references(() => groups.id, { onDelete: 'set null' }),
    name: text('name').notNull(),
    language: text('language').$type<Language>().notNull(),
    types: jsonb('types').$type<OwnType[]>().notNull(),
    /** Number behind the last id of a type. */
    lastType: integer('last_type').notNull(),
    /** Number of changes: what a change is judged by. */
    rev: integer('rev').notNull().default(1),
    /** Set while it is no longer offered. */
    retiredAt: when('retired_at'),
    createdAt: when('created_at').notNull(),
  },
  (t) => [
    index('outcome_models_owner').on(t.ownerId),
    index('outcome_models_group').on(t.groupId),
    check('outcome_models_one_owner', sql`${t.ownerId} is null or ${t.groupId} is null`),
  ],
);

/** Sets that can be used in a recording: named by people with permission to write who could use them. */
export const meetingSets = pgTable(
  'meeting_sets',
  {
    meetingId: text('meeting_id')
      .notNull()
      .references(() => meetings.id, { onDelete: 'cascade' }),
    setId: text('set_id')
      .$type<OwnModelId>()
      .notNull()
      .references(() => outcomeModels.id, { onDelete: 'cascade' }),
  },
  (t) => [primaryKey({ columns: [t.meetingId, t.setId] }), index('meeting_sets_set').on(t.setId)],
);
