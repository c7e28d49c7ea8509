import { foreignKey, index, pgTable, text, timestamp, unique, uniqueIndex } from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';
import { users } from './accounts.ts';

const when = (name: string) => timestamp(name, { withTimezone: true });

/**
 * The folders of a person's library: a tree of one owner, which the key to the parent holds to. A trigger keeps circles
 * out and the depth bounded, whoever writes at the same time.
 */
export const folders = pgTable(
  'folders',
  {
    id: text('id').primaryKey(),
    ownerId: text('owner_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Null at the top. */
    parentId: text('parent_id'),
    name: text('name').notNull(),
    /** What no two living folders of one place share. */
    nameKey: text('name_key').notNull(),
    createdAt: when('created_at').notNull(),
    deletedAt: when('deleted_at'),
    /** The folder whose deletion took it along, or itself: what went together comes back together. */
    deletedWith: text('deleted_with'),
  },
  (t) => [
    unique('folders_id_owner').on(t.id, t.ownerId),
    foreignKey({
      name: 'folders_parent',
      columns: [t.parentId, t.ownerId],
      foreignColumns: [t.id, t.ownerId],
    }).onDelete('cascade'),
    uniqueIndex('folders_name')
      .on(t.ownerId, sql`coalesce(${t.parentId}, '')`, t.nameKey)
      .where(sql`deleted_at is null`),
    index('folders_parent_id').on(t.parentId),
    index('folders_deleted')
      .on(t.deletedAt)
      .where(sql`deleted_at is not null`),
  ],
);
