// @ts-check
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './prepare.mjs';
import { run } from './run.mjs';

/** @typedef {import('./reporter.mjs').FileSummary} FileSummary */
/** @typedef {{files: FileSummary[], besides: string[]}} Outcome What became of each file; failures that are in none. */

const silence = 15_000;

/**
 * One run of vitest, summed up whatever way it ends.
 * @param {string} title
 * @param {string[]} args
 * @param {{env: NodeJS.ProcessEnv, signal: AbortSignal, until: number}} options `until`: the moment it is stopped at.
 * @returns {Promise<Outcome>}
 */
export async function runVitest(title, args, { env, signal, until }) {
  const longest = Math.max(0, until - Date.now());
  console.log(`\n== ${title}`);
  const folder = mkdtempSync(join(tmpdir(), 'colloquy-summary-'));
  const file = join(folder, 'summary.jsonl');
  const started = performance.now();
  const seconds = () => Math.round((performance.now() - started) / 1000);
  let lastOutput = performance.now();
  const print = (/** @type {string} */ text) => {
    lastOutput = performance.now();
    process.stdout.write(text);
  };
  const inherit = Boolean(process.stdout.isTTY);
  const heartbeat = setInterval(() => {
    if (!inherit && performance.now() - lastOutput > silence) print(`... ${title}: ${seconds()} s\n`);
  }, 1000);
  const limit = AbortSignal.timeout(longest);
  const reporters = ['--reporter=default', `--reporter=${join(root, 'scripts/reporter.mjs')}`];
  let code = 1;
  try {
    const command = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...reporters, ...args];
    const either = AbortSignal.any([signal, limit]);
    const wanted = { cwd: root, env: { ...env, TEST_SUMMARY: file }, signal: either, anyCode: true, print, inherit };
    ({ code } = await run(process.execPath, command, wanted));
  } catch (error) {
    signal.throwIfAborted();
    if (!limit.aborted) throw error;
    console.log(`${title} was stopped: it took longer than ${Math.round(longest / 60_000)} minutes`);
  } finally {
    clearInterval(heartbeat);
  }
  const { uncaught, files, running } = readSummary(file);
  rmSync(folder, { recursive: true, force: true });
  const hasFailure = uncaught.length > 0 || files.some(({ failures }) => failures.length > 0);
  const hasPass = files.some(({ passed }) => passed > 0);
  const besides = [...uncaught];
  if (running.length > 0) besides.push(`${title} ended with ${code} while these files ran: ${running.join(', ')}`);
  // A run that ends badly without a failed test, or without any test, has failed all the same.
  else if (!hasFailure && (code !== 0 || !hasPass)) besides.push(`${title} ended with ${code} and no failed test`);
  return { files, besides };
}

/**
 * Reads the reporter's summary; for a run that was cut off, its results until then and the files still running.
 * @param {string} path
 */
function readSummary(path) {
  /** @type {import('./reporter.mjs').Line[]} */
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').flatMap(parsed) : [];
  const whole = lines.find((line) => 'files' in line);
  if (whole) return { ...whole, running: [] };
  const files = lines.flatMap((line) => ('ended' in line ? [line.ended] : []));
  const running = lines
    .flatMap((line) => ('began' in line ? [line.began] : []))
    .filter(({ project, file }) => !files.some((ended) => ended.project === project && ended.file === file))
    .map(({ file }) => file);
  return { uncaught: [], files, running };
}

/** A line that was cut off as the process died says nothing. @param {string} line */
function parsed(line) {
  try {
    return [/** @type {import('./reporter.mjs').Line} */ (JSON.parse(line))];
  } catch {
    return [];
  }
}
