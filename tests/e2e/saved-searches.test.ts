// Saved searches (client/library/saved-searches.tsx): saved, opened, renamed and deleted, by mouse and by keyboard.
import { expect, it } from 'vitest';
import { expectAccessible, openDesk } from '../support/browser.ts';
import { indexAll, makeSaid } from '../support/finding.ts';
import type { SharedHouse } from '../support/house.ts';
import { worker } from '../support/worker.ts';

const desk = openDesk();
let house: SharedHouse;
worker.beforeAll(({ house: shared }) => {
  house = shared;
});

it('a search is saved under a name, tells what is new in it, and opens as it was', async () => {
  const ann = await house.person();
  await makeSaid(house, ann, ['Our plans for spring.'], { title: 'Spring' });
  await indexAll(house);

  const page = await desk.seat(ann);
  await page.goto('/?query=plan&sort=title');
  await page.getByRole('link', { name: 'Spring', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Saved searches' }).click();
  const dialog = page.getByRole('dialog', { name: 'Saved searches' });
  const name = dialog.getByRole('textbox', { name: 'Save this search as' });
  expect(await name.inputValue()).toBe('plan');
  await name.fill('');
  await dialog.getByRole('button', { name: 'Save search' }).click();
  await dialog.getByRole('alert').getByText('Fill in every field.').waitFor();
  await name.fill('Plans');
  await name.press('Enter');
  await dialog.waitFor({ state: 'hidden' });

  await makeSaid(house, ann, ['She plans it.'], { title: 'Later' });
  await indexAll(house);
  await page.goto('/');
  await page.getByRole('button', { name: 'Saved searches' }).click();
  // Nothing is asked for here, so nothing is offered to be saved.
  expect(await name.count()).toBe(0);
  await dialog.getByText('1 new').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('link', { name: 'Plans' }).click();
  await page.getByRole('link', { name: 'Later', exact: true }).waitFor();
  expect(new URL(page.url()).search).toBe('?query=plan&sort=title');

  const phone = await desk.seat(ann, { width: 'phone', scheme: 'dark' });
  await phone.goto('/');
  const list = phone.getByRole('list', { name: 'Saved searches' });
  await phone.getByRole('button', { name: 'Saved searches' }).focus();
  await phone.keyboard.press('Enter');
  await list.getByRole('link', { name: 'Plans' }).waitFor();
  let counted = 0;
  phone.on('request', (request) => (counted += request.url().endsWith('/api/searches/counts') ? 1 : 0));
  // Looked at, they are no longer new.
  expect(await list.getByText('1 new').count()).toBe(0);
  await phone.getByRole('button', { name: 'Rename the search “Plans”' }).focus();
  await phone.keyboard.press('Enter');
  await phone.keyboard.press('ControlOrMeta+A');
  await phone.keyboard.type('All plans');
  await phone.keyboard.press('Enter');
  await list.getByRole('link', { name: 'All plans' }).waitFor();
  await expectAccessible(phone);
  await phone.getByRole('button', { name: 'Delete the search “All plans”' }).click();
  await expect.poll(() => list.count()).toBe(0);
  await phone.getByRole('button', { name: 'Undo' }).click();
  await list.getByRole('link', { name: 'All plans' }).waitFor();
  // Neither a new name nor a deletion counts anything again.
  expect(counted).toBe(0);
});
