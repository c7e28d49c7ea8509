// The export of a transcript: its preview, its options and its file.
import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { readFile as readTranscriptFile } from '#server/intake/read-file.ts';
import { rules } from '#server/limits.ts';
import { readTranscript } from '#shared/formats/read.ts';
import { textSource } from '#shared/formats/source.ts';
import { textOf } from '#shared/meetings/transcript.ts';
import { bytesOf, expectAccessible, openDesk } from '../support/browser.ts';
import { caretIn, openDocument, saved, waits } from '../support/document-page.ts';
import type { SharedHouse } from '../support/house.ts';
import { readPdf } from '../support/pdf.ts';
import type { Person } from '../support/people.ts';
import { makeRecording } from '../support/recording.ts';
import { worker } from '../support/worker.ts';

// The browser reports each request made without a network.
const desk = openDesk(/ERR_INTERNET_DISCONNECTED/);
let house: SharedHouse;
let ann: Person;
let ben: Person;
worker.beforeAll(({ house: shared }) => {
  house = shared;
});
beforeEach(async () => {
  [ann, ben] = (await house.people(2)) as [Person, Person];
});

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Export the transcript' });

async function openDialog(page: Page) {
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('button', { name: 'Export…' }).click();
  const dialog = dialogOf(page);
  await dialog.getByRole('region', { name: 'Beginning of the file' }).waitFor(waits);
  return dialog;
}

async function downloaded(page: Page): Promise<{ name: string; bytes: Buffer }> {
  const [file] = await Promise.all([
    page.waitForEvent('download', waits),
    dialogOf(page).getByRole('button', { name: 'Download' }).click(),
  ]);
  await dialogOf(page).waitFor({ state: 'hidden', ...waits });
  return { name: file.suggestedFilename(), bytes: await bytesOf(file) };
}

it('a preview shows the start of the file, the file has a word just corrected, and the chosen format is remembered', async () => {
  const meeting = await makeRecording(house, ann);
  const page = await openDocument(desk, ann, meeting);
  const dialog = await openDialog(page);
  const format = dialog.getByLabel('Format', { exact: true });
  const preview = dialog.getByRole('region', { name: 'Beginning of the file' });
  expect(await format.inputValue()).toBe('REV');
  expect(await preview.textContent()).toMatch(/Moderator \(00:00:00\):\nGood morning, and welcome/);
  await dialog.getByText('How Practice session asking for a decision.docx begins').waitFor(waits);

  await dialog.getByLabel('Times').uncheck();
  expect(await preview.textContent()).toMatch(/\nModerator:\nGood morning/);
  await expectAccessible(page);

  await format.selectOption('OTTERAI');
  expect(await preview.textContent()).toMatch(/^Moderator {2}0:00 {2}\nGood morning/);
  await dialog.getByLabel('Names of the speakers').uncheck();
  expect(await preview.textContent()).toMatch(/^0:00 {2}\nGood morning/);
  await dialog.getByLabel('Names of the speakers').check();

  // Both the preview and the file have the text of this moment.
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden', ...waits });
  await caretIn(page, 0, 0);
  await page.keyboard.type('Hello. ');
  await saved(page);
  await openDialog(page);
  await format.selectOption('OTTERAI');
  await expect.poll(() => preview.textContent(), waits).toMatch(/^Moderator {2}0:00 {2}\nHello\. Good morning/);
  const text = await downloaded(page);
  expect(text.name).toBe('Practice session asking for a decision.txt');
  expect(text.bytes.toString()).toMatch(/^Moderator {2}0:00 {2}\nHello\. Good morning, and welcome/);
  expect(readTranscript(textSource(text.bytes.toString()), 'OTTERAI').seed.segments).toHaveLength(30);

  // By keyboard alone, and as a Word document this time.
  await openDialog(page);
  expect(await format.inputValue()).toBe('OTTERAI');
  await dialog.getByLabel('Word document (.docx)').check();
  const docx = await downloaded(page);
  expect(docx.name).toBe('Practice session asking for a decision.docx');
  expect(readTranscript(readTranscriptFile(docx.bytes), 'OTTERAI').seed.segments).toHaveLength(30);
  // Each kind of file remembers its own format.
  await openDialog(page);
  await format.selectOption('SRT');
  expect((await downloaded(page)).name).toMatch(/\.srt$/);
  await openDialog(page);
  expect(await format.inputValue()).toBe('SRT');
  await format.selectOption('OTTERAI');
  expect(await dialog.getByLabel('Word document (.docx)').isChecked()).toBe(true);
  expect((await downloaded(page)).name).toMatch(/\.docx$/);
  await page.reload();
  await openDialog(page);
  expect(await format.inputValue()).toBe('OTTERAI');
  expect(await dialog.getByLabel('Word document (.docx)').isChecked()).toBe(true);
});

