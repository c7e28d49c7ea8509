// Selecting with the mouse, pixel by pixel: the text never moves under the pointer.

import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { Stage, drawnAgain, segments, sound, waits, wholeDrawn } from '../support/document-page.ts';

const stage = new Stage(1, { keeps: false });

interface Line {
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** A word of the line, and its middle. */
  word: string;
  x: number;
  y: number;
}

const port = (page: Page) => page.getByRole('tabpanel', { name: 'Transcript' });
const scrolled = (page: Page) => port(page).evaluate(({ scrollTop }) => scrollTop);
const selected = (page: Page) => page.evaluate(() => getSelection()?.toString() ?? '');

/** Lines of words that are wholly in the window, from the top. */
const lines = (page: Page) =>
  page.evaluate(() => {
    const frame = document.querySelector('[role=tabpanel]')?.getBoundingClientRect();
    const walker = document.createTreeWalker(document.querySelector('.ProseMirror') as Node, NodeFilter.SHOW_TEXT);
    const all: Line[] = [];
    for (let node = walker.nextNode(); node && frame; node = walker.nextNode()) {
      if (node.parentElement?.closest('button')) continue;
      for (const { index, 0: word } of (node.nodeValue ?? '').matchAll(/\p{L}{4,}/gu)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        const { left, right, top, bottom } = range.getBoundingClientRect();
        if (top < frame.top || bottom > frame.bottom) continue;
        const line = all.find((one) => one.top === top);
        if (line) line.right = right;
        else all.push({ left, right, top, bottom, word, x: (left + right) / 2, y: (top + bottom) / 2 });
      }
    }
    return all.filter(({ left, right }) => right - left > 200).sort((one, other) => one.top - other.top);
  });

/** Records how far the text was from its place in any frame that was painted from now on. */
async function movements(page: Page): Promise<() => Promise<number>> {
  await port(page).evaluate((element) => {
    const from = element.scrollTop;
    Object.assign(window, { moved: 0 });
    const look = () => {
      const seen = window as unknown as { moved: number };
      seen.moved = Math.max(seen.moved, Math.abs(element.scrollTop - from));
      requestAnimationFrame(look);
    };
    look();
  });
  return () => page.evaluate(() => (window as unknown as { moved: number }).moved);
}

/** Rests for that many painted frames, as a hand does at the end of a line. */
const rest = (page: Page, frames: number) =>
  page.evaluate(async (count) => {
    for (let i = 0; i < count; i += 1) await new Promise(requestAnimationFrame);
  }, frames);

async function openInTheMiddle(): Promise<Page> {
  const page = await stage.open(0, await stage.recording());
  await wholeDrawn(page);
  await segments(page)
    .nth(8)
    .evaluate((one) => one.scrollIntoView({ block: 'start' }));
  await drawnAgain(page);
  let top = -1;
  await expect
    .poll(async () => {
      const before = top;
      top = await scrolled(page);
      return top > 0 && top === before;
    }, waits)
    .toBe(true);
  return page;
}

const first = <One>(all: readonly One[]): One => {
  const [one] = all;
  if (one === undefined) throw new Error('no line in the window');
  return one;
};
const lastOf = <One>(all: readonly One[]): One => first(all.slice(-1));

it('a selection that starts on the top or bottom line scrolls nothing until the pointer leaves the text', async () => {
  const page = await openInTheMiddle();
  const moved = await movements(page);
  for (const [line, towards] of [
    [first(await lines(page)), 1],
    [lastOf(await lines(page)), -1],
  ] as const) {
    const y = (line.top + line.bottom) / 2;
    await page.mouse.move(line.left + 5, y);
    await page.mouse.down();
    await page.mouse.move(line.left + 50, y, { steps: 10 });
    await rest(page, 20);
    await page.mouse.move(line.left + 80, towards === 1 ? line.top + 2 : line.bottom - 2, { steps: 10 });
    await rest(page, 20);
    await page.mouse.move(line.left + 100, y + towards * 60, { steps: 10 });
    await page.mouse.up();
    await expect.poll(() => selected(page)).not.toBe('');
    await drawnAgain(page);
    expect(await moved()).toBe(0);
  }
});

