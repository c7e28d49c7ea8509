import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WebSocket } from 'ws';

/** Figures of processes from the operating system; Linux only. */
const proc = (...path: (string | number)[]): string => {
  try {
    return readFileSync(join('/proc', ...path.map(String)), 'utf8');
  } catch {
    return '';
  }
};

/** CPU time of all threads of a process in milliseconds, to the nanosecond if the kernel has it. */
export function cpuOf(pid: number): number {
  let nanoseconds = 0;
  for (const thread of threadsOf(pid)) nanoseconds += Number(proc(pid, 'task', thread, 'schedstat').split(' ')[0]);
  return nanoseconds / 1e6;
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** The same for a process and all its children, including ended ones; in steps of 10 ms. */
export function cpuOfFamily(pid: number): number {
  let ticks = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = proc(name, 'stat');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    if (Number(name) === pid) ticks += user + system + endedUser + endedSystem;
    else if (fields[1] === pid) ticks += user + system;
  }
  return ticks * 10;
}

/** Private memory of the process in bytes. */
export function memoryOf(pid: number): number {
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(proc(pid, 'status'))?.[1] ?? Number.NaN) * 1024;
}

/** Load average of the last minute. */
export const load = (): string => proc('loadavg').split(' ')[0] ?? '?';

/** Collects garbage through the debugger of a Node process, so that only live memory remains. */
export async function collectGarbage(pid: number, stderr: () => string): Promise<void> {
  process.kill(pid, 'SIGUSR1');
  const until = performance.now() + 10_000;
  let address: string | undefined;
  while (!address) {
    if (performance.now() > until) throw new Error('no debugger opened');
    await new Promise((resolve) => setTimeout(resolve, 20));
    address = /Debugger listening on (ws:\S+)/.exec(stderr())?.[1];
  }
  const ws = new WebSocket(address);
  await new Promise((resolve, reject) => {
    ws.once('open', resolve);
    ws.once('error', reject);
  });
  for (const id of [1, 2]) {
    ws.send(JSON.stringify({ id, method: 'HeapProfiler.collectGarbage' }));
    await new Promise((resolve) => ws.once('message', resolve));
  }
  ws.close();
  await new Promise((resolve) => ws.once('close', resolve));
}
