import { afterAll, inject } from 'vitest';
import { browserSeconds, cpuSeconds } from '../../scripts/effort.mjs';

declare module 'vitest' {
  interface TaskMeta {
    effort?: Effort;
  }
}

/** CPU a test file took, for the totals of a run. */
export interface Effort {
  /** Seconds of its process, of what that started and waited for, and of its browsers. */
  seconds: number;
  /** Its process, which other files may share, and what the browsers of that have taken so far. */
  worker: number;
  browsers: number;
}

/** Looking for them at all processes costs milliseconds, so only files that may have one look. */
const browsersOf = () => (inject('browser') === undefined ? 0 : browserSeconds());

// Before the file itself is imported, which may be most of its work. Where processes are not listed, nothing is counted.
const before = cpuSeconds();
const browsersBefore = browsersOf();

afterAll(({}, { file }) => {
  const after = cpuSeconds();
  if (before === undefined || after === undefined) return;
  const browsers = browsersOf();
  const seconds = after - before + Math.max(0, browsers - browsersBefore);
  file.meta.effort = { seconds, worker: process.pid, browsers };
});
