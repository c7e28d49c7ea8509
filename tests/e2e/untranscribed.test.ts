// A recording without speech recognition: added, opened, listened to, and transcribed later (screens: no speech
// recognition yet).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, openDesk } from '../support/browser.ts';
import { builtClient, openHouse, type SharedHouse, type TestHouse } from '../support/house.ts';
import { makeUntranscribed } from '../support/intake.ts';
import { noFfmpeg, openRecogniser, type Recogniser } from '../support/speech.ts';
import { worker } from '../support/worker.ts';

const patient = { timeout: 60_000 };
const looks = [
  ['wide', 'light'],
  ['phone', 'dark'],
] as const;
const talk = {
  name: 'Interview 4.mp3',
  mimeType: 'audio/mpeg',
  buffer: readFileSync(join(import.meta.dirname, '../../server/demo/talk.mp3')),
};

const desk = openDesk();
let silent: SharedHouse;
worker.beforeAll(({ house }) => {
  silent = house;
});
let house: TestHouse;
let server: Recogniser;
beforeAll(async () => {
  server = await openRecogniser(() => ({ body: { segments: [{ start: 1, end: 3, text: ' Said later.' }] } }));
  const env = { TRANSCRIBE_URL: server.url, PATH: process.env['PATH'] ?? '' };
  house = await openHouse({ client: builtClient, env });
});
afterAll(async () => {
  await house?.close();
  await server?.close();
});

describe.each(looks)('without speech recognition: %s, %s', (width, scheme) => {
  it('a recording is added and can be played', async () => {
    const ann = await silent.person('Ann');
    const page = await desk.seat(ann, { width, scheme });
    const dialog = page.getByRole('dialog');
    await page.goto('/');
    await page.getByRole('button', { name: 'Add recording' }).first().click();
    await page.getByLabel('Choose local file').setInputFiles(talk);
    const without = dialog.getByRole('radio', { name: /Without a transcript · Free/ });
    await without.waitFor(patient);
    expect(await without.isChecked()).toBe(true);
    await dialog.getByText('You can add recordings now and transcribe them later.').waitFor(patient);
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Next' }).click();
    await dialog.getByRole('heading', { name: 'Processing options' }).waitFor();
    expect(await dialog.getByLabel('Speakers').count()).toBe(0);
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Next' }).click();
    await dialog.getByText('The recording is being prepared. You can listen to it in a moment.').waitFor(patient);
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Open recording' }).click();
    await page.getByText('No transcript yet').waitFor(patient);
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor(patient);
    // The hint about pressing a word waits for a recording that has words.
    expect(await page.getByText(/to listen from there/).count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Transcribe' }).click();
    await dialog.getByText('You can add recordings now and transcribe them later.').waitFor(patient);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });
});

describe.each(looks)('with speech recognition: %s, %s', (width, scheme) => {
  it('a recording without a transcript is transcribed', async ({ skip }) => {
    const reason = noFfmpeg();
    if (reason) return skip(reason);
    const ann = await house.person('Ann');
    const id = await makeUntranscribed(ann, talk.buffer);
    const page = await desk.seat(ann, { width, scheme });
    const dialog = page.getByRole('dialog');
    await page.goto(`/meeting/${id}`);
    await page.getByText('No transcript yet').waitFor(patient);
    // By keyboard alone.
    await page.getByRole('button', { name: 'Transcribe' }).focus();
    await page.keyboard.press('Enter');
    const pay = dialog.getByRole('button', { name: /trial minutes/ });
    await pay.waitFor(patient);
    expect(await dialog.getByLabel('Language').inputValue()).toBe('en-US');
    expect(await dialog.getByLabel('Speakers').isDisabled()).toBe(true);
    await expectAccessible(page);
    await pay.focus();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached', ...patient });
    await page.getByText('Said later.').first().waitFor(patient);
    await page.getByRole('button', { name: 'Transcribe' }).waitFor({ state: 'detached', ...patient });
  });
});
