// @ts-check
// Static checks of the project, in parallel: `npm run check`, or `npm run check -- lint types`.
import './node-version.mjs';
import { availableParallelism } from 'node:os';
import { goEnv, linter, withTypes } from './lint/command.mjs';
import { giveUp, prepare, root } from './prepare.mjs';
import { interruptible, run } from './run.mjs';

/** Each checker of tsc works out shared types by itself: more of them than cores only costs time. */
const checkers = Math.min(4, Math.max(1, availableParallelism()));

const env = { ...process.env, ...goEnv };

/** The arguments to node. The lint holds the walls between the rooms as well. */
const checks = /** @type {Record<string, string[]>} */ ({
  format: ['node_modules/oxfmt/bin/oxfmt', '--list-different'],
  lint: [linter, withTypes],
  types: [
    ...['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.json', '--checkers', String(checkers)],
    // Incremental: checks only files whose types may have changed since the last run.
    ...['--incremental', '--tsBuildInfoFile', 'node_modules/.cache/check.tsbuildinfo'],
  ],
  docs: ['--import', 'tsx', 'scripts/check-docs.ts'],
});

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !(name in checks));
if (unknown !== undefined)
  giveUp(new Error(`No check is called ${unknown}: there are ${Object.keys(checks).join(', ')}.`));

const failed = await interruptible(async (signal) => {
  await prepare({ built: false, signal });
  const names = asked.length > 0 ? asked : Object.keys(checks);
  const results = await Promise.all(names.map((name) => check(name, signal)));
  return results.some((code) => code !== 0);
}).catch(giveUp);
process.exit(failed ? 1 : 0);

async function check(/** @type {string} */ name, /** @type {AbortSignal} */ signal) {
  const started = performance.now();
  const { code, output } = await run(process.execPath, checks[name] ?? [], { cwd: root, env, signal, anyCode: true });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${name.padEnd(6)} ${code === 0 ? 'good  ' : 'failed'} ${seconds.padStart(5)} s`);
  if (code !== 0) console.log(output.trimEnd());
  return code;
}
