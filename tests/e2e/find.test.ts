// Search and replace in a transcript, while another person types.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible } from '../support/browser.ts';
import { Stage, caretBefore, drawn, waits } from '../support/document-page.ts';

const changed =
  'The transcription has been changed recently. Please see new search results and confirm replace operation.';
const stage = new Stage(2);

const text = (page: Page) => page.locator('.ProseMirror').innerText();
const times = async (page: Page, word: string) => (await text(page)).split(word).length - 1;
const query = (page: Page) => page.getByRole('searchbox', { name: 'Search for' });
it('search opens by key, counts the results, steps through them and lights each for a while', async () => {
  const page = await stage.open(0, await stage.recording());
  await caretBefore(page, 'planned it three');
  await page.keyboard.press('Control+f');
  await expect.poll(() => query(page).evaluate((field) => field === document.activeElement)).toBe(true);
  await page.keyboard.type('thursday');
  const pane = page.getByRole('search');
  await pane.getByText('1 of 3').waitFor();
  await expect.poll(() => drawn(page, 'find-current')).toEqual(['Thursday']);
  const inView = () =>
    page.evaluate(() => {
      const [range] = CSS.highlights.get('find-current') ?? [];
      const box = range instanceof Range ? range.getBoundingClientRect() : null;
      return box !== null && box.height > 0 && box.top > 0 && box.bottom < innerHeight;
    });
  await expect.poll(inView, waits).toBe(true);
  await page.keyboard.press('Enter');
  await pane.getByText('2 of 3').waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await pane.getByText('1 of 3').waitFor();
  await page.keyboard.press('Shift+Enter');
  await pane.getByText('3 of 3').waitFor();
  await expect.poll(inView, waits).toBe(true);
  await page.getByLabel('Match case').check();
  await pane.getByText('Nothing found').waitFor();
  await expect.poll(() => drawn(page, 'find-hit')).toEqual([]);
  await page.getByLabel('Match case').uncheck();
  await query(page).fill('the');
  await expect.poll(() => pane.getByText(/^\d+ of \d+$/).innerText()).toMatch(/ of \d{2}$/);
  const all = Number((await pane.getByText(/^\d+ of \d+$/).innerText()).split(' of ')[1]);
  await page.getByLabel('Whole words').check();
  await expect
    .poll(async () => Number((await pane.getByText(/^\d+ of \d+$/).innerText()).split(' of ')[1]))
    .toBeLessThan(all);
  // The result lights up, then fades, and stays marked as the current one. Each state is recorded in the page: a look
  // from here could come too late.
  const lights = await page.evaluateHandle(() => {
    const seen: string[] = [];
    for (const name of ['set', 'delete'] as const) {
      const own = CSS.highlights[name].bind(CSS.highlights) as (...given: unknown[]) => unknown;
      Object.assign(CSS.highlights, {
        [name]: (...given: unknown[]) => {
          // Collects all changes of one drawing into one state.
          queueMicrotask(() => {
            const now = ['find-lit', 'find-fading'].find((one) => CSS.highlights.has(one)) ?? 'out';
            if (seen.at(-1) !== now) seen.push(now);
          });
          return own(...given);
        },
      });
    }
    return seen;
  });
  await query(page).press('Enter');
  await expect
    .poll(async () => (await lights.jsonValue()).slice(-3), waits)
    .toEqual(['find-lit', 'find-fading', 'out']);
  expect(await drawn(page, 'find-current')).toHaveLength(1);
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect.poll(() => page.evaluate(() => getSelection()?.toString())).toMatch(/^the$/i);
  await expect.poll(() => drawn(page, 'find-hit')).toEqual([]);
});

it('all results are replaced and undone in one step, and text typed by the other person meanwhile stays', async () => {
  const meeting = await stage.recording();
  const [mine, theirs] = await Promise.all([stage.open(0, meeting), stage.open(1, meeting)]);
  await mine.keyboard.press('Control+h');
  await query(mine).fill('Thursday');
  const pane = mine.getByRole('search');
  await pane.getByText('1 of 3').waitFor();
  await pane.getByLabel('Replace with').fill('Thursday ');
  await pane.getByRole('button', { name: 'Replace all' }).click();
  await pane.getByText('Both are the same. Nothing was replaced.').waitFor();
  await pane.getByLabel('Replace with').fill('Friday');
  // The first place is shown as it will be, and the button says how many there are.
  await pane.getByRole('group', { name: 'Preview' }).getByText('Friday').waitFor();
  await pane.getByRole('button', { name: 'Replace all (3)' }).waitFor();
  await expectAccessible(mine);

  // Text that another person types before a result leaves the result valid.
  await caretBefore(theirs, 'after the team meeting. She');
  await theirs.keyboard.type('right ');
  await expect.poll(() => text(mine), waits).toContain('Thursday, right after');
  await pane.getByRole('button', { name: 'Replace all' }).click();
  await pane.getByText('3 places replaced').waitFor();
  await expect.poll(() => times(theirs, 'Friday'), waits).toBe(3);
  await theirs.keyboard.type('away ');
  await expect.poll(() => text(mine), waits).toContain('Friday, right away after');
  // Words typed since stay as well.
  await caretBefore(mine, 'Good morning');
  await mine.keyboard.type('Well. ');
  await pane.getByRole('button', { name: 'Undo' }).click();
  for (const page of [mine, theirs]) {
    await expect.poll(() => text(page), waits).toContain('Well. Good morning');
    await expect.poll(() => times(page, 'Thursday'), waits).toBe(3);
    expect(await text(page)).toContain('On Thursday, right away after the team');
    expect(await text(page)).not.toContain('Friday');
  }
});

it('results that others changed must be confirmed first, for one and for all', async () => {
  const meeting = await stage.recording();
  const [mine, theirs] = await Promise.all([stage.open(0, meeting), stage.open(1, meeting)]);
  await mine.keyboard.press('Control+h');
  await query(mine).fill('Thursday');
  const pane = mine.getByRole('search');
  await pane.getByText('1 of 3').waitFor();
  await pane.getByLabel('Replace with').fill('Friday');
  await caretBefore(theirs, 'Good morning');
  await theirs.keyboard.type('Thursday. ');
  await expect.poll(() => text(mine), waits).toContain('Thursday. Good morning');
  await pane.getByRole('button', { name: 'Replace all' }).click();
  await pane.getByRole('alert').getByText(changed, { exact: true }).waitFor();
  await pane.getByText(/ of 4$/).waitFor();
  expect(await times(mine, 'Friday')).toBe(0);

  await theirs.keyboard.type('Thursday! ');
  await expect.poll(() => text(mine), waits).toContain('Thursday! Good morning');
  await pane.getByRole('button', { name: 'Replace', exact: true }).click();
  await pane.getByRole('alert').getByText(changed, { exact: true }).waitFor();
  expect(await times(mine, 'Friday')).toBe(0);
  await pane.getByRole('button', { name: 'Replace', exact: true }).click();
  await expect.poll(() => times(theirs, 'Friday'), waits).toBe(1);
  await pane.getByRole('button', { name: 'Replace all' }).click();
  await pane.getByText('4 places replaced').waitFor();
  await expect.poll(() => times(theirs, 'Friday'), waits).toBe(5);
});
