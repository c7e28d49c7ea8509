import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql as query } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as apply } from 'drizzle-orm/postgres-js/migrator';
import { connect } from './connect.ts';
import type { Database } from './open.ts';

/** An arbitrary number for the advisory lock that all processes wait on. */
const migrationLock = 7_210_551_204;

/** Brings the database to what this version expects. Processes that start at once wait for each other. */
export async function migrate(url: string, folder: string): Promise<void> {
  // A separate connection: the lock belongs to the session, and migrations must not time out.
  const sql = connect(url, {
    max: 1,
    connect_timeout: 10,
    connection: { application_name: 'colloquy migrations' },
  });
  try {
    await sql`select pg_advisory_lock(${migrationLock})`;
    await apply(drizzle(sql), { migrationsFolder: folder });
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** True if the newest migration of `folder` is applied, also in a database with newer ones. */
export async function isMigrated({ orm }: Database, folder: string): Promise<boolean> {
  const journal = JSON.parse(await readFile(join(folder, 'meta/_journal.json'), 'utf8')) as {
    entries: { when: number }[];
  };
  const newest = Math.max(...journal.entries.map(({ when }) => when));
  const rows = await orm.execute(
    query`select 1 from drizzle.__drizzle_migrations where created_at >= ${newest} limit 1`,
  );
  return rows.length > 0;
}
