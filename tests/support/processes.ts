import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { stale } from '../../scripts/build.mjs';

const linux = process.platform === 'linux';

interface Process {
  pid: number;
  command: string;
}

/** Whether a process is running; a zombie that its parent has not collected yet is not. */
export function alive(pid: number): boolean {
  if (linux) {
    const stat = quietly(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
    // The state follows the name, which is in parentheses and may contain anything.
    return stat !== '' && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  }
  return ps(['-p', String(pid)]).length > 0;
}

/** Waits until a process has ended; the limit of the test bounds the wait. */
export async function gone(pid: number): Promise<void> {
  while (alive(pid)) await sleep(20);
}

/** Running processes that work in a folder or name it on their command line. */
export function processesIn(folder: string): Process[] {
  const all = linux ? listProc() : ps(['-axww']).map((one) => ({ ...one, cwd: '' }));
  return all
    .filter(({ pid, command, cwd }) => {
      const theirs = command.includes(folder) || cwd === folder || cwd.startsWith(`${folder}/`);
      return theirs && pid !== process.pid && alive(pid);
    })
    .map(({ pid, command }) => ({ pid, command }));
}

/** Waits until no process works in the folder any more; the limit of the test bounds the wait. */
export async function deserted(folder: string): Promise<void> {
  while (processesIn(folder).length > 0) await sleep(50);
}

function listProc() {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map((name) => ({
    pid: Number(name),
    command: quietly(() => readFileSync(`/proc/${name}/cmdline`, 'utf8'))
      .replaceAll('\0', ' ')
      .trim(),
    cwd: quietly(() => readlinkSync(`/proc/${name}/cwd`)),
  }));
}

function ps(selection: string[]): Process[] {
  const lines = quietly(() => execFileSync('ps', [...selection, '-o', 'pid=,stat=,args='], { encoding: 'utf8' }));
  return lines
    .split('\n')
    .map((line) => /^\s*(\d+)\s+([^\sZ]\S*)\s+(.*)$/.exec(line))
    .flatMap((found) => (found ? [{ pid: Number(found[1]), command: found[3] ?? '' }] : []));
}

/** A process may end while it is inspected, and those of other users may be partly hidden. */
function quietly(look: () => string): string {
  try {
    return look();
  } catch {
    return '';
  }
}

const root = join(import.meta.dirname, '../..');
const started = new Set<ChildProcess>();

/** Kills everything `run` started in this file; for `afterEach`. */
export function endProcesses(): void {
  for (const child of started) child.kill('SIGKILL');
  started.clear();
}

interface Started {
  child: ChildProcess;
  /** Lines printed so far, on both streams. */
  lines: string[];
  /** First line that matches, as soon as there is one. */
  heard(what: RegExp): Promise<string>;
  ended: Promise<number | null>;
}

interface HowToRun {
  /** Whether the program runs without the TypeScript loader. */
  plain?: boolean;
  /** Modules loaded before the program. */
  modules?: readonly string[];
  /** Options of node itself, such as a limit of its heap. */
  node?: readonly string[];
  /** Program that runs node, with its arguments. */
  under?: readonly string[];
  /** Arguments of the program. */
  arguments?: readonly string[];
}

/** Runs one of our programs as a separate process, without our environment. */
export function run(program: string, env: Record<string, string>, how: HowToRun = {}): Started {
  const modules = [...(how.plain ? [] : ['tsx']), ...(how.modules ?? [])].flatMap((module) => ['--import', module]);
  const line = [
    ...(how.under ?? []),
    process.execPath,
    ...(how.node ?? []),
    ...modules,
    program,
    ...(how.arguments ?? []),
  ];
  const child = spawn(line[0] ?? '', line.slice(1), {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], PORT: '0', DEMO: 'off', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.add(child);
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (text) => {
      lines.push(text);
      for (const look of waiting) look();
    });
  }
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const heard = (what: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const found = lines.find((one) => what.test(one));
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
      void ended.then(() => reject(new Error(`it ended without ${what}:\n${lines.join('\n')}`)));
    });
  return { child, lines, heard, ended };
}

export interface RunningHouse extends Started {
  port: number;
  origin: string;
}

let built: boolean | null = null;

/**
 * Starts the house as a process and waits until it is ready. It runs the build if that is current, because the build
 * starts ten times as fast.
 */
export async function openProcess(env: Record<string, string>, how: HowToRun = {}): Promise<RunningHouse> {
  built ??= !stale(root).some(({ name }) => name === 'server');
  const plain = how.plain ?? (built && !(how.modules ?? []).some((module) => module.endsWith('.ts')));
  const house = run(plain ? 'dist/server/main.js' : 'server/main.ts', env, { ...how, plain });
  const line = await house.heard(/^Colloquy is ready at /);
  const port = Number(line.split(':').at(-1));
  return { ...house, port, origin: `http://127.0.0.1:${port}` };
}

/** Kills the server as a crash would, and waits until it has ended. */
export async function kill({ child: { pid = 0 } }: RunningHouse): Promise<void> {
  process.kill(pid, 'SIGKILL');
  await gone(pid);
}
