import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openBrowser, type Desk } from '../support/browser.ts';
import { openHouse, type TestHouse } from '../support/house.ts';

let house: TestHouse;
let desk: Desk;

beforeAll(async () => {
  [house, desk] = await Promise.all([openHouse(), openBrowser()]);
});
afterEach(async () => {
  // Whatever the page's policy refuses is complained about, too.
  expect(await desk.clear()).toEqual([]);
});
afterAll(async () => {
  await desk?.close();
  await house?.close();
});

it('the API can be read and tried out on a page that loads nothing from elsewhere', async () => {
  const ann = await house.person('Ann');
  const page = await desk.seat(ann);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto('/api/docs');
  await page.getByRole('heading', { name: /^Colloquy/ }).waitFor();

  // Each part opens by itself, and none is missing.
  const { paths } = (await ann.get('/api/openapi.json')).body as { paths: Record<string, object> };
  const calls = Object.values(paths).flatMap((one) => Object.values(one) as { tags: string[] }[]);
  const parts = [...new Set(calls.flatMap(({ tags }) => tags))];
  await expect.poll(() => page.locator('.opblock-tag').count()).toBe(parts.length);
  await page.locator('.opblock-tag', { hasText: 'People' }).click();
  await page.locator('.opblock-summary-control', { hasText: '/search' }).click();
  await page.getByRole('button', { name: 'Try it out' }).click();
  await page.locator('textarea').first().fill('{"text":"ann"}');
  await page.getByRole('button', { name: 'Execute' }).click();
  await page.getByText(ann.email).first().waitFor();

  expect(asked.filter((url) => !url.startsWith(house.origin) && !url.startsWith('data:'))).toEqual([]);
});
