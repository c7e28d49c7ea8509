// The budget of a whole run is counted in CPU seconds, including those of child processes (docs/testing.md, "Fast
// enough").
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { once } from 'node:events';
import { browserSeconds, cpuSeconds, fixedWork, measureBeside } from './effort.mjs';

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

test.skipIf(!existsSync('/proc/self/stat'))('work of a browser counts but that of its first process', async () => {
  const busy = (ms: number) =>
    `for (let used = 0; used < ${ms * 1000};) { const { user, system } = process.cpuUsage(); used = user + system; }`;
  const wait = 'setInterval(() => {}, 1000);';
  const starts = `require('node:child_process').spawn(process.execPath, JSON.parse(process.env.HELPER), { stdio: 'inherit' });`;
  const browser = spawn(process.execPath, ['-e', `${busy(2000)} ${starts} ${wait}`], {
    // Not among the arguments of the first process, which would then look like a helper.
    env: { HELPER: JSON.stringify(['-e', `${busy(400)} console.log('done'); ${wait}`, '--', '--type=renderer']) },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  await once(browser.stdout, 'data');
  const seconds = browserSeconds();
  process.kill(-(browser.pid ?? 0), 'SIGKILL');
  expect(seconds).toBeGreaterThanOrEqual(0.25);
  expect(seconds).toBeLessThan(2);
});

test('the fixed work is the same each time, and measured beside something else without ending it', () => {
  expect(fixedWork()).toBeGreaterThan(0);
  const { stop } = measureBeside(60_000);
  expect(stop()).toBeGreaterThan(0);
});
