// From a local file to a recording in the library: the whole way, its errors, and continuing after a reload.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Page } from 'playwright-core';
import { fileLimits } from '#shared/intake.ts';
import { agree, expectAccessible, openDesk, widths } from '../support/browser.ts';
import type { SharedHouse } from '../support/house.ts';
import { worker } from '../support/worker.ts';

const root = new URL('../..', import.meta.url).pathname;
const patient = { timeout: 60_000 };

const desk = openDesk();
let house: SharedHouse;
worker.beforeAll(({ house: shared }) => {
  house = shared;
});

const talk = {
  name: 'Interview 4.mp3',
  mimeType: 'audio/mpeg',
  buffer: readFileSync(join(root, 'server/demo/talk.mp3')),
};
const text = (name: string, content: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });
const captions = text(
  'interview.vtt',
  'WEBVTT\n\n1\n00:00:01.000 --> 00:00:04.000\nAnna: Good morning, everybody.\n\n2\n00:00:05.000 --> 00:00:09.000\nBoris: What do we begin with today?\n',
);

const add = async (page: Page) => page.getByRole('button', { name: 'Add recording' }).first().click();
const dialog = (page: Page) => page.getByRole('dialog');
const next = (page: Page) => dialog(page).getByRole('button', { name: 'Next' }).click();
const chooseRecording = (page: Page, file: typeof talk | string) =>
  page.getByLabel('Choose local file').setInputFiles(file);
const chooseTranscript = (page: Page, file: typeof talk) => page.getByLabel('Transcript file').setInputFiles(file);

const withTranscript = (page: Page) =>
  dialog(page)
    .getByRole('radio', { name: /External transcript/ })
    .check(patient);

async function toTheTranscript(page: Page): Promise<void> {
  await page.goto('/');
  await add(page);
  await chooseRecording(page, talk);
  await withTranscript(page);
  await next(page);
  await dialog(page).getByLabel('Format').selectOption('ZOOM');
}

describe.each([
  ['wide', 'light'],
  ['phone', 'dark'],
] as const)('%s, %s', (width, scheme) => {
  it('a recording and its transcript become an editable text with sound', async () => {
    const ann = await house.person('Ann');
    const page = await desk.seat(ann, { width, scheme });
    await page.goto('/');
    await page.getByText('Add your first recording').waitFor();
    await add(page);
    const lead = width === 'phone' ? 'Add a recording or a transcript' : 'Drop a recording or a transcript here';
    await page.getByText(lead).waitFor();
    await expectAccessible(page);
    await chooseRecording(page, talk);
    const title = dialog(page).getByRole('heading', { name: 'Select transcription type' });
    await title.waitFor();
    if (width === 'phone') {
      // The narrowest phones have it in one line, too.
      await page.setViewportSize({ width: 360, height: 740 });
      const lines = await title.evaluate((one) => {
        const words = document.createRange();
        words.selectNodeContents(one);
        return words.getClientRects().length;
      });
      expect(lines).toBe(1);
      await page.setViewportSize(widths.phone);
    }
    await page.getByText('Interview 4.mp3 uploaded').waitFor(patient);
    await expectAccessible(page);
    await withTranscript(page);
    await next(page);
    await dialog(page).getByRole('heading', { name: 'Add external transcript' }).waitFor();
    await next(page);
    await page.getByText('Choose a transcript file, or paste its text.').waitFor();
    await chooseTranscript(page, captions);
    await dialog(page).getByLabel('Format').selectOption('REV');
    await next(page);
    await page.getByText('A transcript in this format is one of these files: .docx').waitFor();
    await expectAccessible(page);
    // The content tells the format.
    await dialog(page).getByLabel('Format').selectOption('AUTO');
    await next(page);
    await page.getByText('The transcript is being prepared').waitFor(patient);
    await page.getByText('Read as Zoom (vtt)').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Open recording' }).click();
    await page.getByText('What do we begin with today?').waitFor(patient);
    expect(await page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('Interview 4');
  });
});

it('an invalid transcript is reported, and another one chosen without uploading the recording again', async () => {
  const ann = await house.person('Ann');
  const page = await desk.seat(ann);
  const sent: string[] = [];
  page.on('request', (request) => request.method() === 'PUT' && sent.push(request.url()));
  await toTheTranscript(page);
  await chooseTranscript(page, text('notes.vtt', 'These are only notes.\n'));
  await next(page);
  await page.getByText('The upload has failed.').waitFor(patient);
  await dialog(page).getByText('Invalid transcript:').waitFor();
  await page.getByText('Try another transcript format.').waitFor();
  await dialog(page)
    .getByText(/Request ID: \w+/)
    .waitFor();
  await expectAccessible(page);
  const before = sent.length;
  expect(before).toBeGreaterThan(0);
  await page.getByRole('button', { name: 'Try again' }).click();
  await chooseTranscript(page, captions);
  await next(page);
  await page.getByText('The transcript is being prepared').waitFor(patient);
  expect(sent).toHaveLength(before);
});

it('a file that turns out to be no recording is listed with the reason', async () => {
  const ann = await house.person('Ann');
  const page = await desk.seat(ann);
  await page.goto('/');
  await add(page);
  await chooseRecording(page, { ...talk, buffer: Buffer.from('<!doctype html><title>no</title>'.repeat(50)) });
  await withTranscript(page);
  await next(page);
  await dialog(page).getByLabel('Format').selectOption('ZOOM');
  await chooseTranscript(page, captions);
  await next(page);
  await page.getByText('The transcript is being prepared').waitFor(patient);
  await dialog(page).getByRole('button', { name: 'Close' }).last().click();
  await page.getByRole('row', { name: /Interview 4 .*This file type is not supported/ }).waitFor(patient);
  await expectAccessible(page);
});

it('a recording above the limit is refused with the time at which the next one is possible', async () => {
  const ann = await house.person('Ann');
  const page = await desk.seat(ann);
  await page.goto('/');
  // Two of the largest files, which came to nothing.
  for (const fileName of ['one.mp4', 'two.mp4']) {
    const announced = await ann.post('/api/multipart-uploads', { fileName, contentLength: fileLimits.mostBytes });
    expect(announced.status, announced.text).toBe(200);
  }
  await add(page);
  await chooseRecording(page, talk);
  // In the last hour of a day the time is one of the next day, which is named.
  await dialog(page)
    .getByText(/^Upload limit reached\. You can upload the next recording from (\w+day(,| at)? )?\d/)
    .waitFor(patient);
  expect(await dialog(page).getByText('Too many').count()).toBe(0);
});

it('unsupported files are reported at once; leaving asks, and leaves nothing behind', async () => {
  const ann = await house.person('Ann');
  const page = await desk.seat(ann);
  await page.goto('/');
  await add(page);
  await chooseRecording(page, text('notes.pdf', 'no'));
  await page.getByText('Unsupported file type! Supported formats: arf').waitFor();
  const sent: string[] = [];
  page.on('request', (request) => request.method() !== 'GET' && sent.push(request.url()));
  await chooseRecording(page, text('Webex.arf', 'some recording'));
  await page.getByText('Only Webex’s own player reads ARF files.').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Upload anyway' }).waitFor();
  expect(sent).toEqual([]);
  await chooseRecording(page, text('empty.mp3', ''));
  await page.getByText('File read error. Try again using the "Choose local file" button.').waitFor();
  await chooseRecording(page, talk);
  await page.getByText('Interview 4.mp3 uploaded').waitFor(patient);
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { name: 'Cancel adding this recording?' }).waitFor();
  await page.getByRole('button', { name: 'Cancel and delete' }).click();
  await dialog(page).waitFor({ state: 'detached' });
  await expect
    .poll(async () => house.database.sql`select 1 from uploads where owner_id = ${ann.id}`, patient)
    .toHaveLength(0);
});

