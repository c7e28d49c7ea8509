// Ann and Ben assign the speakers of one recording; Chen may only read it.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { expectAccessible, openDesk, type Look } from '../support/browser.ts';
import { caretIn, drawnAgain, wholeDrawn } from '../support/document-page.ts';
import type { SharedHouse } from '../support/house.ts';
import { makeMeeting, share } from '../support/meetings.ts';
import type { Person } from '../support/people.ts';
import { makeRecording } from '../support/recording.ts';
import { worker } from '../support/worker.ts';

const root = new URL('../..', import.meta.url).pathname;
const waits = { timeout: 60_000 };

interface Said {
  speaker: string;
  words: { f: number; t: number }[];
}

const desk = openDesk();
let house: SharedHouse;
let people: Person[];
let talk: Said[];
worker.beforeAll(({ house: shared }) => {
  house = shared;
});
beforeAll(async () => {
  talk = (JSON.parse(await readFile(join(root, 'server/demo/talk.json'), 'utf8')) as { segments: Said[] }).segments;
});
beforeEach(async () => {
  people = await house.people(3);
});

async function open(person: Person | undefined, meeting: string, look: Look = {}): Promise<Page> {
  if (!person) throw new Error('nobody there');
  const page = await desk.seat(person, look);
  page.setDefaultTimeout(60_000);
  await page.goto(`/meeting/${meeting}`);
  await page.locator('.ProseMirror > *').first().waitFor();
  return page;
}

async function both(): Promise<{ ann: Page; ben: Page }> {
  const [first, second] = people;
  if (!first || !second) throw new Error('nobody there');
  const meeting = await makeRecording(house, first, [second]);
  const [ann, ben] = await Promise.all([open(first, meeting), open(second, meeting)]);
  return { ann, ben };
}

const tab = (page: Page, name: string) => page.getByRole('tab', { name }).click();
const rows = (page: Page) => page.getByRole('list', { name: 'Speakers' }).getByRole('listitem');
const row = (page: Page, name: string) =>
  rows(page).filter({ has: page.getByLabel(`Name of ${name}`, { exact: true }) });
const press = (within: Page | Locator, name: string | RegExp) => within.getByRole('button', { name }).click();
const segments = (page: Page) => page.locator('.ProseMirror > *');
const speakers = (page: Page) =>
  segments(page).evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset['speaker'] ?? ''));
const names = (page: Page) =>
  page
    .locator('.ProseMirror button[data-text]:not([hidden])')
    .evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset['text'] ?? ''));
const asMade = () => talk.map(({ speaker }) => speaker);
/** Waits until these are the speakers, one a segment. */
async function speakBy(page: Page, wanted: readonly string[]): Promise<void> {
  await expect.poll(() => speakers(page), waits).toEqual(wanted);
}

it('a paragraph that shows no name has one on hover and at the caret, which opens the list of speakers', async () => {
  const [owner] = people;
  if (!owner) throw new Error('nobody there');
  const page = await open(owner, await makeRecording(house, owner));
  const change = (name: string) => page.getByRole('button', { name: `Change the speaker: ${name}` });
  // The second paragraph has the same speaker, so it shows no name.
  const [first = '', second = ''] = asMade();
  expect(second).toBe(first);
  await page.mouse.move(0, 0);
  expect(await page.getByRole('button', { name: /^Change the speaker: / }).count()).toBe(0);
  await wholeDrawn(page);
  const before = await segments(page).evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
  await segments(page).nth(1).hover();
  await change('Moderator').waitFor(waits);
  await expectAccessible(page);
  // Nothing moves for it.
  expect(await segments(page).evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top))).toEqual(before);
  await page.mouse.move(0, 0);
  await change('Moderator').waitFor({ state: 'hidden' });
  await caretIn(page, 1);
  await change('Moderator').click();
  await page.getByRole('option', { name: 'Coach' }).click();
  await expect.poll(async () => (await speakers(page))[1], waits).not.toBe(second);
  await page.mouse.move(0, 0);
  await caretIn(page, 0);
  await change('Coach').waitFor({ state: 'hidden' });

  // Spelling is checked in the language of a paragraph, also once its words become others.
  const foreign = () =>
    page.locator('.ProseMirror [lang]').evaluateAll((all) => all.map((one) => one.getAttribute('lang')));
  expect(await page.locator('.ProseMirror').getAttribute('lang')).toMatch(/^en\b/);
  expect((await foreign()).filter(Boolean)).toEqual([]);
  await page.keyboard.insertText('Это сказано по-русски. '.repeat(12));
  await expect.poll(async () => (await foreign()).filter(Boolean), waits).toEqual(['ru']);
  expect(await segments(page).nth(0).locator('[lang=ru]').textContent()).toMatch(/^Это сказано/);
  await page.keyboard.press('ControlOrMeta+z');
  await expect.poll(async () => (await foreign()).filter(Boolean), waits).toEqual([]);
});

