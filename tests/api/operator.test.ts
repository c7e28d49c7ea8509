// Operator's work with money (money.md 5, server/billing/operator.ts): grants, promo codes, debts, credits that wait,
// and the end of test payments.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { purchases } from '#db/schema/payments.ts';
import { differencesIn } from '#server/billing/books.ts';
import {
  endPromo,
  grantCredits,
  listDebts,
  makePromo,
  Refused,
  returnToSender,
  voidTestMoney,
} from '#server/billing/operator.ts';
import { transaction } from '#server/context.ts';
import { newId } from '#shared/ids.ts';
import { holdForTeam } from '#tests/support/billing.ts';
import { makeTeam } from '#tests/support/groups.ts';
import { bought, booksOf, onPage, openShop, tell, type Shop } from '#tests/support/payments.ts';
import type { Person } from '#tests/support/people.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.close());

const desk = () => shop.house.house;
const credit = 1_000_000n;
const give = (from: Person, recipient: string, balance: string) =>
  from.post('/api/gift', { recipient, balance }, { headers: { 'X-Request-ID': newId() } });
const owing = async (ann: Person, dollars: number) => {
  const id = await bought(shop, ann, String(dollars));
  await ann.post('/api/plan', { plan: 'bundle300', balance: '36' });
  const [row] = await desk()
    .db.orm.select({ payment: purchases.paymentId })
    .from(purchases)
    .where(eq(purchases.id, id));
  shop.practice.account.createDispute(row?.payment ?? '', 'needs_response');
  await tell(shop);
};

test('credits are granted for a reason that the person reads; a debt is paid first', async () => {
  const ann = await shop.house.person('Ann');
  const grant = (email: string, credits: bigint) =>
    grantCredits(desk(), { email, amount: credits * credit, reason: 'A slow Monday' });
  expect(await grant(ann.email.toUpperCase(), 5n)).toEqual({ balance: '5.00', debt: '0.00' });
  expect((await ann.get('/api/transactions')).body.transactions[0]).toMatchObject({
    ...{ kind: 'grant', balance: '5.00', note: 'A slow Monday' },
  });
  await expect(grant('nobody@example.test', 5n)).rejects.toThrow(Refused);
  await grant(ann.email, 31n);
  await owing(ann, 40);
  expect(await booksOf(shop, ann)).toMatchObject({ credits: 0, debt: 0 });
  const ben = await shop.house.person('Ben');
  await owing(ben, 40);
  expect(await listDebts(desk())).toEqual([{ email: ben.email, debt: '36000000' }]);
  expect(await grant(ben.email, 40n)).toEqual({ balance: '4.00', debt: '0.00' });
  expect(await listDebts(desk())).toEqual([]);
});

test('a promo code is made once, is read however it is typed, and can be ended', async () => {
  const ann = await shop.house.person('Ann');
  const code = { code: 'spring-27', bonus: 5n * credit, limit: 2, least: 20n * credit, expiresAt: null };
  expect(await makePromo(desk(), code)).toBe('SPRING-27');
  await expect(makePromo(desk(), { ...code, code: ' Spring-27 ' })).rejects.toThrow('exists already');
  await expect(makePromo(desk(), { ...code, code: 'a b' })).rejects.toThrow('letters');
  const buy = (balance: string) => ann.post('/api/credits/purchase', { balance, promoCode: 'spring-27' });
  expect([(await buy('19')).status, (await buy('20')).status]).toEqual([422, 200]);
  expect(await endPromo(desk(), 'SPRING-27')).toBe('SPRING-27');
  expect(
    (await (await shop.house.person('Ben')).post('/api/credits/purchase', { balance: '20', promoCode: 'SPRING-27' }))
      .status,
  ).toBe(422);
  await expect(endPromo(desk(), 'NOBODY')).rejects.toThrow(Refused);
});

test('credits that wait for a wrong address are returned to their sender, who is told', async () => {
  const ann = await shop.house.person('Ann');
  await grantCredits(desk(), { email: ann.email, amount: 10n * credit, reason: 'A start' });
  await give(ann, 'wrong@example.test', '3');
  await give(ann, 'wrong@example.test', '2.50');
  await give(ann, 'right@example.test', '1');
  expect(await returnToSender(desk(), { from: ann.email, to: 'Wrong@example.test' })).toBe('5.50');
  await expect(returnToSender(desk(), { from: ann.email, to: 'wrong@example.test' })).rejects.toThrow('waits');
  expect(await booksOf(shop, ann)).toMatchObject({ credits: 9 });
  const mails = await shop.house.mails(ann.email);
  expect(mails.map(({ subject }) => subject)).toEqual(['Your credits have come back', 'Your credits have come back']);
  expect(mails.map(({ text }) => /(\S+) credits to (\S+) at/.exec(text)?.slice(1)).toSorted()).toEqual([
    ['2.50', 'wrong@example.test'],
    ['3.00', 'wrong@example.test'],
  ]);
});

test('test payments leave nothing behind: what was bought goes, what was granted stays, what was spent is named', async () => {
  const [ann, ben, chen, dana] = (await shop.house.people(4)) as [Person, Person, Person, Person];
  await grantCredits(desk(), { email: ann.email, amount: 7n * credit, reason: 'A real grant' });
  await bought(shop, ann, '50');
  await ann.post('/api/plan', { plan: 'bundle300', balance: '36' });
  await give(ann, 'waits@example.test', '2');
  await bought(shop, dana, '2');
  await give(dana, chen.email, '1');
  await ben.post('/api/plans/purchase', { planName: 'professional' }).then(({ body }) => onPage(body.url, 'pay'));
  await tell(shop);
  await owing(ben, 40);
  const { body: open } = await ben.post('/api/credits/purchase', { balance: '30' });
  const receiptOf = async (who: Person) => {
    const { transactions } = (await who.get('/api/transactions')).body;
    const { paymentId } = transactions.find((one: { kind: string }) => one.kind === 'purchase');
    return (await who.get(`/api/transactions/receipt/${paymentId}`)).text;
  };

  const hold = await holdForTeam(shop.house, ann, await makeTeam(ann), 1);
  await expect(voidTestMoney(desk())).rejects.toThrow('reserved');
  await transaction(desk(), (tx) => desk().costs.release(tx, hold ?? ''));

  const voided = await voidTestMoney(desk());
  // The credit that Chen has stays there.
  expect(voided).toMatchObject({ mode: 'practice', spent: '1.00' });
  expect(await booksOf(shop, ann)).toMatchObject({ credits: 7, debt: 0, minutes: 0, stripe: 0, promo: 0 });
  expect(await booksOf(shop, ben)).toMatchObject({ credits: 0, debt: 0, minutes: 0 });
  expect(await booksOf(shop, chen)).toMatchObject({ credits: 1 });
  expect((await ben.get('/api/shop')).body.plans.filter((one: { active: boolean }) => one.active)).toEqual([]);
  expect((await ben.get(`/api/credits/purchases/${open.id}`)).body).toMatchObject({ state: 'failed' });
  expect(await receiptOf(ann)).toContain('Test payment, no money moves');
  expect(await differencesIn(desk().db.sql)).toEqual([]);
  expect(await voidTestMoney(desk())).toBeNull();
});
