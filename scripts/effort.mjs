// @ts-check
import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks a second in /proc: the same on every Linux. */
const ticks = 100;

/**
 * CPU seconds of this process, of the children it has waited for, and of theirs. Undefined where the system has no /proc.
 * Waiting does not count, so neither does a neighbour that takes the processor.
 */
export function cpuSeconds() {
  return statOf('self')?.seconds;
}

/**
 * CPU seconds of the browsers that this process started, but for their first processes: a browser waits for no other of its
 * own, so these count nowhere else.
 */
export function browserSeconds() {
  const all = processes();
  const below = new Set([process.pid]);
  // A parent may have a higher id than its child.
  for (let size = 0; size < below.size;) {
    size = below.size;
    for (const [pid, { parent }] of all) if (below.has(parent)) below.add(pid);
  }
  return [...below].filter(isPartOfBrowser).reduce((sum, pid) => sum + (all.get(pid)?.seconds ?? 0), 0);
}

/** @returns {Map<number, {parent: number, seconds: number}>} */
function processes() {
  const pids = quietly(() => readdirSync('/proc').filter((name) => /^\d+$/.test(name))) ?? [];
  return new Map(
    pids.flatMap((pid) => {
      const stat = statOf(pid);
      return stat ? [[Number(pid), stat]] : [];
    }),
  );
}

/** Renderers and other helpers of Chromium name their type. @param {number} pid */
const isPartOfBrowser = (pid) =>
  quietly(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))?.includes('--type=') === true;

/** @param {string} pid */
function statOf(pid) {
  const stat = quietly(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  if (stat === undefined) return undefined;
  // After the name, which may contain anything: state and parent, and utime, stime, cutime, cstime as fields 14 to 17.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const used = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { parent: Number(fields[1]), seconds: used / ticks };
}

/**
 * A process may end while it is looked at, and other systems have no /proc.
 * @template T
 * @param {() => T} look
 */
function quietly(look) {
  try {
    return look();
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
export function measureBeside(everyMs = 120_000) {
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
