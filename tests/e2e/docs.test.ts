// The page of the API, on which a call can be tried out.
import { expect, it } from 'vitest';
import { openDesk } from '../support/browser.ts';
import type { SharedHouse } from '../support/house.ts';
import { worker } from '../support/worker.ts';

// Requests blocked by the policy count as errors of the page, too.
const desk = openDesk();
let house: SharedHouse;
worker.beforeAll(({ house: shared }) => {
  house = shared;
});

it('the API can be read and tried out on a page that loads nothing from elsewhere', async () => {
  const ann = await house.person('Ann');
  const page = await desk.seat(ann);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto('/api/docs');
  await page.getByRole('heading', { name: /^Colloquy/ }).waitFor();

  // Each section opens by itself, and none is missing.
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
