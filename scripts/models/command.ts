import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readOwnConfig } from '#server/config.ts';
import { noSherpa } from '#server/engines/local-engine.ts';
import { readModel } from '#server/engines/models.ts';
import { findPrograms } from '#server/media/ffmpeg.ts';
import { withLock } from '../lock.mjs';
import { catalogue, type Entry } from './catalogue.ts';
import { Failed, fromOf, onDisk } from './fetch.ts';
import { installModel, workFolder, wrongWith } from './install.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const usage = 'npm run models -- <name> ..., with --from <https address or folder> for a mirror or files that are here';

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof Error && ['Failed', 'ConfigError'].includes(error.name))) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function main(): Promise<number> {
  const { values, names } = given();
  const { modelsDir: folder, path } = readOwnConfig(root);
  if (values.check) return check(folder);
  if (names.length === 0) return list(folder);
  const wanted = names.map((name) => {
    const entry = catalogue.find((one) => one.name === name);
    if (!entry)
      throw new Failed(`There is no model "${name}". There are: ${catalogue.map((one) => one.name).join(', ')}`);
    return entry;
  });
  const from = fromOf(values.from);
  await fetchAll(await withNeeds(wanted, folder), folder, from);
  const missing = [noSherpa(), (await findPrograms(path)) ? null : 'ffmpeg and ffprobe are not on the PATH'];
  for (const why of missing) if (why !== null) console.log(`Nothing can be written down by them yet: ${why}.`);
  console.log('Start Colloquy anew, and they are offered where a recording is added.');
  return 0;
}

function given() {
  try {
    const options = { from: { type: 'string' }, check: { type: 'boolean' } } as const;
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    return { values, names: positionals };
  } catch (error) {
    throw new Failed(`${error instanceof Error ? error.message : String(error)}\n${usage}`, { cause: error });
  }
}

/** Adds missing models that the wanted ones need, before them. */
async function withNeeds(wanted: readonly Entry[], folder: string): Promise<Entry[]> {
  const needs = catalogue.filter(({ name }) => wanted.some((entry) => entry.needs.includes(name)));
  const absent: Entry[] = [];
  for (const entry of needs) if ((await stateOf(folder, entry.name)) !== 'here') absent.push(entry);
  return [...new Set([...absent, ...wanted])];
}

async function fetchAll(entries: readonly Entry[], folder: string, from: ReturnType<typeof fromOf>): Promise<void> {
  await mkdir(workFolder(folder), { recursive: true }).catch((error: unknown) => {
    throw onDisk(error, folder);
  });
  const waiting = () => console.log('Waiting for another command that fetches models ...');
  await withLock(
    join(workFolder(folder), 'lock'),
    async (signal) => {
      for (const entry of entries) {
        console.log(`${entry.name}: ${entry.licence}, ${entry.credit}`);
        await installModel(entry, { folder, from, signal, say: (text) => console.log(`  ${text}`) });
        console.log(`${entry.name} is in ${join(folder, entry.name)}`);
      }
    },
    { waiting },
  );
  // Unfinished downloads are kept for the next command.
  if ((await readdir(workFolder(folder))).length === 0) await rm(workFolder(folder), { recursive: true });
}

async function stateOf(folder: string, name: string): Promise<string> {
  if (!(await stat(join(folder, name)).catch(() => null))) return '';
  try {
    readModel(join(folder, name));
    return 'here';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function list(folder: string): Promise<number> {
  console.log(`Models of speech, for ${resolve(folder)}:\n`);
  for (const { name, about, licence, sources } of catalogue) {
    const size = sources.reduce((sum, { megabytes }) => sum + megabytes, 0);
    const state = await stateOf(folder, name);
    console.log(`  ${name.padEnd(14)} ${`${size} MB`.padStart(7)}  ${about} (${licence})${state && ` - ${state}`}`);
  }
  console.log('\nWhisper tells the times of sentences; those of words are estimated within them.');
  console.log(usage);
  return 0;
}

async function check(folder: string): Promise<number> {
  let wrong = 0;
  let seen = 0;
  for (const { name } of catalogue) {
    if ((await stateOf(folder, name)) === '') continue;
    seen += 1;
    const why = await wrongWith(join(folder, name));
    if (why !== null) wrong += 1;
    console.log(`${name}: ${why ?? 'as it was fetched'}`);
  }
  if (seen === 0) console.log(`There are no models in ${folder}.`);
  return wrong > 0 ? 1 : 0;
}
