// @ts-check
import { writeFileSync } from 'node:fs';

/**
 * @typedef {object} Tally
 * @property {number} passed
 * @property {number} failed
 * @property {string[]} skipped
 */
/** @typedef {Tally & {file: string, failures: string[]}} FileSummary */
/** @typedef {{uncaught: number, files: FileSummary[]}} Summary */

/**
 * Writes what test.mjs adds up, to the file named by TEST_SUMMARY. A file that cannot be read, a hook that fails and an
 * error that nobody catches are no tests, and count as failed ones.
 */
export default class SummaryReporter {
  /** @type {NonNullable<import('vitest/reporters').Reporter['onTestRunEnd']>} */
  onTestRunEnd(modules, unhandled) {
    const files = modules.map((module) => {
      /** @type {FileSummary} */
      const of = {
        file: module.relativeModuleId,
        passed: 0,
        failed: module.errors().length,
        skipped: [],
        failures: [],
      };
      for (const suite of module.children.allSuites()) of.failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === 'passed') of.passed += 1;
        else if (result.state === 'skipped') of.skipped.push(label(test, result.note));
        else {
          of.failed += 1;
          of.failures.push(label(test, undefined));
        }
      }
      return of;
    });
    /** @type {Summary} */
    const summary = { uncaught: unhandled.length, files };
    const file = process.env['TEST_SUMMARY'];
    if (file) writeFileSync(file, JSON.stringify(summary));
  }
}

function label(/** @type {import('vitest/node').TestCase} */ test, /** @type {string | undefined} */ note) {
  const name = `${test.module.relativeModuleId} > ${test.fullName}`;
  return note ? `${name} (${note})` : name;
}
