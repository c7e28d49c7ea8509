// @ts-check
import { writeFileSync } from 'node:fs';

/** @typedef {{passed: number, failed: number, skipped: string[]}} Summary */

/**
 * Writes what test.mjs adds up, to the file named by TEST_SUMMARY. A file that cannot be read, a hook that fails and an
 * error that nobody catches are no tests, and count as failed ones.
 */
export default class SummaryReporter {
  /** @type {NonNullable<import('vitest/reporters').Reporter['onTestRunEnd']>} */
  onTestRunEnd(modules, unhandled) {
    /** @type {Summary} */
    const summary = { passed: 0, failed: unhandled.length, skipped: [] };
    for (const module of modules) {
      summary.failed += module.errors().length;
      for (const suite of module.children.allSuites()) summary.failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === 'passed') summary.passed += 1;
        else if (result.state === 'skipped') summary.skipped.push(label(test, result.note));
        else summary.failed += 1;
      }
    }
    const file = process.env['TEST_SUMMARY'];
    if (file) writeFileSync(file, JSON.stringify(summary));
  }
}

function label(/** @type {import('vitest/node').TestCase} */ test, /** @type {string | undefined} */ note) {
  const name = `${test.module.relativeModuleId} > ${test.fullName}`;
  return note ? `${name} (${note})` : name;
}
