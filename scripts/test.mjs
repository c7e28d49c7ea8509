// @ts-check
// npm test [-- <part or file ...> [--install] [vitest's own options]]
import './node-version.mjs';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { aptInstall } from './apt.mjs';
import { filesAgain, parts } from './parts.mjs';
import { giveUp, prepare, root } from './prepare.mjs';
import { interruptible, run } from './run.mjs';

const longestRun = 45 * 60_000;
const silence = 15_000;
/** More files than this do not fail by chance. */
const mostAgain = 3;

/** Programs of the system that some suites run with, and the packages that bring them. */
const programs = {
  'redis-server': ['redis-server'],
  ffmpeg: ['ffmpeg'],
  // A voice, and a recogniser that hears it.
  flite: ['flite'],
  pocketsphinx_continuous: ['pocketsphinx', 'pocketsphinx-en-us'],
  // A server that speaks S3.
  memcached: ['memcached', 'python3-swift'],
};

const given = process.argv.slice(2);
const mayInstall = Boolean(process.env['CI']) || given.includes('--install');
const words = given.filter((word) => word !== '--install');
const firstOption = words.findIndex((word) => word.startsWith('-'));
const chosen = firstOption < 0 ? words : words.slice(0, firstOption);
const options = firstOption < 0 ? [] : words.slice(firstOption);
const files = chosen.filter((word) => !(word in parts));
const named = Object.keys(parts).filter((name) => chosen.includes(name));
// Files alone may be of any part; named parts and files together are the files of those parts.
const anywhere = files.length > 0 && named.length === 0;
const names = chosen.length === 0 ? Object.keys(parts) : named;

/** @type {{title: string, passed: number, failed: number, skipped: number, seconds: number}[]} */
const results = [];
/** @type {string[]} */
const skips = [];
/** @type {string[]} */
const failures = [];
/** @type {string[]} */
const chances = [];

await interruptible(testAll).catch(giveUp);

const total = (/** @type {'passed' | 'failed' | 'skipped'} */ what) => results.reduce((sum, one) => sum + one[what], 0);
for (const { title, passed, failed, skipped, seconds } of results) {
  console.log(`${title}: ${passed} passed, ${failed} failed, ${skipped} skipped in ${seconds} s`);
}
for (const skip of skips) console.log(`Skipped: ${skip}`);
for (const chance of chances) console.log(`Passed only when run again, a defect to mend: ${chance}`);
for (const failure of failures) console.log(`Failed: ${failure}`);
const [passed, failed, skipped] = [total('passed'), total('failed'), total('skipped')];
if (passed + failed === 0) console.log('No test ran, which counts as a failure.');
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);

async function testAll(/** @type {AbortSignal} */ signal) {
  const needs = (/** @type {'product' | 'browser' | 'again'} */ what) =>
    anywhere || names.some((name) => parts[name]?.[what]);
  await prepare({ built: needs('product'), signal });
  /** @type {NodeJS.ProcessEnv} */
  const env = { ...process.env };
  // Set by whoever runs a server, it would make React and others behave as if they were not tested.
  delete env['NODE_ENV'];
  if (!process.stdout.isTTY && !env['FORCE_COLOR']) env['NO_COLOR'] = '1';
  const left = new Set(names);
  if (needs('browser')) await provideBrowser(env, left, signal);
  if (needs('again')) await provideServers(env, signal);

  if (anywhere) await vitest(files.join(' '), files, env, signal);
  for (const name of left) await vitest(name, ['--project', name, ...files], env, signal);
  const again = filesAgain(root, left, files);
  if (again.length === 0) return;
  const rooms = [...left].filter((name) => parts[name]?.again).join(', ');
  const server = systemPostgres();
  if (!server) return void skips.push(`${rooms} on an external PostgreSQL (no server binaries on this machine)`);
  const title = `${rooms} on PostgreSQL ${server}`;
  const projects = [...left].filter((name) => parts[name]?.again).flatMap((name) => ['--project', name]);
  await vitest(title, [...projects, ...again], { ...env, TEST_DATABASE: 'external' }, signal);
}

/**
 * One run of vitest, added up whatever way it ends. Where machines judge, whose neighbours are not known, the few files
 * that had a failed test run once more, alone: what fails then has failed, and what passes is named at the end.
 * @param {string} title
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @param {AbortSignal} signal
 */
async function vitest(title, args, env, signal) {
  const first = await vitestOnce(title, args, env, signal);
  let { files, seconds } = first;
  const bad = files.filter(({ failures }) => failures.length > 0);
  if (process.env['CI'] && first.besides.length === 0 && bad.length > 0 && bad.length <= mostAgain) {
    const projects = args.filter((arg, nth) => arg === '--project' || args[nth - 1] === '--project');
    const names = bad.map(({ file }) => file);
    const again = await vitestOnce(`${title}, once more`, [...projects, ...names], env, signal);
    seconds += again.seconds;
    if (again.besides.length === 0 && again.files.length === bad.length) {
      const failing = new Set(again.files.filter(({ failures }) => failures.length > 0).map(({ file }) => file));
      for (const { file, failures } of bad) if (!failing.has(file)) chances.push(...failures);
      files = [...files.filter((one) => !bad.includes(one)), ...again.files];
    }
  }
  const failed = [...files.flatMap((file) => file.failures), ...first.besides];
  const skipped = files.flatMap((file) => file.skipped);
  results.push({
    title,
    passed: files.reduce((all, { passed }) => all + passed, 0),
    failed: failed.length,
    skipped: skipped.length,
    seconds,
  });
  failures.push(...failed);
  skips.push(...skipped);
}

