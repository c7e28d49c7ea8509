// Keyboard shortcuts on the page of a recording, and how a person changes them.
import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { expectAccessible } from '../support/browser.ts';
import { Stage, caretIn, segments, sound, waits } from '../support/document-page.ts';

// Shortcuts are settings of a browser.
const stage = new Stage(1, { keeps: false });

let meeting: string;
beforeEach(async () => {
  meeting = await stage.recording();
});

const sheet = (page: Page) => page.getByRole('dialog', { name: 'Keyboard shortcuts' });
const plays = async (page: Page, playing: boolean) => {
  await expect.poll(async () => (await sound(page)).playing, waits).toBe(playing);
};

it('shortcuts control the sound from within the text, and type nothing into it', async () => {
  const page = await stage.open(0, meeting);
  await expect
    .poll(() => page.evaluate(() => document.querySelector('audio')?.readyState ?? 0), waits)
    .toBeGreaterThan(0);
  const before = await segments(page).allTextContents();
  await caretIn(page, 2, 3);
  await page.keyboard.press('Alt+Shift+KeyL');
  await expect.poll(async () => Math.round((await sound(page)).ms), waits).toBe(10_000);
  await page.keyboard.press('Alt+KeyJ');
  await page.keyboard.press('F1');
  await expect.poll(async () => Math.round((await sound(page)).ms), waits).toBe(6000);
  await page.keyboard.press('Alt+Equal');
  await expect.poll(() => page.evaluate(() => document.querySelector('audio')?.playbackRate)).toBe(1.25);
  await page.keyboard.press('Alt+KeyK');
  await plays(page, true);
  // Escape closes what is open and does nothing else.
  await page.keyboard.press('Escape');
  expect((await sound(page)).playing).toBe(true);
  await page.keyboard.press('F4');
  await plays(page, false);
  expect(await segments(page).allTextContents()).toEqual(before);

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('button', { name: 'Keyboard shortcuts', exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Keyboard shortcuts', exact: true }).waitFor({ state: 'hidden' });
  expect((await sound(page)).playing).toBe(false);
  await page.getByLabel('Title').click();
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  expect((await sound(page)).playing).toBe(false);
  expect(await sheet(page).count()).toBe(0);
  expect(await page.getByLabel('Title').inputValue()).toContain('?');
  await page.keyboard.press('Backspace');
});

it('all shortcuts are in one sheet: found, changed, reassigned, stored by this browser', async () => {
  const page = await stage.open(0, meeting);
  await page.locator('main').focus();
  await page.keyboard.press('?');
  await sheet(page).waitFor(waits);
  await expectAccessible(page);
  // Only shortcuts that work on this page are listed.
  expect(await sheet(page).getByText('Follow the next person', { exact: true }).count()).toBe(0);
  expect((await sound(page)).playing).toBe(false);
  await page.keyboard.press('F4');
  await page.keyboard.press('Alt+KeyK');
  expect((await sound(page)).playing).toBe(false);

  const search = sheet(page).getByRole('searchbox');
  await search.fill('alt k');
  expect(await sheet(page).getByRole('listitem').allTextContents()).toEqual([expect.stringMatching(/^Play or pause/)]);
  await sheet(page).getByRole('button', { name: 'Change Alt K: Play or pause' }).click();
  await page.keyboard.press('KeyP');
  await sheet(page).getByText('This key types a character.').waitFor();
  await page.keyboard.press('Control+KeyC');
  await sheet(page).getByText('The browser or the editor needs this key.').waitFor();
  await page.keyboard.press('Alt+KeyJ');
  await sheet(page).getByText('Alt J is already used: Back 2 seconds.').waitFor();
  await sheet(page).getByRole('button', { name: 'Use it here' }).click();
  await search.fill('');
  await sheet(page).getByRole('button', { name: 'Change Alt J: Play or pause' }).waitFor();
  expect(await sheet(page).getByRole('button', { name: 'Change Alt J: Back 2 seconds' }).count()).toBe(0);

  await page.reload();
  await segments(page).first().waitFor(waits);
  await caretIn(page, 0);
  await page.keyboard.press('Alt+KeyJ');
  await plays(page, true);
  await page.keyboard.press('Alt+KeyJ');
  await plays(page, false);
  // The same shortcut opens the sheet from within the text, and closes it.
  await page.keyboard.press('Control+Slash');
  await sheet(page).waitFor(waits);
  await sheet(page).getByRole('button', { name: 'Reset all' }).click();
  await sheet(page).getByRole('button', { name: 'Change Alt K: Play or pause' }).waitFor();
  await sheet(page).getByLabel('Shortcut set').selectOption('oTranscribe');
  await sheet(page).getByRole('button', { name: 'Change F4: Faster' }).waitFor();
  // There, Escape closes what is open first, and then plays.
  await page.keyboard.press('Escape');
  await sheet(page).waitFor({ state: 'hidden' });
  expect((await sound(page)).playing).toBe(false);
  await page.keyboard.press('Escape');
  await plays(page, true);
  await page.keyboard.press('Escape');
  await plays(page, false);
});

it('undo and redo are buttons that tell what they change, and are off where there is nothing', async () => {
  const page = await stage.open(0, meeting);
  const undo = page.getByRole('banner').getByRole('button', { name: /^Undo/ });
  const redo = page.getByRole('banner').getByRole('button', { name: /^Redo/ });
  const before = await segments(page).allTextContents();
  expect(await undo.getAttribute('aria-disabled')).toBe('true');
  await caretIn(page, 2);
  // At once, because a pause between two keys would begin another step.
  await page.keyboard.insertText('Well, ');
  await undo.hover();
  await page.getByRole('tooltip').getByText('Undo: typing “Well,”').waitFor();
  await expectAccessible(page);
  await undo.click();
  await expect.poll(() => segments(page).allTextContents(), waits).toEqual(before);
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.classList.contains('ProseMirror')), waits)
    .toBe(true);
  await redo.hover();
  const name = page.getByRole('tooltip').getByText('Redo: typing “Well,”');
  await name.waitFor();
  // The name covers nothing: a press on it meets what lies below.
  const met = name.evaluate((one) => {
    const { left, top, width, height } = one.getBoundingClientRect();
    return one.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  });
  expect(await met).toBe(false);
  await redo.click();
  await expect.poll(async () => (await segments(page).allTextContents())[2], waits).toMatch(/^Well, /);
  await page.keyboard.press('Enter');
  await undo.focus();
  await page.getByRole('button', { name: 'Undo: splitting a paragraph' }).press('Enter');
  await expect.poll(() => segments(page).count(), waits).toBe(before.length);
  // Hidden text is not changed.
  await page.getByRole('tab', { name: 'Analytics' }).click();
  await undo.waitFor({ state: 'detached' });

  // A phone has them in the menu of its header, which stays open for several steps.
  const phone = await stage.open(0, meeting, { width: 'phone', scheme: 'dark' });
  await caretIn(phone, 2);
  await phone.keyboard.insertText('Well, ');
  await phone.getByRole('button', { name: 'More actions' }).click();
  const menu = phone.getByRole('group', { name: 'More actions' });
  await menu.getByRole('button', { name: 'Undo in the transcript' }).click();
  const third = async () => (await segments(phone).allTextContents())[2];
  await expect.poll(third, waits).not.toMatch(/^Well, Well, /);
  await menu.getByRole('button', { name: 'Redo in the transcript' }).click();
  await expect.poll(third, waits).toMatch(/^Well, Well, /);
  await expectAccessible(phone);
});

it('a pedal is set up by pressing it, and controls the sound from then on', async () => {
  const page = await stage.open(0, meeting);
  await page.keyboard.press('Control+Slash');
  await sheet(page).getByRole('button', { name: 'Set up a pedal' }).click();
  await page.keyboard.press('a');
  await sheet(page).getByText('This pedal types letters').waitFor();
  await page.keyboard.press('F9');
  await sheet(page).getByText('Press the middle pedal').waitFor();
  await page.keyboard.press('F9');
  await sheet(page).getByText('This pedal is already set up.').waitFor();
  await page.keyboard.press('F10');
  await sheet(page).getByRole('button', { name: 'I don’t have one' }).click();
  await sheet(page).getByText('Pedal set up').waitFor();
  await page.keyboard.press('Escape');
  await sheet(page).waitFor({ state: 'hidden' });
  await page.keyboard.press('F10');
  await plays(page, true);
  await page.keyboard.press('F10');
  await plays(page, false);
  const { ms } = await sound(page);
  await page.keyboard.press('F9');
  await expect.poll(async () => (await sound(page)).ms, waits).toBeCloseTo(Math.max(0, ms - 2000), 0);
});
