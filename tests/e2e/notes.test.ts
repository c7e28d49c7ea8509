import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible } from '../support/browser.ts';
import { cutLine, openDocument, saved, Stage, waits } from '../support/document-page.ts';

const stage = new Stage(2, cutLine);

const field = (page: Page) => page.getByRole('textbox', { name: 'Your notes on this recording' });
const openNotes = async (page: Page) => {
  await page.getByRole('button', { name: 'Own notes', exact: true }).click();
  await field(page).waitFor(waits);
};
const lines = (page: Page) => field(page).locator('> *').allInnerTexts();

it('own notes are written as rich text, kept without a line, read on one’s other device, and by nobody else', async () => {
  const meeting = await stage.recording();
  const [ann, ben, phone] = [
    await stage.open(0, meeting),
    await stage.open(1, meeting),
    await stage.open(0, meeting, { width: 'phone', scheme: 'dark' }),
  ];
  await ann.keyboard.press('Alt+i');
  await field(ann).click(waits);
  await ann.keyboard.type('Ask about the third chapter');
  await ann.keyboard.press('Enter');
  await ann.getByRole('button', { name: 'List of tasks' }).click();
  await ann.keyboard.type('call her');
  await expectAccessible(ann);
  await openNotes(phone);
  await expect.poll(async () => (await lines(phone)).join(' '), waits).toContain('call her');
  await expectAccessible(phone);
  await phone.getByRole('checkbox').check();
  await expect.poll(() => ann.getByRole('checkbox').isChecked(), waits).toBe(true);

  await openNotes(ben);
  await field(ben).click();
  await ben.keyboard.type('of Ben');
  await saved(ben);
  expect(await lines(ben)).toEqual(['of Ben']);

  await ann.context().setOffline(true);
  await field(ann).locator('p').first().click();
  await ann.keyboard.press('End');
  await ann.keyboard.type(' and the fourth');
  // Closed with its words on their way, it loses none of them.
  await ann.getByRole('button', { name: 'Own notes', exact: true }).click();
  await ann.context().setOffline(false);
  await saved(ann);
  await expect.poll(async () => (await lines(phone))[0], waits).toBe('Ask about the third chapter and the fourth');
  const told = await stage.person(0).get(`/api/meetings/${meeting}/notes`);
  expect(told.body.text).toContain('and the fourth');
  expect(told.body.text).not.toContain('of Ben');

  const again = await openDocument(stage.desk, stage.person(0), meeting);
  await openNotes(again);
  await expect.poll(async () => (await lines(again))[0], waits).toBe('Ask about the third chapter and the fourth');
});
