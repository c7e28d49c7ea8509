import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { chown, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Binaries } from './binaries.ts';
import type { Home } from './home.ts';
import { complaint, run } from './programs.ts';

/** Inside the cluster, so that neither exists without the other. */
const passwordFile = 'colloquy.password';
const halfMade = '.new-';

/** The major version of PostgreSQL that made the cluster; undefined when there is none yet. */
export async function clusterVersion(cluster: string): Promise<number | undefined> {
  try {
    return Number(await readFile(join(cluster, 'PG_VERSION'), 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES')
      throw new Error(`The database in ${cluster} belongs to another user: start as that user, or as root.`, {
        cause: error,
      });
    if (code !== 'ENOENT') throw error;
  }
  const entries = await readdir(cluster).catch(() => []);
  if (entries.length > 0) throw new Error(`${cluster} is not a database, and not empty: move it away to begin anew.`);
  return undefined;
}

export async function clusterPassword(cluster: string): Promise<string> {
  return (await readFile(join(cluster, passwordFile), 'utf8')).trim();
}

/** Removes clusters left unfinished by starts that were killed. */
export async function removeHalfMade(home: Home): Promise<void> {
  for (const name of await readdir(home.folder)) {
    // A folder that its own start is removing now is left to the next call.
    if (name.startsWith(halfMade)) await rm(join(home.folder, name), { recursive: true, force: true }).catch(() => {});
  }
}

/** Creates the cluster in a temporary folder and moves it into place when it is complete. */
export async function createCluster(
  cluster: string,
  { bin, major }: Binaries,
  home: Home,
  sync: boolean,
): Promise<void> {
  const { account } = home;
  const fresh = await mkdtemp(join(home.folder, halfMade));
  const give = async (path: string) => {
    if (account) await chown(path, account.uid >>> 0, account.gid >>> 0);
  };
  try {
    await give(fresh);
    // No connection is possible until the final access rules are written.
    const initdb = [
      join(bin, 'initdb'),
      '-D',
      fresh,
      '-U',
      'postgres',
      '--auth=reject',
      '--encoding=UTF8',
      '--data-checksums',
    ];
    if (!sync) initdb.push('--no-sync');
    // PostgreSQL 17 and later have a built-in locale, the same on every machine.
    if (major >= 17) initdb.push('--locale-provider=builtin', '--builtin-locale=C.UTF-8');
    let made = await run(account, [...initdb, '--locale=C.UTF-8']);
    if (made.output.includes('invalid locale')) made = await run(account, [...initdb, '--locale=C']);
    if (!made.ok) throw new Error(`The database could not be made: ${complaint(made.output)}`);

    await writeFile(join(fresh, 'pg_hba.conf'), 'host all colloquy 127.0.0.1/32 scram-sha-256\n', { flush: true });
    const password = randomBytes(24).toString('hex');
    await writeFile(join(fresh, passwordFile), `${password}\n`, { mode: 0o600, flush: true });
    await give(join(fresh, passwordFile));

    // Runs in single-user mode, without network. The app's role owns its database and may create more, but is no
    // superuser: a vulnerability of the app does not compromise the machine.
    const alone = [
      join(bin, 'postgres'),
      '--single',
      '-j',
      '-D',
      fresh,
      '-c',
      'exit_on_error=on',
      '-c',
      `fsync=${sync ? 'on' : 'off'}`,
    ];
    const statements = `CREATE ROLE colloquy LOGIN CREATEDB PASSWORD '${scramSecret(password)}';\n\nCREATE DATABASE colloquy OWNER colloquy;\n\n`;
    const result = await run(account, [...alone, 'postgres'], statements);
    if (!result.ok) throw new Error(`The database could not be made: ${complaint(result.output)}`);

    await rename(fresh, cluster);
    await syncFolder(home.folder);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Secret that PostgreSQL stores of a password, in its own format, with one iteration instead of 4096: iterations slow down
 * guessing, and nobody guesses 24 random bytes, but each new connection of the app computes them on its main thread.
 */
function scramSecret(password: string): string {
  const iterations = 1;
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest();
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${keyOf('Server Key').toString('base64')}`;
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync();
  await folder.close();
}