it('a paragraph without a speaker offers one once the caret is in it', async () => {
  const [owner] = people;
  if (!owner) throw new Error('nobody there');
  const page = await open(owner, await makeMeeting(house, owner));
  await wholeDrawn(page);
  await page.mouse.move(0, 0);
  const offer = page.getByRole('button', { name: 'Add a speaker' });
  expect(await offer.count()).toBe(0);
  await page.locator('.ProseMirror').focus();
  await offer.waitFor();
});

it('a speaker is named, coloured, added and removed for everyone at once, and one with words cannot be removed', async () => {
  const { ann, ben } = await both();
  await tab(ann, 'Tags & Speakers');
  await tab(ben, 'Tags & Speakers');
  await expect.poll(() => rows(ann).count(), waits).toBe(3);
  await expect.poll(() => row(ann, 'Client').textContent(), waits).toMatch(/13 paragraphs · \d\d% of the talk/);

  await ann.getByLabel('Name of Client').fill('Bea');
  await ann.keyboard.press('Enter');
  await expect.poll(() => names(ben), waits).toContain('Bea');
  expect(await names(ben)).not.toContain('Client');
  await expect.poll(() => row(ben, 'Bea').count(), waits).toBe(1);
  // However many letters a name has, it is one step; within the field, undo is the browser's.
  await ann.getByLabel('Name of Bea').press('End');
  await ann.keyboard.type('trix');
  await row(ben, 'Beatrix').waitFor(waits);
  await row(ann, 'Beatrix').getByRole('button', { name: 'More for Beatrix' }).focus();
  await ann.keyboard.press('ControlOrMeta+z');
  await row(ben, 'Bea').waitFor(waits);
  await ann.keyboard.press('ControlOrMeta+z');
  await row(ben, 'Client').waitFor(waits);
  await ann.keyboard.press('ControlOrMeta+Shift+z');
  await row(ben, 'Bea').waitFor(waits);
  // An empty name changes nothing.
  await ann.getByLabel('Name of Bea').fill('');
  await ann.getByLabel('Name of Bea').blur();
  await expect.poll(() => ann.getByLabel('Name of Bea').inputValue(), waits).toBe('Bea');

  // Escape undoes what was typed; where nothing was typed, a change by another person stays.
  await ann.getByLabel('Name of Bea').fill('Beatrix');
  await row(ben, 'Beatrix').waitFor(waits);
  await ann.keyboard.press('Escape');
  await row(ben, 'Bea').waitFor(waits);
  await ben.getByLabel('Name of Bea').focus();
  await ann.getByLabel('Name of Bea').fill('Bea B.');
  await ann.keyboard.press('Enter');
  await row(ben, 'Bea B.').waitFor(waits);
  await ben.keyboard.press('Escape');
  await ben.keyboard.press('Tab');
  await ann.getByLabel('Name of Bea B.').fill('Bea');
  await ann.keyboard.press('Enter');
  await row(ben, 'Bea').waitFor(waits);
  expect(await row(ann, 'Bea').count()).toBe(1);

  await press(row(ann, 'Bea'), 'Colour of Bea: Green');
  await ann.getByRole('button', { name: 'Ochre' }).click();
  await row(ben, 'Bea').getByRole('button', { name: 'Colour of Bea: Ochre' }).waitFor(waits);

  // Another order, for everyone; and back.
  const order = (page: Page) =>
    rows(page).evaluateAll((all) => all.map((one) => one.querySelector('input')?.value ?? ''));
  const before = await order(ann);
  expect(before.indexOf('Bea')).toBe(2);
  await press(row(ann, 'Bea'), 'More for Bea');
  expect(await row(ann, 'Bea').getByRole('button', { name: 'Move down' }).count()).toBe(0);
  await press(row(ann, 'Bea'), 'Move up');
  await expect.poll(async () => (await order(ben)).indexOf('Bea'), waits).toBe(1);
  await row(ann, 'Bea').getByRole('button', { name: 'More for Bea' }).focus();
  await ann.keyboard.press('ControlOrMeta+z');
  await expect.poll(() => order(ben), waits).toEqual(before);
  await row(ben, 'Bea').getByRole('button', { name: 'Colour of Bea: Ochre' }).waitFor(waits);
  await ann.keyboard.press('ControlOrMeta+Shift+z');
  await expect.poll(async () => (await order(ben)).indexOf('Bea'), waits).toBe(1);
  await press(row(ann, 'Bea'), 'More for Bea');
  await press(row(ann, 'Bea'), 'Move down');
  await expect.poll(() => order(ben), waits).toEqual(before);
  expect(await ann.locator('.ProseMirror').getAttribute('lang')).toMatch(/^en\b/);

  await press(row(ann, 'Bea'), 'More for Bea');
  await press(ann, 'Delete');
  await expect.poll(() => ann.getByRole('alert').textContent(), waits).toContain("An active speaker can't be deleted");
  // The places where a speaker talks are announced, and shown.
  await ann
    .getByRole('alert')
    .getByRole('button', { name: /^\d+:\d\d$/ })
    .first()
    .click();
  await expect
    .poll(() => ann.getByRole('tab', { name: 'Transcript' }).getAttribute('aria-selected'), waits)
    .toBe('true');
  await ann.getByRole('tab', { name: 'Tags & Speakers' }).click();
  await expect.poll(() => rows(ann).count(), waits).toBe(3);
  await ann.getByLabel('New speaker’s name').fill('Nobody');
  await ann.keyboard.press('Enter');
  await row(ben, 'Nobody').waitFor(waits);
  await press(row(ben, 'Nobody'), 'More for Nobody');
  await press(ben, 'Delete');
  await expect.poll(() => rows(ann).count(), waits).toBe(3);

  // Plays a few seconds of a speaker, from any position.
  await press(row(ann, 'Bea'), 'Play 5 seconds of Bea');
  await expect
    .poll(() => ann.locator('audio').evaluate((audio: HTMLAudioElement) => audio.currentTime), waits)
    .toBeGreaterThan(20);

  const tags = (page: Page) => page.getByRole('list', { name: 'Tags of the recording' }).getByRole('listitem');
  await tab(ben, 'Tags & Speakers');
  await expect.poll(() => tags(ben).allTextContents(), waits).toEqual(['practice', 'coaching']);
  const field = ann.getByLabel('Add a tag');
  await field.fill('  decision ');
  await field.press('Enter');
  await expect.poll(() => tags(ben).allTextContents(), waits).toEqual(['practice', 'coaching', 'decision']);
  await field.fill('Decision');
  await field.press('Enter');
  await ann.getByText('This tag already exists.').waitFor();
  await field.fill('x'.repeat(120));
  expect((await field.inputValue()).length).toBe(100);
  await field.fill('');
  await field.press('Backspace');
  await press(ben, 'Remove practice');
  for (const page of [ann, ben]) await expect.poll(() => tags(page).allTextContents(), waits).toEqual(['coaching']);
  await expectAccessible(ann);
});

