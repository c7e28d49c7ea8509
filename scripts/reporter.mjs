// @ts-check
import { writeFileSync } from 'node:fs';

/**
 * @typedef {object} FileSummary
 * @property {string} file
 * @property {number} passed
 * @property {string[]} failures What failed, each with the first lines of why.
 * @property {string[]} skipped
 */
/** @typedef {{uncaught: string[], files: FileSummary[]}} Summary */

/** Why a test failed, at the end of a long run, where all that was printed when it failed may be gone. */
const longestReason = 1500;

/**
 * Writes what test.mjs adds up, to the file named by TEST_SUMMARY. A file that cannot be read, a hook that fails and an
 * error that nobody catches are no tests, and count as failed ones: the last of the file that ran, where that is known.
 */
export default class SummaryReporter {
  /** @type {NonNullable<import('vitest/reporters').Reporter['onTestRunEnd']>} */
  onTestRunEnd(modules, unhandled) {
    /** @type {Summary} */
    const summary = { uncaught: [], files: [] };
    /** @type {Map<string, FileSummary>} */
    const byPath = new Map();
    for (const module of modules) {
      const file = module.relativeModuleId;
      /** @type {FileSummary} */
      const of = { file, passed: 0, failures: [], skipped: [] };
      summary.files.push(of);
      byPath.set(module.moduleId, of);
      of.failures.push(...module.errors().map((error) => because(file, [error])));
      for (const suite of module.children.allSuites()) {
        of.failures.push(...suite.errors().map((error) => because(`${file} > ${suite.fullName}`, [error])));
      }
      for (const test of module.children.allTests()) {
        const result = test.result();
        const name = `${file} > ${test.fullName}`;
        if (result.state === 'passed') of.passed += 1;
        else if (result.state === 'skipped') of.skipped.push(result.note ? `${name} (${result.note})` : name);
        else of.failures.push(because(name, result.errors ?? []));
      }
    }
    for (const error of unhandled) {
      const { VITEST_TEST_PATH: path, VITEST_TEST_NAME: test } = error;
      const of = typeof path === 'string' ? byPath.get(path) : undefined;
      const during = typeof test === 'string' ? `, during ${test}` : '';
      const told = because(`${of ? of.file : 'outside every file'} > an error that nobody caught${during}`, [error]);
      (of ? of.failures : summary.uncaught).push(told);
    }
    const file = process.env['TEST_SUMMARY'];
    if (file) writeFileSync(file, JSON.stringify(summary));
  }
}

/**
 * @param {string} name
 * @param {readonly {name?: string, message: string, stack?: string}[]} errors
 */
function because(name, errors) {
  const reasons = errors.map(({ name: kind, message, stack }) => {
    const at = stack?.split('\n').find((line) => /^\s*at .*\.tsx?:/.test(line) && !line.includes('node_modules'));
    return [`${kind ?? 'Error'}: ${message}`, ...(at ? [at.trim()] : [])].join('\n');
  });
  return [name, ...reasons].join('\n').slice(0, longestReason).split('\n').join('\n    ');
}
