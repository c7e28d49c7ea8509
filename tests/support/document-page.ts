import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { openDesk, type Desk, type Look } from './browser.ts';
import { builtClient, openHouse, type SharedHouse, type TestHouse } from './house.ts';
import type { Person } from './people.ts';
import { makeRecording } from './recording.ts';
import { worker } from './worker.ts';

// The page of a recording, as a person meets it.

/** A loaded machine takes its time; nothing here is about speed. */
export const waits = { timeout: 60_000 };

interface StageOptions {
  /** Complaints of pages that are no fault in this file. */
  expected?: RegExp;
  /** Configuration, for a house of the file's own. */
  env?: Record<string, string>;
}

/** What the tests of a file have in common: a house, a desk, and for each test so many people of its own. */
export class Stage {
  readonly desk: Desk;
  house!: SharedHouse;
  people: Person[] = [];

  constructor(count: number, { expected, env }: StageOptions = {}) {
    this.desk = openDesk(expected);
    if (env) {
      let own: TestHouse | undefined;
      beforeAll(async () => {
        this.house = own = await openHouse({ client: builtClient, env });
      });
      afterAll(() => own?.close());
    } else {
      worker.beforeAll(({ house }) => {
        this.house = house;
      });
    }
    beforeEach(async () => {
      this.people = await this.house.people(count);
    });
  }

  person(who: number): Person {
    const person = this.people[who];
    if (!person) throw new Error('nobody there');
    return person;
  }

  /** Three minutes of talk, of the first of them, for all to work on. */
  recording(): Promise<string> {
    return makeRecording(this.house, this.person(0), this.people.slice(1));
  }

  open(who: number, meeting: string, look: Look = {}): Promise<Page> {
    return openDocument(this.desk, this.person(who), meeting, look);
  }
}

/** A line that is cut or refused on purpose is named so by the browser. */
export const cutLine = /WebSocket connection|ERR_INTERNET_DISCONNECTED/;

export async function openDocument(
  desk: Desk,
  person: Person | undefined,
  meeting: string,
  look: Look = {},
): Promise<Page> {
  if (!person) throw new Error('nobody there');
  const page = await desk.seat(person, look);
  await page.goto(`/meeting/${meeting}`);
  await page.locator('.ProseMirror > *').first().waitFor(waits);
  return page;
}

export const segments = (page: Page) => page.locator('.ProseMirror > *');
export const texts = (page: Page) => segments(page).allTextContents();

/** What the page says of its saving. */
export const chip = (page: Page) => page.locator('button[data-kind]');

/** What was typed has been drawn, and what hangs on it. */
export const drawnAgain = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));

/** All that was typed so far is durable at the server: the chip alone is patient for a moment with what is not. */
export async function saved(page: Page): Promise<void> {
  await drawnAgain(page);
  await expect
    .poll(async () => [await page.locator('dl dd').first().textContent(), await chip(page).innerText()], waits)
    .toEqual(['0', expect.stringMatching(/^Saved( \d\d:\d\d)?$/)]);
}

/** Puts the caret into a segment, behind so many of its letters; -1 is its end. */
export async function caretIn(page: Page, segment: number, offset = 0): Promise<void> {
  await page.locator('.ProseMirror').focus();
  await segments(page)
    .nth(segment)
    .evaluate((one, at) => {
      one.scrollIntoView({ block: 'center' });
      const walker = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
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
  // The editor hears of a selection a moment later.
  await drawnAgain(page);
}

/** Puts the caret right before some words, as a mouse would leave it. */
export async function caretBefore(page: Page, words: string): Promise<void> {
  const all = await texts(page);
  const segment = all.findIndex((text) => text.includes(words));
  if (segment < 0) throw new Error(`nowhere: ${words}`);
  await caretIn(page, segment, all[segment]?.indexOf(words));
}

/** As a mouse would: the words are selected, and nothing is heard. */
export async function select(page: Page, words: string): Promise<void> {
  // What was just sent gives the focus back to the text a moment later, and with it what was selected before.
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

/** What is drawn over the text under a name. */
export const drawn = (page: Page, kind: string) =>
  page.evaluate((name) => [...(CSS.highlights.get(name) ?? [])].map(String), kind);

/** Where the sound is, in milliseconds, and whether it goes on. */
export const sound = (page: Page) =>
  page.evaluate(() => {
    const element = document.querySelector<HTMLAudioElement>('audio:not([data-voice])');
    return { ms: (element?.currentTime ?? 0) * 1000, playing: element?.paused === false };
  });
