import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WebSocket } from 'ws';

/** What the operating system says of processes; only Linux says it. */
const proc = (...path: (string | number)[]): string => {
  try {
    return readFileSync(join('/proc', ...path.map(String)), 'utf8');
  } catch {
    return '';
  }
};

/** Milliseconds on a processor of all threads of a process, to the nanosecond where the kernel counts so. */
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

/** The same of a process and all its children, those that have ended too; in steps of 10 ms. */
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

/** Bytes of memory that are the process's own. */
export function memoryOf(pid: number): number {
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(proc(pid, 'status'))?.[1] ?? Number.NaN) * 1024;
}

/** How many processes were ready to run, on average over the last minute. */
export const load = (): string => proc('loadavg').split(' ')[0] ?? '?';

/** Opens the debugger of a process of Node and collects its garbage, so that what is left is held. */
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
