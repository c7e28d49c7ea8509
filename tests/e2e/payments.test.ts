// A newcomer's way through payments, in practice: too few credits for a bundle, credits bought by card, back to the same
// bundle, its receipt; a plan that is cancelled and kept; a recording that costs more than there is, which leads to
// credits and back to itself; a house that sells nothing.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { creditsLeft, giveCredits } from '../support/billing.ts';
import { expectAccessible, openDesk, visit } from '../support/browser.ts';
import { builtClient, openHouse, type TestHouse } from '../support/house.ts';
import { makeFolders } from '../support/folders.ts';
import { makeUntranscribed } from '../support/intake.ts';
import { makeMeeting } from '../support/meetings.ts';
import { operatorAddress } from '../support/orders.ts';
import { noFfmpeg } from '../support/speech.ts';
import { promoCodes, subscriptions } from '#db/schema/payments.ts';
import { returnGifts } from '#server/billing/gift.ts';
import { post, purseOf } from '#server/billing/ledger.ts';
import { transaction } from '#server/context.ts';
import { newId } from '#shared/ids.ts';

const desk = openDesk();
const patient = { timeout: 60_000 };
let house: TestHouse;
beforeAll(async () => {
  const people = { TRANSCRIBE_HUMAN: operatorAddress, TRANSCRIBE_HUMAN_PRICE: '2', PATH: process.env['PATH'] ?? '' };
  house = await openHouse({
    client: builtClient,
    env: { ALLOW_TEST_PURCHASE: '1', STRIPE_TAX: 'on', SHARE_PRICE: '0.5', ...people },
  });
  await house.database.orm
    .insert(promoCodes)
    .values([{ code: 'SPRING', bonus: 5_000_000n, least: 0n, limit: 10, expiresAt: null }]);
});
afterAll(() => house?.close());

const talk = {
  name: 'Interview 4.mp3',
  mimeType: 'audio/mpeg',
  buffer: readFileSync(join(import.meta.dirname, '../../server/demo/talk.mp3')),
};

/** Buys what the page of credits has filled in, and pays by card. */
async function pay(page: Page, credits: string): Promise<void> {
  await page.getByRole('button', { name: 'Checkout' }).waitFor(patient);
  expect(await page.getByLabel('Credits', { exact: true }).inputValue()).toBe(credits);
  await page.getByRole('button', { name: 'Checkout' }).click();
  const again = page.getByRole('button', { name: 'Proceed' });
  const card = page.getByRole('button', { name: /^Pay \$/ });
  await again.or(card).waitFor(patient);
  if (await again.isVisible()) await again.click();
  await card.click(patient);
}

const shots = process.env['SHOTS'];

