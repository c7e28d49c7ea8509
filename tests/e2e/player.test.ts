// The player: the text follows the sound, and the sound the text.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addMedium } from '#server/media/media.ts';
import { expectAccessible, openDesk, type Look } from '../support/browser.ts';
import { drawnAgain } from '../support/document-page.ts';
import type { SharedHouse } from '../support/house.ts';
import { makeMeeting } from '../support/meetings.ts';
import type { Person } from '../support/people.ts';
import { makeRecording } from '../support/recording.ts';
import { worker } from '../support/worker.ts';

const root = new URL('../..', import.meta.url).pathname;
const waits = { timeout: 60_000 };

interface Said {
  w: string;
  f: number;
  t: number;
}

const desk = openDesk();
let house: SharedHouse;
let ann: Person;
let talk: { speaker: string; words: Said[] }[];
worker.beforeAll(({ house: shared }) => {
  house = shared;
});
beforeAll(async () => {
  const file = JSON.parse(await readFile(join(root, 'server/demo/talk.json'), 'utf8')) as { segments: typeof talk };
  talk = file.segments;
});
beforeEach(async () => {
  ann = await house.person();
});

async function open(meeting: string, look: Look = {}): Promise<Page> {
  const page = await desk.seat(ann, look);
  await page.goto(`/meeting/${meeting}`);
  await page.locator('.ProseMirror > *').first().waitFor();
  return page;
}

const bar = (page: Page) => page.getByRole('region', { name: 'Player' });
const play = (page: Page) => bar(page).getByRole('button', { name: 'Play', exact: true });
const pause = (page: Page) => bar(page).getByRole('button', { name: 'Pause', exact: true });
const slider = (page: Page) => page.getByRole('slider');
const seek = (page: Page, ms: number) => slider(page).fill(String(Math.round(ms / 10) * 10));

const sound = (page: Page) =>
  page.evaluate(() => {
    const element = document.querySelector('audio') ?? document.querySelector('video');
    return { ms: (element?.currentTime ?? 0) * 1000, playing: element?.paused === false };
  });

/** Words marked as being played: their text, their segment, and the time of the sound at that moment. */
const marked = (page: Page) =>
  page.evaluate(() => {
    const range = [...(CSS.highlights.get('played') ?? [])][0] as Range | undefined;
    const block = range?.startContainer.parentElement?.closest('.ProseMirror > *');
    return {
      text: range?.toString() ?? '',
      segment: block ? [...document.querySelectorAll('.ProseMirror > *')].indexOf(block) : -1,
      ms: (document.querySelector('audio')?.currentTime ?? 0) * 1000,
    };
  });

/** Middle of a word on the screen. */
async function pointOf(page: Page, segment: number, word: string): Promise<{ x: number; y: number }> {
  const block = page.locator('.ProseMirror > *').nth(segment);
  await block.scrollIntoViewIfNeeded();
  const at = await block.evaluate((element, wanted) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const found = node.nodeValue?.indexOf(wanted) ?? -1;
      if (found < 0) continue;
      const range = document.createRange();
      range.setStart(node, found);
      range.setEnd(node, found + wanted.length);
      const { left, top, width, height } = range.getClientRects()[0] ?? element.getBoundingClientRect();
      return { x: left + width / 2, y: top + height / 2 };
    }
    return null;
  }, word);
  if (!at) throw new Error(`${word} is not in segment ${segment}`);
  return at;
}

/** Records the times, in milliseconds, to which the sound jumps from now on. */
async function jumps(page: Page): Promise<() => Promise<number[]>> {
  await page.evaluate(() => {
    const seen: number[] = [];
    Object.assign(window, { jumps: seen });
    const element = document.querySelector('audio');
    const own = Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, 'currentTime');
    if (!element || !own) throw new Error('nothing to hear');
    // Records the assigned time: by the time the element reports it, it may have played on.
    Object.defineProperty(element, 'currentTime', {
      get: () => Number(own.get?.call(element)),
      set: (to: number) => {
        seen.push(to * 1000);
        own.set?.call(element, to);
      },
    });
  });
  return () => page.evaluate(() => (window as unknown as { jumps: number[] }).jumps);
}

