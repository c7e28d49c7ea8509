// `npm start` on a fresh clone, for root and for an ordinary user, interrupted or not (README.md).
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { Person } from '#tests/support/people.ts';
import { asRoot, Checkout, ordinaryUser, patience, place, type Command } from './checkout.ts';

let checkout: Checkout | undefined;

afterEach(async () => {
  await checkout?.remove();
  checkout = undefined;
}, patience);

test('npm start on a fresh clone that nobody else can enter, with everything about npm set against it', async () => {
  checkout = new Checkout(place('fresh', { closed: true }));
  const env = { NODE_ENV: 'production', npm_config_ignore_scripts: 'true', npm_config_omit: 'dev optional' };

  // Imitates a power cut in the middle of the install.
  const cut = checkout.start(env);
  await cut.says(/^Installing packages \(nothing is installed yet\) \.\.\.$/m);
  while (!existsSync(join(checkout.root, 'node_modules'))) await sleep(50);
  cut.killGroup('SIGKILL');
  await cut.exited;

  const first = checkout.start(env);
  await first.says(/^Installing packages \((an install was not finished|nothing is installed yet)\) \.\.\. \d+ s$/m);
  await livesAndRemembers(checkout, first, env);
});

test('Ctrl-C in the middle of an install ends it', async () => {
  checkout = new Checkout(place('interrupted'));
  const command = checkout.start();
  await command.says(/^Installing packages .* \d+ s$/m);
  command.killGroup('SIGINT');
  expect(await command.exited).toEqual({ code: 130, signal: null });
  await checkout.deserted();
  expect(existsSync(join(checkout.root, '.cache/prepare'))).toBe(false);
});

test('npm start on a fresh clone of an ordinary user, install scripts allowed', async ({ skip }) => {
  skip(!asRoot, 'only root can act as somebody else; the tests above ran as an ordinary user');
  const folder = place('ordinary');
  const { account, env } = ordinaryUser(folder);
  checkout = new Checkout(folder, account);
  const settings = { ...env, npm_config_ignore_scripts: 'false' };
  await livesAndRemembers(checkout, checkout.start(settings), settings);
});

/** The first start serves and stops when only npm is told to; the second is quick, because it reuses the build. */
async function livesAndRemembers(clone: Checkout, first: Command, env: Record<string, string>) {
  const address = await first.ready();
  expect(first.output).toMatch(/^Building the client and the server/m);
  const ann = new Person(address);
  ann.email = 'ann@example.test';
  expect((await ann.get('/')).text).toContain('<div id="root">');
  expect(await ann.register()).toMatchObject({ status: 200 });
  first.kill('SIGTERM');
  expect(await first.exited).toEqual({ code: 0, signal: null });
  await clone.deserted();

  const second = clone.start(env);
  const later = new Person(await second.ready());
  expect(second.output).not.toMatch(/Installing|Building/);
  const mails = await later.get(`/api/outbox?to=${ann.email}`);
  expect(mails.status).toBe(200);
  expect(mails.body).toHaveLength(1);
  second.killGroup('SIGINT');
  expect(await second.exited).toEqual({ code: 0, signal: null });
  await clone.deserted();
}
