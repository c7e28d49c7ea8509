// A shared folder: its owner, an editor, a reader and a stranger, at the same time.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { folderGrantOf } from '#shared/sharing.ts';
import { expectAccessible, openDesk, type Look } from '../support/browser.ts';
import { waits } from '../support/document-page.ts';
import { giveFolder, makeFolders } from '../support/folders.ts';
import type { SharedHouse } from '../support/house.ts';
import { makeRecording } from '../support/recording.ts';
import type { Person } from '../support/people.ts';
import { worker } from '../support/worker.ts';

const desk = openDesk();
let house: SharedHouse;
worker.beforeAll(({ house: shared }) => {
  house = shared;
});

const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page) => page.getByRole('dialog');
const menu = async (page: Page, of: string, action: string) => {
  await button(page, `Actions for ${of}`).click();
  await button(page, action).click();
};
const folder = 'the folder “Plans”';
const seat = async (person: Person, path: string, look?: Look) => {
  const page = await desk.seat(person, look);
  await page.goto(path);
  return page;
};
const talk = {
  name: 'Talk.mp3',
  mimeType: 'audio/mpeg',
  buffer: readFileSync(join(import.meta.dirname, '../../server/demo/talk.mp3')),
};
const captions = {
  name: 'talk.vtt',
  mimeType: 'text/vtt',
  buffer: Buffer.from('WEBVTT\n\n1\n00:00:01.000 --> 00:00:02.000\nBen: Hello there.\n'),
};

/** Ann's folder with a recording called 'Hers'. */
async function scene(people: number) {
  const [ann, ...others] = (await house.people(people)) as [Person, ...Person[]];
  const [sid = ''] = await makeFolders(ann, '/Plans');
  const hers = await makeRecording(house, ann);
  await ann.post(`/api/meetings/${hers}/rename`, { title: 'Hers' });
  await ann.put(`/api/meetings/${hers}/move`, { path: '/Plans' });
  return { ann, others, sid, hers };
}

