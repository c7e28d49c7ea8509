// The range of an outcome is moved by handles on the text (features, L5): by mouse, by touch and by keys.
import type { Page } from 'playwright-core';
import { expect, it, vi } from 'vitest';
import { roles } from '#shared/roles.ts';
import { expectAccessible } from '../support/browser.ts';
import { drawn, segments, Stage, texts, undoOf, waits, wholeDrawn } from '../support/document-page.ts';
import { share } from '../support/meetings.ts';

vi.setConfig({ testTimeout: 300_000 });

/** Ann owns, Ben may comment. */
const stage = new Stage(2);

const quote = 'You planned it three times.';
const look = 'outcome-2';

async function tagged(): Promise<string> {
  const meeting = await stage.recording();
  await share(stage.house, meeting, stage.person(1), [...roles.canComment]);
  const outcome = { type: 'decisions', start: 43.05, end: 44.5, quote };
  const answer = await stage.person(0).post(`/api/meetings/${meeting}/outcomes`, { outcome });
  expect(answer.status, answer.text).toBe(200);
  return meeting;
}

const handle = (page: Page, side: 'Start' | 'End') => page.getByRole('slider', { name: `${side} of the outcome` });

/** Middle of the words in the window, wherever they are drawn. */
async function middleOf(page: Page, words: string): Promise<{ x: number; y: number }> {
  const all = await texts(page);
  const index = all.findIndex((text) => text.includes(words));
  return segments(page)
    .nth(index)
    .evaluate((one, wanted) => {
      const walker = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const at = node.nodeValue?.indexOf(wanted) ?? -1;
        if (at < 0) continue;
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + wanted.length);
        const { x, y, width, height } = range.getBoundingClientRect();
        return { x: x + width / 2, y: y + height / 2 };
      }
      throw new Error(`nowhere: ${wanted}`);
    }, words);
}

