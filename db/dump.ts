import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type postgres from 'postgres';
import { connect } from './connect.ts';
import { migrate } from './migrate.ts';

/** A table with the columns that are stored; what the database computes is left out. */
export interface DumpedTable {
  name: string;
  columns: string[];
}

interface Outline {
  /** Moment of the newest migration that is applied. */
  migration: number;
  tables: DumpedTable[];
}

interface Snapshot {
  outline: Outline;
  /** The rows of a table as PostgreSQL's own text, in pieces that may end anywhere. */
  rows(table: DumpedTable): AsyncIterable<Buffer>;
  /** Last number of each sequence that was used. */
  sequences(): Promise<Record<string, string>>;
}

/** A single connection for work that takes as long as it takes. */
const lone = (url: string) =>
  connect(url, {
    max: 1,
    connect_timeout: 10,
    connection: { application_name: 'colloquy backup', statement_timeout: 0, idle_in_transaction_session_timeout: 0 },
  });

const named = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const listed = (names: readonly string[]): string => names.map(named).join(', ');

/** Lets `work` read all tables as they are at one moment, whatever others write meanwhile. */
export async function inSnapshot<T>(url: string, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  const sql = lone(url);
  try {
    return (await sql.begin('isolation level repeatable read read only', async (tx) => {
      const outline = { migration: await newestMigration(tx), tables: await tablesOf(tx) };
      return await work({
        outline,
        async *rows({ name, columns }) {
          const stream = await tx.unsafe(`copy ${named(name)} (${listed(columns)}) to stdout`).readable();
          yield* stream as AsyncIterable<Buffer>;
          // The driver stops its socket when the stream is full, and reads on when the stream asks, which one that has
          // ended does not do any more: the end of the statement would never be read.
          stream._read(0);
        },
        async sequences() {
          const rows = await tx<{ name: string; last: string }[]>`
            select sequencename as name, last_value::text as last from pg_sequences
            where schemaname = 'public' and last_value is not null`;
          return Object.fromEntries(rows.map(({ name, last }) => [name, last]));
        },
      });
    })) as T;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function newestMigration(tx: postgres.TransactionSql): Promise<number> {
  const [row] = await tx<{ newest: string | null }[]>`
    select max(created_at)::text as newest from drizzle.__drizzle_migrations`;
  return Number(row?.newest ?? 0);
}

const tablesOf = (tx: postgres.TransactionSql): Promise<DumpedTable[]> =>
  tx<DumpedTable[]>`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
    group by c.relname order by c.relname`.then((rows) => rows.map(({ name, columns }) => ({ name, columns })));

/** True where nobody has an account yet: nothing can be lost there. */
export async function isUnused(url: string): Promise<boolean> {
  const sql = lone(url);
  try {
    const [there] = await sql<{ there: boolean }[]>`select to_regclass('public.users') is not null as there`;
    if (!there?.there) return true;
    return (await sql`select 1 from users limit 1`).length === 0;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

interface Contents extends Outline {
  /** The pieces of a table, in their order. */
  rows(table: string): AsyncIterable<Buffer>;
  sequences: Record<string, string>;
  /** Number of rows of each table. */
  counts: Record<string, number>;
}

/** The migrations that a database with this newest one has; null if this version does not know it. */
async function migrationsUntil(folder: string, newest: number): Promise<{ tag: string; when: number }[] | null> {
  const journal = JSON.parse(await readFile(join(folder, 'meta/_journal.json'), 'utf8')) as {
    entries: { tag: string; when: number }[];
  };
  const until = journal.entries.filter(({ when }) => when <= newest);
  return until.some(({ when }) => when === newest) ? until : null;
}

export const knowsMigration = async (folder: string, newest: number): Promise<boolean> =>
  (await migrationsUntil(folder, newest)) !== null;

/**
 * Fills an unused database: the tables of the version that was backed up, all rows in one transaction, then the
 * migrations since. Triggers do not run and foreign keys are checked at the end, as everything was valid once.
 */
export async function fill(url: string, folder: string, contents: Contents): Promise<void> {
  await migrateUntil(url, folder, contents.migration);
  const sql = lone(url);
  try {
    await sql.begin(async (tx) => {
      const there = new Map((await tablesOf(tx)).map(({ name, columns }) => [name, columns]));
      const missing = contents.tables.filter(
        ({ name, columns }) => !columns.every((column) => there.get(name)?.includes(column)),
      );
      if (missing.length > 0) throw new Error(`This version has no such tables: ${missing.map(({ name }) => name)}.`);
      const everyTable = [...there.keys()];
      const bindUp = await loosen(tx);
      await tx.unsafe(`truncate ${listed(everyTable)}`);
      for (const { name, columns } of contents.tables) {
        const into = await tx.unsafe(`copy ${named(name)} (${listed(columns)}) from stdin`).writable();
        await pipeline(Readable.from(contents.rows(name)), into);
        const [row] = await tx.unsafe<{ count: string }[]>(`select count(*)::text as count from ${named(name)}`);
        if (Number(row?.count) !== contents.counts[name])
          throw new Error(`${name} has ${row?.count} rows instead of ${contents.counts[name]}.`);
      }
      for (const [name, last] of Object.entries(contents.sequences))
        await tx`select setval(${`public.${named(name)}`}::regclass, ${last}::bigint)`;
      await bindUp();
    });
    await migrate(url, folder);
    // From now on browsers may bring back what was saved after the backup.
    await sql`update rooms set restored_at = now()`;
    await sql`analyze`;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Takes foreign keys away and stops the triggers of tables; the answer puts all of it back as it was. */
async function loosen(tx: postgres.TransactionSql): Promise<() => Promise<void>> {
  const keys = await tx<{ table: string; name: string; definition: string }[]>`
    select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace order by 1, 2`;
  const triggers = await tx<{ table: string; name: string; enabled: string }[]>`
    select t.tgrelid::regclass::text as table, t.tgname as name, t.tgenabled as enabled
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where not t.tgisinternal and c.relnamespace = 'public'::regnamespace and t.tgenabled <> 'D' order by 1, 2`;
  for (const { table, name } of keys) await tx.unsafe(`alter table ${table} drop constraint ${named(name)}`);
  for (const { table, name } of triggers) await tx.unsafe(`alter table ${table} disable trigger ${named(name)}`);
  return async () => {
    for (const { table, name, definition } of keys)
      await tx.unsafe(`alter table ${table} add constraint ${named(name)} ${definition}`);
    const how: Record<string, string> = { O: '', A: 'always', R: 'replica' };
    for (const { table, name, enabled } of triggers)
      await tx.unsafe(`alter table ${table} enable ${how[enabled] ?? ''} trigger ${named(name)}`);
  };
}

async function migrateUntil(url: string, folder: string, newest: number): Promise<void> {
  const entries = await migrationsUntil(folder, newest);
  if (!entries) throw new Error('This version does not know the migrations of the backup.');
  const some = await mkdtemp(join(tmpdir(), 'colloquy-migrations-'));
  try {
    await mkdir(join(some, 'meta'));
    await writeFile(join(some, 'meta/_journal.json'), JSON.stringify({ entries }));
    for (const { tag } of entries) await symlink(join(folder, `${tag}.sql`), join(some, `${tag}.sql`));
    await migrate(url, some);
  } finally {
    await rm(some, { recursive: true, force: true });
  }
}
