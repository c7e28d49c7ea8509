import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { accountFor } from './account.ts';
import { canEnter, type Account } from './programs.ts';

/** File in the data folder that names the database's folder when that is elsewhere. */
const pointer = 'where-the-database-is.txt';
/** File in the other folder that names the data folder it belongs to. */
const deed = 'belongs-to.txt';

export interface Home {
  /** Contains the cluster (`postgres`) and, if needed, copied binaries. */
  readonly folder: string;
  readonly account: Account | undefined;
}

/** The data folder itself, or a folder below `elsewhere` if PostgreSQL's account cannot enter the data folder. */
export async function findHome(dataDir: string, elsewhere: string, say: (line: string) => void): Promise<Home> {
  const folder = (await pointedTo(dataDir, say)) ?? dataDir;
  const cluster = join(folder, 'postgres');
  const account = await accountFor(cluster);
  if (!account || (await canEnter(account, folder)) || (await letIn(account, folder))) return { folder, account };
  if (existsSync(cluster)) {
    throw new Error(
      `The database in ${cluster} belongs to user ${account.name}, who can no longer enter ${folder}: let others enter the folders above it (chmod o+x).`,
    );
  }
  return { folder: await settle(dataDir, elsewhere, account, say), account };
}

/** Opens a folder of root alone to PostgreSQL's group; enough if its parent can be entered. */
async function letIn(account: Account, folder: string): Promise<boolean> {
  const { uid, gid, mode } = await stat(folder);
  if (uid !== 0 || gid !== 0 || (mode & 0o077) !== 0 || !(await canEnter(account, dirname(folder)))) return false;
  try {
    await chown(folder, 0, account.gid >>> 0);
    await chmod(folder, 0o710);
  } catch {
    // Some file systems do not let root change the group.
    return false;
  }
  return await canEnter(account, folder);
}

async function pointedTo(dataDir: string, say: (line: string) => void): Promise<string | undefined> {
  const folder = await pathIn(join(dataDir, pointer));
  if (folder === undefined) return undefined;
  const owner = await pathIn(join(folder, deed));
  if (owner === undefined) {
    throw new Error(
      `${join(dataDir, pointer)} names ${folder}, but no database of ours is there. Bring it back, or remove that file to begin anew.`,
    );
  }
  if (owner === dataDir) return folder;
  // A copied data folder has the file, too; a moved one leaves nothing behind.
  if ((await pathIn(join(owner, pointer))) === folder) {
    say(`${dataDir} is a copy of ${owner}, whose database stays with it: this copy begins with an empty one.`);
    await rm(join(dataDir, pointer));
    return undefined;
  }
  await writeWhole(join(folder, deed), deedText(dataDir));
  return folder;
}

async function settle(
  dataDir: string,
  elsewhere: string,
  account: Account,
  say: (line: string) => void,
): Promise<string> {
  if (await mkdir(elsewhere, { recursive: true })) await chmod(elsewhere, 0o755);
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  let folder = join(elsewhere, name);
  // A database without its pointer belonged to an earlier folder of the same path: it is neither shown nor removed.
  for (let n = 2; existsSync(join(folder, 'postgres')); n++) {
    say(`The database of an earlier ${dataDir} stays in ${folder}.`);
    folder = join(elsewhere, `${name}-${n}`);
  }
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o755);
  if (!(await canEnter(account, folder))) {
    throw new Error(
      `The user ${account.name}, who runs PostgreSQL, can enter neither ${dataDir} nor ${folder}: set DATA_DIR to a folder it can enter.`,
    );
  }
  await writeWhole(join(folder, deed), deedText(dataDir));
  await writeWhole(
    join(dataDir, pointer),
    `The database of this folder stands in\n${folder}\nbecause the user "${account.name}", who runs it, cannot enter this one. Keep this file: the database is found by it.\n`,
  );
  say(`The user ${account.name}, who runs the database, cannot enter ${dataDir}: the database stands in ${folder}.`);
  return folder;
}

function deedText(dataDir: string): string {
  return `The database in this folder belongs to\n${dataDir}\n`;
}

/** The line of a file that is a path. */
async function pathIn(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).split('\n').find((line) => line.startsWith('/'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { flush: true });
  await rename(`${path}.new`, path);
}