/**
 * What became of each file, and the failures that are in none of them.
 * @param {string} title
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @param {AbortSignal} signal
 */
async function vitestOnce(title, args, env, signal) {
  console.log(`\n== ${title}`);
  const folder = mkdtempSync(join(tmpdir(), 'colloquy-summary-'));
  const file = join(folder, 'summary.json');
  const started = performance.now();
  const seconds = () => Math.round((performance.now() - started) / 1000);
  let heard = performance.now();
  const print = (/** @type {string} */ text) => {
    heard = performance.now();
    process.stdout.write(text);
  };
  const inherit = Boolean(process.stdout.isTTY);
  const sayOn = setInterval(() => {
    if (!inherit && performance.now() - heard > silence) print(`... ${title}: ${seconds()} s\n`);
  }, 1000);
  const limit = AbortSignal.timeout(longestRun);
  const reporters = ['--reporter=default', `--reporter=${join(root, 'scripts/reporter.mjs')}`];
  let code = 1;
  /** @type {import('./reporter.mjs').Summary} */
  let summary = { uncaught: [], files: [] };
  try {
    const command = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...args, ...reporters, ...options];
    const either = AbortSignal.any([signal, limit]);
    const wanted = { cwd: root, env: { ...env, TEST_SUMMARY: file }, signal: either, anyCode: true, print, inherit };
    ({ code } = await run(process.execPath, command, wanted));
  } catch (error) {
    signal.throwIfAborted();
    if (!limit.aborted) throw error;
    console.log(`${title} was stopped: it took longer than ${longestRun / 60_000} minutes`);
  } finally {
    clearInterval(sayOn);
    if (existsSync(file)) summary = JSON.parse(readFileSync(file, 'utf8'));
    rmSync(folder, { recursive: true, force: true });
  }
  const { files, uncaught } = summary;
  // A run that ends badly without a failed test, or that ran none, has failed all the same.
  const told = uncaught.length > 0 || files.some(({ failures }) => failures.length > 0);
  const ran = files.some(({ passed }) => passed > 0);
  const besides = told || (code === 0 && ran) ? uncaught : [`${title} ended with ${code} and no failed test`];
  return { files, besides, seconds: seconds() };
}

async function provideBrowser(
  /** @type {NodeJS.ProcessEnv} */ env,
  /** @type {Set<string>} */ left,
  /** @type {AbortSignal} */ signal,
) {
  const { findBrowser } = await import('./browser.mjs');
  const browser = await findBrowser(root, signal);
  if (browser.path !== undefined) {
    console.log(`Browser: ${browser.path} (from ${browser.from})`);
    env['PLAYWRIGHT_CHROMIUM'] = browser.path;
    return;
  }
  for (const name of Object.keys(parts)) {
    if (!parts[name]?.browser || !left.delete(name)) continue;
    // Where machines judge, a missing browser must not look like tests that passed.
    if (process.env['CI'])
      results.push({ title: `${name} (${browser.why})`, passed: 0, failed: 1, skipped: 0, seconds: 0 });
    else skips.push(`${name} (${browser.why})`);
  }
}

/** PostgreSQL, Redis and the rest: the suites run on them too where they are, or may be installed. */
async function provideServers(/** @type {NodeJS.ProcessEnv} */ env, /** @type {AbortSignal} */ signal) {
  const find = (/** @type {string} */ program) =>
    (process.env['PATH'] ?? '')
      .split(delimiter)
      .map((folder) => join(folder, program))
      .find((path) => existsSync(path));
  const missing = Object.entries(programs).filter(([program]) => !find(program));
  const wanted = [...(systemPostgres() ? [] : ['postgresql']), ...missing.flatMap(([, packages]) => packages)];
  if (wanted.length > 0) {
    const why = mayInstall ? await aptInstall(wanted, signal) : '`npm test -- --install` would try to install it';
    // Whatever else is missing, its own tests say so.
    if (why && !find('redis-server')) skips.push(`what needs Redis (no redis-server on this machine; ${why})`);
  }
  const path = find('redis-server');
  if (path) env['TEST_REDIS'] = path;
}

/** The newest PostgreSQL version whose server binaries are here, where Debian and its children put them. */
function systemPostgres() {
  const base = '/usr/lib/postgresql';
  if (!existsSync(base)) return undefined;
  const versions = readdirSync(base).filter((version) => existsSync(join(base, version, 'bin/initdb')));
  return versions.sort((a, b) => Number(b) - Number(a))[0];
}
