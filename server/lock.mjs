// @ts-check
// A lock for a checkout that does not rely on process ids: they are reused, differ between containers and outlive
// their process as zombies. The lock is a folder that holds one file, named by its owner. It is taken by renaming a
// prepared folder onto it, which fails while it holds a file, so two never both succeed. The owner touches its file;
// a file that stands still while a waiter watches is a dead owner's and is removed by its name.
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, rmdir, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const windows = process.platform === 'win32';
const look = 100;

/**
 * Runs `work` while holding the lock. A waiter looks ten times a second; after `patience` looks at a sign of life that did
 * not change the owner is held for dead. Looks are counted, not seconds: a machine that slept owes nobody a beat.
 * @template T
 * @param {string} folder
 * @param {(lost: AbortSignal) => Promise<T>} work is told by `lost` when somebody took us for dead
 * @param {{beat?: number, patience?: number, waiting?: () => void, signal?: AbortSignal | undefined}} options
 * @returns {Promise<T>}
 */
export async function withLock(folder, work, { beat = 500, patience = 60, waiting, signal } = {}) {
  const token = randomUUID();
  const file = join(folder, token);
  await take(folder, token, { patience, waiting, signal });
  const lost = new AbortController();
  const beating = setInterval(() => {
    const now = new Date();
    utimes(file, now, now).catch((error) => {
      if (error.code === 'ENOENT') lost.abort(new Error('another command took over while this one was suspended'));
    });
  }, beat);
  try {
    return await work(lost.signal);
  } finally {
    clearInterval(beating);
    await rm(file, { force: true });
    await rmdir(folder).catch(() => {});
  }
}

/**
 * @param {string} folder
 * @param {string} token
 * @param {{patience: number, waiting?: (() => void) | undefined, signal?: AbortSignal | undefined}} options
 */
async function take(folder, token, { patience, waiting, signal }) {
  const prepared = `${folder}.${token}`;
  await mkdir(dirname(folder), { recursive: true });
  await mkdir(prepared);
  await writeFile(join(prepared, token), '');
  let seen = '';
  let still = 0;
  try {
    while (!(await moved(prepared, folder))) {
      signal?.throwIfAborted();
      const owner = await sign(folder);
      if (owner && owner.sign !== seen) {
        if (seen === '') waiting?.();
        seen = owner.sign;
        still = 0;
      } else if (owner && ++still >= patience) {
        await unlink(owner.file).catch(() => {});
      }
      await sleep(look, undefined, { signal });
    }
  } catch (error) {
    await rm(prepared, { recursive: true, force: true });
    // The wait does not know why it was aborted.
    signal?.throwIfAborted();
    throw error;
  }
}

/** True when the prepared folder is in the place of the lock. */
async function moved(/** @type {string} */ from, /** @type {string} */ to) {
  try {
    // Windows does not rename onto an empty folder, so the rest of a release is removed first.
    if (windows) await rmdir(to).catch(() => {});
    await rename(from, to);
    return true;
  } catch (error) {
    const { code = '' } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'ENOTEMPTY' || code === 'EEXIST' || (windows && code === 'EPERM')) return false;
    throw error;
  }
}

/** The owner's file and its sign of life, or undefined when the lock is just being released. */
async function sign(/** @type {string} */ folder) {
  try {
    const [name] = await readdir(folder);
    if (name === undefined) return undefined;
    const file = join(folder, name);
    return { file, sign: `${name} ${(await stat(file)).mtimeMs}` };
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return undefined;
    throw error;
  }
}
