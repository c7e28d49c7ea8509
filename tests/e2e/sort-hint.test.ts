// What a pointer that rests on the head of a column is told, and when.
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openBrowser, type Desk } from '../support/browser.ts';
import { openHouse, type TestHouse } from '../support/house.ts';
import { makeRecording } from '../support/recording.ts';

const client = join(new URL('../..', import.meta.url).pathname, 'dist/client');

let house: TestHouse;
let desk: Desk;
beforeAll(async () => {
  [house, desk] = await Promise.all([openHouse({ client }), openBrowser()]);
});
afterEach(async () => {
  expect(await desk.clear()).toEqual([]);
});
afterAll(async () => {
  await desk?.close();
  await house?.close();
});

it('a column that can be sorted says so after 300 ms', async () => {
  const ann = await house.person();
  await makeRecording(house, ann);
  const page = await desk.seat(ann);
  await page.clock.install();
  await page.goto('/');
  const head = page.getByRole('columnheader', { name: 'Length' });
  await head.waitFor();
  await page.clock.pauseAt(Date.now() + 3_600_000);
  await head.getByRole('button').hover();
  await page.clock.runFor(299);
  expect(await page.getByRole('tooltip').count()).toBe(0);
  await page.clock.runFor(1);
  const told = page.getByRole('tooltip');
  await told.waitFor();
  expect(await told.textContent()).toBe('Sort');
  await head.getByRole('button').click();
  expect(await head.getAttribute('aria-sort')).not.toBeNull();
});
