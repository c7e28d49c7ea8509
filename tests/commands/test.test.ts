// `npm test` reports passed, failed and skipped tests, however a run ends (docs/testing.md).
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { root } from '../house/files.ts';
import { Checkout, patience, place, type Command } from './checkout.ts';

let checkout: Checkout;

beforeAll(() => {
  checkout = new Checkout(place('test')).furnish();
  const unit = `{ name: 'unit', include: ['planted/**/*.test.ts'], runner: 'tests/support/late.ts' }`;
  const projects = `[{ test: ${unit} }]`;
  checkout.write('vitest.config.ts', `export default { test: { projects: ${projects} } };`);
}, patience);

afterAll(async () => {
  await checkout.remove();
}, patience);

/** Replaces the project's tests with the given files, and runs them. */
function npmTest(
  files: Record<string, string>,
  args: string[] = [],
  env: Record<string, string> = {},
  parts = ['unit'],
) {
  rmSync(join(checkout.root, 'planted'), { recursive: true, force: true });
  for (const [name, code] of Object.entries(files)) {
    checkout.write(`planted/${name}`, `import { beforeAll, expect, test } from 'vitest';\n${code}\n`);
  }
  return checkout.npm(['test', '--', ...parts, ...args], env);
}

/** Exit code and last line. */
async function verdict(command: Command) {
  const { code } = await command.exited;
  return { code, last: command.output.trim().split('\n').at(-1) };
}

const passes = `test('passes', () => expect(1).toBe(1));`;
const fails = `test('fails', () => expect(1).toBe(2));`;

test.each([
  ['passing', { 'a.test.ts': passes, 'b.test.ts': passes }, 0, '2 passed, 0 failed'],
  ['failing', { 'a.test.ts': passes, 'b.test.ts': fails }, 1, '1 passed, 1 failed'],
  ['a file with a syntax error', { 'a.test.ts': passes, 'b.test.ts': 'test(' }, 1, '1 passed, 1 failed'],
  [
    'a file that fails outside of tests',
    { 'a.test.ts': passes, 'b.test.ts': 'throw new Error("x")' },
    1,
    '1 passed, 1 failed',
  ],
  [
    'a hook that fails',
    { 'a.test.ts': passes, 'b.test.ts': `beforeAll(() => { throw new Error('x') });\n${passes}` },
    1,
    '1 passed, 1 failed, 1 skipped',
  ],
  ['an uncaught error', { 'a.test.ts': `${passes}\nvoid Promise.reject(new Error('x'));` }, 1, '1 passed, 1 failed'],
  ['no test at all', {}, 1, '0 passed, 1 failed'],
  [
    'only a skipped test',
    { 'a.test.ts': `test('skips', ({ skip }) => skip('a reason'));` },
    1,
    '0 passed, 1 failed, 1 skipped',
  ],
  [
    'a runner that dies',
    { 'a.test.ts': `${passes}\ntest('dies', () => { process.kill(process.ppid, 'SIGKILL') });` },
    1,
    '0 passed, 1 failed',
  ],
])('%s', async (_case, files, code, last) => {
  expect(await verdict(npmTest(files))).toEqual({ code, last });
});

test('a late run begins no further file, and says which it left out', async () => {
  const files = { 'a.test.ts': passes, 'b.test.ts': `throw new Error('was begun');` };
  const command = npmTest(files, [], { TEST_LATE_AT: '1' });
  expect(await verdict(command)).toEqual({ code: 1, last: '0 passed, 1 failed, 2 skipped' });
  for (const file of Object.keys(files))
    expect(command.output).toContain(
      `Skipped: planted/${file} > all of it (the run was late when this file would have begun)`,
    );
});

test('a skipped test is reported with its reason', async () => {
  const command = npmTest({ 'a.test.ts': `${passes}\ntest('skips', ({ skip }) => skip('a reason'));` });
  expect(await verdict(command)).toEqual({ code: 0, last: '1 passed, 0 failed, 1 skipped' });
  expect(command.output).toMatch(/^Skipped: planted\/a\.test\.ts > skips \(a reason\)$/m);
});