/** A word that occurs once in its segment, so that its letters identify it. */
function onceSaid(segment: number, from = 0): Said {
  const words = talk[segment]?.words ?? [];
  const text = words.map(({ w }) => w).join(' ');
  const found = words.slice(from).find(({ w }) => /^\p{L}{4,}$/u.test(w) && text.split(w).length === 2);
  if (!found) throw new Error(`no such word in segment ${segment}`);
  return found;
}

/** Highlights single words, which is harder to get right than a segment. */
async function markByWord(page: Page): Promise<void> {
  await bar(page).getByRole('button', { name: 'Sound and text' }).click();
  await page.getByRole('radio', { name: 'Word' }).check();
  await page.keyboard.press('Escape');
}

describe('text and sound', () => {
  it('the word at each time is marked, also after typed text, and only spoken words are marked', async () => {
    const page = await open(await makeRecording(house, ann));
    const blocks = page.locator('.ProseMirror > *');
    expect(await blocks.allTextContents()).toEqual(talk.map(({ words }) => words.map(({ w }) => w).join(' ')));
    await expect.poll(() => blocks.first().getByRole('button').first().getAttribute('data-text')).toMatch(/^0:0\d$/);
    const names = await blocks.evaluateAll((all) =>
      all.map(
        (block) =>
          [...block.querySelectorAll('button')].find((one) => !one.hidden && one.ariaLabel === 'Change the speaker')
            ?.dataset['text'],
      ),
    );
    // The speaker's name is spoken only where it changes.
    expect(names.map((name) => name?.toLowerCase())).toEqual(
      talk.map(({ speaker }, i) => (speaker === talk[i - 1]?.speaker ? undefined : speaker)),
    );
    await markByWord(page);
    const check = async (segment: number, said: Said) => {
      await seek(page, (said.f + said.t) / 2);
      await expect.poll(() => marked(page), waits).toMatchObject({ segment, text: said.w });
    };
    const last = talk.length - 1;
    const places = [0, 3, Math.floor(last / 2), last];
    for (const segment of places) await check(segment, onceSaid(segment));

    // Adds a sentence to the start of the first segment, and deletes half of another.
    await blocks.first().click({ position: { x: 400, y: 20 } });
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('Something else, said before. ', { delay: 5 });
    const long = talk.findIndex(({ words }, at) => at > 3 && words.length > 12);
    const late = onceSaid(long, Math.floor((talk[long]?.words.length ?? 0) / 2));
    await page.mouse.dblclick(...(Object.values(await pointOf(page, long, onceSaid(long).w)) as [number, number]));
    await page.keyboard.press('Delete');
    await pause(page).click();
    for (const segment of places) await check(segment, onceSaid(segment, segment === 0 ? 4 : 0));
    await check(long, late);
  });

  it('words are marked by the editor in a browser without the highlight API', async () => {
    const page = await desk.seat(ann);
    await page.addInitScript(() => Reflect.deleteProperty(window, 'Highlight'));
    await page.goto(`/meeting/${await makeRecording(house, ann)}`);
    await page.locator('.ProseMirror > *').first().waitFor();
    await markByWord(page);
    const said = onceSaid(3);
    await seek(page, (said.f + said.t) / 2);
    await expect.poll(() => page.locator('.ProseMirror .played').allTextContents(), waits).toEqual([said.w]);
  });

  it('the marks move along while it plays, by ranges of the file', async () => {
    const page = await desk.seat(ann);
    const statuses: number[] = [];
    page.on('response', (answer) => {
      if (answer.request().resourceType() === 'media') statuses.push(answer.status());
    });
    await page.goto(`/meeting/${await makeRecording(house, ann)}`);
    await page.locator('.ProseMirror > *').first().waitFor();
    await markByWord(page);
    await seek(page, talk[3]?.words[0]?.f ?? 0);
    await play(page).click();
    const seen = new Set<string>();
    await expect
      .poll(async () => {
        const { text, ms } = await marked(page);
        const all = talk.flatMap(({ words }) => words);
        const at = all.findLastIndex(({ f }) => f <= ms);
        // The frame shown may be from just before the sound's time was read.
        if (text !== '') expect(all.slice(Math.max(0, at - 1), at + 2).map(({ w }) => w)).toContain(text);
        return seen.add(text).size;
      }, waits)
      .toBeGreaterThan(3);
    await pause(page).click();
    expect((await sound(page)).playing).toBe(false);
    expect(statuses.length).toBeGreaterThan(0);
    expect(new Set(statuses)).toEqual(new Set([206]));
  });

  it('a double click plays from the word, a click moves the position only while nothing plays', async () => {
    const page = await open(await makeRecording(house, ann));
    await expect.poll(() => slider(page).getAttribute('max'), waits).not.toBe('0');
    const seen = await jumps(page);
    const [one, other] = [onceSaid(4), onceSaid(2)];
    const at = await pointOf(page, 4, one.w);
    await page.mouse.click(at.x, at.y);
    await expect.poll(async () => (await seen()).at(-1), waits).toBeCloseTo(one.f, 0);
    expect((await sound(page)).playing).toBe(false);

    const there = await pointOf(page, 2, other.w);
    await page.mouse.dblclick(there.x, there.y);
    await pause(page).waitFor();
    expect((await seen()).at(-1)).toBeCloseTo(other.f, 0);
    const before = (await seen()).length;
    const again = await pointOf(page, 4, one.w);
    await page.mouse.click(again.x, again.y);
    await expect.poll(() => page.evaluate(() => getSelection()?.isCollapsed)).toBe(true);
    expect(await seen()).toHaveLength(before);
    await pause(page).click();

    await bar(page).getByRole('button', { name: 'Sound and text' }).click();
    await page.getByRole('switch', { name: 'Play on double click' }).uncheck();
    await page.keyboard.press('Escape');
    const last = await pointOf(page, 2, other.w);
    await page.mouse.dblclick(last.x, last.y);
    await expect.poll(() => page.evaluate(() => getSelection()?.toString().trim())).toBe(other.w);
    expect((await sound(page)).playing).toBe(false);

    await page.getByRole('region', { name: 'Client, 0:24' }).getByRole('button', { name: 'Play from here' }).click();
    await pause(page).click();
    expect((await seen()).at(-1)).toBeCloseTo(talk[3]?.words[0]?.f ?? 0, 0);
  });

  it('two taps select a word and play nothing', async () => {
    const page = await open(await makeRecording(house, ann), { width: 'phone' });
    await expect.poll(() => slider(page).getAttribute('max'), waits).not.toBe('0');
    const { w } = onceSaid(2);
    const { x, y } = await pointOf(page, 2, w);
    await page.mouse.dblclick(x, y);
    await expect.poll(() => page.evaluate(() => getSelection()?.toString().trim()), waits).toBe(w);
    expect((await sound(page)).playing).toBe(false);
  });

  it('typing pauses the sound, which continues slightly earlier; a setting stored in the browser changes that', async () => {
    const page = await open(await makeRecording(house, ann));
    const point = await pointOf(page, 1, onceSaid(1).w);
    await page.mouse.click(point.x, point.y);
    await seek(page, 20_000);
    const seen = await jumps(page);
    await play(page).click();
    await expect.poll(async () => (await sound(page)).ms, waits).toBeGreaterThan(20_300);
    await page.locator('.ProseMirror').focus();
    // Recorded in the page: a second later it plays again.
    const stops = await page.evaluateHandle(() => {
      const places: number[] = [];
      const element = document.querySelector('audio');
      element?.addEventListener('pause', () => places.push(element.currentTime * 1000));
      return places;
    });
    const before = (await seen()).length;
    await page.keyboard.type('so');
    await expect.poll(async () => (await seen()).length, waits).toBeGreaterThan(before);
    await pause(page).waitFor();
    const [ms = 0] = await stops.jsonValue();
    const back = (await seen())[before];
    expect(back).toBeGreaterThan(ms - 1_600);
    expect(back).toBeLessThan(ms - 1_400);
    // The text stays where the typing is, and a button leads to the sound.
    const way = page.getByRole('button', { name: /^Back to 0:\d\d$/ });
    await way.waitFor();
    await way.click();
    await way.waitFor({ state: 'detached' });

    await bar(page).getByRole('button', { name: 'Sound and text' }).click();
    await page.getByRole('radio', { name: 'Keep playing' }).check();
    await page.keyboard.press('Escape');
    await page.locator('.ProseMirror').focus();
    await page.keyboard.type('so');
    expect((await sound(page)).playing).toBe(true);
    await pause(page).click();
    await page.reload();
    await bar(page).getByRole('button', { name: 'Sound and text' }).click();
    expect(await page.getByRole('radio', { name: 'Keep playing' }).isChecked()).toBe(true);
  });

  it('the text follows until a person scrolls, a button leads back, and the next visit starts where it stopped', async () => {
    const meeting = await makeRecording(house, ann);
    const page = await open(meeting);
    await seek(page, 150_000);
    const top = () =>
      page.evaluate(() => {
        const range = [...(CSS.highlights.get('played') ?? [])][0] as Range | undefined;
        const port = document.querySelector('[role=tabpanel]')?.getBoundingClientRect();
        return range && port ? (range.getBoundingClientRect().top - port.top) / port.height : -1;
      });
    await expect.poll(top, waits).toBeGreaterThan(0.1);
    await expect.poll(top, waits).toBeLessThan(0.6);
    await play(page).click();
    await pause(page).waitFor();
    await page.locator('.ProseMirror').hover();
    await page.mouse.wheel(0, -3_000);
    const way = page.getByRole('button', { name: /^Back to 2:\d\d$/ });
    await way.waitFor();
    await expect.poll(top, waits).toBeGreaterThan(1);
    await way.click();
    await expect.poll(top, waits).toBeLessThan(0.6);
    await expect.poll(() => way.count(), waits).toBe(0);
    await pause(page).click();

    await page.reload();
    await expect.poll(async () => Number(await slider(page).inputValue()), waits).toBeGreaterThan(149_000);
    await expect.poll(top, waits).toBeLessThan(0.6);
    await expect.poll(top, waits).toBeGreaterThan(0);
  });
});

