// @ts-check
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { run } from './run.mjs';

/** @typedef {{version?: string, optional?: boolean, os?: string[], cpu?: string[], optionalDependencies?: Record<string, string>}} Locked */

/**
 * Reason to install the packages, or undefined when they stand. npm writes its own record of what it installed as
 * its last act, so the record agreeing with the lock file means a complete install; half an install has none.
 * @param {string} root
 */
export function missing(root) {
  const record = readPackages(join(root, 'node_modules/.package-lock.json'));
  if (!record)
    return existsSync(join(root, 'node_modules')) ? 'an install was not finished' : 'nothing is installed yet';
  const wanted = readPackages(join(root, 'package-lock.json'));
  if (!wanted) throw new Error('package-lock.json is missing or damaged');
  const ours = wanted['']?.optionalDependencies ?? {};
  for (const [path, locked] of Object.entries(wanted)) {
    if (path === '') continue;
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const needed = !locked.optional || (name in ours && forThisMachine(locked));
    const version = record[path]?.version;
    if (needed && version === undefined) return `${name} is missing`;
    if (version !== undefined && version !== locked.version) return `${name} is ${version}, not ${locked.version}`;
    if (version !== undefined && !existsSync(join(root, path, 'package.json'))) return `${name} is missing`;
  }
  return undefined;
}

/** Installs exactly what the lock file says, also where the machine's settings leave out parts of it. */
export async function install(/** @type {string} */ root, /** @type {AbortSignal} */ signal) {
  // npm clears the folder in no order; without its record an install that is cut short is always noticed.
  rmSync(join(root, 'node_modules/.package-lock.json'), { force: true });
  const cli = process.env['npm_execpath'] ?? '';
  const [command, ...before] = /npm-cli\.c?js$/.test(cli) ? [process.execPath, cli] : ['npm'];
  // No package of ours needs its install script, so none gets to run.
  const args = [...before, 'ci', '--include=dev', '--include=optional', '--ignore-scripts', '--no-audit', '--no-fund'];
  await run(command ?? 'npm', args, {
    cwd: root,
    env: { ...process.env, npm_config_cache: cacheFolder(root) },
    signal,
  });
}

/** @returns {Record<string, Locked> | undefined} */
function readPackages(/** @type {string} */ file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** True for packages made for this platform, such as the database. Other optional packages may be missing. */
function forThisMachine(/** @type {Locked} */ { os, cpu }) {
  return Boolean(os?.includes(process.platform) && (cpu ?? [process.arch]).includes(process.arch));
}

/** npm's own cache, or one in the checkout for a user whose home cannot be written (such as a service's). */
function cacheFolder(/** @type {string} */ root) {
  const usual = process.env['npm_config_cache'] ?? join(homedir(), '.npm');
  try {
    mkdirSync(usual, { recursive: true });
    accessSync(usual, constants.W_OK);
    return usual;
  } catch {
    return join(root, '.cache/npm');
  }
}