test('failures are listed at the end, with their reasons', async () => {
  const told = `${fails}\ntest('bears', () => { void Promise.reject(new Error('nobody minds')); });`;
  const command = npmTest({ 'a.test.ts': `${passes}\n${told}`, 'b.test.ts': `throw new Error('cannot be read');` });
  expect(await verdict(command)).toEqual({ code: 1, last: '2 passed, 3 failed' });
  const end = command.output.slice(command.output.lastIndexOf('unit: 2 passed'));
  expect(end).toMatch(/^Failed: planted\/a\.test\.ts > fails\n {4}AssertionError: expected 1 to be 2/m);
  expect(end).toMatch(/^ {4}why it exists: the file it stands beside/m);
  expect(end).toMatch(/^The slowest files:\n( +\d+\.\d s {2}unit {2}planted\/[ab]\.test\.ts\n){2}/m);
  expect(end).toMatch(/^Failed: planted\/a\.test\.ts > an error that nobody caught.*\n {4}Error: nobody minds/m);
  expect(end).toMatch(/^Failed: planted\/b\.test\.ts\n {4}Error: cannot be read/m);
});

test('a file or a name selects tests', async () => {
  const files = { 'a.test.ts': `${passes}\n${fails}`, 'b.test.ts': fails };
  const command = npmTest(files, ['planted/a.test.ts', '-t', 'passes']);
  expect(await verdict(command)).toEqual({ code: 0, last: '1 passed, 0 failed, 1 skipped' });
});

describe('a file that fails', () => {
  const failsOnce = `import { existsSync, writeFileSync } from 'node:fs';
    const been = process.cwd() + '/been';
    test('fails once', () => { const again = existsSync(been); writeFileSync(been, ''); expect(again).toBe(true); });`;
  const named = /^Passed only when run again, .*: planted\/a\.test\.ts > fails once$/m;
  beforeEach(() => rmSync(join(checkout.root, 'been'), { force: true }));

  test('fails the run on a person’s machine', async () => {
    expect(await verdict(npmTest({ 'a.test.ts': failsOnce }))).toEqual({ code: 1, last: '0 passed, 1 failed' });
  });

  test('is repeated in CI, and reported when it passes then', async () => {
    const command = npmTest({ 'a.test.ts': failsOnce, 'b.test.ts': passes }, [], { CI: 'true' });
    expect(await verdict(command)).toEqual({ code: 0, last: '2 passed, 0 failed' });
    expect(command.output).toMatch(named);
  });

  test.each([
    ['fails again', { 'a.test.ts': `${passes}\n${fails}` }, '1 passed, 1 failed'],
    [
      'has an uncaught error each time',
      { 'a.test.ts': `${passes}\nvoid Promise.reject(new Error('x'));` },
      '1 passed, 1 failed',
    ],
    [
      'comes with an error outside any file',
      { 'a.test.ts': failsOnce, 'b.test.ts': `test('dies', () => { process.kill(process.pid, 'SIGKILL') });` },
      '0 passed, 3 failed',
    ],
    [
      'is one of many',
      Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [`${name}.test.ts`, fails])),
      '0 passed, 4 failed',
    ],
  ])('fails in CI, too, when it %s', async (_when, files, last) => {
    const command = npmTest(files, [], { CI: 'true' });
    expect(await verdict(command)).toEqual({ code: 1, last });
    expect(command.output).not.toMatch(named);
  });
});

test('a whole run that costs more than the budget fails', async ({ skip }) => {
  skip(!existsSync('/proc/self/stat'), 'this system does not tell what child processes cost');
  const settings = readFileSync(join(root, 'scripts/parts.mjs'), 'utf8');
  const own = settings
    .replace(/^export const parts = \{[^]*?^\};/m, `export const parts = { unit: { why: '', include: [] } };`)
    .replace(/^export const budget = .*;/m, 'export const budget = 1;');
  checkout.write('scripts/parts.mjs', own);
  try {
    const command = npmTest({ 'a.test.ts': passes }, [], {}, []);
    expect(await verdict(command)).toEqual({ code: 1, last: '1 passed, 1 failed' });
    expect(command.output).toMatch(/^Failed: all tests took \d+ times the fixed work, more than 1 /m);
  } finally {
    checkout.restore('scripts/parts.mjs');
  }
});

test('a stop ends the tests and the processes they started', async () => {
  const stays = `test('stays', async () => { console.log('began'); await new Promise((stay) => setTimeout(stay, 1e6)); }, 1e6);`;
  const command = npmTest({ 'a.test.ts': stays });
  await command.says(/began/);
  command.kill('SIGTERM');
  expect(await command.exited).toEqual({ code: 143, signal: null });
  await checkout.deserted();
});
