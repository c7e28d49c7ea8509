import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as apply } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';

/** Any number that only this house uses for this purpose: all processes wait on the same one. */
const migrationLock = 7_210_551_204;

/** Brings the database to what this version expects. Processes that start at once wait for each other. */
export async function migrate(url: string, folder: string): Promise<void> {
  // One connection of its own: the lock belongs to the session, and no statement may time out in here.
  const sql = postgres(url, { max: 1, connect_timeout: 10, onnotice: () => {}, connection: { application_name: 'colloquy migrations' } });
  try {
    await sql`select pg_advisory_lock(${migrationLock})`;
    await apply(drizzle(sql), { migrationsFolder: folder });
  } finally {
    await sql.end({ timeout: 5 });
  }
}
