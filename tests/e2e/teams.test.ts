// Forms of teams with centralized billing: options, quotas, undone removals, competencies, what members see. An admin's whole way is
// in tests/e2e/team-payer.test.ts, rules of the calls in tests/api/teams.test.ts.
import type { Page } from 'playwright-core';
import { expect, it, vi } from 'vitest';
import { expectAccessible } from '../support/browser.ts';
import { Stage } from '../support/document-page.ts';
import { makeGroup, makeTeam } from '../support/groups.ts';
import { tone } from '../support/intake.ts';
import { makeSet } from '../support/outcome-models.ts';

vi.setConfig({ testTimeout: 600_000 });

const stage = new Stage(3, { keeps: false });
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const memberOf = async (id: string, email: string) =>
  (await stage.person(0).get(`/api/groups/${id}`)).body.members.find((one: { email: string }) => one.email === email);

it('options, quotas and names say what is wrong with them, and a removal is undone', async () => {
  const [ann, cem] = [stage.person(0), stage.person(2)];
  await ann.post('/api/principals/me', { accountType: 'coach' });
  await makeGroup(ann, [], 'Interviews of the spring');
  const page = await stage.desk.seat(ann);
  await page.goto('/teams');
  await rowOf(page, 'Interviews of the spring').getByRole('cell', { name: 'No', exact: true }).waitFor();
  expect(await page.getByRole('columnheader', { name: 'Balance' }).count()).toBe(0);

  // Options are those of centralized billing alone; a taken name gets suggestions, of which one is taken by a click.
  await button(page, 'Add team').click();
  const adding = page.getByRole('dialog', { name: 'Add a team' });
  await adding.getByText('Only with centralized billing').waitFor();
  expect(await adding.getByLabel('Hide the built-in outcome types').isDisabled()).toBe(true);
  expect(await adding.getByLabel('Quota for each member, $').count()).toBe(0);
  await adding.getByLabel('Name').fill('Interviews of the spring');
  await adding.getByText('Centralized billing', { exact: true }).click();
  await adding.getByText('You become the payer').waitFor();
  await adding.getByLabel('Quota for each member, $').fill('1e3');
  await adding.getByLabel('Longest recording, minutes').fill('90');
  await adding.getByLabel('Your words in invitations').fill('See www.example.test');
  await adding.getByLabel('Second pass, % of reviews').fill('101');
  await adding.getByLabel('Make a folder for the team').check();
  await button(page, 'Add team').last().click();
  await adding.getByText('Enter an amount such as 12.50.').first().waitFor();
  await adding.getByText('Links and addresses are not possible here.').first().waitFor();
  await adding.getByText('Enter a whole percent, from 0 to 100.').first().waitFor();
  await expectAccessible(page);
  await adding.getByLabel('Second pass, % of reviews').fill('20');
  await adding.getByText('Choose who assesses a second time once members have joined.').waitFor();
  await adding.getByLabel('Quota for each member, $').fill('20');
  await adding.getByLabel('Your words in invitations').fill('See you on Monday');
  await button(page, 'Add team').last().click();
  await adding.getByRole('group', { name: 'Available names:' }).getByRole('button').first().click();
  const name = await adding.getByLabel('Name').inputValue();
  // The focus is in the field, although the pressed button is gone.
  await page.keyboard.press('Enter');
  await page.getByText(`Team “${name}” added, with the folder “${name}”`).waitFor();
  await page.getByRole('columnheader', { name: 'Balance' }).waitFor();
  await expectAccessible(page);
  const { groups } = (await ann.get('/api/groups')).body;
  const { id } = groups.find((one: { name: string }) => one.name === name);

  await ann.post(`/api/groups/${id}/members`, { members: [{ email: cem.email, role: 'member' }] });
  await cem.post(`/api/groups/${id}/accept`);
  await page.getByRole('link', { name }).click();
  await rowOf(page, ann.email).getByText('Payer', { exact: true }).waitFor();
  await expectAccessible(page);

  // People who assess a second time are chosen among those who have joined.
  await button(page, 'Edit').click();
  const editing = page.getByRole('dialog', { name: 'Edit the team' });
  await editing.getByRole('group', { name: 'Members who assess a second time' }).getByLabel('Chen Test').check();
  await expectAccessible(page);
  await button(page, 'Save').click();
  await editing.waitFor({ state: 'hidden' });
  const { secondPass, secondReaders } = (await ann.get(`/api/groups/${id}`)).body;
  expect({ secondPass, secondReaders }).toEqual({ secondPass: 20, secondReaders: [cem.id] });

  // A quota is saved a moment after the last key, and says so; one that is no amount stays, with its fault.
  await page.clock.install();
  const quota = page.getByLabel('Quota of Chen Test');
  await quota.fill('7,5');
  await page.getByText('Not saved yet').waitFor();
  await page.clock.fastForward(1600);
  await page.getByText('Saved', { exact: true }).waitFor();
  await expect.poll(async () => (await memberOf(id, cem.email)).quota).toBe(7.5);
  await quota.fill('-3');
  await quota.press('Enter');
  await page.getByText('Enter an amount such as 12.50.').waitFor();
  expect(await quota.inputValue()).toBe('-3');
  await expectAccessible(page);
  await quota.fill('');
  await quota.press('Enter');
  await expect.poll(async () => (await memberOf(id, cem.email)).quota).toBe(20);

  // A removal is undone.
  await button(page, 'Remove Chen Test').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  // Undo takes the notice away, so both are found at once; the button need not stand still.
  const removed = page.getByRole('status').filter({ hasText: 'Chen Test removed from the team' });
  await removed.getByRole('button', { name: 'Undo' }).dispatchEvent('click');
  await page.getByText('Chen Test is in the team again').waitFor();
  expect(await memberOf(id, cem.email)).toMatchObject({ kind: 'user', role: 'member' });

  // Competencies, with what members of each account type will see.
  await button(page, 'Competencies').click();
  const dialog = page.getByRole('dialog', { name: 'Competencies of the team' });
  await dialog.getByText('No competencies chosen').waitFor();
  await button(page, 'Add').click();
  await dialog.getByRole('combobox', { name: 'Competencies' }).selectOption('coaching');
  const preview = dialog.getByRole('region', { name: 'What members see' });
  await expect.poll(() => preview.getByText('Competencies and grades').count()).toBe(4);
  await expectAccessible(page);
  await button(page, 'Apply').click();
  await page.getByText('Changes applied!').waitFor();
});

