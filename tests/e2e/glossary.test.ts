// The page of the glossary (client/glossary/): terms of one's own and of a team, added, removed and undone by keyboard.
import { expect, it } from 'vitest';
import { expectAccessible, expectFitting, openDesk } from '../support/browser.ts';
import { makeGroup } from '../support/groups.ts';
import type { SharedHouse } from '../support/house.ts';
import { worker } from '../support/worker.ts';

const desk = openDesk();
let house: SharedHouse;
worker.beforeAll(({ house: shared }) => {
  house = shared;
});

it('terms are added, removed, and there again after Undo', async () => {
  const [ann, ben] = await house.people(2);
  if (!ann || !ben) throw new Error('no people');
  const team = `Interviews ${ann.id}`;
  const id = await makeGroup(ben, [ann], team);
  await ben.put(`/api/glossaries/group/${id}`, { add: [{ term: 'Dr. Żółć', heard: ['dr zoch'] }] });

  const page = await desk.seat(ann);
  await page.goto('/profile');
  await page.getByRole('link', { name: 'Glossary' }).click();
  const mine = page.getByRole('region', { name: 'Only for you' });
  await mine.getByText('No terms yet.').waitFor();
  await mine.getByRole('button', { name: 'Add' }).click();
  await mine.getByText('Fill in every field.').waitFor();
  await expectAccessible(page);
  await mine.getByLabel('Name or term').fill('Colloquy');
  await mine.getByLabel('Misheard as').fill('colic key, call a key');
  await page.keyboard.press('Enter');
  await mine.getByRole('listitem').filter({ hasText: 'Colloquy' }).waitFor();
  // The next term can be typed at once.
  await expect
    .poll(() => mine.getByLabel('Name or term').evaluate((field) => field === document.activeElement))
    .toBe(true);
  await mine.getByRole('button', { name: 'Remove “call a key” from “Colloquy”' }).press('Enter');
  await expect.poll(() => mine.getByText('call a key').count()).toBe(0);
  await mine.getByRole('button', { name: 'Remove “Colloquy”' }).click();
  await mine.getByText('No terms yet.').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await mine.getByText('colic key').waitFor();

  // What another member added is there to read.
  const ours = page.getByRole('region', { name: `Team “${team}”` });
  await ours.getByText('dr zoch').waitFor();
  expect(await ours.getByRole('button', { name: 'Remove “Dr. Żółć”' }).count()).toBe(0);
  await ours.getByLabel('Name or term').fill('Ann-Lee');
  await ours.getByRole('button', { name: 'Add' }).click();
  await ours.getByText('added by Ann').waitFor();

  const phone = await desk.seat(ann, { width: 'phone', scheme: 'dark' });
  await phone.goto('/glossary');
  await phone.getByRole('region', { name: 'Only for you' }).getByText('colic key').waitFor();
  await expectAccessible(phone);
  await expectFitting(phone);
});
