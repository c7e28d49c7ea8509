// @ts-check
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

/** A folder of Linux whose files are in memory. */
const inMemory = '/dev/shm';
const tmpfs = 0x01021994;
const gigabyte = 2 ** 30;
/** Free space there, and free memory of the machine, from which on tests keep their files there. */
const enough = { space: 4 * gigabyte, memory: 8 * gigabyte };

const prefix = 'colloquy-tests-of-';

/**
 * Makes a folder in memory for the files of tests; undefined where there is no room. A database of a test has a thousand
 * files, and a disk may take ten times the CPU to make and delete them.
 */
export function memoryFolder() {
  if (!existsSync(inMemory)) return undefined;
  const { type, bavail, bsize } = statfsSync(inMemory);
  const memory = process.availableMemory?.() ?? freemem();
  if (type !== tmpfs || bavail * bsize < enough.space || memory < enough.memory) return undefined;
  return folderOfProcess(inMemory);
}

/** Makes a folder that is deleted when this process ends, or by the next one where it is killed. @param {string} within */
export function folderOfProcess(within) {
  for (const name of readdirSync(within)) {
    const [, pid] = name.startsWith(prefix) ? (/^(\d+)-/.exec(name.slice(prefix.length)) ?? []) : [];
    if (pid && !runs(Number(pid))) remove(join(within, name));
  }
  const folder = mkdtempSync(join(within, `${prefix}${process.pid}-`));
  // Some tests run as another user.
  chmodSync(folder, 0o755);
  process.once('exit', () => remove(folder));
  return folder;
}

/** Removes a folder, or leaves it: another user's cannot be removed, and in one that is still written to new files appear. */
function remove(/** @type {string} */ folder) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  } catch {
    // The next test run tries again.
  }
}

function runs(/** @type {number} */ pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user runs, too.
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}
