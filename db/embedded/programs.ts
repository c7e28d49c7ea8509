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
 * A server does not outlive us, whatever way we go. The shell starts a watch and then becomes the program, so the two are
 * born together. The watch reads from a pipe to us: a line means that it is not needed any more, the end that we are gone,
 * and it interrupts the program (for PostgreSQL a "fast shutdown"). The watch is nobody's child, for a postmaster expects
 * none but its own.
 */
const bornWatched = '( ( read -r _ <&3 || kill -INT $$ ) >/dev/null 2>&1 & ); exec "$@" 3<&-';
const watch = 'read -r _ <&3 || kill -INT "$1"';
const plain = 'exec "$@" 3<&-';

interface Watched {
  readonly child: ChildProcess;
  /** Closes when the watch is gone. Undefined when the program could not be started. */
  readonly watch: Socket | undefined;
}

/** Runs as that user, or as whoever started us. */
export function startWatched(
  account: Account | undefined,
  program: string[],
  streams: [Stream, Stream, Stream],
): Watched {
  const child = shell(account, bornWatched, program, streams);
  const pipe = pipeOf(child);
  child.once('exit', () => pipe?.end('\n'));
  return { child, watch: pipe };
}

/** A new watch over a process that has lost its own; undefined when none could be started. */
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
    // So that Ctrl-C in a terminal reaches only us, and we decide.
    detached: true,
    cwd: '/',
    // Not our environment, which may hold secrets and PostgreSQL's own variables.
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C' },
    // Some systems number `nobody` -2: signed here, though the owners of files are not.
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

/** Work that ends with us. */
export function run(account: Account | undefined, program: string[], input = ''): Promise<Outcome> {
  return outcomeOf(startWatched(account, program, ['pipe', 'pipe', 'pipe']).child, input);
}

/** A quick question. */
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
    // A program that does not read what it is told answers by its exit code.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
    child.once('error', (error) => resolve({ ok: false, output: error.message }));
    child.once('close', (code, signal) => {
      resolve({ ok: code === 0, output: output.trim() || `ended by ${signal ?? `code ${code}`}` });
    });
  });
}

/** Of all that was said, the line that tells what went wrong. */
export function complaint(output: string): string {
  const lines = output.trim().split('\n');
  const line = lines.findLast((said) => /FATAL|PANIC|error:/.test(said)) ?? lines.at(-1) ?? '';
  return line.replace(/^.*(FATAL|PANIC|error): +/, '');
}

/** Tried, not computed from modes: access lists, mounts and security modules have a say as well. */
export async function canEnter(account: Account | undefined, folder: string): Promise<boolean> {
  return (await ask(account, ['/bin/sh', '-c', 'cd "$1"', 'sh', folder])).ok;
}
