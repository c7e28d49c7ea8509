import { index, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
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