it('a segment is assigned to a speaker by name or by shortcut, then all of that speaker’s segments, and undone', async () => {
  const { ann, ben } = await both();
  const wanted = asMade();
  await segments(ann).nth(2).getByRole('button', { name: 'Change the speaker', exact: true }).click();
  await ann.getByRole('combobox', { name: 'Search, or type a new name' }).fill('mod');
  await expectAccessible(ann);
  await ann.keyboard.press('Enter');
  // The bar is reached by keyboard, and stays as long as the focus is in it.
  await ann.keyboard.press('Tab');
  wanted[2] = 'moderator';
  await speakBy(ben, wanted);
  const bar = ann.getByRole('toolbar', { name: 'Which paragraphs?' });
  await bar.getByRole('button', { name: 'All of Coach (13)' }).waitFor();
  await bar.getByRole('button', { name: 'From here (13)' }).click();
  const widened = wanted.map((speaker, i) => (i > 2 && speaker === 'coach' ? 'moderator' : speaker));
  await speakBy(ben, widened);
  await expect.poll(() => bar.count(), waits).toBe(0);
  await ann.keyboard.press('ControlOrMeta+z');
  await speakBy(ben, wanted);
  await ann.keyboard.press('ControlOrMeta+z');
  await speakBy(ben, asMade());

  await caretIn(ann, 3);
  await ann.keyboard.press('Alt+2');
  // Enter chooses the first option; nothing is split.
  await ann.keyboard.press('Enter');
  await speakBy(ben, asMade().with(3, 'coach'));
  expect(await bar.count()).toBe(0);
  expect(await segments(ann).count()).toBe(talk.length);

  await ann.keyboard.press('Alt+s');
  // The option shows the shortcut that does the same without the list.
  await ann.getByRole('option', { name: /^Moderator.*Alt 1$/ }).waitFor();
  await ann.keyboard.type('Dana');
  await ann.getByRole('option', { name: 'New speaker “Dana”' }).waitFor();
  await ann.keyboard.press('Enter');
  await expect.poll(() => names(ben), waits).toContain('Dana');
  const dana = (await speakers(ben))[3];
  expect(asMade()).not.toContain(dana);
  expect(await speakers(ben)).toEqual(asMade().with(3, dana ?? ''));
  // A name that nobody has may also be the right one of who speaks here.
  await ann.keyboard.press('Alt+s');
  await ann.keyboard.type('Dana R.');
  await ann.getByRole('option', { name: 'Rename Dana to “Dana R.” everywhere' }).click();
  await expect.poll(() => names(ben), waits).toContain('Dana R.');
  expect(await speakers(ben)).toEqual(asMade().with(3, dana ?? ''));
  await ann.keyboard.press('ControlOrMeta+z');
  await expect.poll(() => names(ben), waits).toContain('Dana');

  // A click before the next frame decides where the caret is.
  await ann.keyboard.press('Alt+s');
  await ann.getByRole('combobox', { name: 'Search, or type a new name' }).fill('coach');
  await segments(ann)
    .nth(5)
    .evaluate((next) => {
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
      const text = document.createTreeWalker(next, NodeFilter.SHOW_TEXT).nextNode();
      if (text) getSelection()?.collapse(text, 1);
    });
  await speakBy(ben, asMade().with(3, 'coach'));
  await drawnAgain(ann);
  await ann.keyboard.type('there');
  await expect.poll(() => segments(ben).nth(5).textContent(), waits).toContain('there');
});

