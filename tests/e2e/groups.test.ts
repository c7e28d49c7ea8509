// A team from its creation to its end, with three people: created, joined from the notice, worked with, left and
// deleted.
import { setTimeout as sleep } from 'node:timers/promises';

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { groupsEs } from '#shared/i18n/groups/es.ts';
import { groupsRu } from '#shared/i18n/groups/ru.ts';
import { groupsZh } from '#shared/i18n/groups/zh.ts';
import { expectAccessible } from '../support/browser.ts';
import { caretIn, cutLine, saved, Stage, texts, waits } from '../support/document-page.ts';
import { inviteTo, makeGroup } from '../support/groups.ts';
import { makeRecording } from '../support/recording.ts';

const stage = new Stage(4, { expected: cutLine });
const group = 'Interviews of the spring';

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const writable = (page: Page) => page.locator('.ProseMirror[contenteditable="true"]');
const closed = (page: Page) => page.getByRole('heading', { name: 'You don’t have access to this recording', level: 1 });
const rows = (page: Page) => page.getByRole('table').getByRole('row');
const seat = async (who: number, path: string) => {
  const page = await stage.desk.seat(stage.person(who));
  await page.goto(path);
  return page;
};

describe('three people', () => {
  it('create a team, join it from the notice, work with it, and a removed member loses access at once', async () => {
    const [, ben, cem] = stage.people;
    if (!ben || !cem) throw new Error('nobody is there');
    const meeting = await makeRecording(stage.house, stage.person(0));
    const ann = await seat(0, '/');
    await button(ann, /^Account of/).click();
    await ann.getByRole('link', { name: 'Manage Teams' }).click();
    await ann.getByText('No teams found. Add your first team by clicking "Add team" button').waitFor();
    await expectAccessible(ann);

    // By keyboard alone: a name that is too short, in spite of the example, then one that is long enough.
    await button(ann, 'Add team').focus();
    await ann.keyboard.press('Enter');
    const adding = ann.getByRole('dialog', { name: 'Add a team' });
    await adding.getByText('Two words, 8 characters at least, such as “Spring Coaching”').waitFor();
    await adding.getByLabel('Name').fill('Sevenly');
    await ann.keyboard.press('Enter');
    await adding.getByText('Group name must contain at least 8 characters.').first().waitFor();
    await expectAccessible(ann);
    await adding.getByLabel('Name').fill(group);
    await ann.keyboard.press('Enter');
    await ann.getByRole('link', { name: group }).click();
    await ann.getByRole('heading', { name: group, level: 1 }).waitFor();
    await ann.getByText('No members found. Add first member by clicking "Invite members" button').waitFor();

    // Two addresses in one line, and an invalid one: no mail is sent before that is corrected.
    await button(ann, 'Invite members').click();
    const inviting = ann.getByRole('dialog', { name: `Invite members to ${group}` });
    const fields = inviting.getByRole('textbox', { name: 'E-mail' });
    await fields.fill(`${ben.email}; ${cem.email}`);
    await ann.keyboard.press('Enter');
    await expect.poll(() => fields.count()).toBe(3);
    await ann.keyboard.type(`${ben.email.toUpperCase()}, nobody`);
    await button(ann, 'Invite').click();
    await inviting.getByText('Enter a valid e-mail address.').waitFor();
    await expect.poll(() => fields.count()).toBe(3);
    await expectAccessible(ann);
    expect(await stage.house.mails(ben.email)).toEqual([]);
    await button(ann, 'Remove row').last().click();
    await button(ann, 'Invite').click();
    await ann.getByText('2 people invited').waitFor();
    await expect.poll(() => rows(ann).filter({ hasText: 'Awaiting acceptance' }).count()).toBe(2);
    await expectAccessible(ann);

    // Ben accepts, Chen declines.
    const [second, third] = [await seat(1, '/'), await seat(2, '/')];
    const asked = (page: Page) =>
      page.getByRole('status').filter({ hasText: `Ann Test invites you to the team “${group}”` });
    await asked(second).getByRole('button', { name: 'Accept' }).click();
    await second.getByText(`You are now in the team “${group}”`).waitFor();
    await asked(third).getByRole('button', { name: 'Decline' }).click();
    await third.getByText('Invitation declined').waitFor();
    await third.getByRole('article').waitFor({ state: 'detached' });
    // Ann's open page follows.
    await rows(ann).filter({ hasText: ben.email }).getByText('Ben Test').waitFor();
    await rows(ann).filter({ hasText: cem.email }).getByText('Declined').waitFor(waits);

    // The recording is shared with the team, which appears with its name and number of members.
    await ann.goto(`/meeting/${meeting}`);
    await button(ann, 'Share').click();
    const dialog = ann.getByRole('dialog', { name: /^Share/ });
    await dialog.getByRole('combobox', { name: 'Add people' }).fill('interviews');
    await dialog.getByRole('option').filter({ hasText: group }).click();
    await dialog.getByRole('listitem').filter({ hasText: group }).getByText('2 members').waitFor();
    await expectAccessible(ann);
    await ann.keyboard.press('Escape');

    // Ben finds it in his library, and types.
    await second.reload();
    await second.locator(`a[href$="/meeting/${meeting}"]`).first().click();
    await writable(second).waitFor();
    await caretIn(second, 1, 0);
    await second.keyboard.type('Hello. ');
    await saved(second);
    await expect.poll(async () => (await texts(ann))[1], waits).toMatch(/^Hello\. /);
    await third.goto(`/meeting/${meeting}`);
    await closed(third).waitFor();

    // A removed member loses access at once, without a reload.
    const manage = await seat(0, '/teams');
    await manage.getByRole('link', { name: group }).click();
    await button(manage, 'Remove Ben Test').click();
    const sure = manage.getByRole('dialog', { name: 'Are you sure you want to remove this member from group?' });
    await sure.getByRole('button', { name: 'Remove' }).click();
    await manage.getByText('Ben Test removed from the team').waitFor();
    await closed(second).waitFor();
    await second.goto('/');
    await second.getByRole('heading', { level: 1, name: 'Library' }).waitFor();
    await expect.poll(() => second.locator(`a[href$="/meeting/${meeting}"]`).count(), waits).toBe(0);
  });
});

