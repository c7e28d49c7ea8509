// An admin's way through a team that pays: made, its quota set, members invited, their recordings paid by it until the quota is used
// up, raised, reported, handed to another payer, cloned, archived and deleted. What is charged is proved in
// tests/api/team-costs.test.ts, the forms in tests/e2e/teams.test.ts.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { creditsLeft, giveCredits, setFreeMinutes } from '../support/billing.ts';
import { bytesOf, expectAccessible, openDesk } from '../support/browser.ts';
import { builtClient, openHouse, type TestHouse } from '../support/house.ts';
import { tone } from '../support/intake.ts';
import { noFfmpeg, openRecogniser, type Recogniser } from '../support/speech.ts';

const patient = { timeout: 60_000 };
const desk = openDesk();
let house: TestHouse;
let server: Recogniser;
beforeAll(async () => {
  server = await openRecogniser();
  server.answers = () => Promise.resolve({ body: { segments: [{ start: 1, end: 3, text: ' The goal first.' }] } });
  house = await openHouse({
    client: builtClient,
    env: { TRANSCRIBE_URL: server.url, PATH: process.env['PATH'] ?? '' },
  });
});
afterAll(async () => {
  await house?.close();
  await server?.close();
});

const shots = process.env['SHOTS'];
const shoot = async (page: Page, name: string) => {
  if (!shots) return;
  for (const scheme of ['light', 'dark'] as const)
    for (const [width, height] of [
      [1280, 900],
      [390, 844],
    ] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height });
      await page.waitForTimeout(300);
      await page.screenshot({ path: `${shots}/${name}-${width}-${scheme}.png`, fullPage: true });
    }
};

