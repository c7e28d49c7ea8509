import { join } from 'node:path';
import { connect } from '#db/connect.ts';
import { isMigrated } from '#db/migrate.ts';
import { openDatabase, type Database } from '#db/open.ts';
import { differencesIn } from '#server/billing/books.ts';
import { newId } from '#shared/ids.ts';
import { templateName, withName } from './cluster.ts';

function clusterUrl(): string {
  const url = process.env['TEST_CLUSTER_URL'];
  if (!url) throw new Error('no cluster: this project lacks tests/support/cluster.ts in its globalSetup');
  return url;
}

export interface Created {
  url: string;
  /** Checks the books, whatever a test did, unless it says that it made them wrong. */
  drop(books?: 'wrong'): Promise<void>;
}

/** A test's own hand may wait on a busy machine: only the product has to answer soon. */
const patient = { wait: 60_000, statementTimeout: 60_000 };

/** A copy of the template by its files, which costs half of what its pages in the write-ahead log do. */
const copied = ` template ${templateName} strategy file_copy`;

/** An empty database that knows the case of ASCII alone. */
const ofAscii = " template template0 encoding 'UTF8' locale_provider libc locale 'C'";

/**
 * Creates a migrated database for one test file; nothing is shared, so nothing has to be wiped. With a locale it is empty
 * until a house is started on it.
 */
export async function freshDatabase(locale?: 'C'): Promise<Created & { database: Database }> {
  const { url, drop } = await create(locale ? ofAscii : copied);
  const database = openDatabase(url, patient);
  return {
    url,
    database,
    drop: async (books) => {
      await database.close();
      await drop(books);
    },
  };
}

const migrations = join(import.meta.dirname, '../../db/migrations');

/** Recomputes the books of a database, as `npm run books` does; one that is not migrated whole has none. */
async function checkBooks(database: Database): Promise<void> {
  const { sql } = database;
  const [journal] = await sql<{ at: string | null }[]>`select to_regclass('drizzle.__drizzle_migrations')::text as at`;
  if (journal?.at == null || !(await isMigrated(database, migrations))) return;
  const differences = await differencesIn(sql);
  if (differences.length > 0) throw new Error(differences.join('\n'));
}

/** A database that stays. */
export function keptDatabase(url: string): Created & { database: Database } {
  const database = openDatabase(url, patient);
  return {
    url,
    database,
    drop: async (books) => {
      try {
        if (books !== 'wrong') await checkBooks(database);
      } finally {
        await database.close();
      }
    },
  };
}

/** Has a change of a table fail while the work is done, such as `insert on jobs for each row when (new.kind = 'x')`. */
export async function refusingIn(
  { database: { sql } }: { database: Pick<Database, 'sql'> },
  change: string,
  work: () => Promise<unknown>,
): Promise<void> {
  const table = / on (\w+)/.exec(change)?.[1];
  await sql.unsafe(`
    create function test_refuse() returns trigger language plpgsql as $$ begin raise 'not now'; end $$;
    create trigger test_refuse before ${change} execute function test_refuse()`);
  try {
    await work();
  } finally {
    await sql.unsafe(`drop trigger test_refuse on ${table}; drop function test_refuse()`);
  }
}

/** Creates an empty database, as a new installation finds it. */
export const emptyDatabase = (): Promise<Created> => create('');

async function create(how: string): Promise<Created> {
  const name = `t_${newId(16).toLowerCase()}`;
  const admin = connect(clusterUrl(), { max: 1 });
  // PostgreSQL refuses to copy a template that is in use, and two files may start in the same instant.
  for (let attempt = 0; ; attempt += 1) {
    try {
      await admin.unsafe(`create database ${name}${how}`);
      break;
    } catch (error) {
      if (attempt >= 20 || (error as { code?: string }).code !== '55006') throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  await admin.end();
  const url = withName(clusterUrl(), name);
  return {
    url,
    drop: async (books) => {
      try {
        await keptDatabase(url).drop(books);
      } finally {
        await remove();
      }
    },
  };

  async function remove(): Promise<void> {
    const again = connect(clusterUrl(), { max: 1 });
    for (let attempt = 0; ; attempt += 1) {
      try {
        await again.unsafe(`drop database if exists ${name} with (force)`);
        break;
      } catch (error) {
        // Autovacuum may be connected; only a superuser may end it, and it is soon done.
        if (attempt === 50 || (error as { code?: string }).code !== '42501') throw error;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
    await again.end();
  }
}