describe('the bar', () => {
  it('skips, repeats while held, and works by keyboard', async () => {
    const page = await open(await makeRecording(house, ann));
    await expect.poll(() => slider(page).getAttribute('max'), waits).not.toBe('0');
    const at = async () => Number(await slider(page).inputValue());
    await bar(page).getByRole('button', { name: 'Forward 2 seconds' }).click();
    await expect.poll(at, waits).toBe(2_000);
    await bar(page).getByRole('button', { name: 'Forward 10 seconds' }).click();
    await expect.poll(at, waits).toBe(12_000);
    await bar(page).getByRole('button', { name: 'Back 2 seconds' }).press('Enter');
    await expect.poll(at, waits).toBe(10_000);
    await bar(page).getByRole('button', { name: 'Forward 2 seconds' }).hover();
    await page.mouse.down();
    await expect.poll(at, waits).toBeGreaterThan(15_000);
    await page.mouse.up();
    await drawnAgain(page);
    const held = await at();
    await slider(page).press('ArrowLeft');
    await expect.poll(at, waits).toBe(held - 2_000);
    // Released elsewhere, the button is no longer held, and the next key acts normally.
    const back = bar(page).getByRole('button', { name: 'Back 2 seconds' });
    await back.hover();
    await page.mouse.down();
    await slider(page).hover();
    await page.mouse.up();
    await seek(page, 60_000);
    await back.press('Enter');
    await expect.poll(at, waits).toBe(58_000);
    await back.click();
    await expect.poll(at, waits).toBe(56_000);
    await bar(page).getByRole('button', { name: 'Go to a time' }).click();
    await page.getByRole('textbox', { name: 'Go to a time' }).fill('soon');
    await page.keyboard.press('Enter');
    await page.getByText('Enter a time such as 12:38').waitFor();
    await page.getByRole('textbox', { name: 'Go to a time' }).fill('1:20.5');
    await page.keyboard.press('Enter');
    expect(await at()).toBe(80_500);
    await bar(page).getByRole('combobox', { name: 'Speed' }).selectOption('1.5');
    const rate = () => page.evaluate(() => document.querySelector('audio')?.playbackRate);
    await expect.poll(rate).toBe(1.5);
    await page.reload();
    await expect.poll(rate, waits).toBe(1.5);
    await expect.poll(() => bar(page).getByRole('combobox', { name: 'Speed' }).inputValue(), waits).toBe('1.5');
    await page.keyboard.press('Alt+Minus');
    await expect.poll(rate).toBe(1.25);

    // The sizes of jumps are chosen, hold for buttons, keys and the slider, and are stored.
    await bar(page).getByRole('button', { name: 'Sound and text' }).click();
    await page.getByLabel('Short jump').selectOption('5 seconds');
    await page.getByLabel('Long jump').selectOption('30 seconds');
    await page.keyboard.press('Escape');
    await page.reload();
    // The sound is where it was before.
    await expect.poll(at, waits).toBeGreaterThan(0);
    await seek(page, 60_000);
    await bar(page).getByRole('button', { name: 'Forward 5 seconds' }).click();
    await expect.poll(at, waits).toBe(65_000);
    await bar(page).getByRole('button', { name: 'Back 30 seconds' }).click();
    await expect.poll(at, waits).toBe(35_000);
    await page.keyboard.press('Alt+l');
    await expect.poll(at, waits).toBe(40_000);
    await page.keyboard.press('Alt+Shift+l');
    await expect.poll(at, waits).toBe(70_000);
    await slider(page).press('ArrowLeft');
    await expect.poll(at, waits).toBe(65_000);
    await page.keyboard.press('Control+/');
    await page.getByRole('dialog').getByText('Back 30 seconds', { exact: true }).waitFor();
  });

  it.each(['wide', 'phone'] as const)('reads well on a %s screen, light and dark', async (width) => {
    const page = await open(await makeRecording(house, ann), { width });
    await bar(page).locator('canvas').first().waitFor();
    await seek(page, 30_000);
    await expectAccessible(page);
    await bar(page).getByRole('button', { name: 'Sound and text' }).click();
    await page.getByRole('radio', { name: 'Word' }).waitFor();
    // A double click is offered to nobody who uses a finger.
    expect(await page.getByRole('switch', { name: 'Play on double click' }).count()).toBe(width === 'phone' ? 0 : 1);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('[data-mantine-color-scheme=dark]').waitFor();
    await expectAccessible(page);
    if (width !== 'phone') return;
    await page.keyboard.press('Escape');
    // At most two rows, and every button large enough for a finger.
    expect((await bar(page).boundingBox())?.height).toBeLessThan(112);
    for (const button of await bar(page).getByRole('button').all()) {
      const box = await button.boundingBox();
      if (box)
        expect(Math.min(box.width, box.height), (await button.getAttribute('aria-label')) ?? '').toBeGreaterThanOrEqual(
          44,
        );
    }
    const word = onceSaid(1);
    const spot = await pointOf(page, 1, word.w);
    const focused = () => page.evaluate(() => document.activeElement?.classList.contains('ProseMirror'));
    // One tap puts the caret, and a button beside the word plays from there; the keyboard stays.
    await page.touchscreen.tap(spot.x, spot.y);
    await expect.poll(focused, waits).toBe(true);
    await expect.poll(async () => (await sound(page)).ms, waits).toBeCloseTo(word.f, 0);
    const here = page.getByRole('button', { name: /^Play from/ }).and(page.locator(':not(.ProseMirror *)'));
    const box = await here.boundingBox();
    expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
    await here.tap();
    await expect.poll(async () => (await sound(page)).playing, waits).toBe(true);
    expect(await focused()).toBe(true);
    await here.waitFor({ state: 'hidden' });
  });

  it('says why there is no sound, and the text stays editable', async () => {
    const broken = await makeMeeting(house, ann);
    const sounds = { tag: 'audio', name: 'talk.mp3', type: 'audio/mpeg', durationMs: 5_000 } as const;
    await addMedium(house.house, broken, sounds, Readable.from([Buffer.from('this is no sound')]));
    const page = await open(broken);
    await page.getByText('This browser can’t play the recording').waitFor();
    expect(await play(page).isDisabled()).toBe(true);
    await page.locator('.ProseMirror').click();
    await page.keyboard.type('Written all the same.');
    await expect.poll(() => page.locator('.ProseMirror').textContent()).toBe('Written all the same.');
    await expectAccessible(page);
    await page.goto(`/meeting/${await makeMeeting(house, ann)}`);
    const why = 'No sound to play: only a transcript was added to this recording.';
    await bar(page).getByText(why).waitFor();
    expect(await play(page).count()).toBe(0);
    // A key is answered, and Escape in its usual meaning is none of the player's.
    await page.keyboard.press('Escape');
    expect(await page.getByText(why).count()).toBe(1);
    await page.keyboard.press('Alt+k');
    await expect.poll(() => page.getByText(why).count()).toBe(2);
    await expectAccessible(page);
  });
});