it('hidden speakers are hidden only here, segments are joined only when all are shown, and speakers are merged on request', async () => {
  const { ann, ben } = await both();
  await tab(ann, 'Tags & Speakers');
  await press(row(ann, 'Coach'), 'Hide what Coach says');
  await tab(ann, 'Transcript');
  await expect.poll(() => segments(ann).nth(2).isVisible(), waits).toBe(false);
  expect(await segments(ann).count()).toBe(talk.length);
  expect(await segments(ann).nth(3).isVisible()).toBe(true);
  expect(await segments(ben).nth(2).isVisible()).toBe(true);
  await ann.getByText('Hidden on your page: Coach.').waitFor();

  await caretIn(ann, 3);
  await ann.keyboard.press('Backspace');
  await expect.poll(() => ann.getByRole('alert').textContent(), waits).toContain('Paragraphs can’t be merged while');
  await ann.keyboard.type('Well, ');
  await expect.poll(() => segments(ben).nth(3).textContent(), waits).toContain('Well, Better');
  expect(await segments(ben).count()).toBe(talk.length);

  await press(ann, 'Show all');
  await expect.poll(() => segments(ann).nth(2).isVisible(), waits).toBe(true);
  await caretIn(ann, 3);
  await ann.keyboard.press('Backspace');
  await expect.poll(() => segments(ben).count(), waits).toBe(talk.length - 1);

  await tab(ann, 'Tags & Speakers');
  await press(row(ann, 'Moderator'), 'More for Moderator');
  await press(ann, 'Merge into another speaker…');
  await ann
    .getByText('4 paragraphs of Moderator become paragraphs of Coach. Moderator is removed from the list.')
    .waitFor();
  await expectAccessible(ann);
  await ann.getByRole('dialog').getByRole('button', { name: 'Merge', exact: true }).click();
  await expect.poll(() => rows(ann).count(), waits).toBe(2);
  await expect.poll(() => names(ben), waits).not.toContain('Moderator');
  expect(new Set(await speakers(ben))).toEqual(new Set(['coach', 'client']));

  // Noted among her changes, too.
  const noted = () => ann.evaluate(async () => (await (await fetch('/api/actions')).json()).actions[0]);
  await expect.poll(noted, waits).toMatchObject({ kind: 'speakers', what: { name: 'Moderator', into: 'Coach' } });

  // One step, undone from beside the text and from within it.
  const before = asMade().toSpliced(3, 1);
  await tab(ann, 'Transcript');
  await ann.keyboard.press('Control+z');
  await expect.poll(() => names(ben), waits).toContain('Moderator');
  await expect.poll(() => speakers(ben), waits).toEqual(before);
  await caretIn(ann, 0);
  await ann.keyboard.press('Control+y');
  await expect.poll(() => names(ben), waits).not.toContain('Moderator');
  await ann.keyboard.press('Control+z');
  await expect.poll(() => speakers(ben), waits).toEqual(before);
});

