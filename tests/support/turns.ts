import { readFileSync } from 'node:fs';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';

/** CPU seconds of this thread, or where the system does not tell, of the process. A busy machine changes neither. */
function seconds(): number {
  try {
    // Linux: nanoseconds on a processor come first.
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e9;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
}

/**
 * The longest turn of the event loop while `work` is under way, in seconds of CPU. Long work is looked at every few
 * milliseconds, which may count so much too many but leaves the processor to others; short work at each turn.
 */
export async function longestTurn(work: () => Promise<void>, everyMs?: number): Promise<number> {
  let longest = 0;
  let busy = true;
  const watch = (async () => {
    for (let before = seconds(); busy;) {
      await (everyMs === undefined ? turn() : sleep(everyMs));
      const now = seconds();
      longest = Math.max(longest, now - before);
      before = now;
    }
  })();
  try {
    await work();
  } finally {
    busy = false;
    await watch;
  }
  return longest;
}
