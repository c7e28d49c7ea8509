// The summary of a recording: two people write it at once, reorder it, and keep points private until they publish them.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { roles } from '#shared/roles.ts';
import { expectAccessible } from '../support/browser.ts';
import { cutLine, openDocument, openPane, sound, Stage, undoOf, waits } from '../support/document-page.ts';
import { share } from '../support/meetings.ts';

/** Ann owns, Ben may edit, Chen may comment. */
const stage = new Stage(3, { expected: cutLine });

async function recording(): Promise<string> {
  const meeting = await stage.recording();
  await share(stage.house, meeting, stage.person(1), [...roles.canEdit]);
  await share(stage.house, meeting, stage.person(2), [...roles.canComment]);
  return meeting;
}

async function open(who: number, meeting: string, look = {}): Promise<Page> {
  const page = await stage.open(who, meeting, look);
  await openPane(page, 'Summary');
  // Private points load with the other annotations.
  await page.getByRole('heading', { name: 'Only me' }).waitFor(waits);
  return page;
}

const fields = (page: Page, list = 'Summary') =>
  page.getByRole('list', { name: list, exact: true }).getByRole('textbox');
const points = (page: Page, list = 'Summary') =>
  fields(page, list).evaluateAll((all) => all.map((one) => (one as HTMLTextAreaElement).value));
async function shown(page: Page, wanted: readonly string[], list = 'Summary'): Promise<void> {
  await expect.poll(() => points(page, list), waits).toEqual(wanted);
}
const handle = (page: Page, name: string) => page.getByRole('button', { name: `Move: ${name}`, exact: true });

async function add(page: Page, text: string, button = 'Add a point'): Promise<void> {
  const before = await page.getByRole('textbox', { name: /^Point/ }).count();
  await page.getByRole('button', { name: button, exact: true }).click();
  await expect.poll(() => page.getByRole('textbox', { name: /^Point/ }).count(), waits).toBe(before + 1);
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName), waits).toBe('TEXTAREA');
  await page.keyboard.type(text);
}

