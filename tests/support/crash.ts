import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '#db/connect.ts';
import { startEmbedded, type EmbeddedDatabase } from '#db/embedded.ts';
import { migrate } from '#db/migrate.ts';
import { openDatabase, type Database } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { meetingAccess, meetings } from '#db/schema/meetings.ts';
import { startSession } from '#server/people/sessions.ts';
import { systemClock } from '#server/clock.ts';
import type { House } from '#server/context.ts';
import { sessionCookie } from '#server/http/cookies.ts';
import { emailKey } from '#shared/accounts.ts';
import { newId } from '#shared/ids.ts';
import { systemBinaries } from './cluster.ts';
import { Editor } from './editors.ts';
import { freePort } from './ports.ts';
import { gone, openProcess, type RunningHouse } from './processes.ts';

/** A PostgreSQL that a test may kill: its processes, and the wait until it answers again. */
type OwnCluster = EmbeddedDatabase & { processes(): number[]; up(): Promise<void> };

/** Starts a migrated PostgreSQL with the product's settings that a test may kill. */
export async function ownCluster(dataDir: string, settings: Record<string, string> = {}): Promise<OwnCluster> {
  const binaries = process.env['TEST_DATABASE'] === 'external' ? systemBinaries() : null;
  const cluster = await startEmbedded({ dataDir, settings, ...(binaries ? { binaries } : {}) });
  await migrate(cluster.url, join(import.meta.dirname, '../../db/migrations'));
  return {
    ...cluster,
    processes: () => postgresProcesses(cluster.folder),
    async up() {
      for (;;) {
        const sql = connect(cluster.url, { max: 1, connect_timeout: 2 });
        const well = await sql`select 1`.then(
          () => true,
          () => false,
        );
        await sql.end({ timeout: 1 });
        if (well) return;
        await sleep(50);
      }
    },
  };
}

/** The same in a folder that goes with it; `home` is the folder, which has room for data of a server. */
export async function freshCluster(name: string): Promise<OwnCluster & { home: string }> {
  const home = await mkdtemp(join(tmpdir(), `colloquy-${name}-`));
  // The account of PostgreSQL has to reach its part of it.
  await chmod(home, 0o755);
  await mkdir(join(home, 'own'));
  const cluster = await ownCluster(join(home, 'own'));
  return {
    ...cluster,
    home,
    async stop() {
      await cluster.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Kills all processes of a PostgreSQL and these others at once, and waits until it is up again. */
export async function killCluster({ processes, up }: OwnCluster, ...others: number[]): Promise<void> {
  const victims = [...others, ...processes()];
  signal(victims, 'SIGKILL');
  await Promise.all(victims.map(gone));
  await up();
}

/** The postmaster and all processes it started; empty while it is not running. */
function postgresProcesses(folder: string): number[] {
  try {
    const postmaster = Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
    const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(postmaster)], { encoding: 'utf8' });
    return [postmaster, ...children.split('\n').map(Number).filter(Boolean)];
  } catch {
    return [];
  }
}

export function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      // The process may have ended just now.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

export interface Meeting {
  room: string;
  /** Cookies, one for each person; all of them may write. */
  cookies: string[];
}

/** Creates a person with a confirmed account, who is signed in by this cookie, in the tables of a house that runs elsewhere. */
export async function makeUser({ orm }: Pick<Database, 'orm'>) {
  const id = newId();
  const email = `${id.toLowerCase()}@example.test`;
  const now = systemClock.now();
  const row = { id, email, emailKey: emailKey(email), passwordHash: null, firstName: 'Ann', lastName: 'Test' };
  await orm.insert(users).values({ ...row, createdAt: now, confirmedAt: now });
  const who = { userId: id, remember: true, userAgent: 'test' };
  const { secret } = await startSession({ clock: systemClock } as House, orm, who);
  return { id, email, cookie: [sessionCookie(false), secret] as const };
}

/** Creates a meeting straight in the tables of a house that runs elsewhere. */
export async function makeRoom({ orm }: Database, people: number): Promise<Meeting> {
  const ids: string[] = [];
  const cookies: string[] = [];
  for (let i = 0; i < people; i += 1) {
    const { id, cookie } = await makeUser({ orm });
    ids.push(id);
    cookies.push(cookie.join('='));
  }
  const id = newId();
  await orm.insert(meetings).values({ id, ownerId: ids[0] ?? '' });
  const permissions = ['read', 'comment', 'write', 'discover'];
  for (const principalId of ids.slice(1))
    await orm.insert(meetingAccess).values({ meetingId: id, kind: 'user', principalId, permissions });
  return { room: `${id}/transcript`, cookies };
}

/** Processes of the house on one database, each on a port that it keeps across restarts. */
export class Processes {
  readonly url: string;
  private readonly ports: number[] = [];
  private readonly running: (RunningHouse | null)[] = [];

  constructor(url: string) {
    this.url = url;
  }

  async start(nth = 0, modules: readonly string[] = []): Promise<RunningHouse> {
    const port = (this.ports[nth] ??= await freePort());
    const env = { DATABASE_URL: this.url, PORT: String(port) };
    return (this.running[nth] = await openProcess(env, { modules }));
  }

  pid(nth = 0): number {
    return this.running[nth]?.child.pid ?? 0;
  }

  origin(nth = 0): string {
    return `http://127.0.0.1:${this.ports[nth]}`;
  }

  /** Connects one person with our own client. */
  editor({ room, cookies }: Meeting, person: number, at: () => number = () => 0): Editor {
    const headers = { cookie: cookies[person] ?? '' };
    const where = () => this.origin(at());
    return new Editor({ room, at: where, headers: withOrigin(headers, where), hasty: true });
  }
}

/** The origin depends on the process that is asked, so it is read anew at each connection. */
function withOrigin(headers: Record<string, string>, origin: () => string): Record<string, string> {
  return Object.defineProperty({ ...headers }, 'origin', { enumerable: true, get: origin });
}

/** Opens the database of a cluster to inspect it from outside. */
export const lookInto = (url: string): Database => openDatabase(url, { max: 2 });
