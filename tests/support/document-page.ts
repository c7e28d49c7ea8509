import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { openDesk, visit, type Desk, type Look } from './browser.ts';
import { builtClient, openHouse, type SharedHouse, type TestHouse } from './house.ts';
import type { Person } from './people.ts';
import { makeRecording } from './recording.ts';
import { worker } from './worker.ts';

// The page of a recording, opened and used as a person does.

/** Generous, because a loaded machine is slow; no test here is about speed. */
export const waits = { timeout: 60_000 };

interface StageOptions {
  /** Page errors that are expected in this file. */
  expected?: RegExp;
  /** Its pages have a microphone. */
  records?: boolean;
  /** Configuration; with it the file gets a house of its own. */
  env?: Record<string, string>;
  /**
   * Default: all tests have the same people, whose pages stay open between them, as a page that is open shows a recording
   * for a quarter of what a new one costs. Without it, each test has new people.
   */
  keeps?: boolean;
}

/** Shared by the tests of a file: a house, a desk, and for each test that many new people. */
export class Stage {
  readonly desk: Desk;
  house!: SharedHouse;
  people: Person[] = [];
  readonly #count: number;

  constructor(count: number, { expected, records = false, env, keeps = true }: StageOptions = {}) {
    this.desk = openDesk(expected, { records, keeps });
    if (env) {
      let own: TestHouse | undefined;
      beforeAll(async () => {
        this.house = own = await openHouse({ client: builtClient, env });
      });
      afterAll(async () => {
        await this.desk.close();
        await own?.close();
      });
    } else {
      worker.beforeAll(({ house }) => {
        this.house = house;
      });
    }
    this.#count = count;
    const renew = () => this.renew();
    if (keeps) beforeAll(renew);
    else beforeEach(renew);
  }

  /** Brings new people, who have changed no setting yet. */
  async renew(): Promise<void> {
    this.people = await this.house.people(this.#count);
  }

  person(who: number): Person {
    const person = this.people[who];
    if (!person) throw new Error('nobody there');
    return person;
  }

  /** Makes a three-minute recording of the first person, shared with the others. */
  recording(): Promise<string> {
    return makeRecording(this.house, this.person(0), this.people.slice(1));
  }

  open(who: number, meeting: string, look: Look = {}): Promise<Page> {
    return openDocument(this.desk, this.person(who), meeting, look);
  }
}

/** Browser errors for connections that a test cuts or refuses on purpose. */
export const cutLine = /WebSocket connection|ERR_INTERNET_DISCONNECTED/;

export async function openDocument(
  desk: Desk,
  person: Person | undefined,
  meeting: string,
  look: Look = {},
): Promise<Page> {
  if (!person) throw new Error('nobody there');
  const page = await desk.seat(person, look);
  await show(page, `/meeting/${meeting}`);
  await page.locator('.ProseMirror > *').first().waitFor(waits);
  return page;
}

/** Opens a path: within the page, where one is shown. */
const show = (page: Page, path: string) => (page.url() === 'about:blank' ? page.goto(path) : visit(page, path));

export const segments = (page: Page) => page.locator('.ProseMirror > *');
export const texts = (page: Page) => segments(page).allTextContents();

/** The chip that shows whether changes are saved. */
export const chip = (page: Page) => page.locator('button[data-kind]');

/** Waits until typed text is drawn, with everything that depends on it. */
export const drawnAgain = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));

/** Waits until every paragraph has its real height instead of a guess. */
export async function wholeDrawn(page: Page): Promise<void> {
  await expect.poll(() => page.locator('.ProseMirror > :not([data-drawn])').count(), waits).toBe(0);
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  await drawnAgain(page);
}

/**
 * Waits until the server has stored everything typed so far; the chip alone shows unsaved changes only after a moment.
 */
export async function saved(page: Page): Promise<void> {
  await drawnAgain(page);
  await expect
    .poll(async () => [await page.locator('dl dd').first().textContent(), await chip(page).innerText()], waits)
    .toEqual(['0', expect.stringMatching(/^Saved( \d\d:\d\d)?$/)]);
}

/** Name of a pane's button, whatever it counts. */
const nameOf = (pane: string) => new RegExp(`^${pane}( ?\\d+)?$`);

