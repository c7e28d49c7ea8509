// @ts-check
import { readFileSync } from 'node:fs';

/** Clock ticks a second in /proc: the same on every Linux. */
const ticks = 100;

/**
 * CPU seconds of this process, of the children it has waited for, and of theirs. Undefined where the system has no /proc.
 * Waiting does not count, so neither does a neighbour that takes the processor.
 */
export function cpuSeconds() {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // After the name, which may contain anything: utime, stime, cutime, cstime are the fields 14 to 17.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / ticks;
  } catch {
    return undefined;
  }
}

/** The same work each time: text, numbers and objects, as tests have them. Returns the CPU seconds it took. */
export function fixedWork() {
  const before = process.cpuUsage();
  let seed = 1;
  const next = () => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648);
  for (let round = 0; round < 12; round += 1) {
    const words = Array.from({ length: 20_000 }, () => ({ id: next().toString(36), at: next() }));
    const byId = new Map(words.map((word) => [word.id, word]));
    const text = JSON.stringify(words.toSorted((one, other) => one.at - other.at));
    const found = text.match(/[a-f]\d+/g)?.length ?? 0;
    if (byId.size + found + JSON.parse(text).length === 0) throw new Error('the work was not done');
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** Does the fixed work beside something long, again and again; `stop` tells what it took, the middle of all times. */
export function measureBeside(everyMs = 30_000) {
  const times = [fixedWork()];
  const timer = setInterval(() => times.push(fixedWork()), everyMs);
  return {
    stop() {
      clearInterval(timer);
      times.push(fixedWork());
      return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;
    },
  };
}