it('text in braces can be hidden, chapters and the date can be added, and the preview equals the file', async () => {
  const meeting = await makeRecording(house, ben);
  await house.database.sql`update meetings set created_at = '2024-03-12T12:00:00Z' where id = ${meeting}`;
  const page = await openDocument(desk, ben, meeting);
  const dialog = await openDialog(page);
  const preview = dialog.getByRole('region', { name: 'Beginning of the file' });
  // Word, text and subtitles come first.
  const format = dialog.getByLabel('Format', { exact: true });
  expect((await format.getByRole('option').allTextContents()).slice(0, 5)).toEqual([
    'Word document (.docx)',
    'PDF document (.pdf)',
    'Plain text (.txt)',
    'Subtitles (SRT)',
    'Subtitles for the web (VTT)',
  ]);
  await format.selectOption('RAE.pdf');
  await expect.poll(() => preview.textContent(), waits).toMatch(/^Practice.*\n\nDate: 2024-03-12\nLength: /);
  await expectAccessible(page);
  const pdf = await downloaded(page);
  expect(pdf.name).toMatch(/\.pdf$/);
  expect(readPdf(pdf.bytes).pages[0]).toContain('Good morning, and welcome');
  await openDialog(page);
  expect(await format.inputValue()).toBe('RAE.pdf');
  await format.selectOption('RAE.txt');
  await expect.poll(() => preview.textContent(), waits).toMatch(/^# Practice.*\n# Date: 2024-03-12 {3}Length: /);
  // Annotations are in the file unless they are left out; private ones only on request.
  for (const one of ['Summary', 'Contents', 'Outcomes', 'Comments'])
    expect(await dialog.getByLabel(one, { exact: true }).isChecked(), one).toBe(true);
  expect(await dialog.getByLabel('Include what only I can see').isChecked()).toBe(false);
  // Without words in braces there is nothing to hide.
  const hide = dialog.getByLabel('Hide what is in curly braces');
  await expect.poll(() => hide.count(), waits).toBe(0);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden', ...waits });
  await caretIn(page, 0, 0);
  await page.keyboard.type('I am {Maria Lopez}. ');
  await saved(page);
  await openDialog(page);
  await format.selectOption('RAE.txt');
  await expect.poll(() => preview.textContent(), waits).toContain('I am {Maria Lopez}. Good morning');
  await hide.check();
  await expect.poll(() => preview.textContent(), waits).toContain('I am [redacted]. Good morning');
  const shown = (await preview.textContent())?.split('\n').slice(0, 2);
  const text = (await downloaded(page)).bytes.toString();
  expect(text).not.toContain('Lopez');
  expect(text.split('\n').slice(0, 2)).toEqual(shown);
});

it('braces that close after the end of the preview also hide their text in the preview', async () => {
  const meeting = await makeRecording(house, ben);
  await house.house.rooms.change(meeting, 'transcript', { userId: ben.id, origin: 'test' }, (doc) => {
    const text = textOf(doc);
    text.insert(text.length, '}');
    text.insert(1, '{');
  });
  const page = await openDocument(desk, ben, meeting);
  const dialog = await openDialog(page);
  const preview = dialog.getByRole('region', { name: 'Beginning of the file' });
  await expect.poll(() => preview.textContent(), waits).toContain('{Good morning');
  await dialog.getByLabel('Hide what is in curly braces').check();
  await expect.poll(() => preview.textContent(), waits).not.toContain('Good morning');
  const shown = ((await preview.textContent()) ?? '').split('\n').filter((line) => !/^$|[:>]/.test(line));
  expect(shown.length).toBeGreaterThan(2);
  expect(new Set(shown)).toEqual(new Set(['[redacted]']));
});

it('the preview has the annotations of the file, and text in braces that occurs only in a comment can be hidden', async () => {
  const meeting = await makeRecording(house, ben);
  const given = await ben.post(`/api/meetings/${meeting}/comments`, {
    ...{ start: 10, end: 14, text: 'Is {Maria Lopez} meant?' },
  });
  expect(given.status, given.text).toBe(200);
  const tagged = { type: 'decisions', start: 20, end: 22 };
  for (const outcome of [
    { ...tagged, text: 'We meet again' },
    { ...tagged, text: 'Not yet', private: true },
  ])
    expect((await ben.post(`/api/meetings/${meeting}/outcomes`, { outcome })).status).toBe(200);
  const page = await openDocument(desk, ben, meeting);
  const dialog = await openDialog(page);
  const format = dialog.getByLabel('Format', { exact: true });
  await format.selectOption('RAE.txt');
  const preview = dialog.getByRole('region', { name: 'Beginning of the file' });
  await expect.poll(() => preview.textContent(), waits).toMatch(/We meet again[^]*Is \{Maria Lopez\} meant\?/);
  expect(await preview.textContent()).not.toContain('Not yet');
  await dialog.getByLabel('Include what only I can see').check();
  await expect.poll(() => preview.textContent(), waits).toContain('Not yet');
  const begins = ((await preview.textContent()) ?? '').split('\n');
  const whole = (await downloaded(page)).bytes.toString();
  expect(begins.length).toBeGreaterThan(20);
  expect(whole.split('\n').slice(0, begins.length)).toEqual(begins);
  await openDialog(page);
  await format.selectOption('JSON');
  const hide = dialog.getByLabel('Hide what is in curly braces');
  await hide.check();
  // The words in braces are in the comment alone.
  await dialog.getByLabel('Comments').uncheck();
  await expect.poll(() => hide.count(), waits).toBe(0);
  await dialog.getByLabel('Comments').check();
  expect(await hide.isChecked()).toBe(true);
  const text = (await downloaded(page)).bytes.toString();
  expect(text).toContain('Is [redacted] meant?');
  expect(text).not.toContain('Lopez');
});

it('a reader on a phone in dark mode is told why there is no file now, and gets it a moment later', async () => {
  const meeting = await makeRecording(house, ann, [ben]);
  const page = await openDocument(desk, ben, meeting, { width: 'phone', scheme: 'dark' });
  const dialog = await openDialog(page);
  await expectAccessible(page);
  // A finger that lands beside the line of a label still means it, and not the box below.
  const boxes = dialog.getByRole('checkbox');
  const ticked = () => boxes.evaluateAll((all) => all.map((box) => (box as HTMLInputElement).checked));
  const [first, ...others] = await ticked();
  const line = await boxes.first().boundingBox();
  await page.touchscreen.tap((line?.x ?? 0) + 60, (line?.y ?? 0) + (line?.height ?? 0) + 9);
  await expect.poll(ticked, waits).toEqual([!first, ...others]);
  await boxes.first().tap();
  await dialog.getByLabel('Format', { exact: true }).selectOption('VTT');
  expect(await dialog.getByRole('region').textContent()).toMatch(/^WEBVTT\n\n1\n00:00:00\.460 --> .+\n<v Moderator>/);
  for (let i = 0; i < rules.export.most; i += 1) await house.house.limits.allow(rules.export, ben.id);
  await dialog.getByRole('button', { name: 'Download' }).click();
  await dialog
    .getByRole('alert')
    .getByText(/wait|Wait|minute|second/)
    .waitFor(waits);
  expect(await dialog.getByRole('region').isVisible()).toBe(true);
  await house.house.limits.clear(rules.export, ben.id);
  expect((await downloaded(page)).name).toBe('Practice session asking for a decision.vtt');
});

it('without a network the page makes text files itself, with words that no server has yet', async () => {
  const meeting = await makeRecording(house, ann);
  const page = await openDocument(desk, ann, meeting);
  // The dialog was loaded before.
  await openDialog(page);
  await page.keyboard.press('Escape');
  await dialogOf(page).waitFor({ state: 'hidden', ...waits });
  await page.context().setOffline(true);
  await page.getByRole('button', { name: /^Offline/ }).waitFor(waits);
  await caretIn(page, 0, 0);
  await page.keyboard.type('Unsent. ');
  const dialog = await openDialog(page);
  await dialog.getByRole('button', { name: 'Download' }).click();
  await dialog.getByRole('alert').getByText('Word and PDF documents and annotations need a connection').waitFor(waits);
  await dialog.getByLabel('Format', { exact: true }).selectOption('SRT');
  await expect.poll(() => dialog.getByRole('region').textContent(), waits).toContain('Unsent. Good morning');
  const { name, bytes } = await downloaded(page);
  expect(name).toBe('Practice session asking for a decision.srt');
  expect(bytes.toString()).toContain('Moderator: Unsent. Good morning');
  await page.context().setOffline(false);
  await saved(page);
});
