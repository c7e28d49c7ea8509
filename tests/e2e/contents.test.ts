// Chapters and bookmarks of a recording, as two people make and use them.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { clockTime } from '#client/ui/times.ts';
import { expectAccessible } from '../support/browser.ts';
import { caretBefore, cutLine, openPane, saved, sound, Stage, texts, undoOf, waits } from '../support/document-page.ts';

const stage = new Stage(2, { expected: cutLine });

const entries = (page: Page, name: string) => page.getByRole('list', { name, exact: true }).getByRole('listitem');
const words = async (page: Page, name: string) =>
  (await entries(page, name).allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());

it('chapters and bookmarks are made at the current position, found by the other person, renamed, undone, and jump there', async () => {
  const meeting = await stage.recording();
  const [ann, ben] = [await stage.open(0, meeting), await stage.open(1, meeting, { width: 'phone', scheme: 'dark' })];
  await openPane(ben, 'Bookmarks');
  await ben.getByText('No bookmarks yet').waitFor(waits);
  await expectAccessible(ben);

  await caretBefore(ann, 'putting off');
  await ann.keyboard.press('Alt+b');
  await ann.getByText(/Bookmark added at 0:3\d/).waitFor(waits);
  await expect
    .poll(() => words(ben, 'Bookmarks'), waits)
    .toEqual([expect.stringMatching(/^0:3\d putting off a conversion with/)]);
  await entries(ben, 'Bookmarks').getByRole('button').first().click();
  await expect.poll(async () => (await sound(ben)).ms, waits).toBeGreaterThan(34_000);

  // A chapter starts five seconds before the current position, but never before the beginning.
  await openPane(ann, 'Contents');
  await ann.getByRole('region', { name: 'Client, 0:48' }).getByRole('button', { name: 'Play from here' }).click();
  await expect.poll(async () => (await sound(ann)).ms, waits).toBeGreaterThan(48_000);
  await ann.getByRole('button', { name: 'Pause' }).first().click();
  await ann.getByRole('button', { name: 'Play', exact: true }).first().waitFor(waits);
  const begins = Math.round((await sound(ann)).ms) - 5_000;
  await ann.getByLabel('New chapter').fill('What holds her back');
  await ann.keyboard.press('Enter');
  await expect.poll(() => words(ann, 'Contents'), waits).toEqual([`${clockTime(begins)} What holds her back`]);
  await expectAccessible(ann);

  // On the waveform, too: its name below the pointer, a press on its flag, and the slider by keyboard.
  const slider = ann.getByRole('slider', { name: 'Position' });
  const line = await slider.boundingBox();
  const whole = Number(await slider.getAttribute('max'));
  if (!line) throw new Error('no timeline');
  const xAt = (ms: number) => line.x + (line.width * ms) / whole;
  await ann.locator('[data-ticks="1"]').waitFor(waits);
  await ann.mouse.move(xAt(100_000), line.y + line.height / 2);
  await ann.getByText(/^1:(39|40) · Chapter: What holds her back$/).waitFor(waits);
  await ann.mouse.move(xAt(20_000), line.y + line.height / 2);
  await ann
    .getByText(/^0:(19|20)$/)
    .last()
    .waitFor(waits);
  await ann.mouse.click(xAt(begins) + 2, line.y + 5);
  await expect.poll(async () => Math.round((await sound(ann)).ms / 10), waits).toBe(Math.round(begins / 10));
  await ann.mouse.move(0, 0);
  await ann.getByText(/· Chapter:/).waitFor({ state: 'hidden' });
  await slider.focus();
  await ann.keyboard.press('Home');
  await expect.poll(() => slider.getAttribute('aria-valuetext'), waits).not.toMatch(/Chapter/);
  await ann.keyboard.press('Shift+ArrowRight');
  await expect.poll(() => slider.getAttribute('aria-valuetext'), waits).toMatch(/, Chapter: What holds her back$/);
  await openPane(ben, 'Contents');
  await expect.poll(() => words(ben, 'Contents'), waits).toEqual(await words(ann, 'Contents'));
  await expectAccessible(ben);

  await ben.getByRole('button', { name: 'Rename What holds her back' }).click();
  await ben.keyboard.press('Control+a');
  await ben.keyboard.type('Fear');
  await ben.keyboard.press('Enter');
  await expect.poll(() => words(ann, 'Contents'), waits).toEqual([`${clockTime(begins)} Fear`]);
  await ann.getByRole('button', { name: 'Remove Fear' }).click();
  const undo = await undoOf(ann);
  await expect.poll(() => entries(ben, 'Contents').count(), waits).toBe(0);
  await undo.click();
  await expect.poll(() => words(ben, 'Contents'), waits).toEqual([`${clockTime(begins)} Fear`]);

  // Undo in the text reverts one's own last step of any kind, and not the other person's.
  const before = await texts(ann);
  await ann.locator('.ProseMirror').focus();
  await ann.keyboard.press('Control+z');
  await expect.poll(() => entries(ben, 'Contents').count(), waits).toBe(0);
  expect(await texts(ann)).toEqual(before);
  await saved(ann);
  const { doc } = (await stage.person(1).get(`/api/meetings/${meeting}`)).body;
  expect([doc.toc, doc.bookmarks]).toMatchObject([[], [{ title: expect.stringMatching(/^putting off/) }]]);
});

it('the new name of a chapter that another person removes meanwhile is kept, and can be added again', async () => {
  const meeting = await stage.recording();
  const [ann, ben] = [await stage.open(0, meeting), await stage.open(1, meeting, { width: 'phone' })];
  for (const page of [ann, ben]) await openPane(page, 'Contents');
  await ann.getByRole('region', { name: 'Client, 0:48' }).getByRole('button', { name: 'Play from here' }).click();
  await expect.poll(async () => (await sound(ann)).ms, waits).toBeGreaterThan(48_000);
  await ann.getByRole('button', { name: 'Pause' }).first().click();
  await ann.getByLabel('New chapter').fill('Fear');
  await ann.keyboard.press('Enter');
  const [was = ''] = await expect
    .poll(() => words(ann, 'Contents'), waits)
    .toHaveLength(1)
    .then(() => words(ann, 'Contents'));
  await ben.getByRole('button', { name: 'Rename Fear' }).click();
  const field = ben.getByRole('textbox', { name: 'Name' });
  await field.fill('What holds her back');
  await ann.getByRole('button', { name: 'Remove Fear' }).click();
  await ben.getByText('Someone removed it.').waitFor(waits);
  expect(await field.inputValue()).toBe('What holds her back');
  expect(await field.evaluate((one) => one === document.activeElement)).toBe(true);
  await expectAccessible(ben);
  await ben.getByRole('button', { name: 'Add it again' }).click();
  const now = [was.replace('Fear', 'What holds her back')];
  for (const page of [ann, ben]) await expect.poll(() => words(page, 'Contents'), waits).toEqual(now);
  expect(await ben.getByText('Someone removed it.').count()).toBe(0);
});
