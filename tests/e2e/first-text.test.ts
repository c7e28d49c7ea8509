// The first screens of a transcript, which the page of a recording has before its scripts: there without any, and in the
// same place once the page has drawn its own.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { newId } from '#shared/ids.ts';
import { seedState } from '#shared/meetings/seed.ts';
import { expectAccessible, type Look } from '../support/browser.ts';
import { cutLine, segments, Stage, texts, waits } from '../support/document-page.ts';
import { makeMeeting, share } from '../support/meetings.ts';

const stage = new Stage(2, { expected: cutLine, keeps: false });

const line = 'so what would you like to work on today if we had the whole morning for it then my dear friend'.split(
  ' ',
);

async function recording(passages: number): Promise<string> {
  const id = await makeMeeting(stage.house, stage.person(0));
  const spoken = Array.from({ length: passages }, (_, i) => ({
    id: newId(),
    speaker: `p${Math.floor(i / 2) % 3}`,
    words: line.slice(0, 4 + ((i * 7) % 16)).map((w, k) => ({ w, f: i * 8 + k / 4, t: i * 8 + k / 4 + 0.2 })),
  }));
  const speakers = ['Ann Lee', 'Ben'].map((name, i) => ({ id: `p${i}`, name, color: i, sortId: i }));
  const seed = seedState({ about: { title: 'A morning', lang: 'en' }, speakers, segments: spoken });
  await stage.house.house.rooms.renew(id, 'transcript', { userId: stage.person(0).id }, seed);
  // Waits until the server has it ready for a page.
  await expect.poll(async () => (await stage.person(0).get(`/meeting/${id}`)).text, waits).toContain('id="first-text"');
  return id;
}

/** Places of the first lines on the screen: of each letter with which a paragraph begins and ends, and of its name. */
const places = (page: Page, rows: string) =>
  page.evaluate((selector) => {
    const rounded = ({ left, top }: { left: number; top: number }) => [Math.round(left), Math.round(top)];
    return [...document.querySelectorAll(selector)].slice(0, 8).map((row) => {
      const text = row.lastElementChild?.firstChild;
      const name = row.querySelector('[data-text]:not([hidden])');
      const named = [...row.querySelectorAll('[data-text]')].findLast((one) => one.getClientRects().length > 0) ?? name;
      if (!text) return null;
      const length = text.textContent?.length ?? 0;
      const [first, last] = [0, length - 1].map((at) => {
        const range = document.createRange();
        range.setStart(text, at);
        range.setEnd(text, at + 1);
        return range.getBoundingClientRect();
      });
      return {
        first: first && rounded(first),
        last: last && rounded(last),
        name: row.hasAttribute('data-turn') ? named?.getAttribute('data-text') : null,
      };
    });
  }, rows);

const first = '.first-lines > div';

interface Sized extends Look {
  size?: { width: number; height: number };
}

/** A page whose scripts arrive when they are let. */
async function open(who: number, id: string, { size, ...look }: Sized) {
  const page = await stage.desk.seat(stage.person(who), look);
  if (size) await page.setViewportSize(size);
  let letRun = (): void => undefined;
  const mayRun = new Promise<void>((resolve) => (letRun = resolve));
  await page.route(/\/assets\/.+\.js$/, async (route) => {
    await mayRun;
    await route.continue();
  });
  await page.goto(`/meeting/${id}`, { waitUntil: 'commit' });
  await page.locator(first).first().waitFor(waits);
  await page.evaluate(() => document.fonts.load('18px "Literata Variable"').then(() => undefined));
  const takeOver = async () => {
    letRun();
    await segments(page).first().waitFor(waits);
    await page.evaluate(() => document.fonts.ready.then(() => undefined));
  };
  return { page, takeOver };
}

describe.each<Sized>([
  { width: 'wide', scheme: 'light' },
  // Wide enough for the text to be centred, with words in the rail and without.
  { width: 'wide', scheme: 'dark', size: { width: 1440, height: 900 } },
  { width: 'wide', scheme: 'light', size: { width: 1440, height: 700 } },
  { width: 'phone', scheme: 'dark' },
])('at $width width $size', (look) => {
  it.each([
    { what: 'an editor', who: 0, passages: 12 },
    { what: 'an editor of a long text', who: 0, passages: 600 },
    { what: 'a reader', who: 1, passages: 12 },
  ])('the first lines are there without scripts, and stay where they are for $what', async ({ who, passages }) => {
    const id = await recording(passages);
    if (who > 0) await share(stage.house, id, stage.person(who), ['read']);
    const { page, takeOver } = await open(who, id, look);
    await expect.poll(() => page.locator('#root').isVisible(), waits).toBe(false);
    await expectAccessible(page);
    const before = await places(page, first);
    expect(before).toHaveLength(8);
    await takeOver();
    expect(await page.locator('#first-text').count()).toBe(0);
    await expect.poll(() => places(page, '.ProseMirror > *'), waits).toEqual(before);
    expect((await texts(page)).length).toBe(passages);
  });
});

it('the focus goes on from the first lines to the page, and never stays behind them', async () => {
  const { page, takeOver } = await open(0, await recording(12), { width: 'wide', scheme: 'light' });
  await page.locator('.first-panel').focus();
  await takeOver();
  await expect.poll(() => page.evaluate(() => document.activeElement?.id), waits).toBe('main');
});

it('where the transcript does not come, the first lines make room for the reason', async () => {
  const page = await stage.desk.seat(stage.person(0));
  // Connections that never answer.
  await page.routeWebSocket(/.*/, () => undefined);
  await page.goto(`/meeting/${await recording(12)}`, { waitUntil: 'commit' });
  await page.locator(first).first().waitFor(waits);
  await page.locator('#first-text').waitFor({ ...waits, state: 'detached' });
  await page.getByText('Opening the recording…').waitFor(waits);
  await expect.poll(() => page.locator('#root').isVisible(), waits).toBe(true);
});
