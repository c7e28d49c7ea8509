// `npm start` builds what is stale, says in one line what is wrong, and leaves nothing running (README.md).
import { appendFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Person } from '#tests/support/people.ts';
import { gone, processesIn } from '#tests/support/processes.ts';
import { Checkout, patience, place } from './checkout.ts';

let checkout: Checkout;

beforeAll(() => {
  checkout = new Checkout(place('start')).furnish();
}, patience);

afterAll(async () => {
  await checkout.remove();
}, patience);

test('two starts at once where nothing is built: one builds, both come up', async () => {
  rmSync(join(checkout.root, 'dist'), { recursive: true, force: true });
  const two = [checkout.start({ DATA_DIR: '.data/one' }), checkout.start({ DATA_DIR: '.data/two' })];
  const addresses = await Promise.all(two.map((command) => command.ready()));
  const pages = await Promise.all(addresses.map((address) => fetch(address).then((page) => page.status)));
  expect(pages).toEqual([200, 200]);
  const built = two.filter(({ output }) => output.includes('Building'));
  expect(built).toHaveLength(1);
  for (const command of two) command.kill('SIGTERM');
  for (const command of two) expect(await command.exited).toEqual({ code: 0, signal: null });
  await checkout.deserted();
});

test('a change is built at the next start, and only what it touches', async () => {
  appendFileSync(join(checkout.root, 'server/main.ts'), '\n// changed\n');
  const command = checkout.start();
  await command.ready();
  expect(command.output).toMatch(/^Building the server \.\.\.$/m);
  command.kill('SIGTERM');
  await command.exited;
});

test('sources that do not build end the start with the reason', async () => {
  appendFileSync(join(checkout.root, 'server/main.ts'), '\nconst broken = ;\n');
  const broken = checkout.start();
  expect(await broken.exited).toEqual({ code: 1, signal: null });
  expect(broken.output).toMatch(/server\/main\.ts/);
  expect(broken.output).not.toContain('is ready');
  checkout.restore('server/main.ts');
});

test('a busy port is reported in one line', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  const refused = checkout.start({ PORT: String(port) });
  expect(await refused.exited).toEqual({ code: 1, signal: null });
  expect(complaint(refused.output)).toEqual([expect.stringMatching(new RegExp(`Port ${port} is in use`))]);
  holder.close();
  await checkout.deserted();
});

test('a wrong configuration key is named in one line, without its value', async () => {
  const refused = checkout.start({ PORT: 'the-secret-value' });
  expect(await refused.exited).toEqual({ code: 1, signal: null });
  expect(complaint(refused.output)).toEqual([expect.stringMatching(/\bPORT\b/)]);
  expect(refused.output).not.toContain('the-secret-value');
});

test('a second start on the same folder is refused in one line, and the first continues', async () => {
  const first = checkout.start();
  const ann = new Person(await first.ready());
  const refused = checkout.start();
  expect(await refused.exited).toEqual({ code: 1, signal: null });
  expect(complaint(refused.output)).toHaveLength(1);
  expect(await ann.get('/readyz')).toMatchObject({ status: 200 });
  first.kill('SIGTERM');
  expect(await first.exited).toEqual({ code: 0, signal: null });
  await checkout.deserted();
});

test.each([
  ['Ctrl-C in the terminal', 'killGroup', 'SIGINT'],
  ['SIGINT to npm alone', 'kill', 'SIGINT'],
  ['SIGTERM to the whole group', 'killGroup', 'SIGTERM'],
] as const)('%s stops all processes', async (_case, how, signal) => {
  const command = checkout.start();
  await command.ready();
  command[how](signal);
  expect(await command.exited).toEqual({ code: 0, signal: null });
  await checkout.deserted();
});

test('a stop during the start leaves no process behind, and the folder intact', async () => {
  const early = checkout.start({ DATA_DIR: '.data/early' });
  await early.says(/Making the database/);
  early.kill('SIGTERM');
  await early.exited;
  await checkout.deserted();
  const again = checkout.start({ DATA_DIR: '.data/early' });
  await again.ready();
  again.kill('SIGTERM');
  expect(await again.exited).toEqual({ code: 0, signal: null });
});

test('kill -9 of the server also ends the database, and loses no data', async () => {
  const first = checkout.start();
  const ann = new Person(await first.ready());
  ann.email = 'ann@example.test';
  expect(await ann.register()).toMatchObject({ status: 200 });
  const database = processesIn(join(checkout.root, '.data'));
  expect(database.map(({ command }) => command)).toContainEqual(expect.stringContaining('postgres'));
  process.kill(first.server(), 'SIGKILL');
  expect(await first.exited).toEqual({ code: null, signal: 'SIGKILL' });
  await checkout.deserted();

  const second = checkout.start();
  const later = new Person(await second.ready());
  const mails = await later.get(`/api/outbox?to=${ann.email}`);
  expect(mails.status).toBe(200);
  expect(mails.body).toHaveLength(1);
  second.kill('SIGTERM');
  await second.exited;
});

test('kill -9 of npm stops the server too', async () => {
  const command = checkout.start();
  await command.ready();
  const server = command.server();
  command.kill('SIGKILL');
  await gone(server);
  await checkout.deserted();
});

test('npm run demo fills a folder and ends', async () => {
  const demo = checkout.npm(['run', 'demo'], { DATA_DIR: '.data/demo' });
  expect(await demo.exited).toEqual({ code: 0, signal: null });
  expect(demo.output).toContain('The demo people are there');
  await checkout.deserted();
});

/** Messages of the command itself, without the lines of npm and of a build around them. */
function complaint(output: string): string[] {
  return output.split('\n').filter((line) => line.trim() !== '' && !/^(>|npm |Building )/.test(line));
}