describe('four people and one folder', () => {
  it('the folder is shared, filled, read live, and closed again', async () => {
    const { ann, others, sid, hers } = await scene(4);
    const [ben, cara, dan] = others as [Person, Person, Person];
    const own = await seat(ann, '/');
    await menu(own, folder, 'Share');
    await dialog(own).getByText('owner', { exact: true }).waitFor();
    expect(await dialog(own).getByRole('heading', { name: 'Link', exact: true }).count()).toBe(0);
    for (const [email, role] of [
      [ben.email, 'can edit'],
      [cara.email, 'can read'],
    ] as const) {
      await dialog(own).getByLabel('Permission', { exact: true }).selectOption({ label: role });
      await dialog(own).getByRole('combobox', { name: 'Add people' }).fill(email);
      await dialog(own)
        .getByRole('option', { name: `Invite ${email}` })
        .click();
      await dialog(own).getByLabel(`Permission of ${email}`).waitFor();
    }
    await expectAccessible(own);
    await own.keyboard.press('Escape');
    await own.getByText('shared', { exact: true }).waitFor();

    // Each finds it at the top of their library, with its owner.
    const edit = await seat(ben, '/');
    await edit.getByText('shared by Ann Test').waitFor();
    await link(edit, 'Plans').click();
    await edit.getByRole('heading', { name: 'Plans', level: 1 }).waitFor();
    expect(new URL(edit.url()).search).toBe(`?sfid=${sid}`);
    await link(edit, 'Hers').waitFor();
    await expectAccessible(edit);
    const read = await seat(cara, `/?sfid=${sid}`);
    await link(read, 'Hers').waitFor();
    // Actions that are not permitted are not offered.
    for (const name of ['New folder', 'Add recording']) expect(await button(read, name).count()).toBe(0);
    await button(read, 'Actions for “Hers”').click();
    expect(await read.locator(':popover-open button').allInnerTexts()).toEqual(['Export']);
    await read.keyboard.press('Escape');
    const strange = await seat(dan, `/?sfid=${sid}`);
    await strange.getByText('Folder not found').waitFor();

    // Ben makes a folder, and adds a recording there with its transcript.
    await button(edit, 'New folder').click();
    await edit.getByLabel('Name', { exact: true }).fill('2026');
    await button(edit, 'Create').click();
    await link(edit, '2026').click();
    await edit.getByRole('heading', { name: '2026', level: 1 }).waitFor();
    await read.reload();
    await link(read, '2026').click();
    await read.getByText('Editors of this folder can add recordings.').waitFor();
    await addTalk(edit);
    // Cara sees it without doing anything.
    await link(read, 'Talk').waitFor();
    await expect.poll(() => read.getByText('Preparing').count(), waits).toBe(0);
    await link(read, 'Talk').click();
    await read.locator('.ProseMirror').getByText('Hello there.').waitFor();
    expect(await read.locator('.ProseMirror[contenteditable="true"]').count()).toBe(0);
    expect(await read.getByRole('button', { name: 'Share' }).count()).toBe(0);

    // Ben moves it out again: from then on only he has access.
    await menu(edit, '“Talk”', 'Move');
    await dialog(edit).getByRole('radio', { name: 'Library' }).check();
    await expectAccessible(edit);
    await button(edit, 'Move here').click();
    await read.getByRole('heading', { name: 'You don’t have access to this recording', level: 1 }).waitFor();
    await link(edit, 'Library').click();
    await link(edit, 'Talk').waitFor();

    // Ben leaves the folder.
    await menu(edit, folder, 'Leave folder');
    await edit.getByText('Leave the folder “Plans”?').waitFor();
    await expectAccessible(edit);
    await button(edit, 'Leave folder').last().click();
    await edit.getByText('You left the folder “Plans”').waitFor();
    await expect.poll(() => link(edit, 'Plans').count(), waits).toBe(0);

    // People with access by the folder are listed in the dialog of the recording.
    await read.goto(`/meeting/${hers}`);
    await read.locator('.ProseMirror').first().waitFor();
    await own.reload();
    await link(own, 'Plans').click();
    await menu(own, '“Hers”', 'Share');
    const inherited = dialog(own).getByRole('region', { name: 'Access through a folder' });
    await inherited.getByText('through the folder “Plans”').waitFor();
    await inherited.getByText('can read').waitFor();
    expect(await inherited.getByRole('button').count()).toBe(0);
    await expectAccessible(own);
    await own.keyboard.press('Escape');
    await own.goto('/');
    await menu(own, folder, 'Stop sharing');
    await button(own, 'Stop sharing').last().click();
    await own.getByText('Folder “Plans” is no longer shared').waitFor();
    await read.getByRole('heading', { name: 'You don’t have access to this recording', level: 1 }).waitFor();
  });
});

async function addTalk(page: Page): Promise<void> {
  const next = () => button(page, 'Next').click();
  await button(page, 'Add recording').first().click();
  await page.getByLabel('Choose local file').setInputFiles(talk);
  await dialog(page)
    .getByRole('radio', { name: /External transcript/ })
    .check();
  await next();
  await dialog(page).getByLabel('Format').selectOption('ZOOM');
  await page.getByLabel('Transcript file').setInputFiles(captions);
  await next();
  await page.getByText('The transcript is being prepared').waitFor();
  await button(page, 'Close').last().click();
  await link(page, 'Talk').waitFor();
}

describe('on a phone, in the dark', () => {
  it.each([
    ['es', 'compartida por Ann Test', 'Salir de la carpeta'],
    ['ru', 'доступ открыл(а) Ann Test', 'Покинуть папку'],
    ['zh', '由 Ann Test 共享', '退出文件夹'],
  ] as const)('in %s a shared folder shows its owner and how to leave it', async (locale, by, leave) => {
    const { others, sid } = await scene(2);
    const [ben] = others as [Person];
    await giveFolder(house, sid, ben, folderGrantOf('canEdit'));
    expect((await ben.post('/api/principals/me', { language: locale })).status).toBe(200);
    const page = await seat(ben, '/', { width: 'phone', scheme: 'dark', locale });
    await page.getByText(by).waitFor();
    await page
      .getByRole('listitem')
      .filter({ has: link(page, 'Plans') })
      .getByRole('button')
      .click();
    await button(page, leave).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await link(page, 'Plans').click();
    await page.getByRole('heading', { name: 'Plans', level: 1 }).waitFor();
    await link(page, 'Hers').waitFor();
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  });
});
