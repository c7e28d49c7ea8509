import { closeSync, openSync, statSync } from 'node:fs';
import { copyFile, open, readdir, readFile, readlink, rm, stat, truncate } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Binaries } from './binaries.ts';
import { FolderInUse } from './claim.ts';
import type { Home } from './home.ts';
import { ask, complaint, startWatched, watchOver } from './programs.ts';

/** The server did not start for a reason that passes: its port was taken, or remains of an earlier one still live. */
export class NotYet extends Error {
  override readonly name = 'NotYet';
}

export interface Server {
  /** Resolves when it takes connections, fails when it ended before. */
  readonly ready: Promise<void>;
  /** Resolves when it has ended, with how. */
  readonly ended: Promise<string>;
  end(): Promise<void>;
}

export interface LaunchOptions {
  cluster: string;
  binaries: Binaries;
  home: Home;
  port: number;
  log: string;
  settings: Record<string, string>;
}

/** Names the process that started a postmaster, among its arguments; as long as that lives, it is its parent. */
const starter = 'colloquy.started_by=';

export function launch({ cluster, binaries, home, port, log, settings }: LaunchOptions): Server {
  const all = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    timezone: 'UTC',
    log_timezone: 'UTC',
    jit: 'off',
    // The log names what went wrong, never the data it went wrong with.
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
  // Our process may end as if there were no server: the watch stops it then.
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

/** Sees to it that a watch is there as long as the server is, even if somebody ends the watch. */
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
    // Should watches not last, at most one a second is started.
    await sleep(1000, undefined, { ref: false });
    if (!over) watch = watchOver(account, pid);
  }
}

/** Orderly first, then at once (as safe, but the next start has to recover), then by force. */
async function endProcess(pid: number, isOver: () => boolean | Promise<boolean>): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (await isOver()) return;
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
    for (const until = performance.now() + 10_000; performance.now() < until; await sleep(20)) {
      if (await isOver()) return;
    }
  }
}

/**
 * Waits for what an earlier start left behind in a cluster that is ours now; answers whether it had stopped cleanly.
 * What `postmaster.pid` names is believed only if it is a living postmaster of this cluster: ids are reused, belong to
 * other containers or to zombies, all of which PostgreSQL itself would take for a reason not to start.
 */
export async function clearTheWay(cluster: string): Promise<{ clean: boolean }> {
  const began = performance.now();
  for (let left = await postmasterOf(cluster); left; left = await postmasterOf(cluster)) {
    const { pid, parent, startedBy, status } = left;
    const waited = performance.now() - began;
    if (startedBy !== undefined && startedBy !== parent) {
      await endProcess(pid, async () => (await postmasterOf(cluster))?.pid !== pid);
    } else if (waited > (status === 'stopping' ? 60_000 : startedBy === undefined ? 0 : 3000)) {
      const who =
        startedBy === undefined
          ? `PostgreSQL, started by other means (process ${pid})`
          : `another copy of Colloquy (process ${startedBy})`;
      throw new FolderInUse(`The database in ${cluster} is in use by ${who}.`);
    }
    await sleep(50);
  }
  const file = join(cluster, 'postmaster.pid');
  const clean = (await stat(file).catch(() => undefined)) === undefined;
  if (!clean) {
    await orphansGone(cluster);
    await rm(file, { force: true });
  }
  return { clean };
}

interface PidFile {
  pid: number;
  status: string;
}

async function readPidFile(cluster: string): Promise<PidFile | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const pid = Number.parseInt(lines[0] ?? '', 10);
  return pid > 0 ? { pid, status: lines[7]?.trim() ?? '' } : undefined;
}

async function postmasterOf(
  cluster: string,
): Promise<(PidFile & { parent: number; startedBy: number | undefined }) | undefined> {
  const file = await readPidFile(cluster);
  const found = file && (await lookAt(file.pid));
  if (!file || !found || !(await isPostgresIn(cluster, file.pid, found))) return undefined;
  const named = found.command.split(starter)[1];
  return { ...file, parent: found.parent, startedBy: named === undefined ? undefined : Number.parseInt(named, 10) };
}

interface Process {
  readonly parent: number;
  /** With its arguments. */
  readonly command: string;
}

/** A process that lives; a zombie does not. */
async function lookAt(pid: number): Promise<Process | undefined> {
  if (process.platform !== 'linux') {
    const { ok, output } = await ask(undefined, ['ps', '-ww', '-o', 'stat=,ppid=,command=', '-p', String(pid)]);
    const [, state, parent, command] = /^(\S+)\s+(\d+)\s+(.*)/.exec(output) ?? [];
    return !ok || !state || state.startsWith('Z') || !command ? undefined : { parent: Number(parent), command };
  }
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name before the last bracket may hold anything, blanks and brackets too.
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
    return state === 'Z' || state === 'X' ? undefined : { parent: Number(parent), command };
  } catch {
    return undefined;
  }
}

/** Every process of a PostgreSQL server stands in its cluster's folder; where that is not told, its arguments name it. */
async function isPostgresIn(cluster: string, pid: number, { command }: Process): Promise<boolean> {
  if (!/(^|\/)(postgres|postmaster)(:| |$)/.test(command)) return false;
  const folder = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  return folder === undefined ? command.includes(cluster) : folder === cluster;
}

/** Processes whose postmaster was killed end by themselves, but one busy with a long statement only when it is done. */
async function orphansGone(cluster: string): Promise<void> {
  if (process.platform !== 'linux') return;
  for (let round = 0; ; round++) {
    const left = await postgresIn(cluster);
    if (left.length === 0) return;
    if (round >= 100 && round % 100 === 0) {
      for (const pid of left) await endProcess(pid, async () => (await lookAt(pid)) === undefined);
    }
    await sleep(20);
  }
}

async function postgresIn(cluster: string): Promise<number[]> {
  const pids: number[] = [];
  for (const name of await readdir('/proc')) {
    const found = /^\d+$/.test(name) ? await lookAt(Number(name)) : undefined;
    if (found && (await isPostgresIn(cluster, Number(name), found))) pids.push(Number(name));
  }
  return pids;
}

const longest = 4 * 1024 * 1024;

/** PostgreSQL appends, so the file can be cut while it writes; the last part stays beside it. */
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
