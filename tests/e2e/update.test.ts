// A new version replaces another while people have pages of the old one open: two real builds behind one address.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run } from '../../scripts/run.mjs';
import { openDesk } from '../support/browser.ts';
import { caretIn, cutLine, segments, texts, waits } from '../support/document-page.ts';
import { openFront, type Front } from '../support/front.ts';
import { builtClient, openHouse, type TestHouse } from '../support/house.ts';
import { Person } from '../support/people.ts';
import { makeRecording } from '../support/recording.ts';

const root = new URL('../..', import.meta.url).pathname;

const desk = openDesk(cutLine);
let folder: string;
let front: Front;
let first: TestHouse;
let next: TestHouse;
let served: TestHouse;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colloquy-next-'));
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const args = [vite, 'build', '--config', 'tests/e2e/next-build/vite.config.ts', '--outDir', folder, '--emptyOutDir'];
  await run(process.execPath, args, { cwd: root, env: { ...process.env, NODE_ENV: 'production', NO_COLOR: '1' } });
  front = await openFront(() => ({ api: served.port, sync: [served.port] }));
  const env = { PUBLIC_URL: front.origin, TRUSTED_PROXIES: '127.0.0.1' };
  first = await openHouse({ client: builtClient, env });
  next = await openHouse({ client: folder, env: { ...env, DATABASE_URL: first.url } });
}, 300_000);
afterAll(async () => {
  front?.close();
  await next?.close();
  await first?.close();
  await rm(folder, { recursive: true, force: true });
});

it('pages of the old version continue while a person types in them; a new page is entirely the new version', async () => {
  served = first;
  const ann = await first.person();
  const meeting = await makeRecording(first, ann);
  const here = Object.assign(new Person(front.origin), { id: ann.id });
  for (const [name, value] of ann.cookies) here.cookies.set(name, value);
  const old = await desk.seat(here, { keepsScreens: true });
  await old.goto(`/meeting/${meeting}`);
  await segments(old).nth(3).waitFor(waits);
  await old.evaluate(async () => void (await navigator.serviceWorker.ready));
  const versions = () => old.evaluate(async () => (await caches.keys()).length);
  const build = () => old.evaluate(() => document.documentElement.dataset['build'] ?? 'first');
  expect([await versions(), await build()]).toEqual([1, 'first']);
  await caretIn(old, 0, 0);
  await old.keyboard.type('Typed before. ');

  served = next;
  const parts = async (client: string) =>
    (await readdir(join(client, 'assets'))).filter((name) => /^analytics-.*\.js$/.test(name));
  const [gone = ''] = await parts(builtClient);
  expect(await parts(folder)).not.toContain(gone);
  const fresh = await old.context().newPage();
  await fresh.goto(`/meeting/${meeting}`);
  await segments(fresh).nth(3).waitFor(waits);
  const freshBuild = () => fresh.evaluate(() => document.documentElement.dataset['build'] ?? 'first');
  expect(await freshBuild()).toBe('next');
  await expect.poll(versions, waits).toBe(2);
  // Until the new worker has all of its files and the last request of the old one is over, the old version opens.
  const settled = () =>
    fresh.evaluate(async () => {
      const { installing, waiting, active } = (await navigator.serviceWorker.getRegistration()) ?? {};
      return !installing && !waiting && active?.state === 'activated';
    });
  await expect.poll(settled, waits).toBe(true);
  expect(await versions()).toBe(2);
  await expect.poll(async () => (await texts(fresh))[0], waits).toMatch(/^Typed before\. /);

  // The old page is not reloaded while a person types in it; its files still load, although no server has them any
  // more.
  expect((await fetch(`${front.origin}/assets/${gone}`)).status).toBe(404);
  await old.bringToFront();
  await old.getByRole('tab', { name: 'Analytics' }).click();
  await old.getByRole('region', { name: 'Share of talk' }).waitFor(waits);
  await old.getByRole('tab', { name: 'Transcript' }).click();
  expect(await build()).toBe('first');
  await caretIn(old, 0, 0);
  await old.keyboard.type('And after. ');
  // The position of the caret after a return from another view is not what is tested here.
  const bothTyped = /^(And after\. Typed before\. |Typed before\. And after\. )/;
  await expect.poll(async () => (await texts(fresh))[0], waits).toMatch(bothTyped);

  // Without a network the new version opens, with all of its own files.
  await fresh.context().setOffline(true);
  await fresh.reload();
  await segments(fresh).nth(3).waitFor(waits);
  await expect.poll(async () => (await texts(fresh))[0], waits).toMatch(bothTyped);
  expect(await freshBuild()).toBe('next');
  await fresh.getByRole('tab', { name: 'Analytics' }).click();
  await fresh.getByRole('region', { name: 'Share of talk' }).waitFor(waits);
}, 180_000);
