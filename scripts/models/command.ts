import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readOwnConfig } from '#server/config.ts';
import { noSherpa } from '#server/engines/local-engine.ts';
import { readModel } from '#server/engines/models.ts';
import { findPrograms } from '#server/media/ffmpeg.ts';
import { catalogue } from '#server/models/catalogue.ts';
import { fetchModels, withNeeds } from '#server/models/fetch-models.ts';
import { wrongWith } from '#server/models/install.ts';
import { Failed, fromOf } from '#server/outside/model-files.ts';

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
  const { modelsDir: folder, modelsFrom, path } = readOwnConfig(root);
  if (values.check) return check(folder);
  if (names.length === 0) return list(folder);
  const wanted = names.map((name) => {
    const entry = catalogue.find((one) => one.name === name);
    if (!entry)
      throw new Failed(`There is no model "${name}". There are: ${catalogue.map((one) => one.name).join(', ')}`);
    return entry;
  });
  await fetchModels(withNeeds(wanted, folder), {
    folder,
    from: fromOf(values.from ?? modelsFrom),
    signal: new AbortController().signal,
    say: (text) => console.log(text),
    waiting: () => console.log('Waiting for another process that fetches models ...'),
  });
  const missing = [noSherpa(), (await findPrograms(path)) ? null : 'ffmpeg and ffprobe are not on the PATH'];
  for (const why of missing) if (why !== null) console.log(`Nothing can be written down by them yet: ${why}.`);
  console.log('They are offered where a recording is added.');
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