it(
  'an admin makes a team that pays until a quota is used up, hands it over, clones and archives it',
  { timeout: 300_000 },
  async ({ skip }) => {
    const without = noFfmpeg();
    if (without) return skip(without);
    const [ann, ben, chen] = [await house.person('Ann'), await house.person('Ben'), await house.person('Chen')];
    await giveCredits(house, ann, '20');
    for (const person of [ann, ben, chen]) await setFreeMinutes(house, person, 0);

    // A team's maker is its payer.
    const page = await desk.seat(ann);
    await page.goto('/teams');
    await page.getByRole('button', { name: 'Add team' }).click();
    const adding = page.getByRole('dialog', { name: 'Add a team' });
    await adding.getByLabel('Name').fill('Interviews of the spring');
    await adding.getByText('Centralized billing', { exact: true }).click();
    await adding.getByLabel('Quota for each member, $').fill('0,40');
    await adding.getByRole('button', { name: 'Add team' }).click();
    const row = page.getByRole('row').filter({ hasText: 'Interviews of the spring' });
    await row.getByText('20.00', { exact: true }).waitFor(patient);
    // Nothing is wider than the page.
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
    await shoot(page, 'teams');
    const [team] = (await ann.get('/api/groups')).body.groups;
    // Both are invited by one line; one of them becomes an admin.
    await page.getByRole('link', { name: 'Interviews of the spring' }).click();
    await page.getByRole('button', { name: 'Invite members' }).first().click();
    const inviting = page.getByRole('dialog', { name: /^Invite members/ });
    await inviting.getByLabel('E-mail').fill(`${ben.email}; ${chen.email}`);
    await inviting.getByLabel('E-mail').blur();
    await expect.poll(() => inviting.getByLabel('E-mail').count()).toBe(2);
    await inviting.getByLabel('Role').nth(1).selectOption('admin');
    await inviting.getByRole('button', { name: 'Invite' }).click();
    await expect.poll(() => page.getByText('Awaiting acceptance').count(), patient).toBe(2);
    await shoot(page, 'invited');
    for (const person of [ben, chen]) await person.post(`/api/groups/${team.id}/accept`);

    // Beside a way of their own the member sees the team's, what it costs and what is left of the quota.
    const member = await desk.seat(ben, { width: 'phone', scheme: 'dark' });
    await member.goto('/');
    const add = async (name: string, rate: number) => {
      await member.getByRole('button', { name: 'Add recording' }).first().click();
      await member
        .getByLabel('Choose local file')
        .setInputFiles({ name, mimeType: 'audio/wav', buffer: tone(60, rate) });
      await dialog.getByRole('button', { name: 'Next' }).click();
      await dialog.getByRole('heading', { name: 'Processing options' }).waitFor(patient);
      await dialog.getByRole('button', { name: 'Next' }).click();
    };
    const dialog = member.getByRole('dialog');
    await add('First talk.wav', 8000);
    const pay = dialog.getByRole('button', { name: 'Interviews of the spring · $0.15 from the team’s balance' });
    await pay.waitFor(patient);
    await dialog.getByText('$0.40 of your quota left').waitFor();
    await dialog.getByText('Insufficient balance').waitFor();
    await expectAccessible(member);
    await shoot(member, 'ways');
    await pay.click();
    await expect.poll(() => creditsLeft(house, ann), patient).toBe(19.85);

    // The quota is lowered while the member chooses: the refusal names whom to ask, and a raised quota is found again.
    await member.goto('/');
    await add('Second talk.wav', 8100);
    await pay.waitFor(patient);
    await ann.put(`/api/groups/${team.id}/members/${ben.id}`, { quota: 0.2 });
    await pay.click();
    await dialog.getByText('That way of paying isn’t possible now. Choose how to pay.').waitFor(patient);
    await dialog.getByText('Quota exceeded').waitFor();
    await dialog.getByText('The team pays $0.05 more for you. Ask Ann Test to raise your quota.').waitFor();
    expect(await pay.isDisabled()).toBe(true);
    await expectAccessible(member);
    await shoot(member, 'refused');

    await page.goto(`/teams/${team.id}`);
    const quota = page.getByLabel('Quota of Ben Test');
    await expect.poll(() => quota.inputValue(), patient).toBe('0.2');
    await quota.fill('5');
    await quota.press('Enter');
    await page.getByText('Saved', { exact: true }).waitFor(patient);
    await shoot(page, 'team');
    await dialog.getByRole('button', { name: 'Check again' }).click();
    await dialog.getByText('$4.85 of your quota left').waitFor(patient);
    await pay.click();
    await expect.poll(() => creditsLeft(house, ann), patient).toBe(19.7);

    // In the team's scope it pays without a question.
    await member.setViewportSize({ width: 390, height: 844 });
    await member.goto('/');
    await member
      .getByRole('button', { name: /^Account of Ben Test|Ben Test/ })
      .first()
      .click();
    await Promise.all([
      member.waitForEvent('load'),
      member.getByRole('button', { name: 'Interviews of the spring - Member' }).click(),
    ]);
    await add('Third talk.wav', 8200);
    await expect.poll(() => creditsLeft(house, ann), patient).toBe(19.55);
    await member.goto(`/teams/${team.id}`);
    await member.getByText('4.55 of 5.00 credits left').waitFor(patient);
    await expectAccessible(member);
    await shoot(member, 'member');

    // The payer sees for whom, not what; the report has the same figures.
    await page.goto('/transactions');
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'Ben Test' }).count(), patient).toBe(3);
    await page.getByRole('link', { name: 'Interviews of the spring' }).first().waitFor();
    expect(await page.getByText('First talk').count()).toBe(0);
    await expectAccessible(page);
    await shoot(page, 'transactions');
    await page.goto(`/teams/${team.id}`);
    await page.getByRole('button', { name: 'Report' }).click();
    // A month may have begun since the first recording.
    await page.getByRole('dialog').getByLabel('From').fill('2026-01-01');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('dialog').getByRole('button', { name: 'Download' }).click(),
    ]);
    const lines = (await bytesOf(file)).toString('utf8').split('\r\n');
    expect(lines.find((line) => line.includes(ben.email))).toMatch(/,"Member","yes",3,3,0\.45,5,/);

    // Chen is asked to pay, and accepts; until then Ann pays.
    await page.getByRole('button', { name: 'Ask Chen Test to pay' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Ask' }).click();
    const rowOf = (of: Page, text: string) => of.getByRole('row').filter({ hasText: text });
    await rowOf(page, chen.email).getByText('Asked to pay').waitFor(patient);
    await rowOf(page, ann.email).getByText('Payer', { exact: true }).waitFor();
    const second = await desk.seat(chen, { width: 'phone', scheme: 'dark' });
    await second.goto(`/teams/${team.id}`);
    await second.getByText('You are asked to pay for this team.').waitFor(patient);
    await expectAccessible(second);
    await shoot(second, 'asked');
    await second.setViewportSize({ width: 390, height: 844 });
    await second.getByRole('button', { name: 'Pay for the team' }).first().click();
    await second.getByRole('dialog').getByRole('button', { name: 'Pay for the team' }).click();
    await second.getByText('You pay for the team now').waitFor(patient);
    await rowOf(second, chen.email).getByText('Payer', { exact: true }).waitFor();

    // A clone invites the others; the original is archived, and deleted by a typed word.
    await page.getByRole('button', { name: 'Clone' }).click();
    const cloning = page.getByRole('dialog', { name: 'Clone the team “Interviews of the spring”' });
    await cloning.getByLabel('Name').fill('Interviews of the summer');
    await cloning.getByLabel('Invite the members, too').check();
    await expectAccessible(page);
    await shoot(page, 'clone');
    await cloning.getByRole('button', { name: 'Clone' }).click();
    await page.getByText('Team “Interviews of the summer” added.').waitFor(patient);
    await page.getByRole('link', { name: 'Back to teams' }).click();
    await page.getByRole('link', { name: 'Interviews of the summer' }).click();
    await expect.poll(() => page.getByText('Awaiting acceptance').count(), patient).toBe(2);
    await page.getByRole('link', { name: 'Back to teams' }).click();
    await rowOf(page, 'Interviews of the spring').getByRole('button', { name: 'Archive' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
    const archived = page.getByRole('table', { name: 'Archived teams' });
    await archived.getByRole('button', { name: 'Delete' }).waitFor(patient);
    await shoot(page, 'archived');
    await archived.getByRole('button', { name: 'Delete' }).click();
    const sure = page.getByRole('dialog');
    await sure.getByRole('textbox').fill('yes');
    await sure.getByRole('button', { name: 'Delete' }).click();
    await archived.waitFor({ state: 'detached' });
  },
);