/** A second of video, made by the browser itself. */
async function film(page: Page): Promise<Buffer> {
  const text = await page.evaluate(async () => {
    const canvas = document.createElement('canvas');
    const pen = canvas.getContext('2d');
    const recorder = new MediaRecorder(canvas.captureStream(20), { mimeType: 'video/webm' });
    const parts: Blob[] = [];
    recorder.ondataavailable = ({ data }) => parts.push(data);
    recorder.start();
    for (let frame = 0; frame < 30; frame += 1) {
      pen?.fillRect(frame * 8, 0, 8, 150);
      await new Promise((drawn) => setTimeout(drawn, 50));
    }
    const stopped = new Promise((done) => (recorder.onstop = done));
    recorder.stop();
    await stopped;
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
    return btoa(bytes.reduce((all, byte) => all + String.fromCharCode(byte), ''));
  });
  return Buffer.from(text, 'base64');
}

it('a video is shown beside the text, with subtitles of the current text wherever it is, also on the next visit', async ({
  skip,
}) => {
  const meeting = await makeRecording(house, ann);
  const page = await desk.seat(ann);
  await page.goto('/');
  const video = { tag: 'video', name: 'talk.webm', type: 'video/webm', durationMs: 175_608 } as const;
  await addMedium(house.house, meeting, video, Readable.from([await film(page)]));
  await page.goto(`/meeting/${meeting}`);
  const picture = page.getByRole('region', { name: 'Video' });
  await picture.waitFor();
  const [frame, text] = [await picture.boundingBox(), await page.locator('.ProseMirror').boundingBox()];
  expect(frame && text && frame.x >= text.x + text.width).toBe(true);
  await picture.getByRole('button', { name: 'Subtitles' }).click();
  const cues = () =>
    page.evaluate(() =>
      [...(document.querySelector('video')?.textTracks ?? [])]
        .flatMap((track) => [...(track.cues ?? [])])
        .map((cue) => (cue as VTTCue).text),
    );
  const said = talk[0]?.words[0]?.w ?? '';
  await expect.poll(async () => (await cues())[0], waits).toMatch(new RegExp(`^${said}`));
  const count = (await cues()).length;
  await page.locator('.ProseMirror').click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('Ahem ');
  await expect.poll(async () => (await cues())[0], waits).toMatch(new RegExp(`^Ahem ${said}`));
  expect(Math.abs((await cues()).length - count)).toBeLessThan(2);
  await expectAccessible(page);

  const subtitled = () =>
    page.evaluate(() =>
      [...(document.querySelector('video')?.textTracks ?? [])].some(({ mode }) => mode === 'showing'),
    );
  await page.reload();
  await picture.waitFor();
  await expect.poll(subtitled, waits).toBe(true);
  // In a pane they stay; a key hides them.
  await picture.getByRole('button', { name: 'Show in a pane' }).click();
  await page.getByRole('button', { name: 'Video' }).click();
  await picture.waitFor();
  expect(await subtitled()).toBe(true);
  await page.keyboard.press('Alt+c');
  await expect.poll(subtitled).toBe(false);
  await expect
    .poll(() => picture.getByRole('button', { name: 'Subtitles' }).getAttribute('aria-pressed'))
    .toBe('false');
  await expectAccessible(page);

  // A window of its own, and back; a key does the same.
  const away = () => page.evaluate(() => document.pictureInPictureElement !== null);
  const enabled = await page.evaluate(() => document.pictureInPictureEnabled);
  if (!enabled) return skip('this browser has no window for a picture; all else about the video was tried');
  await picture.getByRole('button', { name: 'Picture in picture' }).click();
  await expect.poll(away, waits).toBe(true);
  await picture.getByText('The picture is in a window of its own.').waitFor();
  await picture.getByRole('button', { name: 'Return the picture to the page' }).click();
  await expect.poll(away, waits).toBe(false);
  await page.keyboard.press('Alt+p');
  await expect.poll(away, waits).toBe(true);
});