async function act(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions: ${name}`, exact: true }).click();
  await page.getByRole('button', { name: action, exact: true }).filter({ visible: true }).click();
}

it('two people write a summary at once, reorder it by keyboard and by mouse, delete and restore points', async () => {
  const meeting = await recording();
  const [ann, ben] = await Promise.all([open(0, meeting), open(1, meeting)]);
  await ann.getByText('No summary yet').waitFor(waits);
  await add(ann, 'They want a plan');
  await shown(ben, ['They want a plan']);
  await ann.keyboard.press('Control+Enter');
  await expect.poll(() => fields(ann).count(), waits).toBe(2);
  await ann.keyboard.type('The budget is open');
  await add(ben, 'Next week again');
  const all = ['They want a plan', 'The budget is open', 'Next week again'];
  for (const page of [ann, ben]) await shown(page, all);

  // Two people type in one point, and each caret stays where its person is.
  await fields(ann).nth(0).focus();
  await ann.keyboard.press('End');
  await fields(ben).nth(0).focus();
  await ben.keyboard.press('Home');
  for (const letter of ' soon') {
    await ann.keyboard.type(letter);
    await ben.keyboard.type('!');
  }
  for (const page of [ann, ben]) await shown(page, ['!!!!!They want a plan soon', ...all.slice(1)]);
  // Undo reverts only one's own changes.
  const marks = async () => ((await points(ben))[0] ?? '').replace(/[^!]/g, '').length;
  for (let left = await marks(); left > 0; left = await marks()) {
    await ben.keyboard.press('Control+z');
    await expect.poll(marks, waits).toBeLessThan(left);
  }
  for (const page of [ann, ben]) await shown(page, ['They want a plan soon', ...all.slice(1)]);

  // Moves a point by keyboard at its handle, which keeps the focus.
  await handle(ann, 'Next week again').focus();
  await ann.keyboard.press('ArrowUp');
  await ann.keyboard.press('ArrowUp');
  await ann.getByText('Now 1 of 3.').waitFor({ ...waits, state: 'attached' });
  const upwards = ['Next week again', 'They want a plan soon', 'The budget is open'];
  for (const page of [ann, ben]) await shown(page, upwards);
  await expect
    .poll(() => ann.evaluate(() => document.activeElement?.getAttribute('aria-label')), waits)
    .toBe('Move: Next week again');

  // Moves a point by mouse.
  const [from, to] = [
    await handle(ben, 'Next week again').boundingBox(),
    await handle(ben, 'The budget is open').boundingBox(),
  ];
  if (!from || !to) throw new Error('nothing to drag');
  await ben.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await ben.mouse.down();
  await ben.mouse.move(to.x + to.width / 2, to.y + to.height + 2, { steps: 5 });
  await ben.locator('[data-drop="after"]').waitFor(waits);
  await ben.mouse.up();
  const dragged = ['They want a plan soon', 'The budget is open', 'Next week again'];
  for (const page of [ann, ben]) await shown(page, dragged);

  await act(ann, 'The budget is open', 'Delete');
  const undo = await undoOf(ann);
  for (const page of [ann, ben]) await shown(page, ['They want a plan soon', 'Next week again']);
  await undo.click();
  for (const page of [ann, ben]) await shown(page, dragged);

  // An empty new point does not stay.
  await ann.getByRole('button', { name: 'Add a point', exact: true }).click();
  await expect.poll(() => fields(ann).count(), waits).toBe(4);
  await expect.poll(() => ann.evaluate(() => document.activeElement?.tagName), waits).toBe('TEXTAREA');
  await ann.keyboard.press('Tab');
  for (const page of [ann, ben]) await shown(page, dragged);
  await expectAccessible(ann);

  const { body } = await stage.person(0).get(`/api/meetings/${meeting}`);
  expect(body.doc.summary.map(({ text }: { text: string }) => text)).toEqual(dragged);
});

it('a point is kept private, even offline, and then published by a person who may edit', async () => {
  const meeting = await recording();
  const [ben, chen] = await Promise.all([open(1, meeting), open(2, meeting)]);
  await chen.getByText('No one has added points yet.').waitFor(waits);
  expect(await chen.getByRole('button', { name: 'Add a point', exact: true }).count()).toBe(0);
  await add(chen, 'He avoids the question', 'Add a point for yourself');
  await chen.getByRole('button', { name: 'Actions: He avoids the question' }).click();
  expect(await chen.getByRole('button', { name: 'Publish' }).filter({ visible: true }).count()).toBe(0);
  await chen.keyboard.press('Escape');

  await ben.context().setOffline(true);
  await add(ben, 'A difficult start', 'Add a point for yourself');
  await add(ben, 'And a good end', 'Add a point for yourself');
  await act(ben, 'A difficult start', 'Publish');
  await ben.getByText('You are offline. The point stays private for now.').waitFor(waits);
  await ben.context().setOffline(false);
  await expect
    .poll(async () => (await stage.person(1).get(`/api/meetings/${meeting}/summary/own`)).body.summary.length, waits)
    .toBe(2);
  await act(ben, 'A difficult start', 'Publish');
  await ben.getByText('Published').waitFor(waits);
  await shown(ben, ['A difficult start']);
  await shown(ben, ['And a good end'], 'Only me');
  await chen.getByRole('list', { name: 'Summary' }).getByText('A difficult start').waitFor(waits);
  await shown(chen, ['He avoids the question'], 'Only me');
  expect(await chen.getByText('And a good end').count()).toBe(0);
  await expectAccessible(chen);
});

it('a point that is deleted while a person types in it leaves them their words, even those typed offline', async () => {
  const meeting = await recording();
  const [ann, ben] = await Promise.all([open(0, meeting), open(1, meeting)]);
  await add(ann, 'They want a plan');
  await shown(ben, ['They want a plan']);
  await ben.context().setOffline(true);
  await fields(ben).nth(0).focus();
  await ben.keyboard.press('End');
  await ben.keyboard.type(' and a budget');
  await act(ann, 'They want a plan', 'Delete');
  await shown(ann, []);
  await ben.context().setOffline(false);
  const left = ben.getByRole('alert').filter({ hasText: 'A point you were editing was deleted' });
  await left.waitFor(waits);
  expect(await left.getByRole('textbox', { name: 'The point' }).inputValue()).toBe('They want a plan and a budget');
  await shown(ben, []);
  await expectAccessible(ben);
  await left.getByRole('button', { name: 'Restore' }).click();
  for (const page of [ann, ben]) await shown(page, ['They want a plan and a budget']);
  expect(await left.count()).toBe(0);

  // A point that another person has started is theirs, even while it is empty.
  await add(ann, '');
  await expect.poll(() => fields(ben).count(), waits).toBe(2);
  await fields(ben).nth(1).focus();
  await fields(ben).nth(0).focus();
  await ben.keyboard.press('Home');
  await ben.keyboard.type('!');
  await shown(ann, ['!They want a plan and a budget', '']);
  await ann.keyboard.type('Next week');
  for (const page of [ann, ben]) await shown(page, ['!They want a plan and a budget', 'Next week']);
  // Deleting one's own point is reported as before.
  await act(ann, 'Next week', 'Delete');
  await shown(ben, ['!They want a plan and a budget']);
  expect(await left.count()).toBe(0);
  expect(await ann.getByText('A point you were editing was deleted').count()).toBe(0);
});

it('a new point starts private for a person who chose that for everything they add', async () => {
  const meeting = await recording();
  const dana = await stage.house.person();
  await share(stage.house, meeting, dana, [...roles.canEdit]);
  expect((await dana.post('/api/principals/me', { preferences: { hardcorePrivacy: true } })).status).toBe(200);
  const page = await openDocument(stage.desk, dana, meeting);
  await openPane(page, 'Summary');
  await page.getByRole('heading', { name: 'Only me' }).waitFor(waits);
  expect(await page.getByRole('button', { name: 'Add a point', exact: true }).count()).toBe(0);
  await add(page, 'For me', 'Add a point for yourself');
  await add(page, 'For all', 'Add a point for everyone');
  // The same for the next one, added by a shortcut.
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => fields(page, 'Only me').count(), waits).toBe(2);
  await page.keyboard.type('For me, too');
  await shown(page, ['For me', 'For me, too'], 'Only me');
  await expectAccessible(page);
  const own = async () => (await dana.get(`/api/meetings/${meeting}/summary/own`)).body.summary;
  await expect.poll(own, waits).toMatchObject([{ text: 'For me' }, { text: 'For me, too' }]);
  await expect
    .poll(async () => (await stage.person(0).get(`/api/meetings/${meeting}`)).body.doc.summary, waits)
    .toMatchObject([{ text: 'For all' }]);
});

it('the summary works on a phone in dark mode', async () => {
  const meeting = await recording();
  const page = await open(0, meeting, { width: 'phone', scheme: 'dark' });
  await add(page, 'They want a plan, and a longer text that takes up more than a line of a phone');
  const box = await fields(page).nth(0).boundingBox();
  expect(box?.height).toBeGreaterThan(44);
  // A point leads to the words that it is about, and the sound goes there.
  await add(page, 'Talk on Thursday after the team meeting');
  await act(page, 'Talk on Thursday after the team meeting', 'Go to its words');
  await page.getByText(/^Likely about: “.*Thursday,? after the team meeting/).waitFor(waits);
  await expect.poll(async () => (await sound(page)).ms, waits).toBeGreaterThan(120_000);
  await expectAccessible(page);
});
