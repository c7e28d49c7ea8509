import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readlink, rm, rmdir, symlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { basename, dirname, join, relative, resolve } from 'node:path';

/*
 * One copy of the app per data folder. The claim is a listening socket: it lives exactly as long as its process, zombies
 * and reused process ids included, and is visible to other containers that share the folder. Its owner is
 * determined by `lock/<number>`, a symbolic link to the socket, which is created atomically:
 *
 * - the claim belongs to the socket of the highest number, if that answers;
 * - if it does not, it never will again, and the process that creates the next number gets the claim;
 * - the two highest numbers are never removed, so that a slow starter cannot reuse a number.
 */

export class FolderInUse extends Error {
  override readonly name = 'FolderInUse';
}

export interface Claim {
  release(): Promise<void>;
}

export async function claimFolder(dataDir: string): Promise<Claim> {
  const lock = join(dataDir, 'lock');
  await mkdir(lock, { recursive: true });
  const { server, path } = await listenFor(lock);
  const release = async () => {
    // Closing the server also removes the socket's file.
    await new Promise<void>((done) => void server.close(() => done()));
    await removeSocket(lock, path);
  };
  try {
    const mine = await takeNextNumber(dataDir, lock, path);
    await removeOld(lock, mine);
    return { release };
  } catch (error) {
    await release();
    throw error;
  }
}

async function takeNextNumber(dataDir: string, lock: string, path: string): Promise<number> {
  const target = dirname(path) === lock ? relative(lock, path) : path;
  for (;;) {
    const last = Math.max(0, ...(await numbers(lock)));
    const holder = last > 0 ? await socketBehind(lock, last) : undefined;
    if (holder !== undefined && (await answers(holder))) {
      const pid = Number.parseInt(basename(holder), 10);
      throw new FolderInUse(`The data folder ${dataDir} is in use by another copy of Colloquy (process ${pid}).`);
    }
    const mine = last + 1;
    if (!(await appeared(target, join(lock, String(mine))))) continue;
    if (Math.max(...(await numbers(lock))) === mine) return mine;
    await rm(join(lock, String(mine)), { force: true });
  }
}

/** Creates the link; false if another process created it first. */
async function appeared(target: string, path: string): Promise<boolean> {
  try {
    await symlink(target, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function numbers(lock: string): Promise<number[]> {
  return (await readdir(lock)).filter((name) => /^\d+$/.test(name)).map(Number);
}

async function socketBehind(lock: string, number: number): Promise<string> {
  return resolve(lock, await readlink(join(lock, String(number))));
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    // Any error but a missing listener (a full queue, no permission) counts as a living process.
    socket.once('error', (error: NodeJS.ErrnoException) =>
      resolve(!['ECONNREFUSED', 'ENOENT', 'ENOTSOCK'].includes(error.code ?? '')),
    );
  });
}

async function removeOld(lock: string, mine: number): Promise<void> {
  for (const number of await numbers(lock)) {
    if (number >= mine) continue;
    await removeSocket(lock, await socketBehind(lock, number));
    if (number < mine - 1) await rm(join(lock, String(number)), { force: true });
  }
}

async function removeSocket(lock: string, path: string): Promise<void> {
  await rm(path, { force: true });
  if (dirname(path) !== lock) await rmdir(dirname(path)).catch(() => {});
}

/** Listens beside the lock if the path fits a socket's address and the file system supports sockets, else in /tmp. */
async function listenFor(lock: string): Promise<{ server: Server; path: string }> {
  const name = `${process.pid}-${randomBytes(6).toString('hex')}.sock`;
  const near = join(lock, name);
  if (Buffer.byteLength(near) <= 100) {
    try {
      return { server: await listen(near), path: near };
    } catch (error) {
      if (!['ENOTSUP', 'EOPNOTSUPP', 'EPERM', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? ''))
        throw error;
    }
  }
  const away = await mkdtemp('/tmp/colloquy-lock-');
  await chmod(away, 0o711);
  const path = join(away, name);
  return { server: await listen(path), path };
}

function listen(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', reject);
    // Every user with access to the folder can test the claim, so that root and the folder's owner can alternate.
    server.listen({ path, readableAll: true, writableAll: true }, () => resolve(server.unref()));
  });
}
