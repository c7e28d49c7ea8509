// A recording transcribed by a server: chosen, priced, and its words arrive on the open page.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, openDesk } from '../support/browser.ts';
import { builtClient, openHouse, type TestHouse } from '../support/house.ts';
import { noFfmpeg, openRecogniser, type Recogniser } from '../support/speech.ts';

const root = new URL('../..', import.meta.url).pathname;
const patient = { timeout: 60_000 };
const talk = {
  name: 'Interview 4.mp3',
  mimeType: 'audio/mpeg',
  buffer: readFileSync(join(root, 'server/demo/talk.mp3')),
};

const desk = openDesk();
let house: TestHouse;
let server: Recogniser;
beforeAll(async () => {
  server = await openRecogniser();
  const env = { TRANSCRIBE_URL: server.url, PATH: process.env['PATH'] ?? '' };
  house = await openHouse({ client: builtClient, env });
});
afterAll(async () => {
  await house?.close();
  await server?.close();
});

describe.each([
  ['wide', 'light'],
  ['phone', 'dark'],
] as const)('%s, %s', (width, scheme) => {
  it(
    'words arrive on the open page, and can be corrected before the last one has arrived',
    { timeout: 300_000 },
    async ({ skip }) => {
      const without = noFfmpeg();
      if (without) return skip(without);
      server.asked.length = 0;
      let release = () => {};
      const released = new Promise<void>((resolve) => (release = resolve));
      server.answers = async (_asked, nth) => {
        if (nth === 2) await released;
        return { body: { segments: [{ start: 1, end: 3, text: ` Piece ${nth} was said.` }] } };
      };
      const ann = await house.person('Ann');
      const page = await desk.seat(ann, { width, scheme });
      await page.goto('/');
      await page.getByRole('button', { name: 'Add recording' }).first().click();
      await page.getByLabel('Choose local file').setInputFiles(talk);
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Free Trial: 90 minutes left.').waitFor(patient);
      expect(await dialog.getByRole('radio', { name: /Speech recognition · \$0\.15 per min/ }).isChecked()).toBe(true);
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Next' }).click();
      await dialog.getByRole('heading', { name: 'Processing options' }).waitFor();
      expect(await dialog.getByLabel('Speakers').isDisabled()).toBe(true);
      await dialog.getByLabel('Words to expect').fill('Colloquy');
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Next' }).click();
      await dialog
        .getByText('The file is being transcribed. You will get an e-mail when it is ready.')
        .waitFor(patient);
      await dialog.getByRole('button', { name: 'Open recording' }).click();
      await page.getByText('Piece 1 was said.').waitFor(patient);
      // The sound is ready before the last words are.
      await page
        .getByRole('region', { name: 'Player' })
        .getByRole('button', { name: 'Play', exact: true })
        .waitFor(patient);
      const text = page.getByRole('textbox', { name: 'Transcript' });
      await text.getByText('Piece 1 was said.').click();
      await page.keyboard.press('End');
      await page.keyboard.type(' And corrected.');
      release();
      await page.getByText('Piece 2 was said.').waitFor(patient);
      await page.getByText('Piece 1 was said. And corrected.').waitFor(patient);
      expect(server.asked[0]?.fields['prompt']).toEqual(['Colloquy.']);
    },
  );
});
