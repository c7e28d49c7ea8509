// Balance and Transactions (spec 1, sections 2 and 9): what there is, what ran low, and what was added and taken.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newLot, post, purseOf } from '#server/billing/ledger.ts';
import { transaction } from '#server/context.ts';
import { newId } from '#shared/ids.ts';
import { giveCredits, setFreeMinutes } from '../support/billing.ts';
import { expectAccessible, openDesk } from '../support/browser.ts';
import { makeTeam } from '../support/groups.ts';
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
    const lapsesAt = new Date('2999-03-05T12:00:00Z');
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
    const main = page.getByRole('main');
    const shots = process.env['SHOTS'];
    const texts =
      locale === 'en'
        ? {
            ...{
              low: 'Running low',
              none: 'Nothing left',
              credits: '$8.75',
              paid: '+300 paid',
              all: 'All transactions',
            },
            ...{ offer: 'You have less than 10 minutes left. A plan or a bundle brings more.', plans: 'See plans' },
            ...{ edit: 'Edit billing info', name: 'Name or company', save: 'Save', saved: 'Billing info saved' },
            ways: {
              'Buy credits': '/buy-credits',
              'Buy bundle': '/change-plan?redirectTo=%2Fbalance#bundles',
              'Change plan': '/change-plan?redirectTo=%2Fbalance',
            },
          }
        : {
            ...{ low: 'Заканчивается', none: 'Ничего не осталось', credits: '8,75', paid: '+300 опл.' },
            ...{ offer: 'Осталось меньше 10 минут. Тариф или пакет добавит минут.', plans: 'Посмотреть тарифы' },
            ...{ all: 'Все операции', edit: 'Изменить данные для счёта', name: 'Имя или компания' },
            ...{ save: 'Сохранить', saved: 'Данные для счёта сохранены' },
            ways: {
              'Купить кредиты': '/buy-credits',
              'Купить пакет': '/change-plan?redirectTo=%2Fbalance#bundles',
              'Сменить тариф': '/change-plan?redirectTo=%2Fbalance',
            },
          };

    // A plan is offered for 100 s on pages about something else, until the offer was closed or followed.
    if (width === 'phone') await page.clock.install();
    await page.goto('/invite');
    const offer = page.getByRole('status').filter({ hasText: texts.offer });
    await offer.waitFor(patient);
    await expectAccessible(page);
    if (shots) await page.screenshot({ path: `${shots}/offer-${width}.png` });
    if (width === 'phone') {
      await page.clock.fastForward(60_000);
      await offer.getByRole('button', { name: texts.plans }).click();
      await page.waitForURL('**/change-plan?redirectTo=%2Finvite', patient);
    } else await offer.getByRole('button', { name: 'Close' }).click();
    const kept = async () => (await ann.whoami()).body.principal.preferences.upgradeNotice as unknown;
    await expect.poll(kept, patient).toBe('dismissed');

    await page.goto('/balance');
    await main.getByText(texts.low, { exact: true }).waitFor(patient);
    await main.getByText(texts.none, { exact: true }).waitFor();
    for (const [name, path] of Object.entries(texts.ways))
      expect(await main.getByRole('link', { name, exact: true }).last().getAttribute('href')).toBe(path);
    await expectAccessible(page);
    if (shots) await page.screenshot({ path: `${shots}/balance-low-${width}.png`, fullPage: true });
    // The open page learns of it by itself.
    await giveCredits(house, ann, '10');
    await spend(ann);
    await main.getByText(texts.credits).first().waitFor(patient);
    await main.getByText(/2999/).first().waitFor(patient);
    await expectAccessible(page);
    if (shots) await page.screenshot({ path: `${shots}/balance-${width}.png`, fullPage: true });

    // Billing info is changed here; a refusal keeps what was typed.
    await main.getByRole('button', { name: texts.edit }).click();
    await main.getByRole('button', { name: texts.save }).click();
    await expect.poll(() => main.getByLabel(texts.name).getAttribute('aria-invalid'), patient).toBe('true');
    await main.getByLabel(texts.name).fill('Ann & Co');
    await expectAccessible(page);
    await main.getByRole('button', { name: texts.save }).click();
    await page.getByText(texts.saved).waitFor(patient);
    await main.getByText('Ann & Co').waitFor();

    await main.getByRole('link', { name: texts.all }).click();
    await main.getByText(texts.paid).waitFor(patient);
    expect(await main.getByRole('link', { name: /CSV/ }).getAttribute('href')).toBe('/api/transactions.csv');
    expect(await main.getByRole('table').getByRole('link').first().getAttribute('href')).toMatch(/^\/meeting\//);
    await expectAccessible(page);
    if (shots) await page.screenshot({ path: `${shots}/transactions-${width}.png`, fullPage: true });
  });
});

it('a member of a team reads who pays, and the personal balance when asked for', { timeout: 120_000 }, async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  await makeTeam(ann, [ben], { name: 'Spring interviews', defaultQuota: '12.5' });
  const page = await desk.seat(ben, { width: 'phone' });
  await page.goto('/balance');
  const main = page.getByRole('main');
  await main.getByText('All payments are handled by the Team account').waitFor(patient);
  await main.getByText('Spring interviews: $0.00 of $12.50 used').waitFor();
  expect(await main.getByRole('link', { name: 'Buy credits' }).count()).toBe(0);
  await expectAccessible(page);
  await main.getByRole('button', { name: 'Show personal balance anyway' }).click();
  await main.getByRole('link', { name: 'Buy credits' }).waitFor(patient);
  await page.reload();
  await main.getByRole('link', { name: 'Buy credits' }).waitFor(patient);
});
