// Balance and Transactions (spec 1, sections 2 and 9): what there is, what ran low, and what was added and taken.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newLot, post, purseOf } from '#server/billing/ledger.ts';
import { transaction } from '#server/context.ts';
import { newId } from '#shared/ids.ts';
import { giveCredits, setFreeMinutes } from '../support/billing.ts';
import { expectAccessible, openDesk } from '../support/browser.ts';
import { builtClient, openHouse, type TestHouse } from '../support/house.ts';
import { makeMeeting } from '../support/meetings.ts';
import type { Person } from '../support/people.ts';

const patient = { timeout: 60_000 };

const desk = openDesk();
let house: TestHouse;
beforeAll(async () => {
  house = await openHouse({ client: builtClient });
});
afterAll(() => house?.close());

/** Pays for a recording of theirs, and gets bought minutes that lapse. */
async function spend(ann: Person): Promise<void> {
  const meetingId = await makeMeeting(house, ann);
  await transaction(house.house, async (tx) => {
    const purse = await purseOf(house.house, tx, ann.id);
    const lapsesAt = new Date('2031-03-05T12:00:00Z');
    const lot = await newLot(house.house, tx, purse, { paid: true, lapsesAt, source: 'bundle' });
    await post(house.house, tx, {
      ...{ key: newId(), kind: 'transcription', by: ann.id, meetingId },
      transfers: [{ from: { purse, kind: 'credits' }, to: { house: 'revenue' }, amount: 1_250_000n }],
    });
    await post(house.house, tx, {
      ...{ key: newId(), kind: 'bundle', by: ann.id },
      transfers: [{ from: { house: 'minted' }, to: { purse, lot }, amount: 18_000n }],
    });
  });
}

describe.each([
  ['wide', 'light', 'en'],
  ['phone', 'dark', 'ru'],
] as const)('%s, %s, %s', (width, scheme, locale) => {
  it('shows what there is, follows changes at once, and lists them', { timeout: 120_000 }, async () => {
    const ann = await house.person('Ann');
    await setFreeMinutes(house, ann, 5);
    const page = await desk.seat(ann, { width, scheme, locale });
    await page.goto('/balance');
    const main = page.getByRole('main');
    const texts =
      locale === 'en'
        ? { low: 'Running low', none: 'Nothing left', credits: '$8.75', paid: '+300 paid', all: 'All transactions' }
        : { low: 'Заканчивается', none: 'Ничего не осталось', credits: '8,75', paid: '+300 опл.', all: 'Все операции' };
    await main.getByText(texts.low, { exact: true }).waitFor(patient);
    await main.getByText(texts.none, { exact: true }).waitFor();
    await expectAccessible(page);
    const shots = process.env['SHOTS'];
    if (shots) await page.screenshot({ path: `${shots}/balance-low-${width}.png`, fullPage: true });
    // The open page learns of it by itself.
    await giveCredits(house, ann, '10');
    await spend(ann);
    await main.getByText(texts.credits).first().waitFor(patient);
    await main.getByText(/2031/).first().waitFor(patient);
    await expectAccessible(page);
    if (shots) await page.screenshot({ path: `${shots}/balance-${width}.png`, fullPage: true });

    await main.getByRole('link', { name: texts.all }).click();
    await main.getByText(texts.paid).waitFor(patient);
    expect(await main.getByRole('link', { name: /CSV/ }).getAttribute('href')).toBe('/api/transactions.csv');
    expect(await main.getByRole('table').getByRole('link').first().getAttribute('href')).toMatch(/^\/meeting\//);
    await expectAccessible(page);
    if (shots) await page.screenshot({ path: `${shots}/transactions-${width}.png`, fullPage: true });
  });
});
