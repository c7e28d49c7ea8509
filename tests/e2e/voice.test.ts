import type { Locator, Page } from 'playwright-core';
import { expect, it, vi } from 'vitest';
import { findPrograms } from '#server/intake/ffmpeg.ts';
import { attachmentIdIn } from '#shared/attachments.ts';
import type { Comment, Outcome } from '#shared/meetings/items.ts';
import { roles } from '#shared/roles.ts';
import { expectAccessible } from '../support/browser.ts';
import { Stage, builtClient, caretBefore, cutLine, openDocument, sound, waits } from '../support/document-page.ts';
import { openHouse } from '../support/house.ts';
import { share } from '../support/meetings.ts';
import { makeRecording } from '../support/recording.ts';

// Voice comments and voice notes, with a browser whose microphone hears a tone each second.

vi.setConfig({ testTimeout: 300_000 });

const path = process.env['PATH'] ?? '';
const type = (await findPrograms(path)) ? 'audio/mpeg' : 'audio/webm';

/** Ann owns, Ben may comment. */
const stage = new Stage(2, cutLine, { env: { PATH: path }, args: ['--use-fake-device-for-media-stream'] });

async function recording(): Promise<string> {
  const meeting = await stage.recording();
  await share(stage.house, meeting, stage.person(1), [...roles.canComment]);
  return meeting;
}

/** Somebody at the recording, who lets the page hear them or does not. */
async function open(who: number, meeting: string, look = {}, microphone = true): Promise<Page> {
  const page = await stage.open(who, meeting, look);
  if (microphone) await page.context().grantPermissions(['microphone'], { origin: stage.person(who).origin });
  return page;
}

async function select(page: Page, words: string): Promise<void> {
  await caretBefore(page, words);
  await page.evaluate((length) => {
    const { anchorNode: node, anchorOffset: at } = getSelection() ?? {};
    if (node) getSelection()?.setBaseAndExtent(node, at ?? 0, node, (at ?? 0) + length);
  }, words.length);
  await expect.poll(() => page.evaluate(() => getSelection()?.toString())).toBe(words);
}

const pane = (page: Page) => page.locator('aside');
const button = (page: Page, name: string | RegExp) => pane(page).getByRole('button', { name, exact: true });
const entry = (page: Page, quote: string) => pane(page).locator('li').filter({ hasText: quote });
const voice = (within: Page | Locator) => within.locator('audio[data-voice]');

/** Speaks for a second or two, and is seen to. */
async function speak(page: Page): Promise<void> {
  await pane(page).getByRole('timer').waitFor(waits);
  await expect
    .poll(async () => Number(await pane(page).getByRole('meter').getAttribute('aria-valuenow')), waits)
    .toBeGreaterThan(10);
  await expect.poll(() => pane(page).getByRole('timer').textContent(), waits).not.toMatch(/^0:0[01]$/);
  await button(page, 'Stop').click();
  await pane(page).getByRole('group', { name: 'Your recording' }).waitFor(waits);
}

async function beginComment(page: Page, words: string): Promise<void> {
  await select(page, words);
  await page.keyboard.press('Alt+m');
  await button(page, 'Record your voice').click();
}

/** It is there, it is as long as what was spoken, and it is heard. */
async function listen(where: Locator): Promise<void> {
  await voice(where).waitFor({ state: 'attached', ...waits });
  const length = () => voice(where).evaluate((element: HTMLAudioElement) => element.duration);
  await expect.poll(length, waits).toBeGreaterThan(1);
  expect(await length()).toBeLessThan(60);
  await where.getByRole('button', { name: /^Play:/ }).click();
  await expect
    .poll(() => voice(where).evaluate((element: HTMLAudioElement) => element.currentTime), waits)
    .toBeGreaterThan(0);
}

async function taken(page: Page): Promise<void> {
  await expect.poll(() => page.getByLabel('On its way to the server').count(), waits).toBe(0);
}

async function itemsOf(who: number, meeting: string): Promise<{ comments: Comment[]; outcomes: Outcome[] }> {
  return (await stage.person(who).get(`/api/meetings/${meeting}`)).body.doc;
}

it('a voice comment: seen while it is recorded, heard before it is sent, and by whoever reads it', async () => {
  const meeting = await recording();
  const [ann, ben] = await Promise.all([open(0, meeting), open(1, meeting)]);
  await beginComment(ann, 'I open my calender');
  await speak(ann);
  await expectAccessible(ann);
  await listen(pane(ann).getByRole('group', { name: 'Your recording' }));
  await button(ann, 'Comment').click();
  await listen(entry(ann, 'I open my calender'));
  await taken(ann);
  const [comment] = (await itemsOf(1, meeting)).comments;
  expect(comment).toMatchObject({ text: '', private: false });
  expect(attachmentIdIn(comment?.url ?? '', meeting)).not.toBeNull();
  expect((await stage.person(1).get(comment?.url ?? '')).headers.get('content-type')).toBe(type);

  // The recording goes on until somebody is listened to.
  await ben.getByRole('button', { name: /^Comments/ }).click();
  await entry(ben, 'I open my calender').waitFor(waits);
  await ben.locator('.ProseMirror').focus();
  await ben.keyboard.press('Alt+k');
  await expect.poll(async () => (await sound(ben)).playing, waits).toBe(true);
  await listen(entry(ben, 'I open my calender'));
  expect((await sound(ben)).playing).toBe(false);
  await expectAccessible(ben);
});

