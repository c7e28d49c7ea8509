// Permissions of a recording, as all people concerned see them at the same time.
import { eq } from 'drizzle-orm';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { users } from '#db/schema/accounts.ts';
import { languageNames, type Language } from '#shared/i18n/languages.ts';
import { sharingEn } from '#shared/i18n/sharing/en.ts';
import { sharingEs } from '#shared/i18n/sharing/es.ts';
import { sharingRu } from '#shared/i18n/sharing/ru.ts';
import { sharingZh } from '#shared/i18n/sharing/zh.ts';
import { roles, type Role } from '#shared/roles.ts';
import { newId } from '#shared/ids.ts';
import { expectAccessible } from '../support/browser.ts';
import { caretIn, cutLine, hasPane, openDocument, saved, Stage, texts, waits } from '../support/document-page.ts';
import { share } from '../support/meetings.ts';
import { makeRecording } from '../support/recording.ts';

const stage = new Stage(6, { expected: cutLine });
/** Creates a recording of the first person that nobody else may see. */
const alone = () => makeRecording(stage.house, stage.person(0));

const writable = (page: Page) => page.locator('.ProseMirror[contenteditable="true"]');
const shown = (page: Page) => page.locator('.ProseMirror');
const closed = (page: Page) => page.getByRole('heading', { name: 'You don’t have access to this recording', level: 1 });
const dialogOf = (page: Page) => page.getByRole('dialog', { name: /^Share/ });
const roleIn = (page: Page, name: string) => dialogOf(page).getByLabel(`Permission of ${name}`);

async function openDialog(page: Page) {
  await page.getByRole('button', { name: 'Share' }).click();
  const dialog = dialogOf(page);
  await dialog.getByText('owner', { exact: true }).waitFor();
  return dialog;
}
/** Waits until the last change is stored and nothing in the dialog is pending. */
const settled = async (page: Page) => {
  await expect.poll(() => dialogOf(page).locator('[aria-busy="true"]').count(), waits).toBe(0);
};
const visible = async (part: { isVisible(): Promise<boolean> }) => {
  await expect.poll(() => part.isVisible(), waits).toBe(true);
};
const gone = async (part: { isVisible(): Promise<boolean> }) => {
  await expect.poll(() => part.isVisible(), waits).toBe(false);
};

/** Whether the browser's copies hold these letters, in a key or in what was typed. */
const isKept = (page: Page, letters: string) =>
  page.evaluate(async (wanted) => {
    const found: string[] = [];
    for (const { name } of await indexedDB.databases()) {
      const db = await new Promise<IDBDatabase>((resolve, reject) => {
        const request = indexedDB.open(name ?? '');
        request.addEventListener('success', () => resolve(request.result));
        request.addEventListener('error', () => reject(request.error ?? new Error('not opened')));
      });
      if (db.objectStoreNames.contains('rows')) {
        const rows = db.transaction('rows').objectStore('rows');
        const [keys, values] = [rows.getAllKeys(), rows.getAll() as IDBRequest<{ bytes: Uint8Array }[]>];
        await new Promise((resolve) => rows.transaction.addEventListener('complete', resolve));
        found.push(
          JSON.stringify(keys.result),
          ...values.result.map(({ bytes }) => new TextDecoder('latin1').decode(bytes)),
        );
      }
      db.close();
    }
    return found.some((one) => one.includes(wanted));
  }, letters);

