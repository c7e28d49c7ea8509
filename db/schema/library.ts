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
 * Folders of a person's library: a tree with one owner, which the foreign key to the parent enforces. A trigger
 * prevents cycles and limits the depth, also under concurrent writes.
 */
export const folders = pgTable(
  'folders',
  {
    id: text('id').primaryKey(),
    ownerId: text('owner_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Null at the top level. */
    parentId: text('parent_id'),
    name: text('name').notNull(),
    /** Normalized name, unique among folders of one parent that are not deleted. */
    nameKey: text('name_key').notNull(),
    createdAt: when('created_at').notNull(),
    deletedAt: when('deleted_at'),
    /** The folder whose deletion included this one, or itself: folders deleted together are restored together. */
    deletedWith: text('deleted_with'),
    /** Incremented by each change of its sharing. */
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
 * Permissions on everything in a folder, at any depth: one row for a person ('user'), a group ('group'), or an address
 * without an account yet ('pending', with its key), or one that declined ('declined'). Folders have no links.
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
    /** The address as the sharing person entered it. */
    email: text('email'),
    /** First visit of the person. */
    seenAt: when('seen_at'),
  },
  (t) => [
    primaryKey({ columns: [t.folderId, t.kind, t.principalId] }),
    index('folder_access_principal').on(t.kind, t.principalId),
  ],
);
