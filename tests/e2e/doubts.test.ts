// Words to check: two people go through them side by side.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible } from '../support/browser.ts';
import { drawn, openPane, sound, Stage, waits } from '../support/document-page.ts';

const stage = new Stage(2);

async function open(who: number, meeting: string): Promise<Page> {
  const page = await stage.open(who, meeting);
  await openPane(page, 'Words to check');
  return page;
}

const text = (page: Page) => page.locator('.ProseMirror').innerText();
const selected = (page: Page) => page.evaluate(() => getSelection()?.toString());
// Screen readers are told the same a little later.
const left = (page: Page, count: number) =>
  page
    .getByRole('paragraph')
    .filter({ hasText: new RegExp(`^${count} words? left to check$`) })
    .waitFor(waits);
const placeOf = (page: Page, words: string) =>
  page.locator('.ProseMirror').evaluate((root, wanted) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const found = node.nodeValue?.indexOf(wanted) ?? -1;
      if (found === -1) continue;
      const range = document.createRange();
      range.setStart(node, found + 2);
      range.setEnd(node, found + 4);
      const { left: x, top, height } = range.getBoundingClientRect();
      return { x, y: top + height / 2 };
    }
    throw new Error('no such words');
  }, words);
/** Clicks on words once the text stands still: it may be scrolling to what is heard. */
const clickOn = async (page: Page, words: string) => {
  let at = await placeOf(page, words);
  await expect
    .poll(
      async () => {
        const before = at;
        at = await placeOf(page, words);
        return at.y - before.y;
      },
      { ...waits, interval: 200 },
    )
    .toBe(0);
  await page.mouse.click(at.x, at.y);
};
const drawnAsTheirs = async (page: Page) =>
  (await Promise.all([1, 2, 3, 4, 5].map((voice) => drawn(page, `doubt-voice-${voice}`)))).flat();

it('two people check words side by side: neither gets the other’s word, and both see how many are left', async () => {
  const meeting = await stage.recording();
  const [mine, theirs] = await Promise.all([open(0, meeting), open(1, meeting)]);
  await Promise.all([left(mine, 8), left(theirs, 8)]);

  // Records the sound in the page, because it plays for only two seconds.
  const heard = await mine.evaluateHandle(() => {
    const places: number[] = [];
    const element = document.querySelector('audio');
    for (const event of ['timeupdate', 'pause'])
      element?.addEventListener(event, () => places.push(element.currentTime * 1000));
    return places;
  });
  await mine.keyboard.press('Alt+n');
  await expect.poll(() => selected(mine)).toBe('conversion');
  await expect.poll(() => drawn(mine, 'doubt')).toContain('conversion');
  // Plays a second before and after the word, and then returns to its position.
  await expect.poll(async () => Math.max(...(await heard.jsonValue())), waits).toBeGreaterThan(35_300);
  await expect.poll(async () => (await sound(mine)).playing, waits).toBe(false);
  expect((await sound(mine)).ms).toBeLessThan(39_000);

  await theirs.getByText('Someone is checking 1 of them').waitFor(waits);
  await expect.poll(() => drawnAsTheirs(theirs), waits).toEqual(['conversion']);
  await theirs.keyboard.press('Alt+n');
  await expect.poll(() => selected(theirs)).toBe('calender');
  await expect.poll(() => drawnAsTheirs(mine), waits).toEqual(['calender']);

  await mine.keyboard.type('conversation');
  await Promise.all([left(mine, 7), left(theirs, 7)]);
  await mine.keyboard.press('Alt+n');
  // Skips the word the other person is at; the full stop is not selected, so that typing keeps it.
  await expect.poll(() => selected(mine)).toBe('moth');
  await expect.poll(() => drawnAsTheirs(theirs), waits).toEqual(['moth.']);

  const before = await text(theirs);
  await theirs.keyboard.press('Alt+Enter');
  await Promise.all([left(mine, 6), left(theirs, 6)]);
  expect(await text(theirs)).toBe(before);
  await expect.poll(() => selected(theirs)).toBe('ours');
  await theirs.keyboard.press('Control+z');
  await Promise.all([left(mine, 7), left(theirs, 7)]);
  expect(await text(theirs)).toBe(before);
  // Nobody is at the word before; until that has arrived it is skipped.
  await expect.poll(() => drawnAsTheirs(mine), waits).toEqual(['ours']);
  await mine.keyboard.press('Alt+Shift+n');
  await expect.poll(() => selected(mine)).toBe('calender');
  await mine.keyboard.press('Alt+Enter');
  await Promise.all([left(mine, 6), left(theirs, 6)]);
  await expectAccessible(mine);
});

it('the number of marked words can be chosen and is stored in this browser; a sound can replace a wrong word', async () => {
  const meeting = await stage.recording();
  const page = await open(0, meeting);
  await left(page, 8);
  await page.getByLabel('Mark words').selectOption('more');
  await left(page, 10);
  await page.getByLabel('Mark words').selectOption('none');
  await page.getByText('Words to check are not marked.').waitFor();
  await expect.poll(() => drawn(page, 'doubt')).toEqual([]);
  await page.reload();
  await openPane(page, 'Words to check');
  await page.getByText('Words to check are not marked.').waitFor();
  await page.getByLabel('Mark words').selectOption('usual');
  await left(page, 8);
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await expect.poll(() => selected(page)).toBe('conversion');
  await page.getByRole('button', { name: 'Insert a sound' }).click();
  await page.getByRole('button', { name: /Inaudible/ }).click();
  await expect.poll(() => text(page)).toContain('putting off a [inaudible 00:00:36] with my manager');
  // Marked as a link.
  await expect.poll(() => drawn(page, 'timed-tag')).toEqual(['[inaudible 00:00:36]']);
  // A tag leads to its time.
  await page.getByRole('button', { name: 'Forward 10 seconds' }).click();
  await expect.poll(async () => (await sound(page)).ms, waits).toBeGreaterThan(40_000);
  await clickOn(page, 'inaudible 00');
  await expect.poll(async () => (await sound(page)).ms, waits).toBe(36_000);
  await left(page, 7);
  await page.getByRole('button', { name: 'Correct', exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Correct', exact: true }).isDisabled()).toBe(true);

  // By its key as well, in place of what is selected; one step of undo.
  await page.keyboard.press('Alt+n');
  await expect.poll(() => selected(page)).toBe('calender');
  const before = await text(page);
  await page.keyboard.press('Alt+g');
  await expect
    .poll(() => drawn(page, 'timed-tag'), waits)
    .toEqual(['[inaudible 00:00:36]', expect.stringMatching(/^\[inaudible 00:0\d:\d\d\]$/)]);
  expect(await text(page)).not.toContain('calender');
  await page.keyboard.press('Control+z');
  await expect.poll(() => text(page), waits).toBe(before);
});

it('without the highlight API words are marked by elements in the text', async () => {
  const meeting = await stage.recording();
  const seat = await stage.desk.seat(stage.person(0));
  await seat.addInitScript(() => Reflect.deleteProperty(window, 'Highlight'));
  await seat.goto(`/meeting/${meeting}`);
  await expect.poll(() => seat.locator('.doubt').allTextContents(), waits).toContain('conversion');
  const before = await text(seat);
  await seat.locator('.ProseMirror').focus();
  await seat.keyboard.press('Control+f');
  await seat.getByRole('searchbox', { name: 'Search for' }).fill('planned');
  await expect.poll(() => seat.locator('.find-hit').allTextContents(), waits).toEqual(['planned', 'planned']);
  expect(await text(seat)).toBe(before);
});
