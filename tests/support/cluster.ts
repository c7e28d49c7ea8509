import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestProject } from 'vitest/node';
import { connect } from '#db/connect.ts';
import { startEmbedded } from '#db/embedded.ts';
import { migrate } from '#db/migrate.ts';
import { systemPostgres } from '../../scripts/system-postgres.mjs';

export const templateName = 'colloquy_template';

/** Folder of the system's own PostgreSQL programs, to run tests on a database that is not ours. */
export const systemBinaries = (): string | null => systemPostgres()?.binaries ?? null;

interface Cluster {
  url: string;
  stop(): Promise<void>;
}
type Kind = 'embedded' | 'external';

/** Clusters of this run and how many projects use each; vitest loads this file once a project. */
const shared = ((
  globalThis as { testClusters?: Map<Kind, { users: number; cluster: Promise<Cluster> }> }
).testClusters ??= new Map());

/**
 * Starts one cluster of a kind a test run, with a migrated template that every test file copies its own database from.
 * `external` runs the system's binaries and is reached only by its address. A benchmark has no project.
 */
export default async function setup(project?: TestProject): Promise<() => Promise<void>> {
  const kind: Kind = project?.config.env['TEST_DATABASE'] === 'external' ? 'external' : 'embedded';
  const entry = shared.get(kind) ?? { users: 0, cluster: startCluster(kind) };
  shared.set(kind, entry);
  entry.users += 1;
  const { url, stop } = await entry.cluster;
  const env = project?.config.env ?? process.env;
  env['TEST_CLUSTER_URL'] = url;
  return async () => {
    delete env['TEST_CLUSTER_URL'];
    entry.users -= 1;
    if (entry.users > 0) return;
    shared.delete(kind);
    await stop();
  };
}

async function startCluster(kind: Kind): Promise<Cluster> {
  const binaries = kind === 'external' ? systemBinaries() : null;
  if (kind === 'external' && !binaries) throw new Error('this machine has no PostgreSQL server binaries');
  const folder = await mkdtemp(join(tmpdir(), 'colloquy-tests-'));
  const cluster = await startEmbedded({
    dataDir: folder,
    // Tests of power cuts have clusters of their own; here nothing must survive one.
    settings: {
      ...{ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' },
      ...{ wal_level: 'minimal', max_wal_senders: '0', wal_writer_delay: '10s' },
    },
    ...(binaries ? { binaries } : {}),
  });
  const sql = connect(cluster.url, { max: 1 });
  await sql.unsafe(`create database ${templateName}`);
  await sql.end();
  await migrate(withName(cluster.url, templateName), join(import.meta.dirname, '../../db/migrations'));
  return {
    url: cluster.url,
    stop: async () => {
      await unused(cluster.url);
      await cluster.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Waits briefly for houses that workers share: they close with their worker, and vitest does not wait for that. */
async function unused(url: string): Promise<void> {
  const sql = connect(url, { max: 1 });
  const end = Date.now() + 10_000;
  const inUse = () => sql`select 1 from pg_stat_activity where datname like 't\\_%' limit 1`;
  while ((await inUse()).length > 0 && Date.now() < end) await sleep(50);
  await sql.end();
}

export function withName(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
