import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql as query } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as apply } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import type { Database } from './open.ts';

/** Any number that only this house uses for this purpose: all processes wait on the same one. */
const migrationLock = 7_210_551_204;

/** Brings the database to what this version expects. Processes that start at once wait for each other. */
export async function migrate(url: string, folder: string): Promise<void> {
  // One connection of its own: the lock belongs to the session, and no statement may time out in here.
  const sql = postgres(url, {
    max: 1,
    connect_timeout: 10,
    onnotice: () => {},
    connection: { application_name: 'colloquy migrations' },
  });
  try {
    await sql`select pg_advisory_lock(${migrationLock})`;
    await apply(drizzle(sql), { migrationsFolder: folder });
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Whether the newest migration of `folder` has been applied; a database that is further on has it, too. */
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
