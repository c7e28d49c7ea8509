// Highlights: coloured words of a transcript, drawn and removed by hand and over the API.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible } from '../support/browser.ts';
import { caretBefore, drawn, saved, segments, Stage, texts, waits } from '../support/document-page.ts';

const stage = new Stage(2, { keeps: false });

/** Drags the mouse from the first to the last letter. */
async function drag(page: Page, words: string): Promise<void> {
  await caretBefore(page, words);
  const [from, to] = await segments(page)
    .filter({ hasText: words })
    .first()
    .evaluate((element, sought) => {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      for (let text = walker.nextNode(); text; text = walker.nextNode()) {
        const at = text.textContent?.indexOf(sought) ?? -1;
        if (at < 0) continue;
        const side = (offset: number) => {
          const range = document.createRange();
          range.setStart(text, offset);
          range.setEnd(text, offset);
          const { x, y, height } = range.getBoundingClientRect();
          return { x, y: y + height / 2 };
        };
        return [side(at), side(at + sought.length)];
      }
      return [];
    }, words);
  if (!from || !to) throw new Error(`nowhere: ${words}`);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 4 });
  await page.mouse.up();
}
const bar = (page: Page) => page.getByRole('toolbar', { name: 'Actions for the selected words' });
const color = (page: Page, name: string) => bar(page).getByRole('button', { name });

it('words get a colour, keep it while others type, get another one and lose it again', async () => {
  const meeting = await stage.recording();
  const [ann, ben] = [await stage.open(0, meeting), await stage.open(1, meeting, { scheme: 'dark' })];
  await drag(ann, 'every task');
  await color(ann, 'Highlight: Green').waitFor(waits);
  await expectAccessible(ann);
  await color(ann, 'Highlight: Green').click();
  await expect.poll(() => drawn(ann, 'highlight-green'), waits).toEqual(['every task']);
  await expect.poll(() => drawn(ben, 'highlight-green'), waits).toEqual(['every task']);
  // The colour is visible in both colour schemes.
  const shade = (page: Page) =>
    page
      .locator('[data-spoken]')
      .first()
      .evaluate((one) => getComputedStyle(one, '::highlight(highlight-green)').backgroundColor);
  expect([await shade(ann), await shade(ben)]).toEqual([
    expect.stringMatching(/^rgba\(48, 176, 96/),
    expect.stringMatching(/^rgba\(48, 200, 110/),
  ]);

  // Text that the other person types within it gets the colour, text around it does not.
  await caretBefore(ben, 'task');
  await ben.keyboard.type('single ');
  await caretBefore(ben, 'every single');
  await ben.keyboard.type('almost ');
  await expect.poll(() => drawn(ann, 'highlight-green'), waits).toEqual(['every single task']);

  await drag(ann, 'single');
  await color(ann, 'Highlight: Pink').click();
  await expect.poll(() => drawn(ben, 'highlight-pink'), waits).toEqual(['single']);
  expect(await drawn(ann, 'highlight-green')).toEqual([]);
  await ann.locator('.ProseMirror').focus();
  await ann.keyboard.press('Control+z');
  await expect.poll(() => drawn(ben, 'highlight-green'), waits).toEqual(['every single task']);

  // By keyboard alone: off, and on again in the last colour.
  await caretBefore(ann, 'single');
  await ann.keyboard.press('Alt+h');
  await expect.poll(() => drawn(ben, 'highlight-green'), waits).toEqual([]);
  for (let i = 0; i < 'single'.length; i += 1) await ann.keyboard.press('Shift+ArrowRight');
  await ann.keyboard.press('Alt+h');
  await expect.poll(() => drawn(ben, 'highlight-pink'), waits).toEqual(['single']);
  await drag(ann, 'single');
  await color(ann, 'Remove the highlight').click();
  await expect.poll(() => drawn(ben, 'highlight-pink'), waits).toEqual([]);
  await saved(ann);
  expect((await texts(ann)).join(' ')).toContain('almost every single task');
  expect((await stage.person(1).get(`/api/meetings/${meeting}`)).body.doc.highlights).toEqual([]);
});

it('a key acts on what was selected just before, also when the browser has not reported that yet', async () => {
  const meeting = await stage.recording();
  const ann = await stage.open(0, meeting);
  /** Selects letters and presses a key in one task of the page. */
  const selectAndPress = (letters: number, key: 'h' | 'Enter') =>
    ann.evaluate(
      ([count, pressed]) => {
        for (let i = 0; i < count; i += 1) getSelection()?.modify('extend', 'forward', 'character');
        if (pressed === 'Enter') getSelection()?.collapseToEnd();
        const how = pressed === 'h' ? { code: 'KeyH', altKey: true } : { code: 'Enter' };
        const press = new KeyboardEvent('keydown', { ...how, key: pressed, bubbles: true, cancelable: true });
        document.activeElement?.dispatchEvent(press);
      },
      [letters, key] as const,
    );
  await caretBefore(ann, 'every task');
  await selectAndPress('every'.length, 'h');
  await expect.poll(() => drawn(ann, 'highlight-yellow'), waits).toEqual(['every']);
  await caretBefore(ann, 'every task');
  await selectAndPress('every'.length, 'Enter');
  await expect.poll(async () => (await texts(ann)).some((text) => /\bevery\.?$/.test(text)), waits).toBe(true);
});

it('a highlight set through the API by its times is drawn, moves with its words, and can be removed on the page', async () => {
  const meeting = await stage.recording();
  const [ann, ben] = [await stage.open(0, meeting), stage.person(1)];
  const { body } = await ben.get(`/api/meetings/${meeting}`);
  const { words } = body.doc.transcript.segments[0] as { words: { w: string; f: number; t: number }[] };
  const [first, last] = [words[2], words[4]];
  const said = words
    .slice(2, 5)
    .map(({ w }) => w)
    .join(' ');
  const highlights = [{ start: first?.f, end: last?.t, color: 'blue' }];
  const put = await ben.put(`/api/meetings/${meeting}`, { meeting: { highlights }, version: body.version });
  expect(put.status, put.text).toBe(200);
  await expect.poll(() => drawn(ann, 'highlight-blue'), waits).toEqual([said]);

  await caretBefore(ann, said);
  await ann.keyboard.press('ArrowRight');
  await ann.keyboard.type('x');
  const changed = `${said[0]}x${said.slice(1)}`;
  await expect.poll(() => drawn(ann, 'highlight-blue'), waits).toEqual([changed]);
  await drag(ann, changed);
  await color(ann, 'Remove the highlight').click();
  await expect.poll(() => drawn(ann, 'highlight-blue'), waits).toEqual([]);
  await saved(ann);
  expect((await ben.get(`/api/meetings/${meeting}`)).body.doc.highlights).toEqual([]);
});
