// @ts-check
import { appendFileSync, readFileSync } from 'node:fs';
import { whyOf } from './parts.mjs';

/**
 * @typedef {object} FileSummary
 * @property {string} project
 * @property {string} file
 * @property {number} seconds
 * @property {import('../tests/support/effort.ts').Effort} [effort] Missing where the system does not list processes, and for
 *   a file that failed before its tests.
 * @property {number} passed
 * @property {string[]} failures What failed, each with the first lines of why, and with why the test exists.
 * @property {string[]} skipped
 */
/** @typedef {{began: {project: string, file: string}} | {ended: FileSummary} | {uncaught: string[], files: FileSummary[]}} Line */

/** Failures are repeated at the end of a long run; what was printed when they happened may be gone by then. */
const longestReason = 1500;

/**
 * Writes what test.mjs adds up, a line of JSON an event, to the file named by TEST_SUMMARY. A file that cannot be read, a
 * hook that fails and an error that nobody catches are no tests and count as failed ones; such an error counts for the
 * file that ran last, where that is known.
 */
export default class SummaryReporter {
  /** @param {import('vitest/node').TestModule} module */
  onTestModuleStart(module) {
    write({ began: { project: module.project.name, file: module.relativeModuleId } });
  }

  /** @param {import('vitest/node').TestModule} module */
  onTestModuleEnd(module) {
    write({ ended: summaryOf(module) });
  }

  /** @type {NonNullable<import('vitest/reporters').Reporter['onTestRunEnd']>} */
  onTestRunEnd(modules, unhandled) {
    /** @type {string[]} */
    const uncaught = [];
    const files = modules.map(summaryOf);
    for (const error of unhandled) {
      const { VITEST_TEST_PATH: path, VITEST_TEST_NAME: test } = error;
      const at = modules.findIndex(({ moduleId }) => moduleId === path);
      const summary = files[at];
      const during = typeof test === 'string' ? `, during ${test}` : '';
      const name = `${summary ? summary.file : 'outside every file'} > an error that nobody caught${during}`;
      (summary ? summary.failures : uncaught).push(reason(name, [error], summary && whyItExists(summary)));
    }
    write({ uncaught, files });
  }
}

/** @param {Line} line */
function write(line) {
  const file = process.env['TEST_SUMMARY'];
  if (file) appendFileSync(file, `${JSON.stringify(line)}\n`);
}

/**
 * @param {import('vitest/node').TestModule} module
 * @returns {FileSummary}
 */
function summaryOf(module) {
  const file = module.relativeModuleId;
  const { collectDuration, setupDuration, duration } = module.diagnostic();
  const { effort } = module.meta();
  /** @type {FileSummary} */
  const summary = {
    project: module.project.name,
    file,
    seconds: (collectDuration + setupDuration + duration) / 1000,
    ...(effort ? { effort } : {}),
    passed: 0,
    failures: [],
    skipped: [],
  };
  const why = whyItExists(summary);
  summary.failures.push(...module.errors().map((error) => reason(file, [error], why)));
  for (const suite of module.children.allSuites()) {
    summary.failures.push(...suite.errors().map((error) => reason(`${file} > ${suite.fullName}`, [error], why)));
  }
  for (const test of module.children.allTests()) {
    const result = test.result();
    const name = `${file} > ${test.fullName}`;
    if (result.state === 'passed') summary.passed += 1;
    else if (result.state === 'skipped') summary.skipped.push(result.note ? `${name} (${result.note})` : name);
    else summary.failures.push(reason(name, result.errors ?? [], why));
  }
  return summary;
}

/**
 * The comment a test file begins with; without one, what its part is for.
 * @param {{project: string, file: string}} of
 */
function whyItExists({ project, file }) {
  return headerOf(read(file)) ?? whyOf(project);
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/**
 * The first comment of a file as one line, if the file begins with one.
 * @param {string} text
 */
export function headerOf(text) {
  const block = /^\s*\/\*+([\s\S]*?)\*\//.exec(text)?.[1];
  const lines = block?.split('\n') ?? /^(\s*\/\/.*\n)+/.exec(text)?.[0].split('\n') ?? [];
  const words = lines.map((line) => line.replace(/^\s*(\/\/|\*)?\s?/, '').trim()).filter(Boolean);
  return words.length > 0 ? words.join(' ') : undefined;
}

/**
 * @param {string} name
 * @param {readonly {name?: string, message: string, stack?: string}[]} errors
 * @param {string | undefined} why
 */
function reason(name, errors, why) {
  const reasons = errors.map(({ name: kind, message, stack }) => {
    const at = stack?.split('\n').find((line) => /^\s*at .*\.tsx?:/.test(line) && !line.includes('node_modules'));
    return [`${kind ?? 'Error'}: ${message}`, ...(at ? [at.trim()] : [])].join('\n');
  });
  const text = [name, ...reasons].join('\n').slice(0, longestReason);
  return [text, ...(why ? [`why it exists: ${why}`] : [])].join('\n').split('\n').join('\n    ');
}
