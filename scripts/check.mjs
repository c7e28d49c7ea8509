// @ts-check
// Static checks of the project, in parallel: `npm run check`, or `npm run check -- lint types`.
import './node-version.mjs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { digests, keepKnown, readKnown, rulesDigest } from './lint/changed.mjs';
import { goEnv, linter, withTypes } from './lint/command.mjs';
import { giveUp, prepare, root } from './prepare.mjs';
import { interruptible, run } from './run.mjs';

/** Each checker of tsc works out shared types by itself: more of them than cores only costs time. */
const checkers = Math.min(4, Math.max(1, availableParallelism()));

/** @typedef {{ code: number, output: string, of?: string }} Result */

/** Files that are named to the linter one by one. */
const mostNamed = 600;

const env = { ...process.env, ...goEnv };

/** Kept between runs: what tsc found out, the shapes of all files, and the files in which the lint found nothing. */
const kept = join(root, 'node_modules/.cache/check');
const shapes = join(kept, 'shapes');

/** Each check by its name. The lint holds the walls between the rooms as well. */
const checks =
  /** @type {Record<string, (signal: AbortSignal, typed: Promise<unknown> | undefined) => Promise<Result>>} */ ({
    format: (signal) => node(signal, 'node_modules/oxfmt/bin/oxfmt', '--list-different'),
    types: (signal) =>
      node(
        signal,
        ...['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json', '--checkers', String(checkers)],
        // Incremental: checks only files whose types may have changed since the last run. Shapes say which.
        ...['--incremental', '--tsBuildInfoFile', join(kept, 'types.tsbuildinfo')],
        ...['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', shapes, '--rootDir', '.'],
      ),
    lint,
    docs: (signal) => node(signal, '--import', 'tsx', 'scripts/check-docs.ts'),
  });

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !(name in checks));
if (unknown !== undefined)
  giveUp(new Error(`No check is called ${unknown}: there are ${Object.keys(checks).join(', ')}.`));

const failed = await interruptible(async (signal) => {
  await prepare({ built: false, signal });
  const names = asked.length > 0 ? asked : Object.keys(checks);
  /** @type {Map<string, Promise<Result>>} */
  const under = new Map();
  // In the order of `checks`: types are under way when the lint asks for them.
  for (const [name, begin] of Object.entries(checks))
    if (names.includes(name))
      under.set(
        name,
        timed(name, () => begin(signal, under.get('types'))),
      );
  const results = await Promise.all(under.values());
  return results.some(({ code }) => code !== 0);
}).catch(giveUp);
process.exit(failed ? 1 : 0);

async function timed(/** @type {string} */ name, /** @type {() => Promise<Result>} */ begin) {
  const started = performance.now();
  const result = await begin();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(
    `${name.padEnd(6)} ${result.code === 0 ? 'good  ' : 'failed'} ${seconds.padStart(5)} s${result.of ?? ''}`,
  );
  if (result.code !== 0) console.log(result.output.trimEnd());
  return result;
}

/** @returns {Promise<Result>} */
function node(/** @type {AbortSignal} */ signal, /** @type {string[]} */ ...args) {
  return run(process.execPath, args, { cwd: root, env, signal, anyCode: true });
}

/**
 * Lints the files that may have another result than last time. Their shapes come from the types: where these were not asked
 * for, all files are linted.
 * @returns {Promise<Result>}
 */
async function lint(/** @type {AbortSignal} */ signal, /** @type {Promise<unknown> | undefined} */ typed) {
  if (!typed) return node(signal, linter, withTypes);
  await typed;
  const path = join(kept, 'lint.json');
  const known = readKnown(path, rulesDigest(root));
  const now = digests(root, shapes);
  const changed = [...now].filter(([name, digest]) => known.good[name] !== digest).map(([name]) => name);
  // A command line holds only so many names; then all files are faster than several runs, which each read all types.
  const files = changed.length > mostNamed ? [] : changed;
  const result = changed.length === 0 ? { code: 0, output: '' } : await node(signal, linter, withTypes, ...files);
  // After a finding or a failure nothing new is good: the linter may have left files out of what it printed.
  const good = result.code === 0 ? [...now] : [...now].filter(([name, digest]) => known.good[name] === digest);
  keepKnown(path, { rules: known.rules, good: Object.fromEntries(good) });
  return { ...result, of: ` (${changed.length} of ${now.size} files)` };
}
