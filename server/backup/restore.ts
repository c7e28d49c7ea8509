import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { z } from 'zod';
import { fill, isUnused, knowsMigration } from '#db/dump.ts';
import type { Store } from '../outside/store.ts';
import { about, aboutSchema, format, sumsName, sumsSchema, type About, type Sums } from './format.ts';
import { tarEntries, type TarEntry } from './tar.ts';

const unpacked = promisify(gunzip);

/** A backup that is not restored, and why. Nothing was changed. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

export interface Restored extends Pick<About, 'at' | 'version'> {
  rows: number;
  files: number;
}

interface Target {
  url: string;
  store: Pick<Store, 'put'>;
  /** Folder of this version's migrations. */
  migrations: string;
}

/**
 * Puts a backup into an unused house. All of it is read and compared first; then files are stored, then the database
 * is filled in one transaction. A restore that ends early can be begun again.
 */
export async function restore({ url, store, migrations }: Target, path: string): Promise<Restored> {
  const file = await open(path, 'r');
  try {
    const { said, counted, entries } = await verified(file, path);
    if (!(await knowsMigration(migrations, said.migration)))
      throw new Refused(`${path} was made by a newer version (${said.version}): update first.`);
    if (!(await isUnused(url)))
      throw new Refused('There are accounts in this house already: a backup is restored into an empty one.');
    const stored = entries.filter(({ name }) => name.startsWith('files/'));
    for (const { name, at, bytes } of stored) await store.put(name.slice('files/'.length), between(path, at, bytes));
    await fill(url, migrations, {
      ...said,
      counts: counted.counts,
      rows: (table) => piecesOf(entries, table, path),
    });
    const rows = Object.values(counted.counts).reduce((sum, count) => sum + count, 0);
    return { at: said.at, version: said.version, rows, files: stored.length };
  } finally {
    await file.close();
  }
}

async function* piecesOf(entries: readonly TarEntry[], table: string, path: string): AsyncGenerator<Buffer> {
  for (const { name, at, bytes } of entries) {
    if (!name.startsWith(`database/${table}/`)) continue;
    const chunks: Buffer[] = [];
    for await (const chunk of between(path, at, bytes)) chunks.push(chunk as Buffer);
    yield await unpacked(Buffer.concat(chunks));
  }
}

/** The content of an entry. A stream of files cannot read no bytes. */
const between = (path: string, at: number, bytes: number): Readable =>
  bytes === 0 ? Readable.from([]) : createReadStream(path, { start: at, end: at + bytes - 1 });

/** Reads all of a backup; throws where a byte is not as it was written. */
async function verified(file: FileHandle, path: string): Promise<{ said: About; counted: Sums; entries: TarEntry[] }> {
  const entries: TarEntry[] = [];
  try {
    for await (const entry of tarEntries(file)) entries.push(entry);
  } catch (error) {
    if (entries[0]?.name !== about) throw new Refused(`${path} is no backup of Colloquy.`, { cause: error });
    throw new Refused(`${path} is damaged: ${(error as Error).message}.`, { cause: error });
  }
  const [first, last] = [entries[0], entries.at(-1)];
  if (first?.name !== about) throw new Refused(`${path} is no backup of Colloquy.`);
  if (last?.name !== sumsName(last ? await digest(path, last) : ''))
    throw new Refused(`${path} is damaged: its checksums are missing or changed.`);
  const json = async <T>({ name, at, bytes }: TarEntry, schema: z.ZodType<T>): Promise<T> => {
    const text = Buffer.alloc(bytes);
    await file.read(text, 0, bytes, at);
    const read = schema.safeParse(parsed(text.toString()));
    if (!read.success) throw new Refused(`${path} is damaged: ${name} is not as it was written.`);
    return read.data;
  };
  const counted = await json(last, sumsSchema);
  const others = entries.slice(0, -1);
  if (others.length !== counted.sums.length) throw new Refused(`${path} is damaged: it does not have all entries.`);
  for (const [i, entry] of others.entries()) {
    const [name, sha256] = counted.sums[i] ?? [];
    if (name !== entry.name || sha256 !== (await digest(path, entry)))
      throw new Refused(`${path} is damaged: ${entry.name} is not as it was written.`);
  }
  const said = await json(first, aboutSchema);
  if (said.format > format) throw new Refused(`${path} was made by a newer version (${said.version}): update first.`);
  return { said, counted, entries: others };
}

/** Undefined where it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function digest(path: string, { at, bytes }: TarEntry): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of between(path, at, bytes)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
