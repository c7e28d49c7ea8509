// `npm run new` creates the files of a capability, and refuses a name that is no plain word or is taken (docs/architecture.md).
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Checkout, patience, place } from './checkout.ts';

let checkout: Checkout;

beforeAll(() => {
  checkout = new Checkout(place('new')).furnish();
}, patience);

afterAll(() => checkout.remove(), patience);

test.each(['', 'two words', '../up', 'utils', 'orders', 'help'])(
  'refuses the name %j, and changes nothing',
  async (name) => {
    const before = readFileSync(join(checkout.root, 'server/app.ts'), 'utf8');
    const command = checkout.npm(['run', 'new', '--', name]);
    expect(await command.exited).toEqual({ code: 1, signal: null });
    expect(command.output).toMatch(/one plain word|exists already/);
    expect(readFileSync(join(checkout.root, 'server/app.ts'), 'utf8')).toBe(before);
  },
);

test('makes a capability with a call, a page, texts and tests', async () => {
  const command = checkout.npm(['run', 'new', '--', 'sample']);
  expect(await command.exited, command.output).toEqual({ code: 0, signal: null });
  expect(command.output).toContain('drizzle-kit generate');
  expect(existsSync(join(checkout.root, 'server/sample/routes.ts'))).toBe(true);
  expect(readFileSync(join(checkout.root, 'server/app.ts'), 'utf8')).toContain(".route('/', sampleRoutes)");
});
