// The main job from start to end, on real parts: a local file is dropped, transcribed, corrected by two people at once,
// exported, and imported again as the same transcript.
import { basename } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { MeetingView } from '#shared/meetings/meeting.ts';
import { bytesOf, expectAccessible, openDesk } from '../support/browser.ts';
import { caretBefore, caretIn, saved, segments, texts, waits } from '../support/document-page.ts';
import { builtClient, openHouse, type TestHouse } from '../support/house.ts';
import { share } from '../support/meetings.ts';
import type { Person } from '../support/people.ts';
import { noSpeech, openRecogniser, recorded, silence, speak, type Recogniser } from '../support/speech.ts';

const desk = openDesk();
let house: TestHouse;
let recogniser: Recogniser;
beforeAll(async () => {
  recogniser = await openRecogniser();
  const env = { TRANSCRIBE_URL: recogniser.url, PATH: process.env['PATH'] ?? '' };
  house = await openHouse({ client: builtClient, env });
});
afterAll(async () => {
  await house?.close();
  await recogniser?.close();
});

/** Drops a file over the page. */
async function drop(page: Page, name: string, type: string, bytes: Buffer): Promise<void> {
  const files = await page.evaluateHandle(
    ([called, kind, content]) => {
      const transfer = new DataTransfer();
      transfer.items.add(
        new File([Uint8Array.from(atob(content), (one) => one.charCodeAt(0))], called, { type: kind }),
      );
      return transfer;
    },
    [name, type, bytes.toString('base64')] as const,
  );
  await page.dispatchEvent('body', 'dragenter', { dataTransfer: files });
  await page.getByText('Drop a recording or a transcript to add it').waitFor();
  await page.dispatchEvent('body', 'drop', { dataTransfer: files });
}

const idOf = (page: Page): string => basename(new URL(page.url()).pathname);
const docOf = async (person: Person, id: string): Promise<MeetingView['doc']> =>
  ((await person.get(`/api/meetings/${id}`)).body as MeetingView).doc;

/** Assigns a segment to a new speaker. */
async function saidBy(page: Page, segment: number, name: string): Promise<void> {
  await caretIn(page, segment);
  await page.keyboard.press('Alt+s');
  await page.getByRole('combobox', { name: 'Search, or type a new name' }).fill(name);
  await page.getByRole('option', { name: `New speaker “${name}”` }).waitFor();
  await page.keyboard.press('Enter');
}

async function exported(page: Page, format: string): Promise<{ name: string; bytes: Buffer }> {
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('button', { name: 'Export…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Export the transcript' });
  await dialog.getByLabel('Format', { exact: true }).selectOption(format);
  const [file] = await Promise.all([
    page.waitForEvent('download', waits),
    dialog.getByRole('button', { name: 'Download' }).click(),
  ]);
  await dialog.waitFor({ state: 'hidden' });
  return { name: file.suggestedFilename(), bytes: await bytesOf(file) };
}

