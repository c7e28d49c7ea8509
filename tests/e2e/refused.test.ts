// Texts beside the transcript that the server refused, or whose page was closed.
import type { BrowserContext, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { newId } from '#shared/ids.ts';
import { roles } from '#shared/roles.ts';
import { databaseOf } from '#sync/client/stored-copies.ts';
import { expectAccessible } from '../support/browser.ts';
import { cutLine, openPane, Stage, waits } from '../support/document-page.ts';
import { makeGroup } from '../support/groups.ts';
import { share } from '../support/meetings.ts';

/** Ann owns, Ben may comment. */
const stage = new Stage(2, { expected: cutLine });

async function recording(): Promise<string> {
  const meeting = await stage.recording();
  await share(stage.house, meeting, stage.person(1), [...roles.canComment]);
  return meeting;
}

async function made(who: number, path: string, body: object): Promise<void> {
  const { status, text } = await stage.person(who).post(`/api/meetings/${path}`, body);
  expect(status, text).toBe(200);
}

async function said(meeting: string): Promise<{ comments: string[]; notes: string[] }> {
  const { doc } = (await stage.person(0).get(`/api/meetings/${meeting}`)).body;
  const texts = (list: { text: string }[]) => list.map(({ text }) => text);
  return { comments: texts(doc.comments), notes: texts(doc.outcomes) };
}

/** Aborts requests that write; sockets and all others get through. */
async function shut(context: BrowserContext): Promise<() => Promise<void>> {
  const way = /\/api\/meetings\/[^/]+\/(comments|outcomes)/;
  await context.route(way, (route) => route.abort('internetdisconnected'));
  return () => context.unroute(way);
}

/** Keeps this browser's store of commands busy, so that nothing is stored or removed meanwhile; resolves with how to end it. */
async function holdCommands(page: Page, userId: string): Promise<() => Promise<void>> {
  await page.evaluate(
    (name) =>
      new Promise<void>((resolve) => {
        const opening = indexedDB.open(name);
        opening.addEventListener('success', () => {
          const { result } = opening;
          const commands = result.transaction('commands', 'readwrite').objectStore('commands');
          // A transaction stays open while it has requests.
          const ask = () => {
            if ('released' in window) return result.close();
            commands.count().addEventListener('success', ask);
            resolve();
          };
          ask();
        });
      }),
    databaseOf(userId),
  );
  return () => page.evaluate(() => void Object.assign(window, { released: true }));
}

const lost = (page: Page) => page.getByRole('group', { name: 'Couldn’t add your comment.' });
const note = (page: Page) => page.getByRole('textbox', { name: 'Note', exact: true });

/** Opens the pane with an outcome that is being edited. */
async function atOutcome(meeting: string, { anew = false } = {}): Promise<Page> {
  const page = await stage.open(0, meeting);
  // A page of an earlier test may know the teams of that time.
  if (anew) await page.reload();
  await page.getByRole('button', { name: /^Outcomes/ }).click();
  await page.getByRole('button', { name: /^Decision/ }).click();
  await note(page).waitFor(waits);
  return page;
}

it('replies to deleted comments are shown in the pane, even after a reload, until each is sent again or discarded', async () => {
  const meeting = await recording();
  const talk = newId();
  await made(0, `${meeting}/comments`, { id: talk, start: 10, end: 14, text: 'Is this so?' });
  const ben = await stage.open(1, meeting);
  await ben.getByRole('button', { name: /^Comments/ }).click();
  const began = ben.locator('aside li').filter({ hasText: 'Is this so?' });
  await began.waitFor(waits);
  const opened = await shut(ben.context());
  for (const text of ['It is', 'It was']) {
    await began.getByRole('button', { name: 'Reply' }).click();
    await ben.getByRole('textbox', { name: /^Write/ }).fill(text);
    await ben.keyboard.press('Control+Enter');
    await began.getByText(text, { exact: true }).waitFor(waits);
  }
  expect((await stage.person(0).delete(`/api/meetings/${meeting}/comments/${talk}`)).status).toBe(204);
  await opened();
  await expect.poll(() => lost(ben).count(), waits).toBe(2);
  await expectAccessible(ben);
  await ben.reload();
  await openPane(ben, 'Comments');
  await expect.poll(() => lost(ben).count(), waits).toBe(2);
  expect((await said(meeting)).comments).toEqual([]);

  const of = (text: string) => lost(ben).filter({ hasText: text });
  await of('It is').getByRole('button', { name: 'Try again' }).click();
  await expect.poll(async () => (await said(meeting)).comments.length, waits).toBe(1);
  // The discarded reply is shown until the browser has removed it: a reload must not bring it back.
  const release = await holdCommands(ben, stage.person(1).id);
  const discard = of('It was').getByRole('button', { name: 'Discard' });
  await discard.click();
  await discard.and(ben.locator('[aria-busy]')).waitFor(waits);
  await release();
  await expect.poll(() => lost(ben).count(), waits).toBe(0);
  await ben.reload();
  await openPane(ben, 'Comments');
  await ben.locator('[data-comment]').getByText('It is').waitFor(waits);
  expect(await lost(ben).count()).toBe(0);
});

it('the note of an outcome survives a reload in the middle of a word, and leaving the page by a shortcut', async () => {
  const meeting = await recording();
  await made(0, `${meeting}/outcomes`, { outcome: { type: 'decisions', start: 10, end: 14 } });
  const ann = await atOutcome(meeting);
  await note(ann).pressSequentially('We meet on Fri');
  await ann.reload();
  await expect.poll(async () => (await said(meeting)).notes, waits).toEqual(['We meet on Fri']);
  await openPane(ann, 'Outcomes');
  await ann.getByRole('button', { name: /^Decision/ }).click();
  await expect.poll(() => note(ann).inputValue(), waits).toBe('We meet on Fri');
  await note(ann).press('Control+End');
  await note(ann).pressSequentially('day');
  // Clicks without leaving the field first, as a shortcut does.
  await ann.getByRole('link', { name: 'Library' }).evaluate((link: HTMLElement) => link.click());
  await expect.poll(async () => (await said(meeting)).notes, waits).toEqual(['We meet on Friday']);
});

it('what was typed last is saved before the page reloads in another scope', async () => {
  const team = await makeGroup(stage.person(0), [], 'Interviews of the autumn', { type: 'team' });
  const meeting = await recording();
  await made(0, `${meeting}/outcomes`, { outcome: { type: 'decisions', start: 10, end: 14 } });
  const ann = await atOutcome(meeting, { anew: true });
  const order: string[] = [];
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await ann.route(/\/outcomes\/[^/]+\/update$/, async (route) => {
    await held;
    const answer = await route.fetch();
    order.push('saved');
    await route.fulfill({ response: answer });
  });
  ann.on('request', (request) => {
    if (request.url().endsWith('/api/principals/change')) order.push('scope');
  });
  const sent = ann.waitForRequest(/\/outcomes\/[^/]+\/update$/, waits);
  await note(ann).pressSequentially('We meet on Fri');
  await ann.getByRole('button', { name: /^Account of/ }).click();
  await ann.getByRole('button', { name: 'Interviews of the autumn - Admin' }).click();
  await sent;
  // A request that had not waited would be there by now.
  await ann.evaluate(() => fetch('/healthz').then(({ status }) => status));
  expect(order).toEqual([]);
  release();
  const scope = async () => (await stage.person(0).whoami()).body.principal.scope?.scope_id;
  await expect.poll(scope, waits).toBe(team);
  expect(order.at(-1)).toBe('scope');
  expect(order).toContain('saved');
  expect((await said(meeting)).notes).toEqual(['We meet on Fri']);
  await ann.unroute(/\/outcomes\/[^/]+\/update$/);
  const back = { scope: { scope_id: 'personal', role_id: 'owner' } };
  expect((await stage.person(0).post('/api/principals/change', back)).status).toBe(200);
});

it('a note is seen by others in the pauses of typing', async () => {
  const meeting = await recording();
  await made(0, `${meeting}/outcomes`, { outcome: { type: 'decisions', start: 10, end: 14 } });
  const ann = await atOutcome(meeting);
  await note(ann).pressSequentially('We meet ');
  await expect.poll(async () => (await said(meeting)).notes, waits).toEqual(['We meet']);
  await note(ann).pressSequentially('on Friday');
  expect(await note(ann).inputValue()).toBe('We meet on Friday');
  await expect.poll(async () => (await said(meeting)).notes, waits).toEqual(['We meet on Friday']);
});

it('undoing a change of type after leaving the recording is reported as too late', async () => {
  const meeting = await recording();
  await made(0, `${meeting}/outcomes`, { outcome: { type: 'decisions', start: 10, end: 14 } });
  const ann = await atOutcome(meeting);
  await ann.getByRole('button', { name: /^Actions: Decision/ }).click();
  await ann.getByRole('button', { name: 'Change type' }).click();
  await ann.getByRole('combobox', { name: 'Outcome type' }).waitFor(waits);
  await ann.keyboard.type('p');
  await ann.getByText('Type changed to Problem').waitFor(waits);
  const undo = ann.getByRole('status').getByRole('button', { name: 'Undo' });
  // The notice stays while the pointer is on it.
  await undo.hover();
  await ann.getByRole('link', { name: 'Library' }).evaluate((link: HTMLElement) => link.click());
  await expect.poll(() => ann.locator('.ProseMirror').count(), waits).toBe(0);
  const type = async () => (await stage.person(0).get(`/api/meetings/${meeting}`)).body.doc.outcomes[0].type;
  await expect.poll(type, waits).toBe('problems');
  await undo.click();
  await ann.getByText('You can’t undo this here any more').waitFor(waits);
});

it('undoing the deletion of a summary point after leaving is reported as too late', async () => {
  const meeting = await recording();
  const ann = await stage.open(0, meeting);
  await openPane(ann, 'Summary');
  await ann.getByRole('button', { name: 'Add a point', exact: true }).click();
  const point = ann.getByRole('textbox', { name: 'Point 1' });
  await point.fill('They meet on Friday');
  await ann.getByRole('button', { name: 'Actions: They meet on Friday' }).click();
  await ann.getByRole('button', { name: 'Delete', exact: true }).click();
  const undo = ann.getByRole('status').getByRole('button', { name: 'Undo' });
  await undo.hover();
  await ann.getByRole('link', { name: 'Library' }).evaluate((link: HTMLElement) => link.click());
  await expect.poll(() => ann.locator('.ProseMirror').count(), waits).toBe(0);
  await undo.click();
  await ann.getByText('You can’t undo this here any more').waitFor(waits);
});
