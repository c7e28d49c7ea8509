// Cards in the margin (design, the recording page): level with their words where the window is wide and no pane is open.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible } from '../support/browser.ts';
import { caretIn, openPane, saved, segments, Stage, waits, wholeDrawn } from '../support/document-page.ts';
import { makeSet } from '../support/outcome-models.ts';

const stage = new Stage(2);
const margin = (page: Page) => page.getByRole('region', { name: 'Comments and outcomes beside the text' });
const card = (page: Page, text: string) => margin(page).locator('[data-card]').filter({ hasText: text });
const topOf = async (page: Page, text: string) => (await card(page, text).boundingBox())?.y ?? Number.NaN;

it('cards stand level with their words, open where they are, and follow the text', async () => {
  const meeting = await stage.recording();
  const ben = stage.person(1);
  const passages = [
    { start: 24, end: 26, quote: 'Better than I expected', text: 'Truly?' },
    { start: 48, end: 52, quote: 'I open my calender', text: 'A good example' },
  ];
  for (const body of passages) expect((await ben.post(`/api/meetings/${meeting}/comments`, body)).status).toBe(200);
  const outcome = { start: 24, end: 26, quote: 'Better than I expected', type: 'decisions', text: 'To be kept' };
  expect((await ben.post(`/api/meetings/${meeting}/outcomes`, { outcome })).status).toBe(200);

  const page = await stage.open(0, meeting);
  await wholeDrawn(page);
  await card(page, 'Truly?').waitFor(waits);
  const line = async (segment: number) => (await segments(page).nth(segment).boundingBox())?.y ?? Number.NaN;
  /** Distance of a card from the top of the words that a comment is about, first or second. */
  const level = async (text: string, which: number) => {
    const top = await page.evaluate((at) => {
      const ranges = [...(CSS.highlights.get('comment') ?? [])] as Range[];
      const tops = ranges.map((range) => range.getClientRects()[0]?.top ?? Number.NaN);
      return tops.sort((one, other) => one - other)[at] ?? Number.NaN;
    }, which);
    return Math.abs((await topOf(page, text)) - top);
  };
  await expect.poll(() => level('Truly?', 0), waits).toBeLessThan(3);
  await expect.poll(() => level('A good example', 1), waits).toBeLessThan(3);
  // Two on the same words are pushed apart.
  const boxes = await Promise.all(['Truly?', 'To be kept'].map((text) => card(page, text).boundingBox()));
  const [upper, lower] = boxes
    .map((box) => ({ top: box?.y ?? 0, end: (box?.y ?? 0) + (box?.height ?? 0) }))
    .sort((a, b) => a.top - b.top);
  expect(lower?.top).toBeGreaterThanOrEqual(upper?.end ?? Infinity);
  await expectAccessible(page);

  // Marks that stay keep their ranges when they are drawn again: each further one slows every change of the page.
  const made = await page.evaluate(async () => {
    const create = document.createRange;
    let count = 0;
    document.createRange = () => {
      count += 1;
      return create.call(document);
    };
    window.dispatchEvent(new Event('resize'));
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
    document.createRange = create;
    return count;
  });
  expect(made).toBe(0);

  // A press opens the card of the pane, without moving the text; it is answered there.
  const before = await line(3);
  const spot = await card(page, 'Truly?').boundingBox();
  await page.mouse.click((spot?.x ?? 0) + 40, (spot?.y ?? 0) + 12);
  await card(page, 'Truly?').getByRole('button', { name: 'Reply', exact: true }).click();
  await page.keyboard.type('It was so');
  await page.keyboard.press('Control+Enter');
  await card(page, 'Truly?').getByText('It was so').waitFor(waits);
  expect(await line(3)).toBe(before);
  await expectAccessible(page);

  // Words that are pressed open their card, Escape closes it, and keys alone open it again.
  const words = await page.evaluate(() => {
    const [, second] = [...(CSS.highlights.get('comment') ?? [])] as Range[];
    const { x, y, width, height } = second?.getBoundingClientRect() ?? new DOMRect();
    return { x: x + width / 2, y: y + height / 2 };
  });
  await page.mouse.click(words.x, words.y);
  const open = margin(page).locator('[data-card][data-open]');
  await expect.poll(() => open.allInnerTexts(), waits).toEqual([expect.stringContaining('A good example')]);
  await page.keyboard.press('Escape');
  await expect.poll(() => open.count(), waits).toBe(0);
  await card(page, 'To be kept').getByRole('button').focus();
  await page.keyboard.press('Enter');
  await card(page, 'To be kept').getByRole('textbox', { name: 'Note' }).waitFor(waits);
  await page.keyboard.press('Escape');
  await expect.poll(() => open.count(), waits).toBe(0);
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-expanded')), waits)
    .toBe('false');

  // A new line moves the cards below it, and the text stays where it is when a pane takes their place.
  await caretIn(page, 0, 0);
  for (let line = 0; line < 12; line += 1) await page.keyboard.insertText('Welcome to all of you. ');
  await saved(page);
  await expect.poll(() => level('A good example', 1), waits).toBeLessThan(3);
  const text = await segments(page).first().boundingBox();
  await openPane(page, 'Comments');
  await expect.poll(() => margin(page).count(), waits).toBe(0);
  expect(await segments(page).first().boundingBox()).toEqual(text);
  await page.getByRole('button', { name: 'Close Comments' }).click();
  await card(page, 'Truly?').waitFor(waits);
  await page.setViewportSize({ width: 1100, height: 800 });
  await expect.poll(() => margin(page).count(), waits).toBe(0);
});