describe('six people and one recording', () => {
  it('a closed transcript: the other sees it at once, keeps unsent words, comments, and writes again once it is open', async () => {
    const [ann, ben] = stage.people;
    if (!ann || !ben) throw new Error('nobody is there');
    const meeting = await alone();
    await share(stage.house, meeting, ben, roles.canEdit);
    const [own, edit] = await Promise.all([stage.open(0, meeting), stage.open(1, meeting)]);
    await Promise.all([visible(writable(own)), visible(writable(edit))]);
    await edit.getByRole('button', { name: 'More actions' }).click();
    expect(await edit.getByRole('button', { name: 'Close transcript…' }).count()).toBe(0);
    await edit.keyboard.press('Escape');
    await edit.context().setOffline(true);
    await caretIn(edit, 1, 0);
    await edit.keyboard.type('Offline words. ');

    await own.getByRole('button', { name: 'More actions' }).click();
    await own.getByRole('button', { name: 'Close transcript…' }).click();
    const closing = own.getByRole('dialog', { name: 'Close the transcript' });
    const name = closing.getByLabel('Name of this version');
    await expect.poll(() => name.inputValue(), waits).toMatch(/^Closed on /);
    await name.fill(' ');
    await name.press('Enter');
    await closing.getByText('Enter a name.').waitFor();
    await expectAccessible(own);
    await name.fill('For the assessment');
    await name.press('Enter');
    const line = (page: Page) => page.getByRole('status').filter({ hasText: 'closed the transcript on' });
    await visible(line(own));
    await gone(writable(own));
    await visible(shown(own));
    await expectAccessible(own);
    await own.getByRole('button', { name: 'Undo in the transcript: the transcript is closed' }).waitFor();
    await own.getByRole('button', { name: 'More actions' }).click();
    const replace = own.getByRole('button', { name: /^Replace transcript….*The transcript is closed/ });
    expect(await replace.getAttribute('aria-disabled')).toBe('true');
    await own.keyboard.press('Escape');
    const dialog = await openDialog(own);
    await dialog.getByText('The transcript is closed: editors can only read').waitFor();
    await own.keyboard.press('Escape');

    await edit.context().setOffline(false);
    await visible(line(edit));
    await gone(writable(edit));
    const unsent = edit.getByRole('alert').filter({ hasText: 'closed before your changes arrived' });
    await visible(unsent);
    expect(await edit.getByLabel('Your text').inputValue()).toContain('Offline words. ');
    expect(await edit.getByRole('button', { name: 'Reopen' }).count()).toBe(0);
    expect(
      (await ben.post(`/api/meetings/${meeting}/comments`, { id: 'late', start: 1, end: 2, text: 'Yes' })).status,
    ).toBe(200);

    await line(own).getByRole('button', { name: 'Reopen' }).click();
    await Promise.all([visible(writable(own)), visible(writable(edit)), gone(line(edit)), gone(unsent)]);
    await expect.poll(async () => (await texts(own))[1], waits).toMatch(/^Offline words\. /);
  });

  it('each person sees at once what they may do from now on', async () => {
    const [owner, editor, commenter, reader, stranger] = stage.people;
    if (!owner || !editor || !commenter || !reader || !stranger) throw new Error('nobody is there');
    const meeting = await alone();
    const given: [typeof owner, Role][] = [
      [editor, 'canEdit'],
      [commenter, 'canComment'],
      [reader, 'canRead'],
    ];
    for (const [person, role] of given) await share(stage.house, meeting, person, roles[role]);
    const path = `/meeting/${meeting}`;
    const seat = async (person: typeof owner) => {
      const page = await stage.desk.seat(person);
      await page.goto(path);
      return page;
    };
    const [own, edit, comment, read, strange, anonymous] = await Promise.all(
      [owner, editor, commenter, reader, stranger, stage.house.stranger()].map(seat),
    );
    if (!own || !edit || !comment || !read || !strange || !anonymous) throw new Error('nobody is there');
    await Promise.all([visible(writable(own)), visible(writable(edit)), visible(shown(comment)), visible(shown(read))]);
    await Promise.all([visible(closed(strange)), visible(closed(anonymous))]);
    for (const page of [comment, read]) expect(await writable(page).count()).toBe(0);
    for (const page of [edit, comment, read]) expect(await page.getByRole('button', { name: 'Share' }).count()).toBe(0);
    expect(await anonymous.getByRole('button', { name: 'Request access' }).count()).toBe(0);

    // The stranger asks for access, and the owner finds the request in the dialog.
    await strange.getByRole('button', { name: 'Request access' }).click();
    await strange.getByText('Request sent').waitFor();
    const dialog = await openDialog(own);
    await dialog.getByRole('button', { name: /^Allow / }).click();
    await expect.poll(() => dialog.getByText('Access requests').count(), waits).toBe(0);
    await strange.reload();
    await visible(shown(strange));
    expect(await writable(strange).count()).toBe(0);

    // The reader becomes an editor, without a reload.
    await settled(own);
    const rows = dialog.getByRole('listitem');
    const rowOf = (person: { email: string }) => rows.filter({ hasText: person.email });
    await rowOf(reader).getByRole('combobox').selectOption('canEdit');
    await visible(writable(read));
    await caretIn(read, 1, 0);
    await read.keyboard.type('Hello. ');
    await saved(read);
    await expect.poll(async () => (await texts(own))[1], waits).toMatch(/^Hello\. /);

    // The editor becomes a reader: the history is gone, and so is what was deleted, also from this browser's copy.
    const history = (page: Page) => hasPane(page, 'Version history');
    await expect.poll(() => history(edit), waits).toBe(true);
    await caretIn(edit, 2, 0);
    await edit.keyboard.insertText('Zanzibar ');
    await saved(edit);
    for (const _letter of 'Zanzibar ') await edit.keyboard.press('Backspace');
    await saved(edit);
    await expect.poll(() => isKept(edit, 'Zanzibar'), waits).toBe(true);
    await settled(own);
    await rowOf(editor).getByRole('combobox').selectOption('canRead');
    await gone(writable(edit));
    await visible(shown(edit));
    await expect.poll(() => history(edit), waits).toBe(false);
    await expect.poll(() => isKept(edit, 'Zanzibar'), waits).toBe(false);
    await expect.poll(() => isKept(edit, 'transcript'), waits).toBe(true);

    // The owner keeps deleted text from editors.
    await settled(own);
    await dialog.getByText(sharingEn.sharing.history.writeHint).waitFor();
    await dialog.getByLabel('Who can see the version history').selectOption('own');
    await dialog.getByText(sharingEn.sharing.history.ownHint).waitFor();
    await expect.poll(() => history(read), waits).toBe(false);
    await visible(writable(read));
    await settled(own);
    await dialog.getByLabel('Who can see the version history').selectOption('write');

    // A removed person loses access at once, and has it again after undo.
    await settled(own);
    await rowOf(commenter)
      .getByRole('button', { name: /^Remove/ })
      .click();
    await visible(closed(comment));
    expect(await comment.locator('body').innerText()).not.toContain('conversation');
    await own.getByRole('button', { name: 'Undo', exact: true }).click();
    await expect.poll(() => rowOf(commenter).count(), waits).toBe(1);
    await comment.reload();
    await visible(shown(comment));

    // Anyone with the link has access: to read, then with a code, then not at all.
    await settled(own);
    const level = dialog.getByLabel('Who can open it with the link');
    await level.selectOption('byLink');
    await settled(own);
    await anonymous.reload();
    await visible(shown(anonymous));
    await dialog.getByLabel('Require access code').click();
    const letters = dialog.locator('code');
    await letters.waitFor();
    const code = await letters.innerText();
    // The open page stays; opened anew, it leads to the sign-in page, which leads back.
    const asks = anonymous.getByRole('heading', { name: 'This recording needs an access code' });
    await visible(asks);
    await anonymous.reload();
    await anonymous.waitForURL(/\/login\?redirectTo=%2Fmeeting%2F/);
    await anonymous.getByRole('link', { name: 'enter the code' }).click();
    await visible(asks);
    const field = anonymous.getByLabel('Access code');
    await field.fill('WRNG-CDEE');
    await field.press('Enter');
    await anonymous.getByText('Wrong code. Try again.').waitFor();
    await expectAccessible(anonymous);
    await field.fill(code.toLowerCase());
    await field.press('Enter');
    await visible(shown(anonymous));
    await settled(own);
    await level.selectOption('specificUsers');
    await visible(closed(anonymous));
  });
});

