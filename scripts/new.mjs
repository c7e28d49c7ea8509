// @ts-check
// npm run new -- <capability>: makes the skeleton of a capability in every room (docs/architecture.md).
import './node-version.mjs';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { edits, newFiles, nextSteps } from './new/skeleton.mjs';
import { giveUp, prepare, root } from './prepare.mjs';
import { interruptible, run } from './run.mjs';

/** Words that say nothing of a capability, or already mean something in a path (tests/house/tree.test.ts). */
const taken =
  /^(utils?|helpers?|services?|types?|libs?|common|misc|core|shared|db|sync|server|client|scripts|tests|api)$/;

/** Files whose names a page and its texts may not have. */
const namesOfTexts = ['client/paths.ts', 'client/i18n.ts', 'shared/i18n/en.ts', 'shared/i18n/meetings/en.ts'];
const has = (/** @type {string} */ text, /** @type {string} */ name) => new RegExp(`^  ${name}\\b`, 'm').test(text);

const [name = '', ...rest] = process.argv.slice(2);
if (rest.length > 0 || !/^[a-z]{3,20}$/.test(name) || taken.test(name)) {
  console.error('npm run new -- <capability>: one plain word of 3 to 20 small letters, such as `glossary`.');
  process.exit(1);
}

await interruptible(async (signal) => {
  await prepare({ built: false, signal });
  const files = newFiles(name);
  const read = (/** @type {string} */ path) => readFileSync(join(root, path), 'utf8');
  const places = [...Object.keys(files), `server/${name}`, `client/${name}`, `shared/i18n/${name}`];
  const existing =
    places.find((path) => existsSync(join(root, path))) ?? namesOfTexts.find((path) => has(read(path), name));
  if (existing) throw new Error(`\`${name}\` exists already (${existing}).`);
  // All of them before the first is written: an edit that finds no place leaves the sources as they are.
  const changed = Object.fromEntries(edits(name, read));
  const written = { ...files, ...changed };
  for (const [path, text] of Object.entries(written)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const sources = Object.keys(written).filter((path) => !path.endsWith('.json'));
  await run(process.execPath, [join(root, 'node_modules/oxfmt/bin/oxfmt'), ...sources], { cwd: root, signal });
  const list = (/** @type {string[]} */ paths) => paths.map((path) => `  ${path}\n`).join('');
  console.log(`Made:\n${list(Object.keys(files))}Changed:\n${list(Object.keys(changed))}`);
  console.log(nextSteps(name));
}).catch(giveUp);
