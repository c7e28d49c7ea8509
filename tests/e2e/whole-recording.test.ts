// Actions on a whole recording from its own page: replacing its transcript, and deleting it.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible } from '../support/browser.ts';
import { caretIn, saved, segments, Stage, texts, waits } from '../support/document-page.ts';
import { zoomTranscript } from '../support/intake.ts';
import { share } from '../support/meetings.ts';

// Pages of other people log errors when a recording is gone.
const stage = new Stage(3, { expected: /status of 40[34]|WebSocket connection/ });

async function more(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('button', { name: item, exact: true }).click();
}
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Replace the transcript' });
const give = (page: Page, name: string, content: string) =>
  dialog(page)
    .getByLabel('Transcript file')
    .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });
const alert = (page: Page) => dialog(page).getByRole('alert');
const press = (page: Page) => dialog(page).getByRole('button', { name: 'Replace', exact: true }).click();

it('another transcript replaces the text; an unreadable one changes nothing', async () => {
  const meeting = await stage.recording();
  const [ann, ben] = [await stage.open(0, meeting), await stage.open(1, meeting)];
  await caretIn(ann, 0);
  await ann.keyboard.type('Corrected. ');
  await saved(ann);
  const before = await texts(ann);
  const comment = { start: 60, end: 64, text: 'Why?' };
  expect((await stage.person(0).post(`/api/meetings/${meeting}/comments`, comment)).status).toBe(200);

  await more(ann, 'Replace transcript…');
  await dialog(ann).getByText('stays in the version history').waitFor(waits);
  await expectAccessible(ann);
  await press(ann);
  await expect.poll(() => alert(ann).innerText(), waits).toContain('Choose a transcript file.');
  await dialog(ann).getByLabel('Format').selectOption('ZOOM');
  await give(ann, 'talk.txt', zoomTranscript);
  await press(ann);
  await expect.poll(() => alert(ann).innerText(), waits).toContain('.vtt');
  await give(ann, 'talk.vtt', 'nothing of the kind');
  await press(ann);
  await expect.poll(() => alert(ann).innerText(), waits).toContain('Invalid transcript:');
  expect(await texts(ann)).toEqual(before);
  expect(await texts(ben)).toEqual(before);

  await give(ann, 'talk.vtt', zoomTranscript);
  // The fate of comments may be known late, as where the machine is busy.
  let asked = 0;
  await ben.route('**/versions*', async (route) => {
    const answer = await route.fetch();
    asked += 1;
    if (asked > 6) return route.fulfill({ response: answer });
    const list = (await answer.json()) as { versions: object[] };
    return route.fulfill({ json: { ...list, versions: list.versions.map((one) => ({ ...one, carried: null })) } });
  });
  // A notice stays while the pointer is on it.
  const words = 'Comments, outcomes and highlights: 0 are still on their words, and the words of 1 are gone.';
  const told = (page: Page) =>
    page
      .getByRole('status')
      .getByText(words)
      .hover({ ...waits, force: true });
  // On a busy machine the answer comes after the text: its end of the dialog leaves the notice as it is.
  await ann.route('**/replace', async (route) => {
    const answer = await route.fetch();
    await told(ann);
    await route.fulfill({ response: answer });
  });
  await press(ann);
  const benTold = told(ben);
  benTold.catch(() => {});
  await told(ann);
  // The notice moves once the dialog is gone, away from a pointer that holds it.
  await dialog(ann).waitFor({ ...waits, state: 'detached' });
  await told(ann);
  // People who see the text change read what became of comments; the owner takes it back there.
  await benTold;
  const now = ['Thanks for joining, shall we start?', 'Yes.', 'Then the goal first.'];
  for (const page of [ann, ben]) await expect.poll(() => texts(page), waits).toEqual(now);
  expect(await ben.getByRole('button', { name: 'Undo', exact: true }).count()).toBe(0);
  await ann.getByRole('button', { name: 'Undo', exact: true }).click(waits);
  await expect.poll(() => texts(ann), waits).toEqual(before);
});