it(
  'an upload interrupted by a reload continues where it stopped, with the same file',
  { timeout: 300_000 },
  async () => {
    const ann = await house.person('Ann');
    const page = await desk.seat(ann);
    // The network takes the first part and hangs at the second.
    // On disk, as a slow machine takes minutes to hand its bytes to the browser.
    const folder = await mkdtemp(join(tmpdir(), 'colloquy-upload-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const large = join(folder, 'Long.mp3');
    await writeFile(large, Buffer.concat(Array.from({ length: 40 }, () => talk.buffer)));
    const seen: string[] = [];
    let hang = true;
    await page.route('**/*', async (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      seen.push(new URL(route.request().url()).search);
      if (hang && seen.length > 1) return;
      await route.continue();
    });
    await page.goto('/');
    await add(page);
    await chooseRecording(page, large);
    await expect.poll(() => seen.length, patient).toBe(2);
    await page.getByText(/Uploading Long.mp3: \d+%/).waitFor();
    // The page asks before it is left; here the reload is confirmed.
    page.on('dialog', agree);
    await page.evaluate(() => {
      addEventListener('pagehide', () => {
        const noted = JSON.parse(localStorage.getItem('colloquy-upload') ?? '{}') as object;
        localStorage.setItem('colloquy-upload', JSON.stringify({ ...noted, at: Date.now() - 10_000 }));
      });
    });
    await page.reload();
    await page.getByText(/The upload of Long.mp3 stopped at \d+%/).waitFor(patient);
    await expectAccessible(page);
    // Opening and closing the dialog does not discard the upload.
    await add(page);
    await page.getByText('Drop a recording or a transcript here').waitFor();
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText(/The upload of Long.mp3 stopped at \d+%/).waitFor(patient);
    hang = false;
    const before = seen.length;
    const again = page.locator('section', { hasText: 'stopped at' }).locator('input[type=file]');
    await again.setInputFiles(captions);
    await page.getByText('This is a different file. To continue, choose Long.mp3.').waitFor();
    // The page recognises the same file only by the same modification time.
    await page.evaluate(() => {
      const noted = JSON.parse(localStorage.getItem('colloquy-upload') ?? '{}') as { lastModified: number };
      Object.defineProperty(File.prototype, 'lastModified', { get: () => noted.lastModified });
    });
    await again.setInputFiles(large);
    await page.getByText('Long.mp3 uploaded').waitFor(patient);
    const parts = await house.database.sql<{ bytes: string; part_bytes: string }[]>`
    select bytes, part_bytes from uploads where owner_id = ${ann.id}`;
    expect(parts).toHaveLength(1);
    expect(seen.length - before).toBe(Math.ceil(Number(parts[0]?.bytes) / Number(parts[0]?.part_bytes)) - 1);
  },
);