describe('the dialog', () => {
  it('invites an address by keyboard alone, and marks it as pending', async () => {
    const meeting = await alone();
    const page = await stage.open(0, meeting);
    const dialog = await openDialog(page);
    const field = dialog.getByRole('combobox', { name: 'Add people' });
    await expect.poll(() => field.evaluate((one) => one === document.activeElement), waits).toBe(true);
    const email = `dana-${newId(8).toLowerCase()}@example.test`;
    await page.keyboard.type('da');
    await page.keyboard.type(email.slice(2));
    const option = dialog.getByRole('option', { name: `Invite ${email}` });
    await option.waitFor();
    expect(await option.getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Enter');
    const row = dialog.getByRole('listitem').filter({ hasText: email });
    await row.getByText('Invited; gets access after confirming the address').waitFor();
    expect(await roleIn(page, email).inputValue()).toBe('canEdit');
    expect((await stage.house.mails(email))[0]?.subject).toContain('shares a recording with you');
    // The browser stores people with access for this tab only, without addresses.
    const kept = await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }));
    expect(kept).toContain('chacl_');
    expect(kept).not.toContain('@');
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await gone(dialog);
    expect(await page.getByRole('button', { name: 'Share' }).evaluate((one) => one === document.activeElement)).toBe(
      true,
    );
  });

  it('finds people one already shares with, and offers nobody twice', async () => {
    const meeting = await alone();
    await share(stage.house, meeting, stage.person(1), roles.canRead);
    const other = await alone();
    const page = await stage.open(0, other);
    const dialog = await openDialog(page);
    const { email } = stage.person(1);
    await dialog.getByRole('combobox', { name: 'Add people' }).fill(email.slice(0, 12));
    await dialog.getByRole('option').filter({ hasText: email }).click();
    await dialog.getByRole('listitem').filter({ hasText: email }).waitFor();
    await settled(page);
    await dialog.getByRole('combobox', { name: 'Add people' }).fill(email.slice(0, 12));
    await dialog.getByRole('option').filter({ hasText: email }).getByText('has access').waitFor();
  });

  it('reports a change by another person meanwhile, and shows the current state', async () => {
    const meeting = await alone();
    const page = await stage.open(0, meeting);
    const dialog = await openDialog(page);
    const owner = stage.person(0);
    const { version } = (await owner.get(`/api/meetings/${meeting}/acl`)).body;
    const entries = [{ principal: { email: 'cara@example.test' }, permissions: ['read'] }];
    expect((await owner.post(`/api/meetings/${meeting}/acl`, { entries, version })).status).toBe(200);
    await dialog.getByLabel('Who can open it with the link').selectOption('byLink');
    await page.getByText('Someone else changed who has access').waitFor();
    await dialog.getByText('cara@example.test').waitFor();
    expect(await dialog.getByLabel('Who can open it with the link').inputValue()).toBe('specificUsers');
  });

  it('says who could not be removed, and what else could not be saved', async () => {
    const meeting = await alone();
    await share(stage.house, meeting, stage.person(1), roles.canRead);
    const page = await stage.open(0, meeting);
    const dialog = await openDialog(page);
    await page.route('**/acl', (route) =>
      route.request().method() === 'POST' ? route.fulfill({ status: 500, json: {} }) : route.fallback(),
    );
    const row = dialog.getByRole('listitem').filter({ hasText: stage.person(1).email });
    const remove = row.getByRole('button', { name: /^Remove/ });
    const name = (await remove.getAttribute('aria-label'))?.replace('Remove ', '');
    await remove.click();
    await page.getByText(`Couldn’t remove ${name}. Try again.`).waitFor();
    await settled(page);
    expect(await row.count()).toBe(1);
    await row.getByLabel(/^Permission of/).selectOption('canComment');
    await page.getByText('Couldn’t save the change. Try again.').waitFor();
    await page.unroute('**/acl');
  });

  it('keeps the typed address until it is stored', async () => {
    const meeting = await alone();
    const page = await stage.open(0, meeting);
    const dialog = await openDialog(page);
    const email = `dana-${newId(8).toLowerCase()}@example.test`;
    const field = dialog.getByRole('combobox', { name: 'Add people' });
    const conflict = { status: 409, contentType: 'application/problem+json', json: { code: 'CONFLICT', status: 409 } };
    await page.route('**/acl', (route) =>
      route.request().method() === 'POST' ? route.fulfill(conflict) : route.fallback(),
    );
    await field.fill(email);
    await dialog.getByRole('option', { name: `Invite ${email}` }).click();
    await page.getByText('Someone else changed who has access').waitFor();
    await settled(page);
    expect(await field.inputValue()).toBe(email);
    // Closing the dialog loses it neither, and says that nothing is shared yet.
    await dialog.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByText(`Not shared with “${email}” yet.`).waitFor();
    await openDialog(page);
    expect(await field.inputValue()).toBe(email);
    await page.unroute('**/acl');
    await field.press('ArrowDown');
    await dialog.getByRole('option', { name: `Invite ${email}` }).click();
    await dialog.getByRole('listitem').filter({ hasText: email }).waitFor();
    await expect.poll(() => field.inputValue(), waits).toBe('');
  });

  it('explains why the list does not load, and tries again', async () => {
    const meeting = await alone();
    const page = await stage.open(0, meeting);
    await page.route('**/acl', (route) => route.fulfill({ status: 500, json: {} }), { times: 1 });
    await page.getByRole('button', { name: 'Share' }).click();
    await dialogOf(page).getByRole('alert').waitFor();
    const height = () => dialogOf(page).evaluate((one) => one.clientHeight);
    const before = await height();
    await dialogOf(page).getByRole('button', { name: 'Try again' }).click();
    await dialogOf(page).getByText('owner', { exact: true }).waitFor();
    // The dialog is no taller with the list.
    expect(await height()).toBe(before);
  });

  const texts4: Record<Language, typeof sharingEn.sharing | (typeof sharingRu)['sharing']> = {
    en: sharingEn.sharing,
    es: sharingEs.sharing,
    ru: sharingRu.sharing,
    zh: sharingZh.sharing,
  };
  it.each(Object.keys(languageNames) as Language[])('can be used in %s, on a phone in dark mode', async (locale) => {
    const ann = await stage.house.person('Ann');
    // Chinese is used only if a person chose it, never because of the browser.
    expect((await ann.post('/api/principals/me', { language: locale })).status).toBe(200);
    const meeting = await makeRecording(stage.house, ann);
    const words = texts4[locale];
    await share(stage.house, meeting, stage.person(1), roles.canComment);
    await share(stage.house, meeting, 'anonymous', ['read', 'comment', 'write']);
    const page = await openDocument(stage.desk, ann, meeting, { width: 'phone', scheme: 'dark', locale });
    await page.getByRole('button', { name: words.open, exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(words.owns, { exact: true }).waitFor();
    await dialog.getByText(words.link.warning).waitFor();
    await expectAccessible(page);
  });
});

