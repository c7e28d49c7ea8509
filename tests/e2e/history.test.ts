// Version history: a state of the text is looked up, heard, named and restored.
import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { anchorAt } from '#shared/meetings/anchors.ts';
import { expectAccessible, openDesk } from '../support/browser.ts';
import { caretIn, chip, cutLine, openDocument, sound, texts, waits } from '../support/document-page.ts';
import type { SharedHouse } from '../support/house.ts';
import type { Person } from '../support/people.ts';
import { makeRecording } from '../support/recording.ts';
import { worker } from '../support/worker.ts';

// The browser reports connections that are cut on purpose.
const desk = openDesk(cutLine);
let house: SharedHouse;
let ann: Person;
let ben: Person;
worker.beforeAll(({ house: shared }) => {
  house = shared;
});
beforeEach(async () => {
  [ann, ben] = (await house.people(2)) as [Person, Person];
});

const row = (page: Page, text: string | RegExp) =>
  page.getByRole('complementary').getByRole('listitem').filter({ hasText: text }).getByRole('button').first();

it('a correction is looked up, heard, named, and undone by restoring a version; a person typing meanwhile keeps their words', async () => {
  const meeting = await makeRecording(house, ann, [ben]);
  const [owner, guest] = await Promise.all([
    openDocument(desk, ann, meeting),
    openDocument(desk, ben, meeting, { width: 'phone', scheme: 'dark' }),
  ]);
  // A failure is named once, and tried again.
  await owner.route('**/versions?*', (route) => route.fulfill({ status: 500, json: {} }));
  // Below the chip, where people look for what was saved.
  await chip(owner).click();
  await owner.getByRole('group', { name: 'Save status' }).getByRole('button', { name: 'Version history' }).click();
  await owner.getByRole('alert').getByText('Something went wrong...').waitFor(waits);
  await owner.unroute('**/versions?*');
  await owner.getByRole('button', { name: 'Try again' }).click();

  // The current version is nothing to restore.
  await row(owner, 'Original transcript').click(waits);
  await owner.getByText('This is the current version.').waitFor(waits);
  expect(await owner.getByRole('button', { name: 'Restore' }).count()).toBe(0);

  // Changes by other people appear in the open list.
  await house.house.rooms.change(meeting, 'transcript', { userId: ben.id, origin: 'test' }, (doc) => {
    const text = doc.getText('text');
    text.insert(1, 'A very ');
    text.delete(8, 1);
    text.insert(8, 'g');
  });
  await owner.getByRole('button', { name: 'Restore' }).waitFor(waits);
  await row(owner, 'Ben Test').click(waits);
  const past = owner.getByRole('region', { name: 'Text of this version' });
  await past.locator('ins').first().waitFor(waits);
  expect(await past.locator('ins').allTextContents()).toEqual(['Ben Test wrote: A very goodBT']);
  expect(await past.locator('del').allTextContents()).toEqual(['Ben Test deleted: Good']);
  await owner.getByRole('button', { name: 'Next change' }).click();
  await owner.getByText('1 of 1').waitFor();
  await expectAccessible(owner);

  // Segments of a version play the sound, and the segment that is heard is marked.
  await past.getByRole('button', { name: /^Play from 0:17/ }).click();
  await past.locator('[data-heard]').filter({ hasText: 'How have you been' }).waitFor(waits);
  await expect.poll(async () => (await sound(owner)).playing, waits).toBe(true);
  await owner.keyboard.press('F4');

  await owner.getByRole('button', { name: 'Name this version' }).click();
  // The dialog opens with a short animation, and has the focus afterwards.
  const field = owner.getByRole('dialog').getByRole('textbox');
  await expect.poll(() => field.evaluate((element) => element === document.activeElement), waits).toBe(true);
  await owner.keyboard.type('With a greeting');
  await owner.keyboard.press('Enter');
  await row(owner, 'With a greeting').waitFor(waits);

  // A person who is not the owner reads who may restore a version.
  await guest.getByRole('button', { name: 'More actions' }).click();
  await guest.getByRole('group', { name: 'More actions' }).getByRole('button', { name: 'Version history' }).click();
  await row(guest, 'Original transcript').click(waits);
  await guest.getByText('Only people who can share this recording can restore a version.').waitFor(waits);
  expect(await guest.getByRole('button', { name: 'Restore' }).count()).toBe(0);
  await expectAccessible(guest);
  await guest.getByRole('button', { name: 'Back to the current version' }).click();

  const commented = await ann.post(`/api/meetings/${meeting}/comments`, { start: 60, end: 64, text: 'Why?' });
  expect(commented.status, commented.text).toBe(200);
  const gone = await house.house.documents.read(meeting, (doc, { generation }) => ({
    anchor: anchorAt(doc, generation, 1, 7),
    quote: 'A very',
  }));
  const lost = await ann.post(`/api/meetings/${meeting}/comments`, { start: 0, end: 1, text: 'How very?', ...gone });
  expect(lost.status, lost.text).toBe(200);

  // Ben types on offline; meanwhile Ann restores the original transcript.
  await guest.context().setOffline(true);
  await guest.getByRole('button', { name: /^Offline/ }).waitFor(waits);
  await caretIn(guest, 1);
  await guest.keyboard.insertText('unsent words ');
  await row(owner, 'Original transcript').click();
  await owner.getByRole('button', { name: 'Restore' }).click();
  await owner.getByText('The current version stays in the version history').waitFor(waits);
  await owner.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
  await expect.poll(async () => (await texts(owner))[0], waits).toMatch(/^Good morning/);
  await owner.getByText('Ann Test restored an earlier version.').waitFor(waits);
  await owner
    .getByText('Comments, outcomes and highlights: 1 are still on their words, and the words of 1 are gone.')
    .waitFor(waits);

  await guest.context().setOffline(false);
  await guest.getByText('Some of your changes were not sent').waitFor(waits);
  expect(await guest.getByLabel('Your text').inputValue()).toContain('unsent words');
  await guest.getByText('Ann Test restored an earlier version.').waitFor(waits);
  await expect.poll(async () => (await texts(guest))[0], waits).toMatch(/^Good morning/);

  // The overwritten state is a version like any other.
  await row(owner, 'With a greeting').click(waits);
  await past.getByText('A very good').first().waitFor(waits);

  // An owner takes a restore back where it is told; others cannot.
  const { versions } = (await ann.get(`/api/meetings/${meeting}/versions`)).body as {
    versions: { version: number; name: { text: string } | null }[];
  };
  const named = versions.find(({ name }) => name?.text === 'With a greeting')?.version;
  expect((await ann.post(`/api/meetings/${meeting}/versions/${named}/restore`)).status).toBe(200);
  await guest.getByText('Ann Test restored an earlier version.').waitFor(waits);
  expect(await guest.getByRole('button', { name: 'Undo', exact: true }).count()).toBe(0);
  await expect.poll(async () => (await texts(guest))[0], waits).toMatch(/^A very good/);
  // The notice of this restore has taken the place of the one before.
  await expect.poll(async () => (await texts(owner))[0], waits).toMatch(/^A very good/);
  // With its words, the other comment is back on them.
  await owner.getByText('Comments, outcomes and highlights: all 2 are still on their words.').waitFor(waits);
  await owner.getByRole('button', { name: 'Undo', exact: true }).click(waits);
  await expect.poll(async () => (await texts(guest))[0], waits).toMatch(/^Good morning/);
});
