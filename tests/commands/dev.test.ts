// `npm run dev` serves client and server at one address and reloads both (README.md).
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '#tests/support/ports.ts';
import { processesIn } from '#tests/support/processes.ts';
import { Checkout, patience, place } from './checkout.ts';

let checkout: Checkout;

beforeAll(() => {
  checkout = new Checkout(place('dev')).furnish();
}, patience);

afterAll(async () => {
  await checkout.remove();
}, patience);

test('npm run dev serves client and server at one address, and both follow the sources', async () => {
  const port = await freePort();
  const dev = checkout.npm(['run', 'dev'], { PORT: String(port) });
  const address = await dev.ready();
  expect(address).toBe(`http://localhost:${port}`);
  const page = await fetch(address, { headers: { Accept: 'text/html' } });
  expect(await page.text()).toContain('/@vite/client');
  expect(await fetch(`${address}/readyz`)).toMatchObject({ status: 200 });
  const database = postmaster();
  expect(database).toBeDefined();

  checkout.write('client/new.ts', 'export const word = "first";\n');
  expect(await (await fetch(`${address}/client/new.ts`)).text()).toContain('"first"');
  checkout.write('client/new.ts', 'export const word = "second";\n');
  await expect.poll(async () => (await fetch(`${address}/client/new.ts`)).text()).toContain('"second"');

  checkout.write('server/main.ts', 'throw new Error("a slip while typing");\n');
  await dev.says(/a slip while typing/);
  await dev.says(/^The server ended with code 1; it starts again when a file changes\.$/m);
  checkout.write('server/main.ts', 'const unfinished = (');
  await dev.says(/^The server cannot be built; it starts again when a file changes\.$/m);
  checkout.restore('server/main.ts');
  await dev.says(/^Server reloaded\.$/m);
  expect(await fetch(`${address}/readyz`)).toMatchObject({ status: 200 });
  expect(postmaster()).toBe(database);
  expect(dev.output.match(/is ready at/g)).toHaveLength(1);

  dev.killGroup('SIGINT');
  expect((await dev.exited).signal).toBeNull();
  await checkout.deserted();
});

function postmaster(): number | undefined {
  return processesIn(join(checkout.root, '.data')).find(({ command }) => /\bpostgres\b.* -D /.test(command))?.pid;
}
