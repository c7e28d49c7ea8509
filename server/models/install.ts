import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { copyFile, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { descriptionFile, modelDescription, readModel } from '../engines/models.ts';
import {
  Failed,
  fetchSource,
  fileOf,
  onDisk,
  sumOf,
  usual,
  type Fetched,
  type From,
  type Pace,
  type Source,
} from '../outside/model-files.ts';
import { bunzip, Damaged } from './bunzip.ts';
import type { Entry } from './catalogue.ts';
import { untar } from './untar.ts';

export type InstallStep = 'fetching' | 'unpacking';

interface Options {
  /** Folder that holds all models. */
  folder: string;
  from: From;
  signal: AbortSignal;
  say: (text: string) => void;
  /** Called before each file is fetched, and before it is unpacked. */
  step?: (step: InstallStep) => void;
  pace?: Pace;
}

/** Folder for unfinished downloads, which no server reads. */
export const workFolder = (folder: string): string => join(folder, '.fetch');

interface Kept {
  name: string;
  bytes: number;
  sha256: string;
}

/** Fetches a model and moves it to its place in one step: a reader finds the old one or the new one, whole. */
export async function installModel(entry: Entry, options: Options): Promise<Fetched['verified']> {
  const { folder, from, signal, say, step = () => {}, pace = usual } = options;
  const work = workFolder(folder);
  const made = join(work, `${entry.name}.new`);
  try {
    await mkdir(work, { recursive: true });
    await rm(made, { recursive: true, force: true });
    await mkdir(made);
  } catch (error) {
    throw onDisk(error, folder);
  }
  const files: Record<string, Kept> = {};
  const all: Fetched[] = [];
  for (const source of entry.sources) {
    const target = join(work, fileOf(source));
    step('fetching');
    const fetched = await fetchSource(source, from, target, { pace, signal, say });
    say(`${fileOf(source)}: ${toldOf(fetched)}`);
    step('unpacking');
    Object.assign(files, await keep(source, target, made));
    all.push(fetched);
  }
  const worst = (['recorded', 'published', 'pinned'] as const).find((how) =>
    all.some(({ verified }) => verified === how),
  );
  const description = modelDescription.parse({
    name: entry.name,
    title: entry.title,
    kind: entry.kind,
    make: entry.make ?? '',
    ...(entry.languages && { languages: entry.languages }),
    licence: entry.licence,
    source: all.map(({ told, sha256 }) => `${told}; SHA-256 ${sha256}`).join('\n'),
    verified: worst ?? 'recorded',
    files,
  });
  try {
    await writeFile(join(made, descriptionFile), `${JSON.stringify(description, null, 2)}\n`, { flush: true });
    await replace(made, join(folder, entry.name), join(work, `${entry.name}.old`));
    for (const source of entry.sources) await rm(join(work, fileOf(source)), { force: true });
  } catch (error) {
    throw onDisk(error, folder);
  }
  return description.verified;
}

const toldOf = ({ verified, told, sha256 }: Fetched): string =>
  verified === 'recorded'
    ? `nobody publishes what it should be; its SHA-256 is ${sha256}, which is written down beside it`
    : `its SHA-256 is ${sha256}, as ${verified === 'pinned' ? 'this repository' : told.replace(/^.*, as (.*) says$/, '$1')} says`;

async function replace(made: string, place: string, old: string): Promise<void> {
  await rm(old, { recursive: true, force: true });
  if (await stat(place).catch(() => null)) await rename(place, old);
  await rename(made, place);
  await rm(old, { recursive: true, force: true });
}

/** The needed part of a fetched file: all of it, or files of its archive. */
async function keep(source: Source, path: string, folder: string): Promise<Record<string, Kept>> {
  try {
    if (path.endsWith('.tar.bz2')) return unpack(source, path, folder);
    const kept: Record<string, Kept> = {};
    for (const role of Object.keys(source.files)) {
      const name = basename(path);
      await copyFile(path, join(folder, name));
      kept[role] = { name, bytes: (await stat(path)).size, sha256: await sumOf(path) };
    }
    return kept;
  } catch (error) {
    if (!(error instanceof Damaged)) throw onDisk(error, folder);
    throw new Failed(`${basename(path)} cannot be unpacked: ${error.message}`, { cause: error, failure: 'damaged' });
  }
}

function unpack({ files }: Source, path: string, folder: string): Record<string, Kept> {
  const kept: Record<string, Kept & { hash: ReturnType<typeof createHash>; file: number }> = {};
  const archive = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(1 << 20);
    const read = () => {
      const length = readSync(archive, buffer, 0, buffer.length, null);
      return length === 0 ? null : buffer.subarray(0, length);
    };
    untar(bunzip(read), (inside) => {
      const [role] = Object.entries(files).find(([, pattern]) => pattern.test(inside)) ?? [];
      if (role === undefined || kept[role]) return null;
      const name = basename(inside);
      const one = { name, bytes: 0, sha256: '', hash: createHash('sha256'), file: openSync(join(folder, name), 'wx') };
      kept[role] = one;
      return (bytes) => {
        one.hash.update(bytes);
        one.bytes += bytes.length;
        for (let at = 0; at < bytes.length;) at += writeSync(one.file, bytes, at);
      };
    });
    for (const one of Object.values(kept)) fsyncSync(one.file);
  } finally {
    closeSync(archive);
    for (const { file } of Object.values(kept)) closeSync(file);
  }
  const missing = Object.keys(files).filter((role) => !kept[role]);
  if (missing.length > 0) throw new Damaged(`there is no ${missing.join(', no ')} in it`);
  return Object.fromEntries(
    Object.entries(kept).map(([role, { name, bytes, hash }]) => [role, { name, bytes, sha256: hash.digest('hex') }]),
  );
}

/** The defect of an installed model; null if each file has the recorded checksum. */
export async function wrongWith(folder: string): Promise<string | null> {
  try {
    const model = readModel(folder);
    for (const { name, sha256 } of Object.values(model.files) as Kept[])
      if ((await sumOf(join(folder, name))) !== sha256) return `its file ${name} was changed or damaged`;
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
