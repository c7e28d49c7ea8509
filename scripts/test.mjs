// @ts-check
// npm test [-- <part or file ...> [--install] [vitest's own options]]
import './node-version.mjs';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { aptInstall } from './apt.mjs';
import { cpuSeconds, fixedWork, measureBeside } from './effort.mjs';
import { memoryFolder } from './memory-folder.mjs';
import { budget, partNames, partOf, parts, projectArgs, slow } from './parts.mjs';
import { giveUp, prepare, root } from './prepare.mjs';
import { interruptible } from './run.mjs';
import { systemPostgres } from './system-postgres.mjs';
import { runVitest } from './vitest-run.mjs';

/** @typedef {import('./reporter.mjs').FileSummary} FileSummary */

const minute = 60_000;
/** Not an assertion: it ends what hangs, also where a shared machine has half its speed. */
const longestRun = 87 * minute;
/** From here on a whole run begins no further file: with those that run then, and failed ones once more, it ends in time. */
const late = 74 * minute;
const longestDeepRun = 12 * 60 * minute;
/** Most failed files of a part that run once more in CI; more than this do not fail by chance. */
const mostAgain = 3;
const slowest = 20;

/** Programs of the system that some tests need, and the packages that bring them. */
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
const chosenFiles = chosen.filter((word) => !partNames.includes(word));
const chosenParts = partNames.filter((name) => chosen.includes(name));
// Files alone may be of any part; parts and files together are the files of those parts.
const anywhere = chosenFiles.length > 0 && chosenParts.length === 0;
const isWholeRun = words.length === 0;
const isDeep = chosenParts.includes('deep');
const names = new Set(chosen.length === 0 ? Object.keys(parts) : chosenParts);

/** @type {FileSummary[]} */
let files = [];
/** @type {string[]} Failures that belong to no file. */
const besides = [];
/** @type {string[]} */
const skips = [];
/** @type {string[]} */
const chances = [];

await interruptible(testAll).catch(giveUp);
printTotals();

async function testAll(/** @type {AbortSignal} */ signal) {
  const needs = (/** @type {'product' | 'browser' | 'database'} */ what) =>
    anywhere || isDeep || [...names].some((name) => parts[name]?.[what]);
  await prepare({ built: needs('product'), signal });
  /** @type {NodeJS.ProcessEnv} */
  const env = { ...process.env };
  // Left by a shell that runs a server, it would make React and others behave as if they were not tested.
  delete env['NODE_ENV'];
  if (isDeep) env['TEST_DEEP'] = '1';
  // The long searches need more room than a machine has memory.
  else env['TMPDIR'] ??= memoryFolder();
  if (!process.stdout.isTTY && !env['FORCE_COLOR']) env['NO_COLOR'] = '1';
  if (needs('browser')) await provideBrowser(env, signal);
  if (needs('database')) await provideServers(env, signal);
  skipExternal();
  if (!anywhere && names.size === 0) return;

  const isShort = isWholeRun && shorten(env);
  const projects = anywhere ? [] : projectArgs(names, { twice: !isShort });
  const title =
    chosen.length === 0 ? 'all tests' : chosen.length > 3 ? `${chosen.length} files and parts` : chosen.join(' ');
  const until = Date.now() + (isDeep ? longestDeepRun : longestRun);
  if (isWholeRun) env['TEST_LATE_AT'] = String(Date.now() + late);
  const before = cpuSeconds();
  const beside = isWholeRun ? measureBeside() : undefined;
  const outcome = await runVitest(title, [...projects, ...chosenFiles, ...options], { env, signal, until });
  const unit = beside?.stop();
  const after = cpuSeconds();
  files = outcome.files;
  besides.push(...outcome.besides, ...partsWithoutTests());
  if (before !== undefined && after !== undefined) {
    const seconds = after - before + browsersOf(files);
    console.log(`\nCPU: ${Math.round(seconds)} s`);
    if (unit !== undefined) besides.push(...tooMuchWork(seconds, unit));
  }
  if (process.env['CI'] && outcome.besides.length === 0) await runAgain(env, signal, until);
}

/** On a slow machine, sets the length of searches that the caller has not set. @param {NodeJS.ProcessEnv} env */
function shorten(env) {
  const unit = Math.min(fixedWork(), fixedWork(), fixedWork());
  if (unit < slow.from) return false;
  for (const [key, value] of Object.entries(slow.env)) env[key] ??= value;
  const why = `a slow machine: the fixed work takes ${unit.toFixed(2)} s, usual are 0.38`;
  skips.push(`half of these searches: ${Object.keys(slow.env).join(', ')} (${why})`);
  if (systemPostgres()) skips.push(`files of sync, contracts and faults on an external PostgreSQL as well (${why})`);
  return true;
}

/** Runs failed files once more in CI, where other load is unknown; files that then pass are named at the end. */
async function runAgain(
  /** @type {NodeJS.ProcessEnv} */ env,
  /** @type {AbortSignal} */ signal,
  /** @type {number} */ until,
) {
  delete env['TEST_LATE_AT'];
  const key = (/** @type {FileSummary} */ { project, file }) => `${project} ${file}`;
  const failing = files.filter(({ failures }) => failures.length > 0);
  const again = failing.filter(
    ({ project }) => failing.filter((other) => partOf(other.project).part === partOf(project).part).length <= mostAgain,
  );
  for (const file of again) {
    const args = ['--project', file.project, file.file];
    const outcome = await runVitest(`${file.file}, once more`, args, { env, signal, until });
    const second = outcome.files.find((other) => key(other) === key(file));
    if (!second || outcome.besides.length > 0) continue;
    if (second.failures.length === 0) chances.push(...file.failures);
    files = files.map((one) => (one === file ? { ...second, seconds: file.seconds + second.seconds } : one));
  }
}