/** Opens a pane that is closed: by its icon or tab, or in the menu More, in whatever language. */
export async function openPane(page: Page, pane: string, menu = 'More'): Promise<void> {
  const rail = page.locator('[data-rail]');
  const button = rail.getByRole('button', { name: nameOf(pane) });
  const more = rail.getByRole('button', { name: new RegExp(`^${menu}`) });
  await button.or(more).first().waitFor(waits);
  if ((await button.count()) === 0) await more.click();
  await page
    .getByRole('complementary')
    .getByRole('button', { name: nameOf(pane) })
    .click();
}

/** Whether a pane is offered, also in the closed menu More. */
export const hasPane = async (page: Page, pane: string): Promise<boolean> =>
  (await page
    .locator('[data-rail] button')
    .filter({ hasText: nameOf(pane) })
    .count()) > 0;

/** Chooses the outcome types of a recording, in its menu. */
export async function chooseTypes(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'More actions', exact: true }).click();
  await page
    .getByRole('group', { name: 'More actions' })
    .getByRole('button', { name: 'Types in this recording' })
    .click();
  const dialog = page.getByRole('dialog', { name: 'Types in this recording' });
  const choice = dialog.getByRole('radio', { name, exact: true });
  await choice.click(waits);
  await expect.poll(() => choice.isChecked(), waits).toBe(true);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'hidden' });
}

/** The editor's own wait after it gets the focus, in milliseconds: then it puts back the selection that it knows. */
const afterFocus = 25;

/** Moves the focus into the text; a selection that is made after that stays, however slow the machine is. */
export async function focusText(page: Page): Promise<void> {
  await page.locator('.ProseMirror').focus();
  await page.evaluate((wait) => new Promise((done) => setTimeout(done, wait)), afterFocus);
}

/** Puts the caret into a segment, after that many letters; -1 is its end. */
export async function caretIn(page: Page, segment: number, offset = 0): Promise<void> {
  // The editor takes back a selection of the first moment after it has drawn a segment anew.
  const isThere = async () => {
    await focusText(page);
    const one = segments(page).nth(segment);
    await one.evaluate((element, at) => {
      element.scrollIntoView({ block: 'center' });
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      const all: Text[] = [];
      while (walker.nextNode()) all.push(walker.currentNode as Text);
      const whole = all.reduce((sum, { length }) => sum + length, 0);
      let left = at < 0 ? whole : at;
      for (const text of all) {
        if (left <= text.length) return getSelection()?.setBaseAndExtent(text, left, text, left);
        left -= text.length;
      }
      return undefined;
    }, offset);
    // The editor learns of a selection a moment later.
    await drawnAgain(page);
    return one.evaluate((element) => !element.textContent || element.contains(getSelection()?.anchorNode ?? null));
  };
  await expect.poll(isThere, waits).toBe(true);
}

/** Puts the caret right before some words, where a mouse click would put it. */
export async function caretBefore(page: Page, words: string): Promise<void> {
  const all = await texts(page);
  const segment = all.findIndex((text) => text.includes(words));
  if (segment < 0) throw new Error(`nowhere: ${words}`);
  await caretIn(page, segment, all[segment]?.indexOf(words));
}

/** Selects words as a mouse would; no sound plays. */
export async function select(page: Page, words: string): Promise<void> {
  // After a form is sent, focus and the earlier selection return to the text a moment later.
  const selected = async () => {
    await caretBefore(page, words);
    await page.evaluate((length) => {
      const { anchorNode: node, anchorOffset: at } = getSelection() ?? {};
      const end = (at ?? 0) + length;
      if (node && end <= (node.textContent?.length ?? 0)) getSelection()?.setBaseAndExtent(node, at ?? 0, node, end);
    }, words.length);
    await drawnAgain(page);
    return page.evaluate(() => getSelection()?.toString());
  };
  await expect.poll(selected, waits).toBe(words);
}

/**
 * Undo in the notice that has just come. A notice goes by itself, but stays while the pointer is on it, so this comes
 * before everything that is waited for elsewhere.
 */
export async function undoOf(page: Page): Promise<Locator> {
  const undo = page.getByRole('status').getByRole('button', { name: 'Undo', exact: true });
  await undo.hover(waits);
  return undo;
}

/** Texts of the highlights drawn under a name. */
export const drawn = (page: Page, kind: string) =>
  page.evaluate((name) => [...(CSS.highlights.get(name) ?? [])].map(String), kind);

/** Position of the sound in milliseconds, and whether it plays. */
export const sound = (page: Page) =>
  page.evaluate(() => {
    const element = document.querySelector<HTMLAudioElement>('audio:not([data-voice])');
    return { ms: (element?.currentTime ?? 0) * 1000, playing: element?.paused === false };
  });
