// A newcomer's way through money, in practice: signed up, a recording whose work fails and costs nothing, trial minutes
// that run out, credits bought by card from the dialog that asks for them and back in it, paid, with a receipt; then a
// bundle for the next recordings, for which credits are missing first.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '#shared/ids.ts';
import { creditsLeft, minutesLeft, setFreeMinutes } from '../support/billing.ts';
import { expectAccessible, openDesk } from '../support/browser.ts';
import { builtClient, openHouse, type TestHouse } from '../support/house.ts';
import { tone } from '../support/intake.ts';
import type { Person } from '../support/people.ts';
import { noFfmpeg, openRecogniser, type Recogniser } from '../support/speech.ts';

const patient = { timeout: 60_000 };
const desk = openDesk();
let house: TestHouse;
let server: Recogniser;
beforeAll(async () => {
  server = await openRecogniser();
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
      await page.screenshot({ path: `${shots}/newcomer-${name}-${width}-${scheme}.png` });
    }
};

/** Signs up and confirms the address, both in the browser; answers the person. */
async function join(page: Page): Promise<Person> {
  const ann = house.stranger();
  ann.email = `ann-${newId(8).toLowerCase()}@example.test`;
  await page.goto('/signup');
  await page.getByLabel('E-mail').fill(ann.email);
  await page.getByLabel('Password', { exact: true }).fill(ann.password);
  await page.getByLabel('Retype password').fill(ann.password);
  await page.getByLabel('First name').fill('Ann');
  await page.getByLabel('Last name').fill('Test');
  await page.getByLabel('I agree').check();
  await page.getByRole('button', { name: 'Create an account' }).click();
  await page.getByRole('heading', { name: 'Please check your e-mail' }).waitFor(patient);
  await page.goto(`/confirm/${await house.tokenFor(ann.email, '/confirm')}`);
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('link', { name: 'Go to library' }).click(patient);
  const asked = page.getByRole('dialog', { name: 'What will you be using the product for?' });
  await asked.getByRole('radio').first().check(patient);
  await asked.getByRole('button', { name: 'Apply' }).click();
  for (const { name, value } of await page.context().cookies()) ann.cookies.set(name, value);
  ann.id = (await ann.whoami()).body.principal.id;
  return ann;
}

