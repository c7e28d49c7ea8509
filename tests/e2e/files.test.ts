// Files beside a recording and on comments, as people add, open and delete them.
import { expect, it } from 'vitest';
import { bytesOf, expectAccessible } from '../support/browser.ts';
import { openPane, Stage, undoOf, waits } from '../support/document-page.ts';
import { pixel, wordFile } from '../support/files.ts';
import { share } from '../support/meetings.ts';

// Refused uploads are answers that this file wants.
const stage = new Stage(3);

const looks = [
  ['wide', 'light'],
  ['phone', 'dark'],
] as const;

it.each(looks)('an editor adds files, and deletes one with Undo: %s, %s', async (width, scheme) => {
  const meeting = await stage.recording();
  const page = await stage.open(0, meeting, { width, scheme });
  await openPane(page, 'Files');
  const pane = page.getByRole('complementary');
  await pane.getByText('No files yet').waitFor(waits);
  await expectAccessible(page);

  // The first attempt loses its connection; the next one is stored once.
  await page.route('**/attachment', (route) => route.abort(), { times: 1 });
  const choose = pane.locator('input[type=file]').first();
  await choose.setInputFiles({ name: 'Plan.png', mimeType: 'text/html', buffer: pixel });
  await pane.getByText('Couldn’t upload. Check your connection and try again.').waitFor(waits);
  await expectAccessible(page);
  await pane.getByRole('button', { name: 'Try Plan.png again' }).click();
  const plan = pane.getByRole('link', { name: 'Plan.png' });
  await plan.waitFor(waits);
  await expect.poll(() => pane.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth), waits).toBe(1);

  // Programs are refused, whatever their name; too large files are not even sent.
  await choose.setInputFiles([
    { name: 'photo.png', mimeType: 'image/png', buffer: Buffer.from('<svg onload="alert(1)"/>') },
    { name: 'Macros.docx', mimeType: '', buffer: await wordFile({ 'word/vbaProject.bin': 'x' }) },
    { name: 'Notes.docx', mimeType: '', buffer: await wordFile() },
  ]);
  // Made in the page, as a slow machine takes minutes to hand it over.
  await choose.evaluate((input: HTMLInputElement) => {
    const given = new DataTransfer();
    given.items.add(new File([new Uint8Array(25 * 1024 * 1024 + 1)], 'Film.pdf'));
    input.files = given.files;
    input.dispatchEvent(new Event('change', { bubbles: true }));
  });
  await pane.getByRole('link', { name: 'Notes.docx' }).waitFor(waits);
  await expect.poll(() => pane.getByText('This kind of file isn’t accepted.').count(), waits).toBe(2);
  await pane.getByText('Larger than 25 MB.').waitFor(waits);
  await expectAccessible(page);
  for (const name of ['photo.png', 'Macros.docx', 'Film.pdf'])
    await pane.getByRole('button', { name: `Remove ${name} from the list` }).click();

  const [file] = await Promise.all([page.waitForEvent('download', waits), plan.click()]);
  expect(file.suggestedFilename()).toBe('Plan.png');
  expect((await bytesOf(file)).equals(pixel)).toBe(true);

  await pane.getByRole('button', { name: 'Delete Plan.png' }).click();
  const undo = await undoOf(page);
  await plan.waitFor({ state: 'detached', ...waits });
  await undo.click();
  await plan.waitFor(waits);
  await expectAccessible(page);
});

it('files are dropped on the pane, and a reader sees them without a way to add any', async () => {
  const meeting = await stage.recording();
  await share(stage.house, meeting, stage.person(1), ['read']);
  const page = await stage.open(0, meeting);
  await openPane(page, 'Files');
  const pane = page.getByRole('complementary');
  await pane.getByText('No files yet').waitFor(waits);
  const dropped = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(['Monday'], 'Agenda.txt', { type: 'text/plain' }));
    return transfer;
  });
  const zone = pane.getByText('No files yet');
  await zone.dispatchEvent('dragover', { dataTransfer: dropped });
  await zone.dispatchEvent('drop', { dataTransfer: dropped });
  await pane.getByRole('link', { name: 'Agenda.txt' }).waitFor(waits);

  const reader = await stage.open(1, meeting);
  await openPane(reader, 'Files');
  await reader.getByRole('link', { name: 'Agenda.txt' }).waitFor(waits);
  expect(await reader.getByRole('button', { name: 'Add files' }).count()).toBe(0);
  expect(await reader.getByRole('button', { name: 'Delete Agenda.txt' }).count()).toBe(0);
});

it('the author of a comment attaches a file, which others see on it', async () => {
  const meeting = await stage.recording();
  const ann = stage.person(0);
  const comment = { start: 10, end: 14, text: 'The slides are here' };
  expect((await ann.post(`/api/meetings/${meeting}/comments`, comment)).status).toBe(200);
  const page = await stage.open(0, meeting);
  await openPane(page, 'Comments');
  const card = page.locator('[data-comment]').filter({ hasText: 'The slides are here' }).first();
  await card.waitFor(waits);
  await card.locator('input[type=file]').setInputFiles({ name: 'Slides.png', mimeType: 'image/png', buffer: pixel });
  await card.getByRole('link', { name: 'Slides.png' }).waitFor(waits);
  await expectAccessible(page);
  await card.getByRole('button', { name: /^Actions: comment of/ }).click();
  await page.getByRole('button', { name: 'Attach files' }).waitFor(waits);

  const other = await stage.open(1, meeting);
  await openPane(other, 'Files');
  await other.getByRole('heading', { name: 'On comments' }).waitFor(waits);
  await other.getByRole('link', { name: 'Slides.png' }).waitFor(waits);
  expect(await other.getByRole('button', { name: 'Delete Slides.png' }).count()).toBe(0);
});
