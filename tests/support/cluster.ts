import { mkdtemp, rm } from 'node:fs/promises';
import { readdirSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { startEmbedded } from '#db/embedded.ts';
import { migrate } from '#db/migrate.ts';

export const templateName = 'colloquy_template';

/** The newest PostgreSQL of the system that has a server, for running the suites on one that is not ours. */
export function systemBinaries(): string | null {
  const base = '/usr/lib/postgresql';
  const versions = existsSync(base)
    ? readdirSync(base).filter((name) => existsSync(join(base, name, 'bin/initdb')))
    : [];
  const newest = versions.toSorted((a, b) => Number(b) - Number(a))[0];
  return newest ? join(base, newest) : null;
}

/**
 * One cluster a test run, with a migrated template that every test file copies its own database from.
 * TEST_DATABASE=external runs it from the system's binaries and reaches it by nothing but its address.
 */
export default async function setup(): Promise<() => Promise<void>> {
  // Several projects of one run share it: the first to come starts it and is the one to stop it.
  if (process.env['TEST_CLUSTER_URL']) return async () => {};
  const external = process.env['TEST_DATABASE'] === 'external';
  const binaries = external ? systemBinaries() : null;
  if (external && !binaries)
    throw new Error('TEST_DATABASE=external, but this machine has no PostgreSQL server binaries');
  const folder = await mkdtemp(join(tmpdir(), 'colloquy-tests-'));
  const cluster = await startEmbedded({
    dataDir: folder,
    // Nothing here has to survive a power cut; what has to is tested on clusters of its own.
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' },
    ...(binaries ? { binaries } : {}),
  });
  const sql = postgres(cluster.url, { max: 1 });
  await sql.unsafe(`create database ${templateName}`);
  await sql.end();
  await migrate(withName(cluster.url, templateName), join(import.meta.dirname, '../../db/migrations'));
  process.env['TEST_CLUSTER_URL'] = cluster.url;
  return async () => {
    delete process.env['TEST_CLUSTER_URL'];
    await cluster.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

export function withName(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