it('a selection from the middle to above the first visible line scrolls on, and holds every word in between', async () => {
  const page = await openInTheMiddle();
  const before = await scrolled(page);
  const all = await lines(page);
  const middle = all[Math.floor(all.length / 2)] ?? first(all);
  const top = first(all);
  await page.mouse.move(middle.left + 60, (middle.top + middle.bottom) / 2);
  await page.mouse.down();
  await page.mouse.move(top.left + 40, (top.top + top.bottom) / 2, { steps: 20 });
  await rest(page, 20);
  expect(await scrolled(page)).toBe(before);
  const box = await port(page).boundingBox();
  await page.mouse.move(top.left + 40, (box?.y ?? 0) - 30, { steps: 10 });
  await expect.poll(() => scrolled(page), waits).toBeLessThan(before - 60);
  await page.mouse.up();
  const words = await selected(page);
  const text = (await segments(page).allTextContents()).join(' ').replaceAll(/\s+/g, ' ');
  expect(text).toContain(words.replaceAll(/\s+/g, ' ').trim());
  expect(words.length).toBeGreaterThan(200);
});

it('a double click at the edge selects its word and plays from it, and the text stays', async () => {
  const page = await openInTheMiddle();
  await expect
    .poll(() => page.evaluate(() => document.querySelector('audio')?.readyState ?? 0), waits)
    .toBeGreaterThan(0);
  // Slow enough that the sound does not reach the next line, to which the text would scroll.
  await page.locator('audio').evaluate((audio: HTMLAudioElement) => (audio.playbackRate = 0.25));
  const moved = await movements(page);
  for (const line of [first(await lines(page)), lastOf(await lines(page))]) {
    await page.mouse.dblclick(line.x, line.y);
    await expect.poll(async () => (await sound(page)).playing, waits).toBe(true);
    await expect.poll(() => selected(page)).toBe(line.word);
    // The sound reaches other words while the line stays in its place.
    const { ms } = await sound(page);
    await expect.poll(async () => (await sound(page)).ms, waits).toBeGreaterThan(ms + 600);
    expect(await moved()).toBe(0);
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
  }

  // The edge may cut the line, so that less than half of it is seen.
  const box = await port(page).boundingBox();
  for (const side of ['top', 'bottom'] as const) {
    const line = side === 'top' ? first(await lines(page)) : lastOf(await lines(page));
    const edge = (box?.y ?? 0) + (side === 'top' ? 0 : (box?.height ?? 0));
    const [over, into] = side === 'top' ? [3, 4] : [-3, -4];
    await port(page).evaluate((element, by) => (element.scrollTop += by), line.y - edge + over);
    await drawnAgain(page);
    const before = await scrolled(page);
    await page.mouse.dblclick(line.x, edge + into);
    await expect.poll(async () => (await sound(page)).playing, waits).toBe(true);
    await expect.poll(() => selected(page)).toBe(line.word);
    const { ms } = await sound(page);
    await expect.poll(async () => (await sound(page)).ms, waits).toBeGreaterThan(ms + 600);
    expect(await scrolled(page)).toBe(before);
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
  }
});

it('while the text follows the sound, it does not move under a pressed pointer or away from selected words', async () => {
  const page = await openInTheMiddle();
  await expect
    .poll(() => page.evaluate(() => document.querySelector('audio')?.readyState ?? 0), waits)
    .toBeGreaterThan(0);
  const line = lastOf(await lines(page));
  const y = (line.top + line.bottom) / 2;
  const moved = await movements(page);
  await page.mouse.move(line.left + 30, y);
  await page.mouse.down();
  await page.mouse.move(line.left + 200, y, { steps: 10 });
  await page.keyboard.press('F4');
  const { ms } = await sound(page);
  await expect.poll(async () => (await sound(page)).ms, waits).toBeGreaterThan(ms + 1_000);
  await page.mouse.up();
  await expect.poll(async () => (await sound(page)).ms, waits).toBeGreaterThan(ms + 2_000);
  expect(await moved()).toBe(0);
  // The words selected are to be written over: a double click on others selects, and does not play.
  const there = await sound(page);
  expect(there.playing).toBe(true);
  await page.keyboard.press('F4');
  const other = first(await lines(page));
  await page.mouse.dblclick(other.x, other.y);
  await expect.poll(() => selected(page)).toBe(other.word);
  expect((await sound(page)).playing).toBe(false);
  expect(await moved()).toBe(0);
});