it('long names of types and grades stay within the cards of the margin and of the pane', async () => {
  const ann = stage.person(0);
  const meeting = await stage.recording();
  const names = [
    'Evokes awareness by asking open and curious questions',
    'Gesprächsführungskompetenzentwicklungsziele',
  ];
  const grades = [
    { value: 1, name: 'Shows hardly any evidence of it yet now' },
    { value: 2, name: 'Demonstrates it all through the session' },
  ];
  const set = await makeSet(ann, { types: names.map((name) => ({ name, grades })) });
  const { version } = (await ann.get(`/api/meetings/${meeting}`)).body as { version: number };
  const chosen = { meeting: { 'doc.preferredOutcomesModel': set.id }, version };
  expect((await ann.put(`/api/meetings/${meeting}`, chosen)).status).toBe(200);
  for (const [nth, { id: type }] of set.types.entries()) {
    const at = [
      { start: 24, end: 26, quote: 'Better than I expected' },
      { start: 48, end: 52, quote: 'I open my calender' },
    ][nth];
    const outcome = { ...at, type, grade: 2, text: `${names[nth]?.replaceAll(' ', '')} and more` };
    expect((await ann.post(`/api/meetings/${meeting}/outcomes`, { outcome })).status).toBe(200);
  }
  /** Texts that end to the right of the card or pane around them. */
  const beyond = (page: Page, places: string) =>
    page.evaluate((selector) => {
      const found: string[] = [];
      for (const place of document.querySelectorAll(selector)) {
        const { right } = place.getBoundingClientRect();
        for (const one of place.querySelectorAll<HTMLElement>('*'))
          if (one.checkVisibility() && one.getBoundingClientRect().right > right + 1) found.push(one.innerText);
      }
      return found;
    }, places);

  const page = await stage.open(0, meeting);
  await card(page, names[0] ?? '').waitFor(waits);
  expect(await beyond(page, '[data-card]')).toEqual([]);
  await openPane(page, 'Outcomes');
  await page.getByRole('complementary').getByText('and more').first().waitFor(waits);
  expect(await beyond(page, '[role=complementary], aside')).toEqual([]);

  const phone = await stage.open(0, meeting, { width: 'phone', scheme: 'dark' });
  await openPane(phone, 'Outcomes');
  await phone.getByText('and more').first().waitFor(waits);
  expect(await beyond(phone, '[role=dialog], [role=complementary], aside')).toEqual([]);
}, 300_000);
