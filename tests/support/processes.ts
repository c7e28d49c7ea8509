import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const linux = process.platform === 'linux';

export interface Process {
  pid: number;
  command: string;
}

/** Whether a process still does something: a zombie that nobody has collected yet does not. */
export function alive(pid: number): boolean {
  if (linux) {
    const stat = quietly(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
    // The state follows the name, which stands in brackets and may hold anything.
    return stat !== '' && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  }
  return ps(['-p', String(pid)]).length > 0;
}

/** Ends when the process has; the limit of the test that waits bounds it. */
export async function gone(pid: number): Promise<void> {
  while (alive(pid)) await sleep(20);
}

/** The living processes that work in a folder or name it on their command line. */
export function processesIn(folder: string): Process[] {
  const all = linux ? listProc() : ps(['-axww']).map((one) => ({ ...one, cwd: '' }));
  return all
    .filter(({ pid, command, cwd }) => {
      const theirs = command.includes(folder) || cwd === folder || cwd.startsWith(`${folder}/`);
      return theirs && pid !== process.pid && alive(pid);
    })
    .map(({ pid, command }) => ({ pid, command }));
}

/** Ends when no process works in the folder any more; the limit of the test that waits bounds it. */
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

/** A process may end while it is looked at, and those of others may not be looked at in full. */
function quietly(look: () => string): string {
  try {
    return look();
  } catch {
    return '';
  }
}
