// Imports from Zoom and Webex: to the service and back, a recording chosen from the list, and its transcript in the
// editor.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { expectAccessible, hurried, openDesk } from '../support/browser.ts';
import { builtClient, openHouse, type TestHouse } from '../support/house.ts';
import { openWebex, openZoom, type TestService } from '../support/meeting-services.ts';

const root = new URL('../..', import.meta.url).pathname;
const patient = { timeout: 60_000 };
const day = 86_400_000;
/** The page asks Zoom month by month, one in this time. */
const monthMs = 600;
const sound = readFileSync(join(root, 'server/demo/talk.mp3'));
const captions = {
  name: 'meeting.vtt',
  mimeType: 'text/vtt',
  buffer: Buffer.from('WEBVTT\n\n1\n00:00:01.000 --> 00:00:04.000\nAnna: Good morning from afar.\n'),
};

const desk = openDesk();
let zoom: TestService;
let webex: TestService;
let house: TestHouse;
beforeAll(async () => {
  [zoom, webex] = await Promise.all([openZoom(), openWebex()]);
  house = await openHouse({ client: builtClient, env: { ...zoom.env, ...webex.env } });
});
beforeEach(() => {
  for (const there of [zoom, webex]) {
    there.recordings.clear();
    Object.assign(there.mood, { answers: 'well', send: null, busyFor: null });
  }
});
afterAll(async () => {
  await house?.close();
  await Promise.all([zoom?.close(), webex?.close()]);
});

const dialog = (page: Page) => page.getByRole('dialog');
const ago = (days: number) => new Date(Date.now() - days * day).toISOString();

/** Goes from the library to the service, and allows or denies access there. */
async function connect(page: Page, name: 'Zoom' | 'Webex', answer: 'Allow' | 'Deny' = 'Allow'): Promise<void> {
  await page.clock.install();
  await page.goto('/?sort=title');
  await page.getByRole('button', { name: 'Add recording' }).first().click();
  await dialog(page)
    .getByRole('button', { name: `Import from ${name}` })
    .click();
  await page.getByRole('heading', { name: 'Let Colloquy in?' }).waitFor(patient);
  await page.getByRole('link', { name: answer }).click();
  await dialog(page)
    .getByRole('heading', { name: `Select ${name} meeting` })
    .waitFor(patient);
  expect(new URL(page.url()).search).toBe('?sort=title');
}

/** Adds a transcript; the steps are those of any other recording. */
async function bringTranscript(page: Page, title: string): Promise<void> {
  await dialog(page).getByRole('heading', { name: 'Select transcription type' }).waitFor(patient);
  await dialog(page)
    .getByRole('radio', { name: /External transcript/ })
    .check();
  await dialog(page).getByRole('button', { name: 'Next' }).click();
  await dialog(page).getByRole('heading', { name: 'Add external transcript' }).waitFor();
  expect(await dialog(page).getByLabel('Title').inputValue()).toBe(title);
  await dialog(page).getByLabel('Format').selectOption('ZOOM');
  await page.getByLabel('Transcript file').setInputFiles(captions);
  await dialog(page).getByRole('button', { name: 'Next' }).click();
  await page.getByText('The transcript is being prepared').waitFor(patient);
  await page.getByRole('button', { name: 'Open recording' }).click();
  await page.getByText('Good morning from afar.').waitFor(patient);
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor(patient);
}

it.each([
  ['wide', 'light'],
  ['phone', 'dark'],
] as const)('a Zoom meeting (%s, %s): from the button to the text with its sound', async (width, scheme) => {
  const ann = await house.person('Ann');
  const page = await desk.seat(ann, { width, scheme });
  const weekly = zoom.keep('ann', { topic: 'Weekly', content: sound, seconds: 181, at: ago(2) });
  zoom.keep('ann', { ...weekly, type: 'M4A', kind: 'audio_only', fileId: 'sound' });
  zoom.keep('ann', { ...weekly, type: 'TRANSCRIPT', kind: 'audio_transcript', fileId: 'text' });
  zoom.keep('ann', { topic: 'Last spring', kind: 'gallery_view(CC)', at: ago(200) });
  zoom.keep('ben', { topic: 'Of somebody else' });
  await connect(page, 'Zoom');
  await dialog(page).getByText('Weekly').waitFor(patient);
  await dialog(page).getByText('Last spring').waitFor(patient);
  const files = dialog(page).getByRole('list', { name: 'Select Zoom meeting' }).getByRole('button');
  await expect
    .poll(() => files.allInnerTexts().then((all) => all.map((one) => one.replace(/\s+/g, ' '))))
    .toEqual([
      'Shared screen with speaker view Recommended: shows who speaks MP4 · 3:01',
      'Audio only Smallest file: imported fastest, the same transcript M4A · 3:01',
      'Gallery view MP4 · 1:00',
    ]);
  // All months have been requested.
  const further = dialog(page).getByText('Loading earlier recordings…');
  await hurried(page, monthMs, further.waitFor({ state: 'detached', ...patient }));
  expect(zoom.asked.filter((line) => line.startsWith('GET /v2/users/me/recordings?')).length).toBeGreaterThanOrEqual(
    12,
  );
  await expectAccessible(page);
  const filter = dialog(page).getByLabel('Filter by title or date');
  await filter.fill('spring last');
  await expect.poll(() => files.count()).toBe(1);
  await filter.fill('autumn');
  await dialog(page).getByText('No recording matches.').waitFor();
  await filter.fill('');
  await expect.poll(() => files.count()).toBe(3);
  // By keyboard alone.
  await files.nth(1).focus();
  await page.keyboard.press('Enter');
  await bringTranscript(page, 'Weekly');
});

