import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const linux = process.platform === 'linux';

/** Whether a process still does something: a zombie that nobody has collected yet does not. */
export function alive(pid: number): boolean {
  if (linux) {
    const stat = read(`/proc/${pid}/stat`);
    // The state follows the name, which stands in brackets and may hold anything.
    return stat !== '' && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  }
  return ps(['-p', String(pid)]).some(({ state }) => !state.startsWith('Z'));
}

/** Ends when the process has; the limit of the test that waits bounds it. */
export async function gone(pid: number): Promise<void> {
  while (alive(pid)) await sleep(20);
}

/** The living processes whose command line holds the text (a folder of the test's own, say). */
export function processesWith(text: string): { pid: number; command: string }[] {
  const all = linux
    ? readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map((name) => ({ pid: Number(name), command: read(`/proc/${name}/cmdline`).replaceAll('\0', ' ') }))
    : ps(['-axww']);
  return all
    .filter(({ pid, command }) => pid !== process.pid && command.includes(text) && alive(pid))
    .map(({ pid, command }) => ({ pid, command }));
}

function ps(selection: string[]) {
  try {
    const lines = execFileSync('ps', [...selection, '-o', 'pid=,stat=,args='], { encoding: 'utf8' }).split('\n');
    return lines.filter(Boolean).map((line) => {
      const [, pid = '', state = '', command = ''] = /^\s*(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
      return { pid: Number(pid), state, command };
    });
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
