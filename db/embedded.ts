import { mkdir, realpath } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBinaries, NoBinaries } from './embedded/binaries.ts';
import { claimFolder, FolderInUse, type Claim } from './embedded/claim.ts';
import { clusterPassword, clusterVersion, createCluster, removeHalfMade } from './embedded/cluster.ts';
import { findHome } from './embedded/home.ts';
import { databaseUrl, runningDatabase } from './embedded/running.ts';
import { clearTheWay, keepShort, launch, NotYet, type Server } from './embedded/server.ts';

export { FolderInUse, NoBinaries };

/** Another major version of PostgreSQL made the cluster. */
export class OtherVersion extends Error {
  override readonly name = 'OtherVersion';
}

export interface EmbeddedOptions {
  dataDir: string;
  /** Called with a line about a long step or a restarted server. */
  say?: (line: string) => void;
  /** Additional settings of PostgreSQL. */
  settings?: Record<string, string>;
  /** A folder with `bin/postgres` and `bin/initdb`; by default the platform's package, then what the system has. */
  binaries?: string;
  /** Folder for databases that cannot be in their data folder; used only by root. */
  elsewhere?: string;
}

/** Folder for databases that PostgreSQL's account cannot reach in their data folder. */
const usualElsewhere = '/var/lib/colloquy';

export interface EmbeddedDatabase {
  readonly url: string;
  /** Folder of the cluster. */
  readonly folder: string;
  stop(): Promise<void>;
}

/** A real PostgreSQL that belongs to this process: it stops when this process ends, however it ends. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  if (process.platform === 'win32') {
    throw new NoBinaries(
      'The embedded database does not run on Windows: set DATABASE_URL to a PostgreSQL 15 or newer.',
    );
  }
  const { dataDir, claim } = await claimed(options.dataDir);
  try {
    return await start(dataDir, options, () => claim.release());
  } catch (error) {
    await claim.release();
    throw error;
  }
}

/** The same beside a server that runs on the data folder: its database is used, and stays when this one stops. */
export async function joinEmbedded(options: EmbeddedOptions): Promise<Pick<EmbeddedDatabase, 'url' | 'stop'>> {
  try {
    return await startEmbedded(options);
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error;
    const url = await runningDatabase(await realpath(options.dataDir), options.elsewhere ?? usualElsewhere);
    if (url === undefined) throw error;
    return { url, stop: () => Promise.resolve() };
  }
}

async function claimed(folder: string): Promise<{ dataDir: string; claim: Claim }> {
  try {
    await mkdir(folder, { recursive: true });
    const dataDir = await realpath(folder);
    // Waits for a process that is stopping, perhaps in favour of this one.
    for (const until = performance.now() + 2000; ; await sleep(50)) {
      try {
        return { dataDir, claim: await claimFolder(dataDir) };
      } catch (error) {
        if (!(error instanceof FolderInUse) || performance.now() > until) throw error;
      }
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    const advice = 'start as its owner, or set DATA_DIR to another folder';
    throw new Error(`You may not write to the data folder ${folder}: ${advice}.`, { cause: error });
  }
}

async function start(
  dataDir: string,
  options: EmbeddedOptions,
  release: () => Promise<void>,
): Promise<EmbeddedDatabase> {
  const { say = () => {}, settings = {}, elsewhere = usualElsewhere } = options;
  const home = await findHome(dataDir, elsewhere, say);
  await removeHalfMade(home);
  const cluster = join(home.folder, 'postgres');
  const version = await clusterVersion(cluster);
  const binaries = await findBinaries(options.binaries, home, version, say);
  if (version === undefined) {
    say('Making the database, once …');
    await createCluster(cluster, binaries, home, settings['fsync'] !== 'off');
  } else if (version !== binaries.major) {
    throw new OtherVersion(
      `The database in ${cluster} was made by PostgreSQL ${version}, and here is PostgreSQL ${binaries.major}: install version ${version}, or move that folder away to begin anew.`,
    );
  }
  const password = await clusterPassword(cluster);
  const log = join(dataDir, 'postgres.log');
  await keepShort(log);
  const trimming = setInterval(() => void keepShort(log).catch(() => {}), 5000).unref();

  const prepare = async () => {
    const { clean } = await clearTheWay(cluster);
    if (!clean) say('The database was not stopped cleanly: recovering …');
  };
  const begin = (port: number) => launch({ cluster, binaries, home, port, log, settings });
  const running = await keepRunning({ prepare, begin, say }).catch((error: unknown) => {
    clearInterval(trimming);
    throw error;
  });
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    await running.stop();
    clearInterval(trimming);
    await release();
  };
  return {
    url: databaseUrl(password, running.port),
    folder: cluster,
    stop: () => (stopped ??= stop()),
  };
}

interface Running {
  readonly port: number;
  stop(): Promise<void>;
}

interface RunningOptions {
  prepare: () => Promise<void>;
  begin: (port: number) => Server;
  say: (line: string) => void;
}

/** Starts a server on a free port and, until it is stopped, again on the same port whenever it ends. */
async function keepRunning({ prepare, begin, say }: RunningOptions): Promise<Running> {
  const halt = new AbortController();
  let server: Server | undefined;
  const open = async (port: number): Promise<Server> => {
    await prepare();
    halt.signal.throwIfAborted();
    server = begin(port);
    await patiently(server.ready, say);
    return server;
  };

  let port = await freePort();
  for (let tries = 1; ; tries++) {
    try {
      server = await open(port);
      break;
    } catch (error) {
      if (!(error instanceof NotYet) || tries === 50) throw error;
      await sleep(200);
      port = await freePort();
    }
  }

  const keep = async (first: Server) => {
    let pause = 100;
    for (let up: Server | undefined = first; !halt.signal.aborted;) {
      if (up) {
        const began = performance.now();
        const how = await up.ended;
        if (halt.signal.aborted) return;
        say(`The database ended unexpectedly (${how}): starting it again.`);
        if (performance.now() - began > 60_000) pause = 100;
      }
      await sleep(pause, undefined, { ref: false, signal: halt.signal }).catch(() => {});
      pause = Math.min(2 * pause, 5000);
      up = await open(port).catch((error: Error) => {
        if (!halt.signal.aborted) say(error.message);
        return undefined;
      });
    }
  };
  const kept = keep(server);
  return {
    port,
    async stop() {
      halt.abort();
      // The server can still be starting.
      await server?.end();
      await kept;
    },
  };
}

async function patiently(ready: Promise<void>, say: (line: string) => void): Promise<void> {
  const began = performance.now();
  const still = setInterval(
    () => say(`The database is still starting (${Math.round((performance.now() - began) / 1000)} s) …`),
    5000,
  );
  try {
    await ready;
  } finally {
    clearInterval(still);
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