it(
  'a dropped file is transcribed, corrected by two at once, exported, and imported unchanged',
  { timeout: 600_000 },
  async ({ skip }) => {
    const without = noSpeech();
    if (without) return skip(without);
    const sentences = [
      'i think that is a very good question',
      'the weather was very good and the children played in the garden',
    ];
    const [first = silence(0), second = silence(0)] = await Promise.all(sentences.map(speak));
    const wav = recorded(silence(1), first, silence(3), second);
    // Transcription starts once the page is open, so that the words arrive while it is watched.
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    recogniser.answers = async () => {
      await released;
      return 'hear' as const;
    };
    const [ann, ben] = (await house.people(2)) as [Person, Person];
    const hers = await desk.seat(ann);
    await hers.goto('/');
    await hers.getByText('Add your first recording').waitFor();
    await drop(hers, 'Garden talk.wav', 'audio/wav', wav);
    const dialog = hers.getByRole('dialog');
    await dialog.getByRole('radio', { name: /Speech recognition/ }).waitFor();
    await dialog.getByRole('button', { name: 'Next' }).click();
    await dialog.getByRole('heading', { name: 'Processing options' }).waitFor();
    await dialog.getByRole('button', { name: 'Next' }).click();
    await dialog.getByText('The file is being transcribed. You will get an e-mail when it is ready.').waitFor();
    await dialog.getByRole('button', { name: 'Open recording' }).click();
    await hers.waitForURL('**/meeting/*');
    const id = idOf(hers);
    await hers.getByRole('region', { name: 'Player' }).getByRole('button', { name: 'Play', exact: true }).waitFor();
    expect((await texts(hers)).join('')).not.toContain('question');
    release();
    await expect.poll(() => texts(hers), waits).toEqual(sentences);
    await expect
      .poll(async () => (await house.mails(ann.email)).map(({ text }) => text.includes(`/meeting/${id}`)), waits)
      .toEqual([true]);

    await share(house, id, ben, ['read', 'write', 'discover']);
    const his = await desk.seat(ben, { width: 'phone', scheme: 'dark' });
    await his.goto(`/meeting/${id}`);
    await expect.poll(() => texts(his), waits).toEqual(sentences);
    // Both edit the same two segments, each at their own place.
    await Promise.all([
      (async () => {
        await caretBefore(hers, 'i think');
        await hers.keyboard.press('Delete');
        await hers.keyboard.type('I', { delay: 20 });
        await caretBefore(hers, 'children');
        await hers.keyboard.type('many ', { delay: 20 });
      })(),
      (async () => {
        await caretIn(his, 0, -1);
        await his.keyboard.type('.', { delay: 20 });
        await caretIn(his, 1, -1);
        await his.keyboard.type(' all day.', { delay: 20 });
      })(),
    ]);
    const corrected = [
      'I think that is a very good question.',
      'the weather was very good and the many children played in the garden all day.',
    ];
    for (const page of [hers, his]) {
      await saved(page);
      await expect.poll(() => texts(page), waits).toEqual(corrected);
    }
    await saidBy(hers, 0, 'Maria Lopez');
    await saidBy(hers, 1, 'Tom (chair)');
    await saved(hers);
    await expect
      .poll(() => segments(his).evaluateAll((all) => new Set(all.map((one) => one.dataset['speaker'])).size), waits)
      .toBe(2);

    const before = await docOf(ann, id);
    expect(before.transcript.segments.map(({ text }) => text)).toEqual(corrected);
    const rae = await exported(hers, 'RAE.docx');
    expect(rae.name).toBe('Garden talk.docx');
    const otter = (await exported(his, 'OTTERAI')).bytes.toString();
    expect(otter).toBe(
      `Maria Lopez  0:01  \n${corrected[0]}\n\nTom (chair)  0:0${Math.floor(before.transcript.segments[1]?.start ?? 0)}  \n${corrected[1]}\n\n`,
    );

    await hers.goto('/');
    await hers.getByRole('button', { name: 'Add recording' }).first().click();
    await dialog.getByRole('button', { name: 'Paste or upload a transcript' }).click();
    await dialog.getByLabel('Format').selectOption('RAE');
    const mimeType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
    await hers.getByLabel('Transcript file').setInputFiles({ name: rae.name, mimeType, buffer: rae.bytes });
    await dialog.getByText('Chosen: Garden talk.docx').waitFor();
    await expectAccessible(hers);
    await dialog.getByRole('button', { name: 'Next' }).click();
    await dialog.getByRole('button', { name: 'Open recording' }).click();
    await hers.waitForURL((url) => url.pathname.startsWith('/meeting/') && basename(url.pathname) !== id);
    await expect.poll(() => texts(hers), waits).toEqual(corrected);
    const again = await docOf(ann, idOf(hers));
    // Every word with its times, confidence and estimates; every speaker with name and colour.
    const kept = ({ transcript }: MeetingView['doc']) => ({
      ...transcript,
      // Not where somebody types at that moment.
      segments: transcript.segments.map((segment) => ({ ...segment, editing: false })),
    });
    expect(kept(again)).toEqual(kept(before));
    expect(again.title).toBe(before.title);
    const words = again.transcript.segments.flatMap((segment) => segment.words);
    expect(words.filter(({ confidence }) => confidence !== undefined).length).toBeGreaterThan(10);
  },
);
