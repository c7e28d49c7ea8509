// Private notes beside a recording: rich text that its author alone reads, on every device and without a network.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible } from '../support/browser.ts';
import { caretBefore, cutLine, openDocument, openPane, saved, Stage, waits } from '../support/document-page.ts';
import { share } from '../support/meetings.ts';

const stage = new Stage(2, { expected: cutLine });

const field = (page: Page) => page.getByRole('textbox', { name: 'Your notes on this recording' });
const openNotes = async (page: Page) => {
  await openPane(page, 'My notes');
  await field(page).waitFor(waits);
};
const lines = (page: Page) => field(page).locator('> *').allInnerTexts();

it('own notes are rich text, kept offline, read on the person’s other device, and by no other person', async () => {
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
  // Closing the pane while the notes are unsent loses none of them.
  await openPane(ann, 'My notes');
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

it('a person who loses access while they write notes and comments offline is shown all of it, and can discard it', async () => {
  const meeting = await stage.recording();
  const ben = await stage.open(1, meeting);
  const own = ben.getByRole('button', { name: 'Add a point for yourself' });
  // The code of a pane loads when it is first opened, so it is opened while online.
  await ben.getByRole('button', { name: /^Comments/ }).click();
  await ben
    .getByText(/No comment yet/)
    .first()
    .waitFor(waits);
  await openPane(ben, 'Summary');
  await own.waitFor(waits);
  await openNotes(ben);
  await saved(ben);
  await ben.context().setOffline(true);
  await field(ben).click();
  await ben.keyboard.type('noted by Ben');
  await openPane(ben, 'Summary');
  await own.click();
  await expect.poll(() => ben.evaluate(() => document.activeElement?.tagName), waits).toBe('TEXTAREA');
  await ben.keyboard.type('his own point');
  await caretBefore(ben, 'I open my calender');
  await ben.keyboard.press('Shift+Control+ArrowRight');
  await ben.keyboard.press('Alt+m');
  const comment = ben.getByRole('textbox', { name: /^Write/ });
  await comment.waitFor(waits);
  await expect.poll(() => comment.evaluate((one) => one === document.activeElement), waits).toBe(true);
  await ben.keyboard.type('said by Ben');
  await ben.keyboard.press('Control+Enter');
  await ben.locator('[data-comment]').filter({ hasText: 'said by Ben' }).waitFor(waits);
  await share(stage.house, meeting, stage.person(1), []);
  await ben.context().setOffline(false);

  const [notes, said] = [ben.getByLabel('Your notes', { exact: true }), ben.getByLabel('Your comments and outcomes')];
  await Promise.all([notes.waitFor(waits), said.waitFor(waits)]);
  await ben.getByText('no longer shared with you').waitFor(waits);
  // The texts are still offered after each reload.
  await ben.reload();
  await Promise.all([notes.waitFor(waits), said.waitFor(waits)]);
  expect((await notes.inputValue()).split('\n').toSorted()).toEqual(['his own point', 'noted by Ben']);
  expect(await said.inputValue()).toBe('said by Ben');
  await expectAccessible(ben);
  const done = ben.getByRole('button', { name: 'I’ve copied it' });
  await done.first().click();
  await expect.poll(() => done.count(), waits).toBe(1);
  await done.click();
  await expect.poll(() => done.count(), waits).toBe(0);
  await ben.reload();
  await ben.getByText('it isn’t shared with you').waitFor(waits);
  await ben.goto('/logout');
  await ben.getByRole('heading', { level: 1, name: 'You have successfully logged out' }).waitFor(waits);
});