it('a member sees what the team decides, by its name', async () => {
  const [ann, cem] = [stage.person(0), stage.person(2)];
  const team = await makeTeam(ann, [cem], {
    forceAccountType: 'student',
    forceOutcomeModel: 'coaching',
    defaultQuota: 5,
  });
  const page = await stage.desk.seat(cem);
  await page.goto('/profile');
  await expect.poll(() => page.getByText(`Set by the team “Team of ${ann.id}”`).count()).toBe(2);
  expect(await page.getByLabel('Outcome types').isDisabled()).toBe(true);
  await expectAccessible(page);
  await page.goto(`/teams/${team}`);
  await rowOf(page, cem.email).getByText('5.00 of 5.00 credits left').waitFor();
  expect(await rowOf(page, ann.email).getByText('used').count()).toBe(0);
  expect(await page.getByLabel(/^Quota of/).count()).toBe(0);
});

it('a set that people made is chosen for a team by its name, and says when it is gone', async () => {
  const [ann, ben] = [stage.person(0), stage.person(1)];
  // Coaches choose competencies for their teams.
  await ann.post('/api/principals/me', { accountType: 'coach' });
  const team = await makeTeam(ann, [ben]);
  const page = await stage.desk.seat(ann);
  await page.goto(`/teams/${team}`);
  const editing = page.getByRole('dialog', { name: 'Edit the team' });
  const choice = editing.getByRole('combobox', { name: 'Outcome types of members' });
  await button(page, 'Edit').click();
  await editing.getByText('To offer your own, make a set in your profile').waitFor();
  await expectAccessible(page);

  const set = await makeSet(ann, { name: 'Front desk' });
  await page.reload();
  await button(page, 'Edit').click();
  await choice.selectOption({ label: 'Front desk' });
  await editing.getByText('Members can use this set in their recordings').waitFor();
  await expectAccessible(page);
  await editing.getByRole('button', { name: 'Save' }).click();
  await editing.waitFor({ state: 'hidden' });
  await page.goto('/outcome-types');
  await page.getByText('You and members of').waitFor();

  const other = await stage.desk.seat(ben);
  await other.goto('/profile');
  await other.getByText('Set by the team').waitFor();
  expect(await other.getByLabel('Outcome types').locator('option:checked').textContent()).toBe('Front desk');

  // Competencies show its types by their names.
  await page.goto(`/teams/${team}`);
  await button(page, 'Competencies').click();
  const dialog = page.getByRole('dialog', { name: 'Competencies of the team' });
  await button(page, 'Add').click();
  await dialog.getByRole('combobox', { name: 'Competencies' }).selectOption({ label: 'Front desk' });
  await dialog.getByRole('region', { name: 'What members see' }).getByText('Greeting, Follow-up').first().waitFor();
  await expectAccessible(page);
  await button(page, 'Cancel').click();

  expect((await ann.delete(`/api/outcome-models/${set.id}`)).status).toBe(204);
  await page.reload();
  await button(page, 'Edit').click();
  await editing.getByText('This set is no longer available').waitFor();
  expect(await choice.locator('option:checked').textContent()).toBe('Unavailable set');
  await expectAccessible(page);
  // Other settings are saved meanwhile. The form stays until the page has them: it would begin with the earlier ones again.
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const at = `**/api/groups/${team}`;
  await page.route(at, async (route) => {
    if (route.request().method() === 'GET') await asked;
    await route.continue();
  });
  await editing.getByLabel('Description').fill('Those at the desk');
  const stored = page.waitForResponse((one) => one.request().method() === 'PUT' && one.url().endsWith(team));
  await editing.getByRole('button', { name: 'Save' }).click();
  await stored;
  await page.getByText('Team saved').last().waitFor();
  expect(await editing.isVisible()).toBe(true);
  answer();
  await editing.waitFor({ state: 'detached' });
  await page.unroute(at);
  await page.getByText('Those at the desk').waitFor();
  await button(page, 'Edit').click();
  await choice.selectOption({ label: 'Members choose' });
  await editing.getByRole('button', { name: 'Save' }).click();
  await expect
    .poll(async () => (await ann.get(`/api/groups/${team}`)).body)
    .toMatchObject({ forceOutcomeModel: null, description: 'Those at the desk' });
});

it('a recording that is longer than the team permits is refused when it is chosen', async () => {
  const [ann, cem] = [stage.person(0), stage.person(2)];
  await makeTeam(ann, [cem], { maxDurationMins: 1 });
  await cem.post('/api/principals/me', { accountType: 'individual' });
  const page = await stage.desk.seat(cem);
  await page.goto('/');
  await button(page, 'Add recording').first().click();
  const choose = (name: string, seconds: number) =>
    page.getByLabel('Choose local file').setInputFiles({ name, mimeType: 'audio/wav', buffer: tone(seconds, 8000) });
  await choose('Long talk.wav', 62);
  await page.getByText('longer than your team permits (1 min)').waitFor();
  await expectAccessible(page);
  await choose('Short talk.wav', 5);
  await page.getByRole('dialog').getByText('Short talk.wav').first().waitFor();
});
