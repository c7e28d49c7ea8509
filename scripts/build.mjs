// @ts-check
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.mjs';

const settings = ['vite.config.ts', 'tsconfig.json', 'package.json', 'package-lock.json'];
const builds = [
  {
    name: 'client',
    made: 'dist/client/index.html',
    args: ['build'],
    sources: ['index.html', 'public', 'client', 'shared', 'sync', ...settings],
  },
  {
    name: 'server',
    made: 'dist/server/main.js',
    args: ['build', '--ssr'],
    sources: ['server', 'db', 'shared', 'sync', ...settings],
  },
];

/** The builds whose result is older than the sources, by content and not by date. */
export function stale(/** @type {string} */ root) {
  return builds
    .map((build) => ({ ...build, fingerprint: fingerprint(root, build.sources) }))
    .filter(({ name, made, fingerprint }) => !existsSync(join(root, made)) || readStamp(root, name) !== fingerprint);
}

/** The stamp is written last, so an interrupted build does not count. */
export async function build(/** @type {string} */ root, /** @type {AbortSignal} */ signal) {
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const env = { ...process.env, NODE_ENV: 'production', NO_COLOR: '1' };
  await Promise.all(
    stale(root).map(async ({ name, args, fingerprint }) => {
      rmSync(stampOf(root, name), { force: true });
      await run(process.execPath, [vite, ...args], { cwd: root, env, signal });
      mkdirSync(join(root, 'dist'), { recursive: true });
      writeFileSync(stampOf(root, name), fingerprint);
    }),
  );
}

function stampOf(/** @type {string} */ root, /** @type {string} */ name) {
  return join(root, 'dist', `${name}.stamp`);
}

function readStamp(/** @type {string} */ root, /** @type {string} */ name) {
  try {
    return readFileSync(stampOf(root, name), 'utf8');
  } catch {
    return undefined;
  }
}

function fingerprint(/** @type {string} */ root, /** @type {string[]} */ sources) {
  const hash = createHash('sha256');
  const add = (/** @type {string} */ path) => {
    const full = join(root, path);
    const found = statSync(full, { throwIfNoEntry: false });
    if (found?.isDirectory()) {
      for (const name of readdirSync(full).sort()) if (!name.startsWith('.')) add(`${path}/${name}`);
    } else if (found && !/\.test\.tsx?$/.test(path)) {
      hash.update(`${path}\0${found.size}\0`).update(readFileSync(full));
    }
  };
  for (const source of sources) add(source);
  return hash.digest('hex');
}
