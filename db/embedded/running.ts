import { join } from 'node:path';
import { clusterPassword } from './cluster.ts';
import { findHome } from './home.ts';
import { readPidFile } from './server.ts';

/** Address of the database that another process runs for a data folder; undefined while none is ready. */
export async function runningDatabase(dataDir: string, elsewhere: string): Promise<string | undefined> {
  const home = await findHome(dataDir, elsewhere, () => {});
  const cluster = join(home.folder, 'postgres');
  const file = await readPidFile(cluster);
  if (file?.status !== 'ready') return undefined;
  return databaseUrl(await clusterPassword(cluster), file.port);
}

export const databaseUrl = (password: string, port: number): string =>
  `postgres://colloquy:${password}@127.0.0.1:${port}/colloquy`;
