// Voice comments and voice notes, with a browser whose microphone plays a tone each second.
import type { Locator, Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { findPrograms } from '#server/media/ffmpeg.ts';
import { attachmentIdIn } from '#shared/attachments.ts';
import type { Comment, Outcome } from '#shared/meetings/annotations.ts';
import { roles } from '#shared/roles.ts';
import { agree, expectAccessible, noMicrophone } from '../support/browser.ts';
import { cutLine, openDocument, select, sound, Stage, waits } from '../support/document-page.ts';
import { builtClient } from '../support/house.ts';
import { share } from '../support/meetings.ts';
import { makeRecording } from '../support/recording.ts';
import { askFor, seenBy, setStatus } from '../support/reviews.ts';

beforeEach(({ skip }) => skip(noMicrophone !== undefined, noMicrophone));

const path = process.env['PATH'] ?? '';
const type = (await findPrograms(path)) ? 'audio/mpeg' : 'audio/webm';

/** Ann owns, Ben may comment. */
const stage = new Stage(2, { expected: cutLine, records: true, env: { PATH: path } });

async function recording(): Promise<string> {
  const meeting = await stage.recording();
  await share(stage.house, meeting, stage.person(1), [...roles.canComment]);
  return meeting;
}

/** Opens the recording for a person who allows the microphone, or does not. */
async function open(who: number, meeting: string, look = {}, microphone = true): Promise<Page> {
  const page = await stage.open(who, meeting, look);
  if (microphone) await page.context().grantPermissions(['microphone'], { origin: stage.person(who).origin });
  return page;
}

const pane = (page: Page) => page.locator('aside');
const button = (page: Page, name: string | RegExp) => pane(page).getByRole('button', { name, exact: true });
const entry = (page: Page, quote: string) => pane(page).locator('li').filter({ hasText: quote });
const field = (page: Page) => page.getByRole('textbox', { name: /^Write/ });
const voice = (within: Page | Locator) => within.locator('audio[data-voice]');

/** Records for a second or two, until that is visible. */
async function speaking(page: Page): Promise<void> {
  await pane(page).getByRole('timer').waitFor(waits);
  await expect
    .poll(async () => Number(await pane(page).getByRole('meter').getAttribute('aria-valuenow')), waits)
    .toBeGreaterThan(10);
  await expect.poll(() => pane(page).getByRole('timer').textContent(), waits).not.toMatch(/^0:0[01]$/);
}

const own = (page: Page) => pane(page).getByRole('group', { name: 'Your recording' });

async function speak(page: Page): Promise<void> {
  await speaking(page);
  await button(page, 'Stop').click();
  await own(page).waitFor(waits);
}

const heading = (page: Page, name: string) => page.locator('[data-rail]').getByRole('button', { name });

/** Whether closing the page now is confirmed first. */
const asks = (page: Page) =>
  page.evaluate(() => !window.dispatchEvent(new Event('beforeunload', { cancelable: true })));

/** Shortcuts work only once the annotations have loaded, a moment after the text. */
async function press(page: Page, key: string, then: Locator): Promise<void> {
  await expect
    .poll(async () => {
      await page.keyboard.press(key);
      return then.count();
    }, waits)
    .toBeGreaterThan(0);
}

async function beginComment(page: Page, words: string): Promise<void> {
  await select(page, words);
  await press(page, 'Alt+m', field(page));
  await button(page, 'Record your voice').click();
}

async function beginNote(page: Page, words: string): Promise<void> {
  await select(page, words);
  await press(page, 'Alt+v', button(page, 'Cancel'));
}

/** Checks that the voice note has arrived, is as long as the recording, and plays. */
async function listen(where: Locator): Promise<void> {
  await voice(where).waitFor({ state: 'attached', ...waits });
  const length = () => voice(where).evaluate((element: HTMLAudioElement) => element.duration);
  await expect.poll(length, waits).toBeGreaterThan(1);
  expect(await length()).toBeLessThan(60);
  await where.getByRole('button', { name: /^Play:/ }).click();
  await expect
    .poll(() => voice(where).evaluate((element: HTMLAudioElement) => element.played.length), waits)
    .toBeGreaterThan(0);
}

async function taken(page: Page): Promise<void> {
  await expect.poll(() => page.getByLabel('Sending…').count(), waits).toBe(0);
}

async function itemsOf(who: number, meeting: string): Promise<{ comments: Comment[]; outcomes: Outcome[] }> {
  return (await stage.person(who).get(`/api/meetings/${meeting}`)).body.doc;
}

it('a voice comment: visible while it is recorded, played before it is sent, and played by its readers', async () => {
  const meeting = await recording();
  const [ann, ben] = await Promise.all([open(0, meeting), open(1, meeting)]);
  await beginComment(ann, 'I open my calender');
  await speak(ann);
  await expectAccessible(ann);
  await listen(pane(ann).getByRole('group', { name: 'Your recording' }));
  await button(ann, 'Comment').click();
  await taken(ann);
  await listen(entry(ann, 'I open my calender'));
  const [comment] = (await itemsOf(1, meeting)).comments;
  expect(comment).toMatchObject({ text: '', private: false });
  expect(attachmentIdIn(comment?.url ?? '', meeting)).not.toBeNull();
  expect((await stage.person(1).get(comment?.url ?? '')).headers.get('content-type')).toBe(type);

  // The sound of the recording plays until a voice comment is played.
  await ben.getByRole('button', { name: /^Comments/ }).click();
  await entry(ben, 'I open my calender').waitFor(waits);
  await ben.locator('.ProseMirror').focus();
  await ben.keyboard.press('Alt+k');
  await expect.poll(async () => (await sound(ben)).playing, waits).toBe(true);
  await listen(entry(ben, 'I open my calender'));
  expect((await sound(ben)).playing).toBe(false);
  await expectAccessible(ben);
});

it('a private voice note: by one shortcut, for its author alone until it is published', async () => {
  const meeting = await recording();
  const [ann, ben] = await Promise.all([open(0, meeting), open(1, meeting)]);
  await ann.getByRole('button', { name: /^Outcomes/ }).click();
  await button(ann, 'Record a voice note').waitFor(waits);
  await beginNote(ben, 'I open my calender');
  await speak(ben);
  await pane(ben).getByText('Only me').click();
  await button(ben, 'Add').click();
  await taken(ben);
  await listen(entry(ben, 'I open my calender'));
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
  await ben.getByRole('button', { name: 'Publish', exact: true }).click();
  await listen(entry(ann, 'I open my calender'));
  expect(await heardBy()).toEqual([200, 200]);
  await expectAccessible(ann);
});

it('a voice note in an assessment: recorded there, heard by those who read it, and in the report', async () => {
  const [ann, ben] = [stage.person(0), stage.person(1)];
  const meeting = await stage.recording();
  const review = await askFor(ann, meeting, { roles: [[ben, 'required']], outcomeModel: 'coaching' });
  const page = await stage.desk.seat(ben);
  await page.context().grantPermissions(['microphone'], { origin: ben.origin });
  await page.goto(`/meeting/${meeting}/peer/${review.id}`);
  await button(page, 'Record a voice note').waitFor(waits);
  await beginNote(page, 'I open my calender');
  await speak(page);
  // Nothing in an assessment is for its author alone.
  expect(await pane(page).getByLabel('Only me').count()).toBe(0);
  await expectAccessible(page);
  await button(page, 'Add').click();
  await taken(page);
  await listen(pane(page).getByRole('listitem', { name: 'Voice notes', exact: true }));

  const { cloneId } = await seenBy(ben, review);
  const [note] = (await ben.get(`/api/meetings/${cloneId}`)).body.doc.outcomes;
  expect(attachmentIdIn(note.url, cloneId ?? '')).not.toBeNull();
  expect((await ann.get(note.url)).status).toBe(403);
  await setStatus(ben, review, 'complete');
  const report = await stage.desk.seat(ann);
  await report.goto(`/meeting/${meeting}/peer/${review.id}/report`);
  const sounds = report.locator('audio[src]');
  await sounds.first().waitFor({ state: 'attached', ...waits });
  expect(await sounds.evaluateAll((all) => all.map((one) => one.getAttribute('src')))).toEqual([note.url]);
  await sounds.evaluate((element: HTMLAudioElement) => void element.play());
  await expect
    .poll(() => sounds.evaluate((element: HTMLAudioElement) => element.played.length), waits)
    .toBeGreaterThan(0);
});

it('sound that fails to upload is kept, even over a reload, and sent again', async () => {
  const meeting = await recording();
  const ann = await open(0, meeting);
  const way = '**/api/meetings/*/attachment';
  const busy = { status: 503, contentType: 'application/problem+json', body: '{"code":"UNAVAILABLE"}' };
  const ids: (string | undefined)[] = [];
  await ann.context().route(way, (route) => {
    ids.push(route.request().headers()['x-request-id']);
    return route.fulfill(busy);
  });
  await beginComment(ann, 'I open my calender');
  await speak(ann);
  await button(ann, 'Comment').click();
  await ann.getByText('Attachment uploading error').waitFor(waits);
  await listen(entry(ann, 'I open my calender'));
  expect((await itemsOf(0, meeting)).comments).toEqual([]);

  ann.once('dialog', agree);
  await ann.reload();
  await ann.getByRole('button', { name: /^Comments/ }).click();
  await listen(entry(ann, 'I open my calender'));
  expect((await itemsOf(0, meeting)).comments).toEqual([]);
  await ann.getByText('Attachment uploading error').waitFor(waits);
  // Each attempt is the same request, even after the page was reloaded.
  expect(ids.length).toBeGreaterThan(1);
  expect([...new Set(ids)]).toEqual([expect.stringMatching(/^[A-Za-z0-9-]{8,64}$/)]);
  // Annotations without sound are not held back by it.
  await select(ann, 'always busy');
  await ann.keyboard.press('Alt+m');
  await field(ann).fill('Decline');
  await button(ann, 'Comment').click();
  await expect.poll(async () => (await itemsOf(0, meeting)).comments.length, waits).toBe(1);
  await ann.context().unroute(way);
  await ann.getByRole('button', { name: 'Try now' }).click();
  await taken(ann);
  await expect.poll(async () => (await itemsOf(0, meeting)).comments.length, waits).toBe(2);
  await listen(entry(ann, 'I open my calender'));
});

it('text typed with a refused sound is shown with it, and can be copied', async () => {
  const meeting = await recording();
  const ann = await open(0, meeting);
  const refusal = { status: 415, contentType: 'application/problem+json', body: '{"code":"TYPE"}' };
  await ann.context().route('**/api/meetings/*/attachment', (route) => route.fulfill(refusal));
  await beginComment(ann, 'I open my calender');
  await speak(ann);
  await field(ann).fill('And this');
  await button(ann, 'Comment').click();
  await ann.getByRole('button', { name: 'Copy text' }).waitFor(waits);
  await pane(ann).getByRole('group', { name: "Can't add voice comment" }).getByText('And this').waitFor(waits);
});

it('a recording in progress is kept when its field disappears, and is sent with the typed text', async () => {
  const meeting = await recording();
  const ann = await open(0, meeting);
  await beginComment(ann, 'I open my calender');
  await field(ann).fill('And this');
  await speaking(ann);
  expect(await button(ann, 'Comment').isDisabled()).toBe(true);
  expect(await asks(ann)).toBe(true);
  await field(ann).press('Control+Enter');
  await heading(ann, 'Outcomes').click();
  await button(ann, 'Record a voice note').waitFor(waits);
  await heading(ann, 'Comments').click();
  await own(ann).waitFor(waits);
  await button(ann, 'Comment').click();
  await taken(ann);
  const { comments } = await itemsOf(0, meeting);
  expect(comments).toMatchObject([{ url: expect.any(String), text: expect.stringContaining('And this') }]);
  expect(await asks(ann)).toBe(false);
});

it('a voice note stays with the words it was recorded for, whatever is pressed or opened', async () => {
  const meeting = await recording();
  const ann = await open(0, meeting);
  await beginNote(ann, 'I open my calender');
  await speaking(ann);
  await select(ann, 'always busy');
  await ann.keyboard.press('Alt+v');
  await pane(ann).getByRole('timer').waitFor(waits);
  await ann.keyboard.press('Alt+o');
  await pane(ann)
    .getByRole('timer')
    .waitFor({ state: 'detached', ...waits });
  await button(ann, 'Cancel').click();
  await own(ann).waitFor(waits);

  await ann.getByRole('link', { name: 'Library' }).click();
  await expect.poll(() => new URL(ann.url()).pathname, waits).not.toContain(meeting);
  await expect.poll(() => ann.locator('.ProseMirror').count(), waits).toBe(0);
  expect(await asks(ann)).toBe(true);
  await ann.goBack();
  await ann.locator('.ProseMirror > *').first().waitFor(waits);
  await select(ann, 'always busy');
  await press(ann, 'Alt+v', own(ann));
  await button(ann, 'Add').click();
  await taken(ann);
  expect((await itemsOf(0, meeting)).outcomes).toMatchObject([{ quote: 'I open my calender' }]);
  expect(await asks(ann)).toBe(false);
});

it('a refused sound stays on the screen, and is sent at another try', async () => {
  const meeting = await recording();
  const ann = await open(0, meeting);
  const way = '**/api/meetings/*/attachment';
  const refusal = { status: 415, contentType: 'application/problem+json', body: '{"code":"TYPE"}' };
  await ann.context().route(way, (route) => route.fulfill(refusal));
  await beginNote(ann, 'I open my calender');
  await speak(ann);
  await button(ann, 'Add').click();
  await ann.getByText("Can't add voice note: Attachment uploading error").waitFor(waits);
  const lost = pane(ann).getByRole('group', { name: "Can't add voice note" });
  await listen(lost.getByRole('group'));
  await expectAccessible(ann);
  await ann.context().unroute(way);
  await lost.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(async () => (await itemsOf(0, meeting)).outcomes.length, waits).toBe(1);
  await taken(ann);
  await listen(entry(ann, 'I open my calender'));
  expect(await lost.count()).toBe(0);
});

it('a person who denies the microphone is told so, and can still type; Escape ends a recording and keeps it', async () => {
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
  await speaking(ann);
  await ann.keyboard.press('Escape');
  await own(ann).waitFor(waits);
  await button(ann, 'Discard the recording').click();
  await button(ann, 'Record your voice').waitFor(waits);
  expect(await voice(ann).count()).toBe(0);
  expect((await itemsOf(0, meeting)).comments).toEqual([]);
});

it('a house without ffmpeg keeps what the browser recorded, and it plays at full length', async () => {
  const plain = await stage.desk.openHouse({ client: builtClient, env: { PATH: '' } });
  const ann = await plain.person();
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
});

it('a recorded reply survives the deletion of its comment, sent or unsent', async () => {
  const meeting = await recording();
  const ann = stage.person(0);
  const start = 1;
  const said = async (text: string): Promise<string> => {
    const { body } = await ann.post(`/api/meetings/${meeting}/comments`, { start, end: start + 1, text });
    return body.comment.id as string;
  };
  const [first, second] = [await said('First'), await said('Second')];
  const ben = await open(1, meeting);
  await heading(ben, 'Comments').click();
  const answer = async (text: string) => {
    await entry(ben, text).getByRole('button', { name: 'Reply', exact: true }).click();
    await entry(ben, text).getByRole('button', { name: 'Record your voice', exact: true }).click();
    await speak(ben);
  };
  await answer('First');
  await ann.delete(`/api/meetings/${meeting}/comments/${first}`);
  const gone = pane(ben).getByRole('group', { name: 'The comment you replied to was deleted' });
  await gone.waitFor(waits);
  await expectAccessible(ben);
  await listen(gone.getByRole('group'));
  expect(await asks(ben)).toBe(true);
  await gone.getByRole('button', { name: 'Add', exact: true }).click();
  await expect.poll(async () => (await itemsOf(1, meeting)).comments.length, waits).toBe(2);
  await taken(ben);
  expect(await gone.count()).toBe(0);
  expect(await asks(ben)).toBe(false);

  const way = /\/api\/meetings\/[^/]+\/(comments|attachment)/;
  await ben.context().route(way, (route) => route.abort('internetdisconnected'));
  await answer('Second');
  await entry(ben, 'Second').getByRole('button', { name: 'Reply', exact: true }).click();
  await ann.delete(`/api/meetings/${meeting}/comments/${second}`);
  await ben.context().unroute(way);
  const refused = pane(ben).getByRole('group', { name: "Can't add voice comment" });
  await refused.waitFor(waits);
  await refused.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(async () => (await itemsOf(1, meeting)).comments.length, waits).toBe(2);
  await taken(ben);
  expect(await refused.count()).toBe(0);
  const { comments } = await itemsOf(1, meeting);
  expect(comments.map(({ parent, url, start: at }) => [parent, url !== null, at])).toEqual([
    [null, true, start],
    [null, true, start],
  ]);
});

it('an unsent voice note can be played after access has ended, and is saved or discarded', async () => {
  const meeting = await recording();
  const ben = await open(1, meeting);
  await ben.context().route(/\/api\/meetings\/[^/]+\/attachment/, (route) => route.abort('internetdisconnected'));
  await beginComment(ben, 'I open my calender');
  await speak(ben);
  await button(ben, 'Comment').click();
  await entry(ben, 'I open my calender').waitFor(waits);
  await share(stage.house, meeting, stage.person(1), []);
  ben.on('dialog', agree);
  await ben.reload();
  const sound = ben.getByLabel('Your voice note');
  await sound.waitFor(waits);
  const length = () => sound.evaluate((element: HTMLAudioElement) => element.readyState);
  await expect.poll(length, waits).toBeGreaterThan(0);
  const [file] = await Promise.all([
    ben.waitForEvent('download', waits),
    ben.getByRole('button', { name: 'Download' }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^colloquy\.\w+$/);
  await expectAccessible(ben);
  await ben.getByRole('button', { name: 'I’ve copied it' }).click();
  await expect.poll(() => sound.count(), waits).toBe(0);
  await ben.reload();
  await ben.getByText('it isn’t shared with you').waitFor(waits);
  expect(await sound.count()).toBe(0);
});

it('recording a reply continues when the words of its comment are deleted', async () => {
  const meeting = await recording();
  const [ann, ben] = await Promise.all([open(0, meeting), open(1, meeting)]);
  await select(ann, 'Better than I expected');
  await press(ann, 'Alt+m', field(ann));
  await field(ann).fill('First');
  await button(ann, 'Comment').click();
  await heading(ben, 'Comments').click();
  const talk = entry(ben, 'First');
  await talk.getByRole('button', { name: 'Reply', exact: true }).click();
  await talk.getByRole('button', { name: 'Record your voice', exact: true }).click();
  await speaking(ben);
  await button(ben, 'Comment on the selected words').focus();
  await select(ann, 'Better than I expected');
  await ann.keyboard.type('Well');
  await pane(ben).getByRole('heading', { name: '1 on words that have changed' }).waitFor(waits);
  expect(await own(ben).count()).toBe(0);
  await speak(ben);
  await talk.getByRole('button', { name: 'Reply', exact: true }).click();
  await taken(ben);
  await expect.poll(async () => (await itemsOf(1, meeting)).comments.length, waits).toBe(2);
});

it('a person who loses access is shown what they had begun, and can save or discard it', async () => {
  const meeting = await recording();
  const ben = await open(1, meeting);
  await beginComment(ben, 'I open my calender');
  await field(ben).fill('Not sent yet');
  await speaking(ben);
  await share(stage.house, meeting, stage.person(1), []);
  const words = ben.getByRole('textbox', { name: 'Your comments and outcomes' });
  await words.waitFor(waits);
  expect(await words.inputValue()).toBe('Not sent yet');
  const sound = ben.getByLabel('Your voice note');
  await sound.waitFor(waits);
  await expect.poll(() => sound.evaluate((element: HTMLAudioElement) => element.readyState), waits).toBeGreaterThan(0);
  await expectAccessible(ben);
  expect(await asks(ben)).toBe(true);
  await ben.getByRole('button', { name: 'I’ve copied it' }).click();
  await words.waitFor({ state: 'detached' });
  expect(await sound.count()).toBe(0);
  expect(await asks(ben)).toBe(false);
});
