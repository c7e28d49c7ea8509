import { sql } from 'drizzle-orm';
import { bigint, customType, index, integer, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';
import type { ArchiveFailure, ArchiveState } from '#shared/archives.ts';
import { users } from './accounts.ts';

const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
const when = (name: string) => timestamp(name, { withTimezone: true });

/** Archives of recordings. A trigger lists the file in store_leftovers when a row is deleted. */
export const archives = pgTable(
  'archives',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    state: text('state').$type<ArchiveState>().notNull(),
    folder: text('folder'),
    /** Recordings that were asked for. */
    recordings: text('recordings').array().notNull(),
    done: integer('done').notNull().default(0),
    missing: integer('missing').notNull().default(0),
    storeKey: text('store_key'),
    bytes: bigint('bytes', { mode: 'number' }),
    sha256: bytes('sha256'),
    failure: text('failure').$type<ArchiveFailure>(),
    createdAt: when('created_at').notNull(),
    finishedAt: when('finished_at'),
  },
  (t) => [
    // A person has one archive in the making.
    uniqueIndex('archives_one')
      .on(t.userId)
      .where(sql`state = 'waiting'`),
    index('archives_person').on(t.userId, t.createdAt.desc()),
    index('archives_finished').on(t.finishedAt),
    index('archives_store_key').on(t.storeKey),
  ],
);