async function centerOf(page: Page, side: 'Start' | 'End'): Promise<{ x: number; y: number }> {
  const box = await handle(page, side).boundingBox();
  if (!box) throw new Error(`no handle: ${side}`);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Records what the outcome's highlight covers in each frame from now on, as it is painted. */
async function watchFrames(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate((name) => {
    const seen: string[] = [];
    Object.assign(window, { framesSeen: seen });
    const beat = document.createElement('div');
    beat.style.cssText = 'position: fixed; inline-size: 1px; block-size: 1px';
    document.body.append(beat);
    // Sizes are told after all that draws in a frame, and right before its paint.
    new ResizeObserver(() => {
      const now = [...(CSS.highlights.get(name) ?? [])].map(String).join(' | ');
      if (seen.at(-1) !== now) seen.push(now);
    }).observe(beat);
    const next = () => {
      beat.style.inlineSize = beat.style.inlineSize === '1px' ? '2px' : '1px';
      requestAnimationFrame(next);
    };
    next();
  }, look);
  return () => page.evaluate(() => (window as unknown as { framesSeen: string[] }).framesSeen);
}

it('handles move by mouse and keys across paragraphs, undo, and cancel; the others see it, and nothing flickers', async () => {
  const meeting = await tagged();
  const [ann, ben] = await Promise.all([stage.open(0, meeting), stage.open(1, meeting)]);
  await wholeDrawn(ann);
  await expect.poll(() => drawn(ann, look), waits).toEqual([quote]);
  await expect.poll(() => drawn(ben, look), waits).toEqual([quote]);
  const spot = await middleOf(ann, 'You planned');
  await ann.mouse.click(spot.x, spot.y);
  await handle(ann, 'End').waitFor(waits);
  expect(await handle(ann, 'Start').getAttribute('aria-valuetext')).toMatch(/^“You”, 0:43$/);
  await expectAccessible(ann);
  const framesOf = await Promise.all([ann, ben].map(watchFrames));

  // A drag with real pixels: the end follows to the word below the pointer, into the next paragraph.
  const from = await centerOf(ann, 'End');
  const near = await middleOf(ann, 'happens');
  await ann.mouse.move(from.x, from.y);
  await ann.mouse.down();
  await ann.mouse.move(near.x + 25, near.y, { steps: 6 });
  await expect.poll(() => drawn(ann, look), waits).toEqual([`${quote} What happens`]);
  // Not saved before it is dropped.
  expect(await drawn(ben, look)).toEqual([quote]);
  const far = await middleOf(ann, 'calender');
  await ann.mouse.move(far.x + 25, far.y, { steps: 6 });
  await ann.mouse.up();
  await ann.getByText('Passage changed.').waitFor(waits);
  const undo = await undoOf(ann);
  const whole = [`${quote} What happens right before you decide to wait?`, 'I open my calender'];
  await expect.poll(() => drawn(ann, look), waits).toEqual(whole);
  await expect.poll(() => drawn(ben, look), waits).toEqual(whole);
  // The caret and the selection were left alone.
  expect(await ann.evaluate(() => getSelection()?.isCollapsed)).toBe(true);
  await undo.click();
  await expect.poll(() => drawn(ben, look), waits).toEqual([quote]);

  // Escape gives up a drag, and closes nothing; letting go afterwards changes nothing.
  const again = await centerOf(ann, 'Start');
  await ann.mouse.move(again.x, again.y);
  await ann.mouse.down();
  await ann.mouse.move((await middleOf(ann, 'three times.')).x - 45, again.y, { steps: 4 });
  await expect.poll(() => drawn(ann, look), waits).toEqual(['three times.']);
  await ann.keyboard.press('Escape');
  await expect.poll(() => drawn(ann, look), waits).toEqual([quote]);
  await ann.mouse.up();
  await handle(ann, 'Start').waitFor(waits);
  expect(await drawn(ann, look)).toEqual([quote]);

  // By keys alone: one key leads to the handles; words by Shift and the arrows, saved with Enter or after a pause.
  await ann.locator('.ProseMirror').focus();
  await ann.keyboard.press('Alt+e');
  await expect.poll(() => handle(ann, 'Start').evaluate((one) => one === document.activeElement), waits).toBe(true);
  await ann.keyboard.press('Shift+ArrowRight');
  await expect.poll(() => drawn(ann, look), waits).toEqual(['planned it three times.']);
  await ann.keyboard.press('Enter');
  await expect.poll(() => drawn(ben, look), waits).toEqual(['planned it three times.']);
  await ann.keyboard.press('Tab');
  for (let i = 0; i < 2; i += 1) await ann.keyboard.press('Shift+ArrowLeft');
  await expect.poll(() => drawn(ben, look), waits).toEqual(['planned it']);
  expect(await handle(ann, 'End').getAttribute('aria-valuetext')).toMatch(/^“it”, 0:4\d$/);
  await ann.keyboard.press('Control+z');
  await expect.poll(() => drawn(ben, look), waits).toEqual(['planned it three times.']);
  // Escape comes before the pause after which a range is saved.
  await ann.keyboard.press('Shift+ArrowDown');
  await ann.keyboard.press('Escape');
  await expect.poll(() => drawn(ann, look), waits).toEqual(['planned it three times.']);
  // The stored outcome has the new words and times.
  const stored = (await stage.person(1).get(`/api/meetings/${meeting}`)).body.doc.outcomes[0];
  expect(stored).toMatchObject({ quote: 'planned it three times.' });
  expect(stored.start).toBeGreaterThan(43.2);

  // In no frame the range was gone, or anything but a range of whole words around the same ones.
  for (const frames of await Promise.all(framesOf.map((seen) => seen())))
    for (const frame of frames) expect(frame).toMatch(/^(You planned|planned|it three|three times)/);

  // Ben may not change what Ann added.
  const there = await middleOf(ben, 'planned it three times.');
  await ben.mouse.click(there.x, there.y);
  await ben.locator('[data-outcome][data-chosen]').waitFor(waits);
  expect(await handle(ben, 'End').count()).toBe(0);
});

it('handles move by touch on a phone, above the open list', async () => {
  const meeting = await tagged();
  const page = await stage.open(0, meeting, { width: 'phone', scheme: 'dark' });
  await page.getByRole('button', { name: /^Outcomes/ }).click();
  await page.locator('[data-outcome]').filter({ hasText: 'You planned it' }).getByRole('button').first().tap();
  await page
    .locator('[data-outcome]')
    .getByRole('button', { name: 'Go to' })
    .or(page.locator('[data-outcome] blockquote'))
    .first()
    .waitFor(waits);
  await segments(page).nth(6).scrollIntoViewIfNeeded();
  await handle(page, 'End').waitFor(waits);
  const box = await handle(page, 'End').boundingBox();
  expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
  const [from, to] = [await centerOf(page, 'End'), await middleOf(page, 'right before')];
  const session = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x: number, y: number) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y }] });
  const top = await page.evaluate(() => document.querySelector('[role=tabpanel]')?.scrollTop);
  await touch('touchStart', from.x, from.y);
  for (let i = 1; i <= 8; i += 1)
    await touch('touchMove', from.x + ((to.x - from.x) * i) / 8, from.y + ((to.y - from.y) * i) / 8);
  await touch('touchEnd', to.x, to.y);
  await expect
    .poll(() => drawn(page, look), waits)
    .toEqual([expect.stringMatching(/^You planned it three times\. What happens right( before)?$/)]);
  // The finger moved the handle and not the page.
  expect(await page.evaluate(() => document.querySelector('[role=tabpanel]')?.scrollTop)).toBe(top);
  await expectAccessible(page);
});
