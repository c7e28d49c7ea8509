import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';

/** A system user. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

type Stream = 'ignore' | 'pipe' | number;

/*
 * A watch ends the server when this process ends, for whatever reason. The shell starts the watch and then becomes the
 * program, so that neither runs without the other. The watch reads from a pipe to this process: a line means that it is
 * no longer needed; the end of the pipe means that this process is gone, and the watch interrupts the program (for
 * PostgreSQL a "fast shutdown"). The watch is detached, because a postmaster expects no children but its own.
 */
const watchedFromStart = '( ( read -r _ <&3 || kill -INT $$ ) >/dev/null 2>&1 & ); exec "$@" 3<&-';
const watch = 'read -r _ <&3 || kill -INT "$1"';
const plain = 'exec "$@" 3<&-';

interface Watched {
  readonly child: ChildProcess;
  /** Closes when the watch ends. Undefined if the program could not be started. */
  readonly watch: Socket | undefined;
}

/** Runs a program under a watch, as the account or the current user. */
export function startWatched(
  account: Account | undefined,
  program: string[],
  streams: [Stream, Stream, Stream],
): Watched {
  const child = shell(account, watchedFromStart, program, streams);
  const pipe = pipeOf(child);
  child.once('exit', () => pipe?.end('\n'));
  return { child, watch: pipe };
}

/** Starts a new watch for a process that lost its own; undefined if that fails. */
export function watchOver(account: Account | undefined, pid: number): Socket | undefined {
  try {
    const child = shell(account, watch, [String(pid)], ['ignore', 'ignore', 'ignore']);
    child.once('error', () => {});
    child.unref();
    return pipeOf(child)?.unref();
  } catch {
    return undefined;
  }
}

function shell(
  account: Account | undefined,
  script: string,
  args: string[],
  streams: [Stream, Stream, Stream],
): ChildProcess {
  return spawn('/bin/sh', ['-c', script, 'sh', ...args], {
    // Ctrl-C in a terminal reaches only this process, which then decides.
    detached: true,
    cwd: '/',
    // Our environment may hold secrets and PostgreSQL's own variables.
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C' },
    // Some systems number `nobody` -2: signed here, while owners of files are unsigned.
    ...(account && { uid: account.uid | 0, gid: account.gid | 0 }),
    stdio: [...streams, 'pipe'],
  });
}

function pipeOf(child: ChildProcess): Socket | undefined {
  if (child.pid === undefined) return undefined;
  const pipe = child.stdio[3] as Socket;
  pipe.on('error', () => {});
  return pipe.resume();
}

interface Outcome {
  readonly ok: boolean;
  readonly output: string;
}

/** Runs a program that ends with this process. */
export function run(account: Account | undefined, program: string[], input = ''): Promise<Outcome> {
  return outcomeOf(startWatched(account, program, ['pipe', 'pipe', 'pipe']).child, input);
}

/** Runs a short program, without a watch. */
export function ask(account: Account | undefined, program: string[]): Promise<Outcome> {
  return outcomeOf(shell(account, plain, program, ['pipe', 'pipe', 'pipe']), '');
}

function outcomeOf(child: ChildProcess, input: string): Promise<Outcome> {
  return new Promise((resolve) => {
    let output = '';
    const hear = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    // A program that does not read its input reports by its exit code.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
    child.once('error', (error) => resolve({ ok: false, output: error.message }));
    child.once('close', (code, signal) => {
      resolve({ ok: code === 0, output: output.trim() || `ended by ${signal ?? `code ${code}`}` });
    });
  });
}

/** The line of the output that tells what went wrong. */
export function complaint(output: string): string {
  const lines = output.trim().split('\n');
  const line = lines.findLast((one) => /FATAL|PANIC|error:/.test(one)) ?? lines.at(-1) ?? '';
  return line.replace(/^.*(FATAL|PANIC|error): +/, '');
}

/** Tries to enter instead of computing it from modes: access lists, mounts and security modules count as well. */
export async function canEnter(account: Account | undefined, folder: string): Promise<boolean> {
  return (await ask(account, ['/bin/sh', '-c', 'cd "$1"', 'sh', folder])).ok;
}
