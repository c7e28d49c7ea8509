// An admin's way through a team that pays: made, its quota set, a member's recordings paid by it until the quota is used
// up, raised, and reported. What is charged is proved in tests/api/team-costs.test.ts.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { creditsLeft, giveCredits, setFreeMinutes } from '../support/billing.ts';
import { bytesOf, expectAccessible, openDesk } from '../support/browser.ts';
import { inviteTo } from '../support/groups.ts';
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

it('a team pays for its members until their quota is used up', { timeout: 300_000 }, async ({ skip }) => {
  const without = noFfmpeg();
  if (without) return skip(without);
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  await giveCredits(house, ann, '20');
  for (const person of [ann, ben]) await setFreeMinutes(house, person, 0);

  // Who makes the team is its payer.
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
  await inviteTo(ann, team.id, ben.email);
  await ben.post(`/api/groups/${team.id}/accept`);

  // Beside a way of their own the member sees the team's, what it costs and what is left of the quota.
  const member = await desk.seat(ben, { width: 'phone', scheme: 'dark' });
  await member.goto('/');
  const add = async (name: string, rate: number) => {
    await member.getByRole('button', { name: 'Add recording' }).first().click();
    await member.getByLabel('Choose local file').setInputFiles({ name, mimeType: 'audio/wav', buffer: tone(60, rate) });
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

  await page.getByRole('link', { name: 'Interviews of the spring' }).click();
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
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('dialog').getByRole('button', { name: 'Download' }).click(),
  ]);
  const lines = (await bytesOf(file)).toString('utf8').split('\r\n');
  expect(lines.find((line) => line.includes(ben.email))).toMatch(/,"Member","yes",3,3,0\.45,5,/);
});