it('a Webex meeting: from the button to the text with its sound', async () => {
  const page = await desk.seat(await house.person('Ann'));
  webex.keep('ann', { topic: 'Quarterly', content: sound, seconds: 181, at: ago(900) });
  webex.keep('ann', { topic: 'In a format of its own', type: 'ARF' });
  await connect(page, 'Webex');
  await dialog(page).getByText('Quarterly').waitFor(patient);
  expect(await dialog(page).getByText('In a format of its own').count()).toBe(0);
  await expectAccessible(page);
  await dialog(page).getByRole('button', { name: 'Video MP4' }).click();
  await bringTranscript(page, 'Quarterly');
});

it('a person who denies access stays in the app, is not sent there again, and can log in later', async () => {
  const ann = await house.person('Ann');
  const page = await desk.seat(ann, { width: 'phone' });
  await connect(page, 'Zoom', 'Deny');
  await dialog(page).getByText('Log in to Zoom to see your recordings here.').waitFor(patient);
  await expectAccessible(page);
  expect((await ann.whoami()).body.principal.id).toBe(ann.id);
  await dialog(page).getByRole('button', { name: 'Log in to Zoom' }).click();
  await page.getByRole('link', { name: 'Allow' }).click();
  await hurried(page, monthMs, dialog(page).getByText('recordings not found', { exact: true }).waitFor(patient));
  await expectAccessible(page);
  // Back leads to the dialog that adds recordings; closing does, too.
  await dialog(page).getByRole('button', { name: 'Back' }).click();
  await dialog(page).getByText('Add a recording or a transcript').waitFor();
  // The dialog opens by itself only right after a login at the service.
  await page.reload();
  await page.getByRole('button', { name: 'Add recording' }).first().waitFor();
  expect(await dialog(page).count()).toBe(0);
});

it('a service that does not answer is reported, tried again, and logged out of', async () => {
  const page = await desk.seat(await house.person('Ann'), { scheme: 'dark' });
  await connect(page, 'Webex');
  await dialog(page).getByText('Webex recordings not found', { exact: true }).waitFor(patient);
  webex.mood.answers = 'busy';
  await page.reload();
  await page.getByRole('button', { name: 'Add recording' }).first().click();
  await dialog(page).getByRole('button', { name: 'Import from Webex' }).click();
  await dialog(page).getByRole('alert').getByText("Can't load Webex recordings").waitFor(patient);
  await expectAccessible(page);
  webex.mood.answers = 'well';
  webex.keep('ann', { topic: 'There after all' });
  await dialog(page).getByRole('button', { name: 'Try again' }).click();
  await dialog(page).getByText('There after all').waitFor(patient);
  await dialog(page).getByRole('button', { name: 'Logout' }).click();
  await dialog(page).getByRole('button', { name: 'Log in to Webex' }).waitFor(patient);
  expect(await dialog(page).getByText('There after all').count()).toBe(0);
  expect(page.url()).toContain(house.origin);
});

it('months of Zoom that do not load are reported beside those that did', async () => {
  const page = await desk.seat(await house.person('Ann'));
  zoom.keep('ann', { topic: 'Recent', at: ago(1) });
  zoom.mood.busyFor = ({ searchParams }) => (searchParams.get('to') ?? ago(0)) < ago(60);
  await connect(page, 'Zoom');
  await dialog(page).getByRole('alert').getByText("Can't load Zoom recordings").waitFor(patient);
  await dialog(page).getByText('Recent').waitFor();
});

it.each([
  ['es', 'Importar de Zoom', 'Elegir reunión de Zoom', 'no se encontraron grabaciones'],
  ['ru', 'Импортировать из Zoom', 'Выберите встречу Zoom', 'записи не найдены'],
  ['zh', '从 Zoom 导入', '选择 Zoom 会议', '未找到录音'],
])('the dialogs are in %s', async (language, button, title, none) => {
  const ann = await house.person('Ann');
  await zoom.letIn(ann, 'ann');
  await ann.post('/api/principals/me', { language });
  const page = await desk.seat(ann, { width: 'phone' });
  await page.clock.install();
  // Imitates a return from the service.
  await page.addInitScript((id) => localStorage.setItem('colloquy-login-zoom', id), ann.id);
  await page.goto('/');
  await dialog(page).getByRole('heading', { name: title }).waitFor(patient);
  await hurried(page, monthMs, dialog(page).getByText(none, { exact: true }).waitFor(patient));
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await dialog(page).getByRole('button', { name: button }).waitFor(patient);
});

it('without configured services none is offered', async () => {
  const plain = await desk.openHouse({ client: builtClient });
  const page = await desk.seat(await plain.person('Ann'));
  await page.goto('/');
  const languages = page.waitForResponse((answer) => answer.url().endsWith('/api/languages'));
  await page.getByRole('button', { name: 'Add recording' }).first().click();
  await languages;
  await dialog(page).getByRole('button', { name: 'Paste or upload a transcript' }).waitFor();
  expect(await dialog(page).getByRole('button', { name: 'Import from' }).count()).toBe(0);
});