describe('the screens', () => {
  it('archive and restore, leave, and delete by a typed word', async () => {
    const ann = stage.person(0);
    const id = await makeGroup(ann, [stage.person(1)], 'Interviews to archive');
    const page = await seat(0, `/teams/${id}`);
    await button(page, 'Archive').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
    await page.getByRole('note').getByText('This team is archived').waitFor();
    expect(await button(page, 'Invite members').count()).toBe(0);
    await page.getByRole('link', { name: 'Back to teams' }).click();
    const archived = page.getByRole('table', { name: 'Archived teams' });
    await archived.getByRole('button', { name: 'Unarchive' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unarchive' }).click();
    await archived.waitFor({ state: 'detached' });

    // Many are folded, under their number.
    const many: string[] = [];
    for (const nth of [1, 2, 3, 4]) {
      const one = await makeGroup(ann, [], `Archived long ago ${nth}`);
      expect((await ann.post(`/api/groups/${one}/deactivate`)).status).toBe(200);
      many.push(one);
    }
    await page.reload();
    const fold = page.locator('summary', { hasText: 'Archived teams 4' });
    await fold.waitFor();
    expect(await archived.isVisible()).toBe(false);
    await expectAccessible(page);
    await fold.click();
    await archived.waitFor();
    for (const one of many) expect((await ann.delete(`/api/groups/${one}`)).status).toBe(204);

    // The only admin of a team cannot leave it.
    const row = rows(page).filter({ hasText: 'Interviews to archive' });
    await row.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await page.getByText('A team needs an admin').waitFor();

    const other = await seat(1, `/teams/${id}`);
    await rows(other).filter({ hasText: ann.email }).waitFor();
    expect(await other.getByLabel(/^Role of/).count()).toBe(0);
    // The next page loads slowly: until then the team's page is open, and must not replace the notice with a refusal.
    await other.route('**/assets/*', async (route) => {
      await sleep(500);
      await route.continue();
    });
    await button(other, 'Leave').click();
    await other.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await other.getByText('You left the team').waitFor();
    await expect.poll(() => new URL(other.url()).pathname).toBe('/teams');
    await rows(other)
      .first()
      .or(other.getByRole('button', { name: 'Add team' }))
      .first()
      .waitFor();
    await other.getByText('You left the team').waitFor();

    await row.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill('Yes');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Team “Interviews to archive” deleted').waitFor();
    await row.waitFor({ state: 'detached' });
  });

  it('offer free names when a team of that name exists, and change a role', async () => {
    const ann = stage.person(0);
    const id = await makeGroup(ann, [stage.person(1)], 'Interviews by name');
    const page = await seat(0, '/teams');
    await button(page, 'Add team').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('interviews by NAME');
    await dialog.getByRole('button', { name: 'Add team' }).click();
    await dialog.getByRole('button', { name: 'interviews by NAME 2', exact: true }).click();
    await dialog.getByRole('button', { name: 'Add team' }).click();
    await page.getByText('Team “interviews by NAME 2” added').waitFor();

    await page.goto(`/teams/${id}`);
    await page.getByLabel('Role of Ben Test').selectOption('admin');
    await page.getByText('Ben Test is now: Admin').waitFor();
    expect((await stage.person(1).get(`/api/groups/${id}`)).body.role).toBe('admin');
  });

  it('explain why a list does not load, and that a team is unavailable', async () => {
    await makeGroup(stage.person(0));
    const page = await stage.desk.seat(stage.person(0));
    await page.route('**/api/groups', (route) => route.fulfill({ status: 500, json: {} }), { times: 1 });
    await page.goto('/teams');
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('table').first().waitFor();
    const id = await makeGroup(stage.person(1));
    await page.goto(`/teams/${id}`);
    await page.getByRole('heading', { name: 'You don’t have access to this team', level: 1 }).waitFor();
  });

  it('have a heading while they load', async () => {
    const id = await makeGroup(stage.person(0), [], 'Interviews that take long');
    const page = await seat(0, '/teams');
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await page.route(`**/api/groups/${id}`, (route) => answered.then(() => route.continue()));
    await page.goto(`/teams/${id}`);
    await page.getByRole('heading', { name: 'Loading…', level: 1 }).waitFor();
    await expectAccessible(page);
    answer();
    await page.getByRole('heading', { name: 'Interviews that take long', level: 1 }).waitFor();
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
  });

  it('report that an invitation could not be answered', async () => {
    const [ann, dan] = [stage.person(0), stage.person(3)];
    await inviteTo(ann, await makeGroup(ann, [], 'Interviews unanswered'), dan.email);
    const page = await stage.desk.seat(dan);
    await page.route('**/accept', (route) => route.fulfill({ status: 500, json: {} }));
    await page.route('**/ignore', (route) => route.fulfill({ status: 500, json: {} }));
    await page.goto('/');
    const card = page.getByRole('article');
    await page.getByRole('status').getByRole('button', { name: 'Accept' }).click();
    await page.getByText('Failed to accept the invitation').waitFor();
    await card.getByRole('button', { name: 'Decline' }).click();
    await page.getByText('Failed to decline the invitation').waitFor();
    expect(await card.count()).toBe(1);
  });

  it.each([
    ['es', groupsEs.groups],
    ['ru', groupsRu.groups],
    ['zh', groupsZh.groups],
  ] as const)('are in %s on a phone in dark mode', async (language, said) => {
    const ann = stage.person(0);
    const id = await makeGroup(ann, [stage.person(1)], `Interviews in ${language}`);
    const page = await stage.desk.seat(ann, { width: 'phone', scheme: 'dark' });
    await page.addInitScript((chosen) => localStorage.setItem('colloquy-language', chosen), language);
    await page.goto('/teams');
    await page.getByRole('heading', { name: said.title, level: 1 }).waitFor();
    await page.getByRole('table').first().waitFor();
    await expectAccessible(page);
    await page.goto(`/teams/${id}`);
    await button(page, said.invite).click();
    await page.getByRole('dialog').getByText(said.inviteText).waitFor();
    await expectAccessible(page);
  });
});
