import {
  bigint,
  foreignKey,
  index,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
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
    /** Rises with each change of who it is shared with. */
    aclVersion: bigint('acl_version', { mode: 'number' }).notNull().default(0),
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

/**
 * Who may do what with all that lies in a folder, at any depth: one row a person ('user'), a group ('group'), or an
 * address that nobody has come with yet ('pending', with its key). There is no link to a folder.
 */
export const folderAccess = pgTable(
  'folder_access',
  {
    folderId: text('folder_id')
      .notNull()
      .references(() => folders.id, { onDelete: 'cascade' }),
    kind: text('kind').notNull(),
    principalId: text('principal_id').notNull(),
    permissions: text('permissions').array().notNull(),
    /** The address as whoever shares knows it. */
    email: text('email'),
    /** When the person first came. */
    seenAt: when('seen_at'),
  },
  (t) => [
    primaryKey({ columns: [t.folderId, t.kind, t.principalId] }),
    index('folder_access_principal').on(t.kind, t.principalId),
  ],
);
