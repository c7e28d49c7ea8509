import { createHash } from 'node:crypto';
import { open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { inSnapshot, type DumpedTable } from '#db/dump.ts';
import type { Store } from '../outside/store.ts';
import { about, format, piece, sumsName, type About, type Sums } from './format.ts';
import { tarEnd, tarHeader, tarPadding } from './tar.ts';

const packed = promisify(gzip);

/** Letters of a table that are packed at once. */
const pieceBytes = 8 * 1024 * 1024;

interface BackupTold {
  tables: number;
  rows: number;
  files: number;
  /** Files that were deleted for good while the backup was made. */
  gone: number;
  bytes: number;
}

/**
 * Writes everything of a house into one new file, while people work: the database as it is at one moment, then all
 * files that are there. The file has its name only when all of it is on the disk.
 */
export async function backUp(
  { url, store }: { url: string; store: Pick<Store, 'keys' | 'size' | 'read'> },
  path: string,
  version: string,
): Promise<BackupTold> {
  const unfinished = `${path}.part`;
  if (await stat(path).catch(() => null)) throw new Error(`${path} is there already: name another file.`);
  try {
    const file = await open(unfinished, 'w', 0o600);
    const tar = new TarWriter(file);
    let told: BackupTold;
    try {
      const database = await writeDatabase(url, tar, version);
      const files = await writeFiles(store, tar);
      await tar.end({ sums: tar.entries, counts: database.counts });
      await file.sync();
      const rows = Object.values(database.counts).reduce((sum, count) => sum + count, 0);
      told = { tables: database.tables, rows, ...files, bytes: tar.bytes };
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
    return told;
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

async function writeDatabase(url: string, tar: TarWriter, version: string) {
  return inSnapshot(url, async ({ outline, rows, sequences }) => {
    const said: About = { format, version, at: new Date().toISOString(), ...outline, sequences: await sequences() };
    await tar.add(about, Buffer.from(JSON.stringify(said, null, 1)));
    const counts: Record<string, number> = {};
    for (const table of outline.tables) counts[table.name] = await writeTable(tar, table, rows(table));
    return { tables: outline.tables.length, counts };
  });
}

/** The rows of a table, a line each, in pieces that are packed one by one. Returns their number. */
async function writeTable(tar: TarWriter, { name }: DumpedTable, rows: AsyncIterable<Buffer>): Promise<number> {
  let waiting: Buffer[] = [];
  let gathered = 0;
  let count = 0;
  let pieces = 0;
  const flush = async () => {
    if (gathered === 0) return;
    await tar.add(piece(name, pieces), await packed(Buffer.concat(waiting), { level: 3 }));
    pieces += 1;
    waiting = [];
    gathered = 0;
  };
  for await (const chunk of rows) {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) count += 1;
    waiting.push(chunk);
    gathered += chunk.length;
    if (gathered >= pieceBytes) await flush();
  }
  await flush();
  return count;
}

async function writeFiles(store: Pick<Store, 'keys' | 'size' | 'read'>, tar: TarWriter) {
  let files = 0;
  let gone = 0;
  for await (const key of store.keys()) {
    const bytes = await store.size(key);
    const content = bytes === null ? null : await store.read(key).catch(() => null);
    if (content === null || bytes === null) {
      gone += 1;
      continue;
    }
    await tar.stream(`files/${key}`, bytes, content);
    files += 1;
  }
  return { files, gone };
}

/** Appends entries to a file and remembers their checksums. */
class TarWriter {
  readonly entries: Sums['sums'] = [];
  bytes = 0;
  readonly #file: FileHandle;
  readonly #seconds = Math.floor(Date.now() / 1000);

  constructor(file: FileHandle) {
    this.#file = file;
  }

  add(name: string, content: Buffer): Promise<void> {
    return this.stream(name, content.length, Readable.from([content]));
  }

  async stream(name: string, bytes: number, content: AsyncIterable<Buffer>): Promise<void> {
    await this.#append(tarHeader(name, bytes, this.#seconds));
    const hash = createHash('sha256');
    let written = 0;
    for await (const chunk of content) {
      hash.update(chunk);
      written += chunk.length;
      await this.#append(chunk);
    }
    if (written !== bytes) throw new Error(`${name} has ${written} bytes instead of ${bytes}`);
    await this.#append(tarPadding(bytes));
    this.entries.push([name, hash.digest('hex')]);
  }

  async end(last: Sums): Promise<void> {
    const content = Buffer.from(JSON.stringify(last));
    await this.add(sumsName(createHash('sha256').update(content).digest('hex')), content);
    await this.#append(tarEnd);
  }

  async #append(chunk: Buffer): Promise<void> {
    for (let written = 0; written < chunk.length;)
      written += (await this.#file.write(chunk, written, chunk.length - written, this.bytes + written)).bytesWritten;
    this.bytes += chunk.length;
  }
}
