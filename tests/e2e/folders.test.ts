// Folders: created, filled by keyboard and by mouse, undone, always with the path to the current one.
import { expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { expectAccessible, openDesk } from '../support/browser.ts';
import type { SharedHouse } from '../support/house.ts';
import { makeMeeting, share } from '../support/meetings.ts';
import type { Person } from '../support/people.ts';
import { worker } from '../support/worker.ts';

const desk = openDesk();
let house: SharedHouse;
worker.beforeAll(({ house: shared }) => {
  house = shared;
});

async function named(person: Person, ...titles: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const title of titles) {
    const id = await makeMeeting(house, person);
    await person.post(`/api/meetings/${id}/rename`, { title });
    ids.push(id);
  }
  return ids;
}
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const menu = async (page: Page, of: string, action: string) => {
  await button(page, `Actions for ${of}`).click();
  await button(page, action).click();
};

it('folders are created, opened, renamed, moved and deleted, and the browser’s Back leads through them', async () => {
  const ann = await house.person();
  await named(ann, 'Interview 1');
  const page = await desk.seat(ann);
  await page.goto('/?sort=title&view=tile');
  const make = async (name: string) => {
    await button(page, 'New folder').click();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await button(page, 'Create').click();
  };
  await make('50% of it?');
  await link(page, '50% of it?').waitFor();
  await make('50% OF IT?');
  await page.getByText('A folder with this name already exists.').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('a/b');
  await button(page, 'Create').click();
  await page.getByText('A name cannot contain slashes').waitFor();
  await expectAccessible(page);
  await page.getByLabel('Name', { exact: true }).fill('Plans');
  await button(page, 'Create').click();
  await link(page, 'Plans').waitFor();
  await expectAccessible(page);

  // The whole card is a link, not just the name.
  const card = page.getByRole('listitem').filter({ has: link(page, '50% of it?') });
  await card.click({ position: { x: 4, y: 4 } });
  await page.getByRole('heading', { name: '50% of it?' }).waitFor();
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(
    '/folder/50%25%20of%20it%3F?sort=title&view=tile',
  );
  await page.getByText('This folder is empty').waitFor();
  await expectAccessible(page);
  await make('Below');
  await link(page, 'Below').click();
  await page.getByRole('heading', { name: 'Below' }).waitFor();
  await button(page, 'Add recording').click();
  await page.getByRole('dialog', { name: 'Add recording to 50% of it? / Below' }).waitFor();
  await page.keyboard.press('Escape');
  await page.goBack();
  await page.getByRole('heading', { name: '50% of it?' }).waitFor();
  await page.reload();
  await menu(page, 'the folder “Below”', 'Rename folder');
  await page.getByLabel('Name', { exact: true }).fill('Deep');
  await button(page, 'Save').click();
  await link(page, 'Deep').waitFor();
  await button(page, 'Undo').click();
  await link(page, 'Below').waitFor();

  // Moves it up, beside its parent folder, by keyboard alone.
  await menu(page, 'the folder “Below”', 'Move');
  const dialog = page.getByRole('dialog', { name: 'Move “Below”' });
  await dialog.getByRole('radio', { name: 'Plans' }).waitFor();
  expect(await dialog.getByRole('radio', { name: 'Below' }).isDisabled()).toBe(true);
  await expectAccessible(page);
  const move = async () => {
    await dialog.getByRole('radio', { name: 'Library' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText('“Below” moved to “Plans”').waitFor();
  };
  await move();
  await page.getByText('This folder is empty').waitFor();
  await button(page, 'Undo').click();
  await page.getByText('Moved back').waitFor();
  await menu(page, 'the folder “Below”', 'Move');
  await move();
  await page.getByText('This folder is empty').waitFor();
  await page.getByRole('navigation', { name: 'Where you are' }).getByRole('link', { name: 'Library' }).click();
  await page.getByRole('heading', { name: 'Interview 1' }).waitFor();

  await menu(page, 'the folder “Plans”', 'Delete');
  await page.getByText('Folders in it are deleted, too.').waitFor();
  await button(page, 'Delete').last().click();
  await page.getByText('Folder “Plans” deleted').waitFor();
  await expect.poll(() => link(page, 'Plans').count()).toBe(0);
  await button(page, 'Undo').click();
  await link(page, 'Plans').waitFor();
  expect((await ann.get('/api/folders')).body.folders.map(({ path }: { path: string }) => path)).toEqual([
    '/50% of it?',
    '/Plans',
    '/Plans/Below',
  ]);
  await page.goto('/folder/Nowhere');
  await page.getByText('Folder not found').waitFor();
  await expectAccessible(page);
  await link(page, 'Go to library').click();
  await link(page, 'Plans').waitFor();
});

it('recordings are dragged into a folder, out of it again, and found from the parent folder', async () => {
  const ann = await house.person();
  await ann.post('/api/folders', { path: '/Plans' });
  await named(ann, 'A', 'B', 'C', 'D');
  const page = await desk.seat(ann);
  await page.goto('/?sort=title&view=table');
  const tick = (title: string) => page.getByRole('checkbox', { name: `Select “${title}”` });
  await tick('A').click();
  await tick('C').click({ modifiers: ['Shift'] });
  await page.getByText('3 selected').waitFor();
  await expectAccessible(page);
  await tick('B').click();
  await page.getByText('2 selected').waitFor();
  await link(page, 'A').dragTo(page.getByRole('listitem').filter({ has: link(page, 'Plans') }));
  await page.getByText('2 recordings moved to “Plans”').waitFor();
  await expect.poll(() => page.locator('tbody td[data-first]').allInnerTexts()).toEqual(['B', 'D']);
  await page.getByLabel('Search recordings').fill('c');
  await page.getByText('in Plans').waitFor();
  await page.getByLabel('Search recordings').fill('');
  await link(page, 'Plans').click();
  await expect.poll(() => page.locator('tbody td[data-first]').allInnerTexts()).toEqual(['A', 'C']);
  await link(page, 'C').dragTo(page.getByRole('navigation', { name: 'Where you are' }).getByRole('link'));
  await page.getByText('1 recording moved to “Library”').waitFor();
  await expect.poll(() => page.locator('tbody td[data-first]').allInnerTexts()).toEqual(['A']);
  await button(page, 'Undo').click();
  await expect.poll(() => page.locator('tbody td[data-first]').allInnerTexts()).toEqual(['A', 'C']);

  await page.goto('/');
  await menu(page, 'the folder “Plans”', 'Make an archive');
  await page.getByRole('status').getByText('An archive of “Plans” is being made.').waitFor();
  await button(page, 'Show').click();
  await page.getByText('Folder “Plans”: 2 recordings').waitFor();
});

it('all recordings of a page are moved and deleted on a phone, and failed deletions are reported', async () => {
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  await ann.post('/api/folders', { path: '/Plans' });
  await named(ann, 'A', 'B');
  const page = await desk.seat(ann, { width: 'phone', scheme: 'dark' });
  await page.goto('/?sort=title&view=table');
  const all = page.getByRole('checkbox', { name: 'Select all on this page' });
  await all.check();
  await page.getByText('2 selected').waitFor();
  await expectAccessible(page);
  // The bar covers as little as it can: the way out stands beside the count.
  const [count, out] = await Promise.all([
    page.getByText('2 selected').boundingBox(),
    button(page, 'Clear selection').boundingBox(),
  ]);
  expect(out?.y).toBeLessThan((count?.y ?? 0) + (count?.height ?? 0));
  await button(page, 'Move').last().click();
  await page.getByRole('dialog').getByRole('radio', { name: 'Plans' }).check();
  await expectAccessible(page);
  await button(page, 'Move here').click();
  await page.getByText('2 recordings moved to “Plans”').waitFor();
  await link(page, 'Plans').click();
  await link(page, 'A').waitFor();
  await all.check();
  await button(page, 'Delete').last().click();
  await page.getByText('This folder is empty').waitFor();
  await button(page, 'Undo').click();
  await link(page, 'A').waitFor();

  // A recording whose sharing ends while it is on the screen, and before the page hears of it.
  const [theirs = ''] = await named(ben, 'Theirs');
  await share(house, theirs, ann, ['read', 'own', 'discover']);
  await page.goto('/?sort=title&view=table');
  await page.getByRole('checkbox', { name: 'Select “Theirs”' }).check();
  await page.route('**/api/meetings/delete', async (route) => {
    await share(house, theirs, ann, ['read']);
    await route.continue();
  });
  await button(page, 'Delete').last().click();
  await page.getByText('All recordings could not be deleted: Theirs').waitFor();

  await named(ann, 'Mine');
  await share(house, theirs, ann, ['read', 'own', 'discover']);
  await page.reload();
  await page.getByRole('checkbox', { name: 'Select “Mine”' }).waitFor();
  await all.check();
  await button(page, 'Delete').last().click();
  await page.getByText('Some recordings could not be deleted').waitFor();
  await page.getByRole('alert').getByRole('link', { name: 'Theirs' }).waitFor();
  await expect.poll(() => link(page, 'Mine').count()).toBe(0);
  await link(page, 'Theirs').first().waitFor();
});
