// @ts-check
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { build, stale } from './build.mjs';
import { install, missing } from './install.mjs';
import { withLock } from '#server/lock.mjs';
import { CommandFailed, interruptible, Interrupted, run, step } from './run.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');

/**
 * Installs missing packages and builds what is stale, one command at a time in a checkout. Takes no lock if nothing has to
 * be done.
 * @param {{built: boolean, signal: AbortSignal}} options
 */
export async function prepare({ built, signal }) {
  if (!missing(root) && !(built && stale(root).length > 0)) return;
  const waiting = () => console.log('Waiting for another command that installs or builds in this folder ...');
  const work = async (/** @type {AbortSignal} */ lost) => {
    const either = AbortSignal.any([signal, lost]);
    const why = missing(root);
    if (why) await step(`Installing packages (${why})`, () => install(root, either));
    const names = built ? stale(root).map(({ name }) => name) : [];
    if (names.length > 0) await step(`Building the ${names.join(' and the ')}`, () => build(root, either));
  };
  await withLock(join(root, '.cache/prepare'), work, { waiting, signal });
}

/**
 * Runs a TypeScript file in a process of its own, with the output and exit code of this one. `built`: it needs the builds.
 * @param {string} file Path from the root.
 * @param {readonly string[]} args
 */
export async function runScript(file, args, { built = false } = {}) {
  await interruptible(async (signal) => {
    await prepare({ built, signal });
    const { code } = await run(process.execPath, ['--import', 'tsx', file, ...args], {
      cwd: root,
      signal,
      anyCode: true,
      inherit: true,
    });
    process.exitCode = code;
  }).catch(giveUp);
}

/** Ends a failed command: prints the output of the failed program, then the reason in one line. */
export function giveUp(/** @type {unknown} */ error) {
  if (error instanceof Interrupted) process.exit(error.exitCode);
  if (error instanceof CommandFailed) {
    const output = stripVTControlCharacters(error.output).trim();
    console.error(output.split('\n').slice(-40).join('\n'));
  }
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