it('a person with an unconfirmed address is told to confirm it first', async () => {
  const meeting = await alone();
  const person = await stage.house.person();
  await stage.house.database.orm.update(users).set({ confirmedAt: null }).where(eq(users.id, person.id));
  const page = await stage.desk.seat(person);
  await page.goto(`/meeting/${meeting}`);
  await page.getByText('Confirm your e-mail address first').waitFor();
  expect(await page.getByRole('button', { name: 'Request access' }).count()).toBe(0);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Send again' }).click();
  await expect.poll(async () => (await stage.house.mails(person.email)).length, waits).toBe(1);
  await stage.house.database.orm.update(users).set({ confirmedAt: new Date() }).where(eq(users.id, person.id));
  await page.reload();
  await page.getByRole('button', { name: 'Request access' }).waitFor();
});

describe('the link of the mail', () => {
  it('gives access with one press, and changes nothing before', async () => {
    const meeting = await alone();
    const [owner, asker] = [stage.person(0), stage.person(5)];
    expect((await asker.post(`/api/meetings/${meeting}/requestAccess`)).status).toBe(202);
    const request = await stage.house.tokenFor(owner.email, '/access');
    const page = await stage.desk.seat(owner);
    await page.goto(`/access/${request}`);
    await page.getByRole('heading', { name: /would like to see/ }).waitFor();
    await expectAccessible(page);
    expect((await asker.get(`/api/meetings/${meeting}`)).status).toBe(403);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText(/can read and gets an e-mail/).waitFor();
    expect((await asker.get(`/api/meetings/${meeting}`)).status).toBe(200);
  });
});

