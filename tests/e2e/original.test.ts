// The original transcript, looked up beside the corrected one.
import { expect, it } from 'vitest';
import { appendHeard } from '#shared/meetings/heard.ts';
import { expectAccessible } from '../support/browser.ts';
import { openPane, Stage, waits } from '../support/document-page.ts';

const stage = new Stage(2);

it('the original transcript is looked up on a phone, word by word, while the other person continues to correct', async () => {
  const meeting = await stage.recording();
  const [phone, desktop] = await Promise.all([stage.open(0, meeting, { width: 'phone' }), stage.open(1, meeting)]);
  await openPane(phone, 'Original transcript');
  await phone.getByText('No changes yet.').waitFor(waits);

  await desktop.locator('.ProseMirror').focus();
  await desktop.keyboard.press('Alt+n');
  await expect.poll(() => desktop.evaluate(() => getSelection()?.toString()), waits).toBe('conversion');
  await desktop.keyboard.type('conversation');
  await phone.locator('del', { hasText: 'conversion' }).waitFor(waits);
  expect(await phone.locator('del').allTextContents()).toEqual(['Was: conversion']);
  await expect.poll(() => phone.locator('ins').allTextContents(), waits).toEqual(['Now: conversation']);
  expect(await phone.getByRole('listitem').filter({ hasText: 'putting off a' }).count()).toBe(1);
  await expectAccessible(phone);

  // A deleted word can still be looked up, and a restored one is unchanged.
  const undone = async () => {
    await desktop.keyboard.press('Control+z');
    return desktop.locator('.ProseMirror').innerText();
  };
  await expect.poll(undone, waits).toContain('putting off a conversion with');
  await phone.getByText('No changes yet.').waitFor(waits);
});

it('speech that is recognized while it is open is no change', async () => {
  const meeting = await stage.recording();
  const page = await stage.open(0, meeting);
  await openPane(page, 'Original transcript');
  await page.getByText('No changes yet.').waitFor(waits);
  await page.getByText('Only changes').click();
  const hear = (said: string, from: number) =>
    stage.house.house.rooms.change(meeting, 'transcript', { userId: null, origin: 'test' }, (doc) => {
      const words = said.split(' ').map((text, i) => ({ text, from: from + i * 500, to: from + i * 500 + 400 }));
      appendHeard(doc, [{ speaker: null, words }], 'test');
    });
  for (const [said, from] of [
    ['And one more piece.', 180_000],
    ['The end of it.', 190_000],
  ] as const) {
    await hear(said, from);
    await page.getByRole('listitem').filter({ hasText: said }).waitFor(waits);
    expect(await page.locator('ins').count()).toBe(0);
  }
});
