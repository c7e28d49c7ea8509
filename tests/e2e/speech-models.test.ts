// Speech recognition that somebody at the computer gets in the page (screens: get speech recognition).
import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noSherpa } from '#server/engines/local-engine.ts';
import { expectAccessible, openDesk } from '../support/browser.ts';
import { builtClient } from '../support/house.ts';
import { activityFile, openModelMirror, stallAfter, whisperFile, type ModelMirror } from '../support/model-mirror.ts';
import { noFfmpeg } from '../support/speech.ts';

const patient = { timeout: 60_000 };
const looks = [
  ['wide', 'light'],
  ['phone', 'dark'],
] as const;
const talk = { name: 'Interview 4.mp3', mimeType: 'audio/mpeg', buffer: Buffer.from('ID3') };

const desk = openDesk();
let mirror: ModelMirror;
let folder: string;
beforeAll(async () => {
  mirror = await openModelMirror();
  mirror.publish();
});
afterAll(() => mirror?.close());
beforeEach(async () => {
  for (const file of Object.keys(mirror.mischief)) delete mirror.mischief[file];
  folder = await mkdtemp(join(tmpdir(), 'colloquy-models-'));
  return () => rm(folder, { recursive: true, force: true });
});
const openHouse = (env: Record<string, string> = {}) =>
  desk.openHouse({
    client: builtClient,
    env: { MODELS_DIR: folder, MODELS_FROM: mirror.address, PATH: process.env['PATH'] ?? '', ...env },
  });
const panelOf = (page: Page) => page.getByRole('group', { name: 'Speech recognition' });

describe.each(looks)('without speech recognition: %s, %s', (width, scheme) => {
  it(
    'it is got in the empty library, paused, continued, and offered in the dialog',
    { timeout: 240_000 },
    async ({ skip }) => {
      const reason = noSherpa() ?? noFfmpeg();
      if (reason) return skip(reason);
      const house = await openHouse();
      const page = await desk.seat(await house.person('Ann'), { width, scheme });
      mirror.mischief[activityFile] = [stallAfter(1000)];
      mirror.mischief[whisperFile] = [(_incoming, outgoing) => void outgoing.writeHead(404).end()];
      await page.goto('/');
      const panel = panelOf(page);
      await panel.getByText('Recordings are transcribed on this computer and never leave it.').waitFor(patient);
      await panel.getByText('Licence: MIT').first().waitFor(patient);
      expect(await panel.getByRole('link', { name: 'OpenAI' }).first().getAttribute('href')).toBe(
        'https://github.com/openai/whisper',
      );
      await expectAccessible(page);

      // The other models are one press away.
      const others = panel.getByRole('button', { name: 'Speech models' });
      await others.click();
      expect(await others.getAttribute('aria-expanded')).toBe('true');
      expect(await panel.getByRole('button', { name: /^Download / }).count()).toBe(4);
      await expectAccessible(page);
      await others.click();

      // By keyboard alone.
      await panel.getByRole('button', { name: 'Get speech recognition (one-time download, 640 MB)' }).focus();
      await page.keyboard.press('Enter');
      await panel.getByText('Downloading Whisper small').waitFor(patient);
      // The button that was pressed keeps the focus, with other words.
      expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Pause Whisper small');
      await panel.getByText('0.1 MB of 640 MB').waitFor(patient);
      await expectAccessible(page);
      await panel.getByRole('button', { name: 'Pause Whisper small' }).click();
      await panel.getByText('Whisper small is paused. What has arrived is kept.').waitFor(patient);
      expect(statSync(join(folder, '.fetch', activityFile)).size).toBe(1000);
      await expectAccessible(page);

      // The next attempt meets a file that is gone; what went wrong is told, and the one after it succeeds.
      await panel.getByRole('button', { name: 'Continue Whisper small' }).click();
      await panel.getByText('This model is no longer offered for download.').waitFor(patient);
      await expectAccessible(page);
      await panel.getByRole('button', { name: 'Try again to download Whisper small' }).click();
      await panel.getByText('Whisper small is installed').waitFor(patient);
      await expectAccessible(page);

      await page.getByRole('button', { name: 'Add recording' }).first().click();
      await page.getByLabel('Choose local file').setInputFiles(talk);
      const dialog = page.getByRole('dialog');
      const model = dialog.getByRole('radio', { name: /Whisper small · Free/ });
      await model.waitFor(patient);
      expect(await model.isChecked()).toBe(true);
      // Further models are offered there, too.
      await dialog.getByRole('button', { name: 'Speech models' }).click();
      await dialog.getByRole('button', { name: 'Download Speaker recognition' }).click();
      await dialog.getByText('Speaker recognition is installed').waitFor(patient);
      await expectAccessible(page);
    },
  );
});

it(
  'the dialog that adds a recording offers it, and takes the model once it is whole',
  { timeout: 240_000 },
  async ({ skip }) => {
    const reason = noSherpa() ?? noFfmpeg();
    if (reason) return skip(reason);
    const house = await openHouse();
    const page = await desk.seat(await house.person('Ann'), { locale: 'ru-RU' });
    await page.goto('/');
    await page.getByRole('button', { name: 'Добавить запись' }).first().click();
    const dialog = page.getByRole('dialog');
    await page.locator('input[type=file]').first().setInputFiles(talk);
    await dialog.getByRole('button', { name: /^Загрузить распознавание речи \(640\sМБ\)$/ }).click();
    await dialog.getByRole('radio', { name: /Whisper small/ }).waitFor(patient);
  },
);

it('somebody who cannot set it up reads that a recording can be added all the same', async () => {
  const house = await openHouse({ TRANSCRIBE_LOCAL: 'off' });
  const page = await desk.seat(await house.person('Ann'));
  await page.goto('/');
  await page.getByRole('button', { name: 'Add recording' }).first().click();
  await page.getByLabel('Choose local file').setInputFiles(talk);
  const dialog = page.getByRole('dialog');
  await dialog
    .getByText('Speech recognition is not set up on this server. You can add the recording now')
    .waitFor(patient);
  expect(await panelOf(page).count()).toBe(0);
});