it('a private voice note: by one key, for its author alone until it is revealed', async () => {
  const meeting = await recording();
  const [ann, ben] = await Promise.all([open(0, meeting), open(1, meeting)]);
  await ann.getByRole('button', { name: /^Outcomes/ }).click();
  await button(ann, 'Speak a note').waitFor(waits);
  await select(ben, 'I open my calender');
  await ben.keyboard.press('Alt+v');
  await speak(ben);
  await pane(ben).getByText('Only for me').click();
  await button(ben, 'Add').click();
  await listen(entry(ben, 'I open my calender'));
  await taken(ben);
  const [note] = (await itemsOf(1, meeting)).outcomes;
  expect(note).toMatchObject({ type: 'vNotes', private: true });
  const heardBy = async () => {
    const answers = await Promise.all([stage.person(1), stage.person(0)].map((one) => one.get(note?.url ?? '')));
    return answers.map(({ status }) => status);
  };
  expect(await heardBy()).toEqual([200, 404]);
  expect((await itemsOf(0, meeting)).outcomes).toEqual([]);
  expect(await entry(ann, 'I open my calender').count()).toBe(0);

  await entry(ben, 'I open my calender')
    .getByRole('button', { name: /^Actions/ })
    .click();
  await ben.getByRole('button', { name: 'Show to everybody', exact: true }).click();
  await listen(entry(ann, 'I open my calender'));
  expect(await heardBy()).toEqual([200, 200]);
  await expectAccessible(ann);
});

it('a sound that does not arrive is kept, over a reload as well, and sent again', async () => {
  const meeting = await recording();
  const ann = await open(0, meeting);
  const way = '**/api/meetings/*/attachment';
  const busy = { status: 503, contentType: 'application/problem+json', body: '{"code":"UNAVAILABLE"}' };
  await ann.context().route(way, (route) => route.fulfill(busy));
  await beginComment(ann, 'I open my calender');
  await speak(ann);
  await button(ann, 'Comment').click();
  await ann.getByText('Attachment uploading error').waitFor(waits);
  await listen(entry(ann, 'I open my calender'));
  expect((await itemsOf(0, meeting)).comments).toEqual([]);

  ann.once('dialog', (dialog) => void dialog.accept());
  await ann.reload();
  await ann.getByRole('button', { name: /^Comments/ }).click();
  await listen(entry(ann, 'I open my calender'));
  expect((await itemsOf(0, meeting)).comments).toEqual([]);
  await ann.getByText('Attachment uploading error').waitFor(waits);
  await ann.context().unroute(way);
  await ann.getByRole('button', { name: 'Try now' }).click();
  await taken(ann);
  await expect.poll(async () => (await itemsOf(0, meeting)).comments.length, waits).toBe(1);
  await listen(entry(ann, 'I open my calender'));
});

it('a sound that is refused stays on the screen, and goes with another try', async () => {
  const meeting = await recording();
  const ann = await open(0, meeting);
  const way = '**/api/meetings/*/attachment';
  const refusal = { status: 415, contentType: 'application/problem+json', body: '{"code":"TYPE"}' };
  await ann.context().route(way, (route) => route.fulfill(refusal));
  await select(ann, 'I open my calender');
  await ann.keyboard.press('Alt+v');
  await speak(ann);
  await button(ann, 'Add').click();
  await ann.getByText("Can't add voice note: Attachment uploading error").waitFor(waits);
  const lost = pane(ann).getByRole('group', { name: "Can't add voice note" });
  await listen(lost.getByRole('group'));
  await expectAccessible(ann);
  await ann.context().unroute(way);
  await lost.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(async () => (await itemsOf(0, meeting)).outcomes.length, waits).toBe(1);
  await listen(entry(ann, 'I open my calender'));
  expect(await lost.count()).toBe(0);
});

it('whoever keeps the microphone shut is told so, and writes all the same; a recording is thrown away by Escape', async () => {
  const meeting = await recording();
  const ann = await open(0, meeting, { width: 'phone', scheme: 'dark' }, false);
  await ann.context().clearPermissions();
  await beginComment(ann, 'I open my calender');
  await pane(ann)
    .getByRole('alert')
    .filter({ hasText: /microphone/i })
    .waitFor(waits);
  await expectAccessible(ann);
  await ann.context().grantPermissions(['microphone'], { origin: stage.person(0).origin });
  await button(ann, 'Try again').click();
  await pane(ann).getByRole('timer').waitFor(waits);
  await expectAccessible(ann);
  await ann.keyboard.press('Escape');
  await button(ann, 'Record your voice').waitFor(waits);
  expect(await voice(ann).count()).toBe(0);
  expect((await itemsOf(0, meeting)).comments).toEqual([]);
});

it('a house without ffmpeg keeps what the browser recorded, and it is heard as long as it is', async () => {
  const plain = await openHouse({ client: builtClient, env: { PATH: '' } });
  try {
    const [ann] = await plain.people(1);
    if (!ann) throw new Error('nobody there');
    const meeting = await makeRecording(plain, ann);
    const page = await openDocument(stage.desk, ann, meeting);
    await page.context().grantPermissions(['microphone'], { origin: ann.origin });
    await beginComment(page, 'I open my calender');
    await speak(page);
    await button(page, 'Comment').click();
    await taken(page);
    const [comment] = (await ann.get(`/api/meetings/${meeting}`)).body.doc.comments as Comment[];
    expect((await ann.get(comment?.url ?? '')).headers.get('content-type')).toBe('audio/webm');
    await page.reload();
    await page.getByRole('button', { name: /^Comments/ }).click();
    await listen(entry(page, 'I open my calender'));
    await page.context().close();
  } finally {
    await plain.close();
  }
});