it('figures match the recording, link to their places, and follow changes', async () => {
  const { ann, ben } = await both();
  await tab(ann, 'Analytics');
  const shares = ann.getByRole('region', { name: 'Share of talk' }).getByRole('button');
  await expect.poll(() => shares.count(), waits).toBe(3);
  const spoken = new Map<string, number>();
  let longest = { ms: 0, from: 0 };
  for (const { speaker, words } of talk) {
    const [from, to] = [words[0]?.f ?? 0, words.at(-1)?.t ?? 0];
    spoken.set(speaker, (spoken.get(speaker) ?? 0) + to - from);
    if (speaker === 'client' && to - from > longest.ms) longest = { ms: to - from, from };
  }
  const all = [...spoken.values()].reduce((sum, ms) => sum + ms, 0);
  const percent = (speaker: string) => `${Math.round((100 * (spoken.get(speaker) ?? 0)) / all)}%`;
  for (const [speaker, name] of [
    ['client', 'Client'],
    ['coach', 'Coach'],
    ['moderator', 'Moderator'],
  ] as const)
    expect(await shares.filter({ hasText: name }).textContent()).toContain(percent(speaker));
  const turns = ann.getByRole('region', { name: 'Turns' });
  expect(await turns.getByRole('button', { name: /^Client/ }).textContent()).toContain('13');
  await ann.getByText('Show as a table').click();
  await expect.poll(() => ann.getByRole('table').getByRole('row').count(), waits).toBe(4);
  await expectAccessible(ann);

  const at = () => ann.getByRole('slider').first().inputValue().then(Number);
  await shares.filter({ hasText: 'Client' }).click();
  await expect.poll(at, waits).toBeCloseTo(longest.from, -3);
  await expect
    .poll(() => ann.getByRole('tab', { name: 'Transcript' }).getAttribute('aria-selected'), waits)
    .toBe('true');
  const place = talk.findIndex(({ words }) => words[0]?.f === longest.from);
  await expect.poll(() => segments(ann).nth(place).isVisible(), waits).toBe(true);

  // Figures follow changes by others.
  await tab(ann, 'Analytics');
  await expect.poll(() => turns.getByRole('button', { name: /^Moderator/ }).textContent(), waits).toContain('3');
  await caretIn(ben, 8);
  await ben.keyboard.press('Alt+1');
  await expect.poll(() => turns.getByRole('button', { name: /^Moderator/ }).textContent(), waits).toContain('4');
  const lane = ann.getByRole('toolbar', { name: 'Coach, part by part' });
  await lane.getByRole('button').first().focus();
  await ann.keyboard.press('End');
  await ann.keyboard.press('Enter');
  await expect.poll(at, waits).toBeGreaterThan(120_000);
});

it('a reader sees all of it and changes nothing, on a phone, too', async () => {
  const [owner, , reader] = people;
  if (!owner || !reader) throw new Error('nobody there');
  const meeting = await makeRecording(house, owner);
  await share(house, meeting, reader, ['read', 'discover']);
  const chen = await open(reader, meeting, { width: 'phone', scheme: 'dark' });
  await chen.getByText('You can read this recording but not edit it.').waitFor();
  expect(await segments(chen).nth(2).locator('button[data-text="Coach"]').isDisabled()).toBe(true);
  await chen.keyboard.press('Alt+s');
  expect(await chen.getByRole('combobox', { name: 'Search, or type a new name' }).count()).toBe(0);
  await tab(chen, 'Tags & Speakers');
  await expect.poll(() => rows(chen).filter({ hasText: 'Coach' }).textContent(), waits).toMatch(/13 paragraphs/);
  expect(await chen.getByRole('tabpanel').getByRole('textbox').count()).toBe(0);
  expect(await chen.getByRole('button', { name: /^(More for|Colour of|Add|Remove)/ }).count()).toBe(0);
  await chen.getByRole('button', { name: 'Hide what Coach says' }).click();
  await chen.getByText('Hidden on your page: Coach.').waitFor();
  await expectAccessible(chen);
  await press(chen, 'Show all');
  await tab(chen, 'Analytics');
  await expect
    .poll(() => chen.getByRole('region', { name: 'Share of talk' }).getByRole('button').count(), waits)
    .toBe(3);
  await expectAccessible(chen);
});
