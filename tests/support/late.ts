import { test, TestRunner } from 'vitest';

/** Leaves out files that would begin when the run is late; each is reported as skipped (docs/testing.md). */
export default class LateRunner extends TestRunner {
  override importFile(...[path, source]: Parameters<TestRunner['importFile']>): unknown {
    const lateAt = Number(process.env['TEST_LATE_AT'] ?? Infinity);
    if (source !== 'collect' || Date.now() < lateAt) return super.importFile(path, source);
    return test('all of it', ({ skip }) => skip('the run was late when this file would have begun'));
  }
}