it('that the transcript was replaced is said at once, and what became of it when that is known', async () => {
  const ann = await stage.open(0, await stage.recording());
  await more(ann, 'Replace transcript…');
  await dialog(ann).getByLabel('Format').selectOption('ZOOM');
  await give(ann, 'talk.vtt', zoomTranscript);
  const short = ann.getByRole('status').getByText('The transcript was replaced.', { exact: true });
  // The answer may come long before the new text.
  await ann.route('**/replace', (route) => route.fulfill({ json: { notes: [] } }));
  await press(ann);
  await short.waitFor(waits);
  await dialog(ann).waitFor({ ...waits, state: 'detached' });
  await ann.getByRole('status').getByRole('button', { name: 'Close', exact: true }).click();
  await short.waitFor({ ...waits, state: 'detached' });

  await ann.unroute('**/replace');
  let become = () => {};
  const known = new Promise<void>((done) => {
    become = done;
  });
  await ann.route('**/versions*', async (route) => {
    await known;
    await route.continue();
  });
  await more(ann, 'Replace transcript…');
  await dialog(ann).getByLabel('Format').selectOption('ZOOM');
  await give(ann, 'talk.vtt', zoomTranscript);
  await press(ann);
  await short.waitFor(waits);
  await expect.poll(() => texts(ann), waits).toContain('Then the goal first.');
  become();
  await ann.getByRole('status').getByRole('button', { name: 'Undo', exact: true }).waitFor(waits);
  expect(await short.count()).toBe(0);
});

it('warnings about the other transcript are shown, and lead to the version before', async () => {
  const meeting = await stage.recording();
  const ann = await stage.open(0, meeting, { width: 'phone', scheme: 'dark' });
  await more(ann, 'Replace transcript…');
  await dialog(ann).getByLabel('Format').selectOption('ZOOM');
  await give(ann, 'talk.vtt', `${zoomTranscript}\n4\n11:00:00.000 --> 11:00:02.000\nTom: Of another day.\n`);
  await press(ann);
  await dialog(ann).getByText('is after the end of the recording').waitFor(waits);
  await expectAccessible(ann);
  await dialog(ann).getByRole('button', { name: 'Open version history' }).click();
  await dialog(ann).waitFor({ ...waits, state: 'detached' });
  await ann.getByText('replaced the transcript').first().waitFor(waits);
});

it('the owner deletes it on its page, is back in the list, and can undo it', async () => {
  const meeting = await stage.recording();
  const [ann, ben] = [await stage.open(0, meeting), await stage.open(1, meeting)];
  await ben.getByRole('button', { name: 'More actions' }).click();
  await ben.getByRole('button', { name: 'Keyboard shortcuts' }).waitFor(waits);
  expect(await ben.getByRole('button', { name: 'Delete', exact: true }).count()).toBe(0);
  await ben.keyboard.press('Escape');

  await more(ann, 'Delete');
  await ann.getByText('Returning to the library.').waitFor(waits);
  await expect.poll(() => new URL(ann.url()).pathname, waits).toBe('/');
  await ben.getByRole('heading', { name: 'You don’t have access to this recording' }).first().waitFor(waits);
  await ben.getByText('It was deleted, or is no longer shared with you.').waitFor(waits);
  expect((await stage.person(0).get(`/api/meetings/${meeting}/about`)).status).toBe(403);

  const listed = ann.locator(`a[href*="${meeting}"]`);
  await expect.poll(() => listed.count(), waits).toBe(0);
  await ann.getByRole('button', { name: 'Undo', exact: true }).click();
  await listed.first().waitFor(waits);
  expect((await stage.person(0).get(`/api/meetings/${meeting}/about`)).status).toBe(200);
  await ann.goto(`/meeting/${meeting}`);
  await segments(ann).first().waitFor(waits);
});

it('a reader is offered neither', async () => {
  const meeting = await stage.recording();
  await share(stage.house, meeting, stage.person(2), ['read']);
  const page = await stage.open(2, meeting);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).waitFor(waits);
  expect(await page.getByRole('button', { name: 'Replace transcript…' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Delete', exact: true }).count()).toBe(0);
});