describe.each([
  // An address of another site leads home instead.
  ['wide', 'light', '//evil.example/teams', '/'],
  ['phone', 'dark', '/profile', '/profile'],
] as const)('%s, %s', (width, scheme, wanted, back) => {
  it(
    'a bundle leads to credits and back to itself, and a plan is cancelled and kept',
    { timeout: 240_000 },
    async () => {
      const ann = await house.person('Ann');
      const page = await desk.seat(ann, { width, scheme });
      await page.goto(`/change-plan?${new URLSearchParams({ redirectTo: wanted })}`);
      await page.getByRole('heading', { name: 'Available Plans' }).waitFor(patient);
      const marked = () => page.getByRole('note').getByText('Test payment, no money moves').waitFor(patient);
      await marked();
      await expectAccessible(page);
      // A figure explains itself.
      await page.getByText('36.00 credits', { exact: true }).focus();
      await page.getByRole('tooltip').filter({ hasText: 'Taken from your credits once.' }).first().waitFor();
      await page.keyboard.press('Escape');
      const bundle = page
        .getByRole('listitem')
        .filter({ has: page.getByRole('heading', { name: '300 minutes', exact: true }) });
      await page.getByRole('heading', { name: '1,000 minutes', exact: true }).waitFor();
      await bundle.getByRole('button', { name: 'Buy' }).click();
      const asked = page.getByRole('dialog', { name: 'Buy 300 minutes?' });
      await asked.getByText(/^Today 36\.00 credits are taken from your balance\. Nothing renews/).waitFor();
      await expectAccessible(page);
      await asked.getByRole('button', { name: 'Buy' }).click();

      await page.getByText('Not enough funds, please recharge the balance').waitFor(patient);
      const amount = page.getByLabel('Credits', { exact: true });
      expect(await amount.inputValue()).toBe('36');
      await amount.fill('0,5');
      await amount.blur();
      await page.getByText('Enter an amount from 1 to 10,000').waitFor();
      await amount.fill('36,00');
      await page.getByLabel('Promo code (optional)').fill('nothing');
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByText('This code cannot be used.').waitFor(patient);
      await page.getByLabel('Promo code (optional)').fill('spring');
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByText('41.00 credits').waitFor(patient);
      await page.getByText('added on the payment page').waitFor();
      await page.getByText('Billing info for an invoice (optional)').click();
      await page.getByLabel('Name or company').fill('Ann Test');
      await page.getByLabel('Country').selectOption('DE');
      await page.getByRole('button', { name: 'Add tax ID' }).click();
      await page.getByLabel('Type').selectOption('eu_vat');
      await page.getByLabel('Number', { exact: true }).fill('DE12');
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Checkout' }).click();
      await page.getByText('This number does not fit its type').waitFor(patient);
      expect(await page.getByLabel('Name or company').inputValue()).toBe('Ann Test');
      await page.getByLabel('Number', { exact: true }).fill('DE123456789');
      await page.getByRole('button', { name: 'Checkout' }).click();

      await page.getByRole('button', { name: 'Pay $43.20' }).waitFor(patient);
      await page.getByText('Test payment, no money moves').waitFor();
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Decline the card' }).click();
      await page.getByRole('alert').getByText('Your card was declined').waitFor();
      await page.getByRole('button', { name: 'Pay $43.20' }).click();

      await page.getByText('The balance was recharged. Now you can buy your bundle.').waitFor(patient);
      await page.getByText('41.00 credits were added to your balance.').waitFor();
      // Loaded anew, the page would say it again.
      await expect
        .poll(() => new URL(page.url()).search, patient)
        .toBe(`?${new URLSearchParams({ bundle: 'bundle300', redirectTo: back })}`);
      await page.getByText('The balance was recharged. Now you can buy your bundle.').waitFor();
      await expectAccessible(page);
      await bundle.last().getByRole('button', { name: 'Buy' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Buy' }).click();
      await page.getByText('Your bundle was successfully purchased!').waitFor(patient);
      await page.waitForURL((url) => url.origin === house.origin && url.pathname === back, patient);
      await page.goto('/change-plan');
      const mine = page.locator('section', { has: page.getByRole('heading', { name: 'Active Plans and Bundles' }) });
      await mine.getByText(/^Expires on/).waitFor(patient);

      const plan = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Professional' }) });
      await plan.getByRole('button', { name: 'Subscribe' }).click();
      await page
        .getByRole('dialog')
        .getByText(/^Today you pay \$75\.00 by card\. The plan renews at the same price on/)
        .waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Subscribe' }).click();
      await page.getByRole('button', { name: 'Pay $90.00' }).click();
      await page.getByText('Your plan is active.').waitFor(patient);
      await mine.getByText(/^Renews on/).waitFor(patient);
      await plan.getByRole('button', { name: 'Cancel plan' }).click();
      await page
        .getByRole('dialog')
        .getByText(/^Nothing changes today/)
        .waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel plan' }).click();
      await page.getByText('Plan was successfully cancelled!').waitFor(patient);
      await plan.getByRole('button', { name: 'Keep plan' }).click();
      await plan.getByRole('button', { name: 'Cancel plan' }).waitFor(patient);
      await expectAccessible(page);

      await page.goto('/buy-credits?amount=-3');
      const stored = await page.evaluate("localStorage.getItem('colloquy-session')");
      expect(stored).toContain(ann.id);
      expect(stored).not.toContain('DE123456789');
      expect(await amount.inputValue()).toBe('1');
      await page.getByRole('button', { name: 'Checkout' }).click();
      await page
        .getByText(/^You have already purchased 36\.00 credits .* ago\. Do you want to proceed\?$/)
        .waitFor(patient);
      await page.getByRole('button', { name: 'Proceed' }).click();
      await page.getByRole('button', { name: 'Cancel and go back' }).click();
      await page.getByText('You left the payment page. Nothing was paid.').waitFor(patient);
      await amount.waitFor(patient);
      expect(await amount.inputValue()).toBe('1');

      // Bought for its own sake: the balance tells the result.
      await page.goto('/buy-credits?amount=2');
      await page.getByRole('button', { name: 'Checkout' }).click();
      await page.getByRole('button', { name: 'Proceed' }).click();
      await page.getByRole('button', { name: 'Pay $2.40' }).click();
      await page.getByText('2.00 credits were added to your balance.').waitFor(patient);
      expect(new URL(page.url()).pathname).toBe('/balance');
      await marked();
      await mine.getByText(/^Renews on/).waitFor(patient);
      await mine.getByRole('button', { name: 'Cancel plan' }).waitFor();
      await expectAccessible(page);
      if (shots) await page.screenshot({ path: `${shots}/balance-plans-${width}.png`, fullPage: true });
      await visit(page, '/transactions');
      await marked();
      const receipts = page.getByRole('link', { name: /^Receipt of / });
      await expect.poll(() => receipts.count(), patient).toBe(3);
      if (shots) await page.screenshot({ path: `${shots}/transactions-paid-${width}.png`, fullPage: true });

      const [paid] = await house.database.ask(
        (sql) => sql<{ id: string }[]>`
        select payment_id as id from purchases p join purses u on u.id = p.purse_id
        where u.user_id = ${ann.id} and p.plan is null and p.state = 'paid'`,
      );
      // The page has no scripts, and its headers let none run, so that it is read as text.
      const receipt = await ann.get(`/api/transactions/receipt/${paid?.id}`);
      for (const text of ['$43.20', 'DE123456789', 'Test payment, no money moves'])
        expect(receipt.text).toContain(text);
    },
  );

  it('a recording that costs more leads to credits and back to itself', { timeout: 240_000 }, async ({ skip }) => {
    const reason = noFfmpeg();
    if (reason) return skip(reason);
    const ann = await house.person('Ann');
    const id = await makeUntranscribed(ann, talk.buffer);
    const page = await desk.seat(ann, { width, scheme });
    const picture = async (name: string) => {
      if (shots) await page.screenshot({ path: `${shots}/${name}-${width}.png` });
    };
    await page.goto(`/meeting/${id}`);
    await page.getByRole('button', { name: 'Transcribe' }).click(patient);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Speakers').selectOption('3', patient);
    await dialog.getByText('Insufficient balance. You need $5.87 more.').waitFor(patient);
    await dialog.getByRole('note').getByText('Test payment, no money moves').waitFor(patient);
    await dialog.getByRole('combobox').getByText('Human transcript · $2.00 per min').waitFor({ state: 'attached' });
    await expectAccessible(page);
    await picture('refused-transcribe');
    await dialog.getByRole('link', { name: 'Buy credits' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Go back without buying' }).click(patient);
    await dialog.getByText('You need $5.87 more.').waitFor(patient);
    await dialog.getByRole('link', { name: 'Buy credits' }).click();
    await pay(page, '5.87');
    await dialog.getByText('5.87 credits were added to your balance.').waitFor(patient);
    expect(await dialog.getByLabel('Speakers').inputValue()).toBe('3');
    const order = dialog.getByRole('button', { name: '$5.87 from the balance' });
    await expect.poll(() => order.isEnabled(), patient).toBe(true);
    await expectAccessible(page);
    await picture('back-transcribe');
    await order.click();
    await dialog.waitFor({ state: 'detached', ...patient });
    expect(new URL(page.url()).search).toBe('');
    await page.getByText('A person is transcribing it').waitFor(patient);

    // A file that is not added yet stays where it is: credits are bought in another tab.
    await visit(page, '/');
    await page.getByRole('button', { name: 'Add recording' }).first().click();
    await page.getByLabel('Choose local file').setInputFiles(talk);
    await dialog.getByRole('radio', { name: /Human transcript/ }).check(patient);
    // The browser reads the length, so the price is known before anything is sent.
    await dialog.getByText(/^At most \$5\.87 for 2:5\d\. A person transcribes it/).waitFor(patient);
    await expectAccessible(page);
    await picture('price-at-drop');
    for (let step = 0; step < 2; step += 1) await dialog.getByRole('button', { name: 'Next' }).click();
    await dialog.getByRole('button', { name: 'Continue anyway' }).click(patient);
    await dialog.getByText('You need $5.87 more.').waitFor(patient);
    await expectAccessible(page);
    await picture('refused-upload');
    const opened = page.context().waitForEvent('page');
    await dialog.getByRole('link', { name: 'Buy credits' }).click();
    const tab = await opened;
    await pay(tab, '5.87');
    await tab.getByText('Go back to the tab where you began.').waitFor(patient);
    if (shots) await tab.screenshot({ path: `${shots}/other-tab-${width}.png` });
    const now = dialog.getByRole('button', { name: '$5.87 from the balance' });
    await expect.poll(() => now.isEnabled(), patient).toBe(true);
    await picture('left-after');
    await dialog.getByText(/^Left after that: \$0\.0\d and 90 minutes$/).waitFor();
    // Spent elsewhere meanwhile, and given back: the choice follows before anybody clicks.
    await ann.post('/api/gift', { recipient: 'nobody@example.test', balance: '1' });
    await dialog.getByText(/You need \$(0\.99|1\.00) more/).waitFor(patient);
    expect(await now.isEnabled()).toBe(false);
    await transaction(house.house, (tx) => returnGifts(house.house, tx));
    await expect.poll(() => now.isEnabled(), patient).toBe(true);
    await now.click();
    await page
      .getByRole('dialog', { name: 'Order a human transcript?' })
      .getByRole('button', { name: 'Order' })
      .click();
    await dialog.getByText('A person will transcribe the recording').waitFor(patient);
  });
});

it('sharing outside one’s teams is paid once, after it was shown and agreed to', { timeout: 120_000 }, async () => {
  const ann = await house.person('Ann');
  const page = await desk.seat(ann, { width: 'phone', scheme: 'dark' });
  await page.goto(`/meeting/${await makeMeeting(house, ann)}`);
  await page.getByRole('button', { name: 'Share' }).click(patient);
  const dialog = page.getByRole('dialog', { name: /^Share/ });
  await dialog.getByText('Sharing it with people outside your teams costs $0.50, once.').waitFor(patient);
  await expectAccessible(page);
  if (shots) await page.screenshot({ path: `${shots}/share-price-phone.png` });
  const invite = async (email: string) => {
    const field = dialog.getByRole('combobox', { name: 'Add people' });
    await field.fill(email);
    // A refusal keeps what was typed, so that the list opens by the key.
    await field.press('ArrowDown');
    await dialog.getByRole('option', { name: `Invite ${email}` }).click(patient);
  };
  // Too little: said, and nothing is saved.
  await invite('dana@example.test');
  await page.getByText('Not enough funds, please recharge the balance').waitFor(patient);
  await giveCredits(house, ann, '1');
  await invite('dana@example.test');
  const asked = page.getByRole('dialog', { name: 'Pay for sharing?' });
  await asked.getByText('$0.50 is taken from your balance, once for this recording.').waitFor(patient);
  await expectAccessible(page);
  if (shots) await page.screenshot({ path: `${shots}/share-pay-phone.png` });
  await asked.getByRole('button', { name: 'Cancel' }).click();
  await dialog.getByText('Not shared with anyone yet.').waitFor();
  await invite('dana@example.test');
  await asked.getByRole('button', { name: 'Pay and share' }).click(patient);
  await dialog.getByText('Invited; gets access after confirming the address').waitFor(patient);
  await invite('emil@example.test');
  await expect
    .poll(() => dialog.getByText('Invited; gets access after confirming the address').count(), patient)
    .toBe(2);
  expect(await dialog.getByText(/costs \$0\.50/).count()).toBe(0);
  expect(await creditsLeft(house, ann)).toBe(0.5);

  // A folder costs the same.
  await makeFolders(ann, '/Plans');
  await page.goto('/');
  await page.getByRole('button', { name: 'Actions for the folder “Plans”' }).click(patient);
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await dialog.getByText('Sharing it with people outside your teams costs $0.50, once.').waitFor(patient);
  await invite('dana@example.test');
  await asked.getByText('$0.50 is taken from your balance, once for this folder.').waitFor(patient);
  await expectAccessible(page);
  if (shots) await page.screenshot({ path: `${shots}/share-folder-phone.png` });
  await asked.getByRole('button', { name: 'Pay and share' }).click(patient);
  await dialog.getByText('Invited; gets access after confirming the address').waitFor(patient);
  expect(await dialog.getByText(/costs \$0\.50/).count()).toBe(0);
  expect(await creditsLeft(house, ann)).toBe(0);
});

it('a debt, a bill that the card did not pay, and minutes that pay for nobody else are told of', async () => {
  const ann = await house.person('Ann');
  const clock = house.house.clock;
  const now = clock.now();
  await transaction(house.house, async (tx) => {
    const purse = await purseOf({ clock }, tx, ann.id);
    const owed = { from: { purse, kind: 'debt' }, to: { house: 'granted' }, amount: 6_000_000n } as const;
    await post({ clock }, tx, { key: newId(), kind: 'refund', by: null, transfers: [owed] });
    const common = { purseId: purse, cancelled: false, periodEnd: now, createdAt: now };
    const billUrl = `${house.origin}/help`;
    await tx.insert(subscriptions).values([
      { ...common, id: newId(), plan: 'professional', serviceId: newId(), state: 'past_due', billUrl },
      { ...common, id: newId(), plan: 'team300-2024', serviceId: newId(), state: 'active' },
    ]);
  });
  const page = await desk.seat(ann);
  await page.goto('/balance');
  await page.getByText('You owe $6.00. Your next purchase pays it first.').waitFor(patient);
  const bill = page.getByRole('listitem').filter({ hasText: 'Payment failed' });
  expect(await bill.getByRole('link', { name: 'Pay the bill' }).getAttribute('href')).toContain('/help');
  await expectAccessible(page);
  if (shots) await page.screenshot({ path: `${shots}/debt.png`, fullPage: true });
  await visit(page, '/change-plan');
  await page
    .getByText('Minutes are for your own recordings only. They do not pay for members of a team.')
    .first()
    .waitFor(patient);
});

it('an address cannot claim a payment', async () => {
  const ann = await house.person('Ann');
  const page = await desk.seat(ann);
  await page.goto('/buy-credits?success=50');
  await page.getByRole('button', { name: 'Checkout' }).waitFor(patient);
  expect(await page.getByText(/were added/).count()).toBe(0);
  await page.goto('/buy-credits?success=50&purchase=somebody-elses');
  await page.getByText("Couldn't check your payment.").waitFor(patient);
});

it('a test purchase brings 50 credits, later too', { timeout: 240_000 }, async () => {
  const ann = await house.person('Ann');
  const page = await desk.seat(ann);
  await page.goto('/testpurchase');
  await page.getByRole('button', { name: 'Recharge the balance (50)' }).click();
  await page.getByRole('button', { name: /^Pay by bank transfer/ }).click();
  await page.getByText('Your payment is on its way.').waitFor(patient);
  await expectAccessible(page);
  house.clock.forward(61);
  await page.getByText('50.00 credits were added to your balance.').waitFor(patient);
});

it('a house without payments says whom to ask', { timeout: 120_000 }, async () => {
  const closed = await desk.openHouse({ client: builtClient, house: { payments: null } });
  const ann = await closed.person('Ann');
  const page = await desk.seat(ann);
  for (const path of ['/buy-credits', '/change-plan']) {
    await page.goto(path);
    await page.getByText('Nothing can be bought here. Ask the person who runs this site.').waitFor(patient);
  }
  await expectAccessible(page);
  expect(await page.getByRole('button', { name: 'Subscribe' }).count()).toBe(0);
});

it('a plan bought on the last day of a month is said to renew when it will', { timeout: 120_000 }, async () => {
  const page = await desk.seat(await house.person('Ann'));
  await page.clock.setFixedTime('2031-01-31T12:00:00Z');
  await page.goto('/change-plan');
  const plan = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Professional' }) });
  await plan.getByRole('button', { name: 'Subscribe' }).click(patient);
  await page.getByRole('dialog').getByText('renews at the same price on February 28, 2031').waitFor(patient);
});