it('a newcomer runs out, buys credits, and pays in the same dialog; what fails costs nothing', async ({ skip }) => {
  const without = noFfmpeg();
  if (without) return skip(without);
  let fail = () => {};
  const failing = new Promise<void>((resolve) => (fail = resolve));
  server.answers = async () => {
    await failing;
    return { status: 400, body: { error: { message: 'nothing can be heard' } } };
  };
  const page = await desk.seat(house.stranger());
  const ann = await join(page);
  const dialog = page.getByRole('dialog');

  // Trial minutes pay for the first recording, and are reserved while it is transcribed.
  await page.getByRole('button', { name: 'Add recording' }).first().click();
  await page
    .getByLabel('Choose local file')
    .setInputFiles({ name: 'First talk.wav', mimeType: 'audio/wav', buffer: tone(60) });
  await dialog.getByText('Free Trial: 90 minutes left.').waitFor(patient);
  await shoot(page, 'drop');
  await dialog.getByRole('button', { name: 'Next' }).click();
  await dialog.getByRole('heading', { name: 'Processing options' }).waitFor(patient);
  await dialog.getByRole('button', { name: 'Next' }).click();
  await dialog.getByRole('button', { name: 'Open recording' }).click(patient);
  await page.waitForURL('**/meeting/*');
  const recording = new URL(page.url()).pathname;
  const money = await desk.seat(ann);
  await money.goto('/transactions');
  await money.getByText('Reserved for recordings in progress: 1 minute', { exact: true }).waitFor(patient);
  await expectAccessible(money);
  await shoot(money, 'reserved');

  // The work fails: everything is returned, and no line says otherwise.
  fail();
  await page.getByText('Speech recognition rejected the recording. Ask support.').first().waitFor(patient);
  await expect.poll(() => money.getByText('Reserved for recordings').count(), patient).toBe(0);
  await money.getByRole('cell', { name: '+90 free' }).waitFor();
  // The head of the table, and the trial minutes.
  expect(await money.getByRole('row').count()).toBe(2);
  expect(await minutesLeft(house, ann)).toBe(90);
  await shoot(money, 'returned');

  // Other recordings used up the minutes: the refusal names each way to pay, and what it lacks.
  await setFreeMinutes(house, ann, 0);
  const refused = await ann.post(`/api${recording.replace('meeting', 'meetings')}/process`, { cost: 0.15 });
  expect([refused.status, refused.problem.code]).toEqual([402, 'FUNDS']);
  expect(refused.problem.info?.['costs']).toMatchObject([{ cost: 0.15, isEnough: false }]);
  await page.getByRole('button', { name: 'Process again' }).click();
  await dialog.getByText('Insufficient balance. You need $0.15 more.').waitFor(patient);
  await expectAccessible(page);
  await shoot(page, 'refused');
  await dialog.getByRole('link', { name: 'Buy credits' }).click();

  const amount = page.getByLabel('Credits', { exact: true });
  await amount.waitFor(patient);
  await amount.fill('20');
  await shoot(page, 'buy');
  await page.getByRole('button', { name: 'Checkout' }).click();
  await page.getByText('Test payment, no money moves').waitFor(patient);
  await shoot(page, 'card');
  await page.getByRole('button', { name: 'Pay $20.00' }).click();

  // Back in the dialog that asked.
  await dialog.getByText('20.00 credits were added to your balance.').waitFor(patient);
  expect(new URL(page.url()).pathname).toBe(recording);
  server.answers = () => Promise.resolve({ body: { segments: [{ start: 1, end: 3, text: ' The goal first.' }] } });
  // A plan was offered while there was nothing, and is no longer.
  await page.getByText('You have no minutes left.').waitFor({ state: 'detached', ...patient });
  await shoot(page, 'back');
  await dialog.getByRole('button', { name: '$0.15 from the balance' }).click(patient);
  await page.getByText('The goal first.').first().waitFor(patient);
  expect(await creditsLeft(house, ann)).toBe(19.85);

  await money.getByRole('cell', { name: '-$0.15' }).waitFor(patient);
  await money.getByRole('cell', { name: '+$20.00' }).waitFor();
  await expectAccessible(money);
  await shoot(money, 'transactions');
  const address = await money.getByRole('link', { name: /^Receipt of / }).getAttribute('href');
  const receipt = await ann.get(address ?? '');
  for (const text of ['$20.00', 'Ann Test', 'Test payment, no money moves']) expect(receipt.text).toContain(text);
  if (shots) {
    await money.goto(address ?? '');
    await shoot(money, 'receipt');
  }

  // Minutes for what comes next: 36 credits are more than are left, and the same bundle is there after the card was charged.
  await page.goto('/change-plan');
  const bundle = page
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: '300 minutes', exact: true }) });
  await bundle.getByRole('button', { name: 'Buy' }).click(patient);
  await dialog.getByRole('button', { name: 'Buy' }).click();
  await page.getByText('Not enough funds, please recharge the balance').waitFor(patient);
  await amount.fill('20');
  await page.getByRole('button', { name: 'Checkout' }).click();
  await dialog.getByText('You have already purchased 20.00 credits').waitFor(patient);
  await dialog.getByRole('button', { name: 'Proceed' }).click();
  await page.getByRole('button', { name: 'Pay $20.00' }).click(patient);
  await page.getByText('The balance was recharged. Now you can buy your bundle.').waitFor(patient);
  await bundle.last().getByRole('button', { name: 'Buy' }).click();
  await dialog.getByRole('button', { name: 'Buy' }).click();
  await page.getByText('Your bundle was successfully purchased!').waitFor(patient);
  // Bought for its own sake: the account's page of money shows the minutes.
  await page.waitForURL((url) => url.pathname === '/balance', patient);
  expect([await creditsLeft(house, ann), await minutesLeft(house, ann)]).toEqual([3.85, 300]);
});
