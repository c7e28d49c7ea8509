import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { copyFile, open, readFile, rm, stat, truncate } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Binaries } from './binaries.ts';
import { FolderInUse } from './claim.ts';
import type { Home } from './home.ts';
import { complaint, startWatched, watchOver } from './programs.ts';

/** A start that failed for a passing reason: the port is in use, or processes of an earlier server still run. */
export class NotYet extends Error {
  override readonly name = 'NotYet';
}

export interface Server {
  /** Resolves when the server accepts connections; rejects if it ended before. */
  readonly ready: Promise<void>;
  /** Resolves with the reason when the server has ended. */
  readonly ended: Promise<string>;
  end(): Promise<void>;
}

interface LaunchOptions {
  cluster: string;
  binaries: Binaries;
  home: Home;
  port: number;
  log: string;
  settings: Record<string, string>;
}

/**
 * Setting among a server's arguments that names the process that started it, which is its parent while it lives.
 */
const starter = 'colloquy.started_by=';

export function launch({ cluster, binaries, home, port, log, settings }: LaunchOptions): Server {
  const all = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    timezone: 'UTC',
    log_timezone: 'UTC',
    jit: 'off',
    // The log names errors, never the data that caused them.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
    ...settings,
  };
  const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const program = [join(binaries.bin, 'postgres'), '-D', cluster, '-c', `${starter}${process.pid}`, ...args];

  const out = openSync(log, 'a', 0o600);
  const logged = statSync(log).size;
  const { child, watch } = startWatched(home.account, program, ['ignore', out, out]);
  closeSync(out);
  // Our process may exit without waiting for the server: the watch stops it then.
  child.unref();
  watch?.unref();

  let over = false;
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`));
  }).then((how) => {
    over = true;
    return how;
  });
  if (child.pid !== undefined) void keepWatched(child.pid, watch, home, ended);

  const becomeReady = async () => {
    while (!over) {
      const file = await readPidFile(cluster);
      if (file?.pid === child.pid && file?.status === 'ready') return;
      await sleep(10);
    }
    const reason = complaint(await textFrom(log, logged)) || (await ended);
    const passing = /could not create any TCP|pre-existing shared memory|lock file .* already exists/.test(reason);
    throw new (passing ? NotYet : Error)(`The database did not start: ${reason} (more in ${log})`);
  };
  return {
    ready: becomeReady(),
    ended,
    async end() {
      if (child.pid !== undefined) await endProcess(child.pid, () => over);
    },
  };
}

/** Replaces the watch as long as the server runs, even if the watch is killed. */
async function keepWatched(
  pid: number,
  first: Socket | undefined,
  { account }: Home,
  ended: Promise<unknown>,
): Promise<void> {
  let watch = first;
  let over = false;
  void ended.then(() => {
    over = true;
    watch?.end('\n');
  });
  while (!over) {
    if (watch && !watch.closed) await new Promise((resolve) => watch?.once('close', resolve));
    // Limits new watches to one a second.
    await sleep(1000, undefined, { ref: false });
    if (!over) watch = watchOver(account, pid);
  }
}

/** Ends a process: orderly first, then at once (as safe, but the next start has to recover), then by force. */
async function endProcess(pid: number, isOver: () => boolean): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (isOver()) return;
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
    for (const until = performance.now() + 10_000; performance.now() < until; await sleep(20)) {
      if (isOver()) return;
    }
  }
}

/**
 * Waits for processes that an earlier start left in a cluster we own now; tells whether that one stopped cleanly.
 * `postmaster.pid` alone is not trusted: its process id may be reused, of another container or of a zombie, which
 * PostgreSQL itself would take as a reason not to start; and a starting server has not written it yet.
 */
export async function clearTheWay(cluster: string): Promise<{ clean: boolean }> {
  const began = performance.now();
  for (let remaining = await processesOf(cluster); remaining.length > 0; remaining = await processesOf(cluster)) {
    const waited = performance.now() - began;
    const server = remaining.find((found) => isServer(found) && !remaining.some(({ pid }) => pid === found.parent));
    if (server === undefined) {
      // Shells and backends without a server end by themselves, but a backend with a long statement only when that is
      // done.
      for (const { pid } of waited > 2000 ? remaining : []) await endProcess(pid, () => lookAt(pid) === undefined);
    } else if (server.startedBy !== undefined && server.startedBy !== server.parent) {
      await endProcess(server.pid, () => lookAt(server.pid) === undefined);
    } else if (waited > (await patienceWith(cluster, server))) {
      const { pid, startedBy } = server;
      const who =
        startedBy === undefined
          ? `PostgreSQL, started by other means (process ${pid})`
          : `another copy of Colloquy (process ${startedBy})`;
      throw new FolderInUse(`The database in ${cluster} is in use by ${who}.`);
    }
    await sleep(20);
  }
  const file = join(cluster, 'postmaster.pid');
  const clean = !existsSync(file);
  await rm(file, { force: true });
  return { clean };
}

/** Milliseconds to wait for a server that is not ours to end. */
async function patienceWith(cluster: string, server: Process): Promise<number> {
  const file = await readPidFile(cluster);
  // Removing the file is a server's last act but one.
  if (file === undefined || file.status === 'stopping') return 60_000;
  return server.startedBy === undefined ? 0 : 3000;
}

interface PidFile {
  pid: number;
  port: number;
  status: string;
}

export async function readPidFile(cluster: string): Promise<PidFile | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const pid = Number.parseInt(lines[0] ?? '', 10);
  return pid > 0 ? { pid, port: Number(lines[3]), status: lines[7]?.trim() ?? '' } : undefined;
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  /** The program with its arguments. */
  readonly command: string;
  /** Our process that started it, if one did. */
  readonly startedBy: number | undefined;
}

const isPostgres = /^(.*\/)?(postgres|postmaster)(:| |$)/;
const isShellOrBackend = /^(\/bin\/sh |postgres:)/;

/** A new backend still looks like its server. */
function isServer({ command }: Process): boolean {
  return isPostgres.test(command) && !isShellOrBackend.test(command);
}

/** Living processes of a cluster: servers, the shells that start and watch them, backends. */
async function processesOf(cluster: string): Promise<Process[]> {
  const named = (await readPidFile(cluster))?.pid;
  return living().filter(({ pid, command }) => {
    if (command.includes(` -D ${cluster} -c ${starter}`)) return true;
    if (!isPostgres.test(command)) return false;
    // Every process of a server works in its cluster; if the folder is unknown, the arguments of the process in the pid
    // file decide.
    const folder = workingFolder(pid);
    return folder === undefined ? pid === named && command.includes(cluster) : folder === cluster;
  });
}

function living(): Process[] {
  if (process.platform !== 'linux') return listed(['-ax']);
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => lookAt(Number(pid))).filter((found) => found !== undefined);
}

/** A living process; undefined for a zombie. */
function lookAt(pid: number): Process | undefined {
  if (process.platform !== 'linux') return listed(['-p', String(pid)])[0];
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before the last bracket may contain anything, blanks and brackets included.
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' || state === 'X' ? undefined : described(pid, Number(parent), command);
  } catch {
    return undefined;
  }
}

function listed(which: string[]): Process[] {
  const { stdout } = spawnSync('ps', ['-ww', '-o', 'pid=,ppid=,stat=,command=', ...which], { encoding: 'utf8' });
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parent, state, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    return state === undefined || state.startsWith('Z') ? [] : [described(Number(pid), Number(parent), command ?? '')];
  });
}

function described(pid: number, parent: number, command: string): Process {
  const named = command.split(starter)[1];
  return { pid, parent, command, startedBy: named === undefined ? undefined : Number.parseInt(named, 10) };
}

function workingFolder(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

const longest = 4 * 1024 * 1024;

/** Truncates a long log while PostgreSQL writes, which only appends to it; the old content is kept beside it. */
export async function keepShort(log: string): Promise<void> {
  const size = await stat(log).then(
    (found) => found.size,
    () => 0,
  );
  if (size <= longest) return;
  await copyFile(log, `${log}.1`);
  await truncate(log);
}

async function textFrom(path: string, position: number): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.max(0, size - position)), 0, null, position);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
