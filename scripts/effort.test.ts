// The budget of a whole run is counted in CPU seconds, including those of child processes (docs/testing.md, "Fast
// enough").
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cpuSeconds, fixedWork, measureBeside } from './effort.mjs';

test.skipIf(!existsSync('/proc/self/stat'))(
  'the work of a child counts once it was waited for, and waiting does not',
  async () => {
    const before = cpuSeconds() ?? 0;
    const busy = 'const until = process.cpuUsage().user + 300_000; while (process.cpuUsage().user < until);';
    spawnSync(process.execPath, ['-e', busy]);
    const worked = cpuSeconds() ?? 0;
    expect(worked - before).toBeGreaterThanOrEqual(0.25);
    spawnSync('sleep', ['1']);
    expect((cpuSeconds() ?? 0) - worked).toBeLessThan(0.5);
  },
);

test('the fixed work is the same each time, and measured beside something else without ending it', () => {
  expect(fixedWork()).toBeGreaterThan(0);
  const { stop } = measureBeside(60_000);
  expect(stop()).toBeGreaterThan(0);
});
