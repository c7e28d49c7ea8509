// The files that `npm run new` makes pass the checks unchanged (docs/architecture.md, "A new capability").
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Checkout, patience, place } from './checkout.ts';

let checkout: Checkout;

beforeAll(() => {
  checkout = new Checkout(place('new')).furnish();
}, patience);

afterAll(() => checkout.remove(), patience);

/** Findings of a tool of the checkout; empty if there are none. */
async function findings(tool: string, ...args: string[]): Promise<string> {
  const path = join(checkout.root, 'node_modules', tool);
  const run = promisify(execFile)(process.execPath, [path, ...args], { cwd: checkout.root, maxBuffer: 1 << 26 });
  return run.then(
    () => '',
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  );
}

test('new files pass format, lint, types and the tests of texts', async () => {
  const command = checkout.npm(['run', 'new', '--', 'sample']);
  expect(await command.exited, command.output).toEqual({ code: 0, signal: null });

  expect(await findings('oxfmt/bin/oxfmt', '--list-different')).toBe('');
  // Rules that need types take minutes, and the compiler runs afterwards anyway.
  expect(await findings('oxlint/bin/oxlint')).toBe('');
  expect(await findings('typescript/bin/tsc', '--noEmit')).toBe('');
  const rules = ['texts', 'translations'].map((name) => `tests/house/${name}.test.ts`);
  expect(await findings('vitest/vitest.mjs', 'run', '--project', 'house', ...rules)).toBe('');
});