it('a viewer asks to edit, and can once the owner lets them', async () => {
  const meeting = await alone();
  const [owner, asker] = [stage.person(0), stage.person(5)];
  expect((await asker.post(`/api/meetings/${meeting}/requestAccess`)).status).toBe(202);
  const first = await stage.house.tokenFor(owner.email, '/access');
  expect((await owner.post(`/api/access-requests/${first}`, { role: 'canRead' })).status).toBe(200);
  const theirs = await openDocument(stage.desk, asker, meeting);
  await theirs.getByRole('button', { name: 'More actions' }).click();
  await theirs.getByRole('button', { name: 'Ask to edit' }).click();
  await theirs.getByText('The owner gets your request by e-mail').waitFor(waits);

  const page = await openDocument(stage.desk, owner, meeting);
  await page.getByRole('button', { name: 'More actions' }).click();
  expect(await page.getByRole('button', { name: 'Ask to edit' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await dialogOf(page)
    .getByText(/asks to edit$/)
    .waitFor(waits);
  await dialogOf(page)
    .getByRole('button', { name: /^Allow / })
    .click();
  await dialogOf(page)
    .getByText(/asks to edit$/)
    .waitFor({ state: 'hidden', ...waits });
  await writable(theirs).waitFor(waits);
});

it('a recording is shared from the library, too', async () => {
  await alone();
  const page = await stage.desk.seat(stage.person(0));
  await page.goto('/');
  await page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click();
  await page.getByRole('button', { name: 'Share' }).click();
  await dialogOf(page).getByText('owner', { exact: true }).waitFor();
});