/** A part whose files were all lost must not look like one that passed. */
function partsWithoutTests() {
  if (!isWholeRun || files.length === 0) return [];
  const begun = files.filter(({ passed, failures }) => passed + failures.length > 0);
  const ran = new Set(begun.map(({ project }) => partOf(project).part));
  return [...names].filter((name) => !ran.has(name)).map((name) => `${name} ran no test`);
}

/** CPU seconds of browsers, which no process waits for. @param {readonly FileSummary[]} of */
function browsersOf(of) {
  /** @type {Map<number, number>} */
  const byWorker = new Map();
  for (const { effort } of of)
    if (effort) byWorker.set(effort.worker, Math.max(effort.browsers, byWorker.get(effort.worker) ?? 0));
  return [...byWorker.values()].reduce((sum, seconds) => sum + seconds, 0);
}

/**
 * The whole run, in CPU seconds and as a multiple of a fixed piece of work that was done beside it: a slower or busier
 * machine takes longer for both.
 * @param {number} seconds
 * @param {number} unit
 */
function tooMuchWork(seconds, unit) {
  const multiple = Math.round(seconds / unit);
  console.log(`That is ${multiple} times the fixed work (${unit.toFixed(2)} s).`);
  if (multiple <= budget) return [];
  return [`all tests took ${multiple} times the fixed work, more than ${budget} (docs/testing.md, "The budget")`];
}

function printTotals() {
  for (const name of anywhere ? partNames : names) {
    for (const external of [false, true]) {
      const of = files.filter(({ project }) => {
        const belongs = partOf(project);
        return belongs.part === name && belongs.external === external;
      });
      if (of.length > 0)
        console.log(totals(external ? `${name} on PostgreSQL ${systemPostgres()?.version}` : name, of));
    }
  }
  console.log(`\nThe slowest files:`);
  for (const { project, file, seconds, effort } of files.toSorted((a, b) => b.seconds - a.seconds).slice(0, slowest)) {
    const cpu = effort ? `${effort.seconds.toFixed(1).padStart(7)} s of CPU` : '';
    console.log(`${seconds.toFixed(1).padStart(7)} s${cpu}  ${project}  ${file}`);
  }
  console.log('');
  const failures = [...files.flatMap((file) => file.failures), ...besides];
  const skipped = files.flatMap((file) => file.skipped);
  for (const skip of [...skips, ...skipped]) console.log(`Skipped: ${skip}`);
  for (const chance of chances) console.log(`Passed only when run again, a defect to mend: ${chance}`);
  for (const failure of failures) console.log(`Failed: ${failure}`);
  const passed = files.reduce((sum, file) => sum + file.passed, 0);
  if (passed + failures.length === 0) console.log('No test ran, which counts as a failure.');
  console.log(`${passed} passed, ${failures.length} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`);
  process.exit(failures.length > 0 || passed === 0 ? 1 : 0);
}

/** @param {string} title @param {readonly FileSummary[]} of */
function totals(title, of) {
  const sum = (/** @type {(file: FileSummary) => number} */ count) => of.reduce((all, file) => all + count(file), 0);
  const [passed, failed, skipped] = [sum((f) => f.passed), sum((f) => f.failures.length), sum((f) => f.skipped.length)];
  const cpu = sum((f) => f.effort?.seconds ?? 0);
  const seconds = `${Math.round(sum((f) => f.seconds))} s${cpu > 0 ? `, ${Math.round(cpu)} s of CPU` : ''}`;
  return `${title}: ${passed} passed, ${failed} failed, ${skipped} skipped in ${seconds}`;
}

async function provideBrowser(/** @type {NodeJS.ProcessEnv} */ env, /** @type {AbortSignal} */ signal) {
  const { findBrowser, findHeadlessShell } = await import('./browser.mjs');
  const browser = await findBrowser(root, signal, { mayInstall });
  if (browser.path !== undefined) {
    console.log(`Browser: ${browser.path} (from ${browser.from})`);
    // A browser that was chosen is used for all of them.
    const shell = process.env['PLAYWRIGHT_CHROMIUM'] ? undefined : await findHeadlessShell(signal, { mayInstall });
    if (shell) console.log(`Headless shell for tests that record nothing: ${shell}`);
    env['PLAYWRIGHT_CHROMIUM'] = browser.path;
    env['TEST_HEADLESS_SHELL'] = shell ?? browser.path;
    // Tests that record skip themselves, and say so.
    if (!browser.microphone) env['TEST_NO_MICROPHONE'] = `${browser.path} records no sound`;
    return;
  }
  for (const name of Object.keys(parts)) {
    if (!parts[name]?.browser || !names.delete(name)) continue;
    const why = `${name} (${browser.why})`;
    // In CI, a missing browser must not look like tests that passed.
    if (process.env['CI']) besides.push(why);
    else skips.push(why);
  }
}

/** PostgreSQL, Redis and the rest: tests run on them where they are, or may be installed. */
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
    // Tests that need one of the others say so themselves.
    if (why && !find('redis-server')) skips.push(`what needs Redis (no redis-server on this machine; ${why})`);
  }
  const path = find('redis-server');
  if (path) env['TEST_REDIS'] = path;
}

function skipExternal() {
  const wanting = [...names].filter((name) => parts[name]?.alsoExternal || parts[name]?.database === 'external');
  if (wanting.length === 0 || systemPostgres()) return;
  skips.push(`${wanting.join(', ')} on an external PostgreSQL (no server binaries on this machine)`);
}
