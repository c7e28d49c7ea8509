import { sql } from 'drizzle-orm';
import { check, index, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';
import { groups } from './groups.ts';
import { folders } from './library.ts';

/** Spellings of names for a person, a folder with everything in it, or a group. */
export const glossaries = pgTable(
  'glossaries',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .unique('glossaries_user')
      .references(() => users.id, { onDelete: 'cascade' }),
    folderId: text('folder_id')
      .unique('glossaries_folder')
      .references(() => folders.id, { onDelete: 'cascade' }),
    groupId: text('group_id')
      .unique('glossaries_group')
      .references(() => groups.id, { onDelete: 'cascade' }),
  },
  (t) => [check('glossaries_one_owner', sql`num_nonnulls(${t.userId}, ${t.folderId}, ${t.groupId}) = 1`)],
);

/** A term has one row without, and one for each way in which it was misheard. */
export const glossaryTerms = pgTable(
  'glossary_terms',
  {
    glossaryId: text('glossary_id')
      .notNull()
      .references(() => glossaries.id, { onDelete: 'cascade' }),
    term: text('term').notNull(),
    heard: text('heard').notNull().default(''),
    /** Their words, as search knows them. */
    termKey: text('term_key').notNull(),
    heardKey: text('heard_key').notNull().default(''),
    addedBy: text('added_by').references(() => users.id, { onDelete: 'set null' }),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.glossaryId, t.term, t.heard] }),
    index('glossary_terms_term').on(t.termKey, t.glossaryId),
    index('glossary_terms_heard').on(t.heardKey, t.glossaryId),
    index('glossary_terms_added_by').on(t.addedBy),
  ],
);
