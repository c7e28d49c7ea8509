// Tours point at real things of a page, never stand in the way, and are left, resumed and skipped for good.
import { expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { expectAccessible, openDesk } from '../support/browser.ts';
import type { SharedHouse } from '../support/house.ts';
import type { Person } from '../support/people.ts';
import { makeRecording } from '../support/recording.ts';
import { worker } from '../support/worker.ts';

const patient = { timeout: 30_000 };
const desk = openDesk();
let house: SharedHouse;
worker.beforeAll(({ house: shared }) => {
  house = shared;
});

const card = (page: Page, title: string) => page.getByRole('dialog', { name: title, exact: true });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const kept = async (person: Person) => (await person.whoami()).body.principal.preferences.productTours;

it('an empty library offers one, beside which everything can be used', async () => {
  const ann = await house.person();
  const page = await desk.seat(ann);
  await page.goto('/');
  await press(page, 'Take a short tour');
  await card(page, 'Add a recording').waitFor();
  await expectAccessible(page);

  // The target works, and the card makes room for the dialog.
  await press(page, 'Add recording');
  await page.getByText('Drop a recording or a transcript here').waitFor();
  await card(page, 'Add a recording').waitFor({ state: 'hidden' });
  await page.keyboard.press('Escape');
  await card(page, 'Add a recording').waitFor();

  await press(page, 'Next');
  await card(page, 'Or try the sample').waitFor();
  await press(page, 'Next');
  await card(page, 'What others share').waitFor();
  await press(page, 'Back');
  await press(page, 'Next');
  await press(page, 'Next');
  // Nothing is listed, so the tour of the list, which would follow, is passed over.
  await card(page, 'Your account').waitFor();
  await press(page, 'Done');
  await card(page, 'Your account').waitFor({ state: 'detached' });
  expect(await page.getByRole('button', { name: 'Take a short tour' }).count()).toBe(0);
  await expect.poll(() => kept(ann), patient).toEqual({ completedToursIds: ['home'] });
});

it('that of the list follows the one of home, is left, goes on, and never begins by itself', async () => {
  const ann = await house.person();
  await makeRecording(house, ann);
  const page = await desk.seat(ann, { width: 'phone', scheme: 'dark' });
  const play = async () => {
    await page.getByRole('button', { name: /^Account/ }).click();
    await press(page, 'Play tour');
  };
  const take = async (...titles: string[]) => {
    for (const title of titles) {
      await card(page, title).waitFor();
      await page.keyboard.press('Enter');
    }
  };
  await page.goto('/');
  await page.getByText('1 recording', { exact: true }).waitFor();
  await play();
  await take('Add a recording', 'What others share', 'Your account', 'Open it', 'Find it again');
  await card(page, 'Narrow the list').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await card(page, 'Narrow the list').waitFor({ state: 'detached' });
  await expect.poll(() => kept(ann), patient).toEqual({ completedToursIds: ['home'] });

  // Left, it does not come back until it is asked for.
  await page.reload();
  await page.getByText('1 recording', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'No more tours' }).count()).toBe(0);
  await play();
  await take('Narrow the list', 'Several at once');
  await card(page, 'Several at once').waitFor({ state: 'detached' });
  await expect.poll(() => kept(ann), patient).toEqual({ completedToursIds: ['home', 'library'] });
});

it('one of a recording is taken by keys, goes on where it was left, and is skipped for good', async () => {
  const ann = await house.person();
  const id = await makeRecording(house, ann);
  const page = await desk.seat(ann, { width: 'phone', scheme: 'dark' });
  await page.goto(`/meeting/${id}`);
  const play = async () => {
    await press(page, 'More actions');
    await press(page, 'Play tour');
  };
  await play();
  await card(page, 'Correct the text').waitFor();
  await page.keyboard.press('Enter');
  await card(page, 'Listen').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await card(page, 'Listen').waitFor({ state: 'detached' });

  await play();
  await card(page, 'Listen').waitFor();
  await page.keyboard.press('Enter');
  await card(page, 'Mark and comment').waitFor();
  await press(page, 'No more tours');
  await expect.poll(() => kept(ann), patient).toEqual({ skipAll: true, skippedToursIds: ['recording'] });
  await page.goto('/');
  await page.getByText('1 recording', { exact: true }).waitFor();
  // A tour asked for begins anew all the same.
  await page.goto(`/meeting/${id}`);
  await play();
  await card(page, 'Correct the text').waitFor();
});
