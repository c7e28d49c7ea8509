// Deleted recordings and folders are listed on a page of their own: restored from there, or deleted for good.
import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { expectAccessible, openDesk } from '../support/browser.ts';
import type { SharedHouse } from '../support/house.ts';
import { makeMeeting } from '../support/meetings.ts';
import type { Person } from '../support/people.ts';
import { worker } from '../support/worker.ts';

const patient = { timeout: 60_000 };

const desk = openDesk();
let house: SharedHouse;
worker.beforeAll(({ house: shared }) => {
  house = shared;
});

async function named(person: Person, title: string): Promise<string> {
  const id = await makeMeeting(house, person);
  await person.post(`/api/meetings/${id}/rename`, { title });
  return id;
}
const items = (page: Page) => page.getByRole('list', { name: 'Deleted recordings and folders' }).getByRole('listitem');

describe.each([
  ['wide', 'light'],
  ['phone', 'dark'],
] as const)('%s, %s', (width, scheme) => {
  it(
    'a recording and a folder are restored, another is deleted for good, by keyboard',
    { timeout: 300_000 },
    async () => {
      const ann = await house.person();
      const [one, two, inside] = [await named(ann, 'One'), await named(ann, 'Two'), await named(ann, 'Inside')];
      await ann.post('/api/folders', { path: '/Interviews' });
      await ann.put(`/api/meetings/${inside}/move`, { path: '/Interviews' });
      const page = await desk.seat(ann, { width, scheme });
      await page.goto('/deleted');
      await page.getByText('Nothing here').waitFor(patient);
      await expectAccessible(page);
      await ann.post('/api/meetings/delete', { ids: [one, two] });
      await ann.post('/api/folders/delete', { path: '/Interviews' });

      await page.goto('/');
      await page.getByRole('link', { name: 'Deleted', exact: true }).click();
      await page.getByRole('heading', { name: 'Deleted', exact: true }).waitFor(patient);
      await expect.poll(() => items(page).count(), patient).toBe(3);
      expect(await items(page).first().innerText()).toMatch(/Interviews\s+1 recording\s+Deleted\s+\S.*\s+30 days left/);
      await expectAccessible(page);

      await page.getByRole('button', { name: 'Restore “One”' }).focus();
      await page.keyboard.press('Enter');
      await page.getByText('“One” restored').waitFor(patient);
      await expect.poll(() => items(page).count(), patient).toBe(2);
      const focused = async (name: string) =>
        await expect.poll(() => page.evaluate(() => document.activeElement?.textContent), patient).toBe(name);
      // The focus moves to the next entry.
      await focused('Restore');
      await page.getByRole('button', { name: 'Restore “Interviews”' }).click();
      await expect.poll(() => items(page).count(), patient).toBe(1);

      await page.getByRole('button', { name: 'Delete “Two” forever' }).focus();
      await page.keyboard.press('Enter');
      const asked = page.getByRole('dialog', { name: 'Delete “Two” forever?' });
      await asked.getByText('You can’t undo this.').waitFor(patient);
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      await asked.waitFor({ state: 'detached' });
      expect(await items(page).count()).toBe(1);
      await page.getByRole('button', { name: 'Delete “Two” forever' }).click();
      await asked.getByRole('button', { name: 'Delete forever' }).click();
      await page.getByText('“Two” deleted forever').waitFor(patient);
      await page.getByText('Nothing here').waitFor(patient);
      await focused('Deleted');
      expect(await house.database.sql`select 1 from meetings where id = ${two}`).toEqual([]);

      await page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: 'Library' }).click();
      await page.getByRole('link', { name: 'One' }).waitFor(patient);
      await page.getByRole('link', { name: 'Interviews' }).waitFor(patient);
    },
  );
});

it('a list that fails to load says so, and loads when tried again', async () => {
  const ann = await house.person();
  await ann.delete(`/api/meetings/${await named(ann, 'One')}`);
  const page = await desk.seat(ann);
  await page.route('**/api/deleted?*', (route) => route.fulfill({ status: 500, body: '' }));
  await page.goto('/deleted');
  await page.getByText('Couldn’t load deleted items.').waitFor(patient);
  await page.unroute('**/api/deleted?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => items(page).count(), patient).toBe(1);
});
