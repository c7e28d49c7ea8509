// Rows of the catalogue about money and teams that pay: A18, C11, C14, C20, D13, E11 and H10.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDesk } from '#server/billing/desk.ts';
import { transaction } from '#server/context.ts';
import { newId } from '#shared/ids.ts';
import { creditsLeft, giveCredits, holdForTeam, setFreeMinutes } from '#tests/support/billing.ts';
import { readCsv } from '#tests/support/csv.ts';
import { inviteTo, makeTeam } from '#tests/support/groups.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import { bought, onPage, openShop, tell, type Shop } from '#tests/support/payments.ts';
import type { Answer, Person } from '#tests/support/people.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ env: { SHARE_PRICE: '0.5', TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(() => shop.close());

const people = async (count: number) => (await shop.house.people(count)) as [Person, Person, Person, ...Person[]];
const join = async (by: Person, id: string, person: Person, role: 'admin' | 'member') => {
  await inviteTo(by, id, person.email, role);
  expect((await person.post(`/api/groups/${id}/accept`)).status).toBe(200);
};
const refusal = ({ status, problem }: Answer) => [status, problem.code];

it('A18 the payer of a team deletes the account only after handing over; work that runs stays paid', async () => {
  const [ann, ben, cem] = await people(3);
  const id = await makeTeam(ann, [ben, [cem, 'admin']]);
  await giveCredits(shop.house, ann, '3');
  const hold = await holdForTeam(shop.house, ben, id, 2);
  const leave = () => ann.post('/api/principals/me/delete', { reason: 'tooSlow', password: ann.password });
  expect(refusal(await leave())).toEqual([409, 'PAYER']);
  expect((await ann.whoami()).body.principal.id).toBe(ann.id);
  expect((await cem.put(`/api/groups/${id}`, { payer: cem.id })).status).toBe(200);
  expect((await leave()).status).toBe(204);
  await transaction(shop.house.house, (tx) => shop.house.house.costs.capture(tx, hold ?? ''));
  const [row] = await shop.house.database.sql`select state from holds where id = ${hold}`;
  expect(row).toEqual({ state: 'captured' });
});

/** Everything stored about who pays for a team, and how much. */
const stored = async (id: string) =>
  JSON.stringify([
    await shop.house.database.sql`select * from teams where group_id = ${id}`,
    await shop.house.database.sql`select * from allowances where group_id = ${id} order by user_id`,
    await shop.house.database.sql`select count(*)::int as clones from groups`,
  ]);

describe.each<[string, string, (ann: Person, eve: Person, id: string) => Promise<unknown>]>([
  ['a member', 'NO_PERM', (ann, eve, id) => join(ann, id, eve, 'member')],
  [
    'an admin who is one no more',
    'NO_PERM',
    async (ann, eve, id) => {
      await join(ann, id, eve, 'admin');
      await ann.put(`/api/groups/${id}/members/${eve.id}`, { role: 'member' });
    },
  ],
  ['a person who is only invited, as an admin', 'NO_ACCESS', (ann, eve, id) => inviteTo(ann, id, eve.email, 'admin')],
  ['the admin of another team', 'NO_ACCESS', (_ann, eve) => makeTeam(eve)],
])('C11 %s', (_, code, enter) => {
  it('changes neither payer nor quotas, and reads no report', async () => {
    const [ann, ben, eve] = await people(3);
    const id = await makeTeam(ann, [ben], { defaultQuota: 5 });
    await enter(ann, eve, id);
    const before = await stored(id);
    const answers = [
      await eve.put(`/api/groups/${id}`, { payer: eve.id }),
      await eve.put(`/api/groups/${id}`, { payer: null }),
      await eve.put(`/api/groups/${id}`, { defaultQuota: 1000 }),
      await eve.put(`/api/groups/${id}`, { type: 'group' }),
      await eve.put(`/api/groups/${id}/members/${eve.id}`, { quota: 1000 }),
      await eve.put(`/api/groups/${id}/members/${ben.id}`, { quota: 0 }),
      await eve.post(`/api/groups/${id}/members`, { members: [{ email: eve.email, role: 'member', quota: 1000 }] }),
      await eve.post(`/api/groups/${id}/clone`, { name: 'A team of mine', copyMembers: true }),
      await eve.get(`/api/groups/${id}/activity-report?fromDate=2026-01-01&toDate=2026-12-31`),
    ];
    for (const answer of answers) expect(refusal(answer)).toEqual([403, code]);
    // Refusals that do not depend on the call tell nothing of the team.
    expect(answers[0]?.problem.message).toBe(
      code === 'NO_PERM' ? 'No permissions to change payer' : answers[2]?.problem.message,
    );
    expect(await stored(id)).toBe(before);
  });
});

it('C14 receipts and transactions of others are answered as if there were none', async () => {
  const [ann, ben] = await people(2);
  await bought(shop, ann, '10');
  const { transactions } = (await ann.get('/api/transactions')).body;
  const id = transactions[0].paymentId as string;
  expect((await ann.get(`/api/transactions/receipt/${id}`)).status).toBe(200);
  const without = ({ status, problem }: Answer) => JSON.stringify([status, { ...problem, requestId: '' }]);
  const none = without(await ben.get(`/api/transactions/receipt/${newId()}`));
  expect(none).toContain('NO_ACCESS');
  const last = id.charCodeAt(id.length - 1);
  const neighbour = id.slice(0, -1) + String.fromCharCode(last === 122 ? last - 1 : last + 1);
  for (const other of [id, neighbour, id.toLowerCase(), `..%2Freceipt%2F${id}`, '1', '%27%20or%201=1'])
    expect(without(await ben.get(`/api/transactions/receipt/${other}`)), other).toBe(none);
  expect(refusal(await ben.get(`/api/credits/purchases/${id}`))).toEqual([403, 'NO_ACCESS']);
  expect((await ben.get('/api/transactions')).body).toMatchObject({ total: 1, transactions: [{ kind: 'trial' }] });
  expect((await ben.get('/api/transactions.csv')).text).not.toContain('10.00');
  for (const query of [`purse=${ann.id}`, `user=${ann.id}`, 'skip=-1'])
    expect((await ben.get(`/api/transactions?${query}`)).status).toBe(422);
  expect((await shop.house.stranger().get(`/api/transactions/receipt/${id}`)).status).toBe(401);
});

it('C20 what a team forces is not set otherwise by its member', async () => {
  const [ann, ben] = await people(2);
  await makeTeam(ann, [ben], { forceAccountType: 'mentor', forceOutcomeModel: 'coaching' });
  for (const wanted of [{ accountType: 'individual' }, { outcomeModel: 'meeting' }, { accountType: 'coach' }])
    expect(refusal(await ben.post('/api/principals/me', wanted))).toEqual([403, 'NO_PERM']);
  const { principal } = (await ben.whoami()).body;
  expect([principal.accountType, principal.outcomeModel]).toEqual(['mentor', 'coaching']);
});

it('D13 sharing is paid at its price, by who may, once', async () => {
  const [ann, ben, cem] = await people(3);
  const id = await makeMeeting(shop.house, ann);
  await giveCredits(shop.house, ann, '5');
  await giveCredits(shop.house, ben, '5');
  await share(shop.house, id, ben, ['read', 'comment', 'write']);
  const pay = (by: Person, cost: unknown) => by.post(`/api/meetings/${id}/paid-share`, { cost });
  expect(refusal(await pay(ann, 0))).toEqual([409, 'PRICE']);
  for (const cost of [-0.5, '0.5e0', '０.５', Number.MAX_VALUE, null, {}])
    expect((await pay(ann, cost)).status, JSON.stringify(cost)).toBe(422);
  expect(refusal(await pay(ben, 0.5))).toEqual([403, 'NO_PERM']);
  expect(refusal(await pay(cem, 0.5))).toEqual([403, 'NO_ACCESS']);
  expect([await creditsLeft(shop.house, ann), await creditsLeft(shop.house, ben)]).toEqual([5, 5]);
  await Promise.all(Array.from({ length: 50 }, () => pay(ann, 0.5)));
  expect((await pay(ann, 0.5)).body).toEqual({ id, sharingCost: null });
  expect(await creditsLeft(shop.house, ann)).toBe(4.5);
});

it('E11 a scope that ends gives nothing more: the team is left, and its way to pay with it', async () => {
  const [ann, ben] = await people(2);
  const id = await makeTeam(ann, [ben]);
  await giveCredits(shop.house, ann, '5');
  const scope = { scope_id: id, role_id: 'member' };
  expect((await ben.post('/api/principals/change', { scope })).status).toBe(200);
  expect((await ann.delete(`/api/groups/${id}/members/${ben.id}`)).status).toBe(204);
  expect((await ben.whoami()).body.principal.scope).not.toEqual(scope);
  expect((await ben.post('/api/principals/change', { scope })).status).toBe(403);
  await expect(holdForTeam(shop.house, ben, id, 1)).rejects.toMatchObject({ code: 'FUNDS' });
  expect(await creditsLeft(shop.house, ann)).toBe(5);
});

it('E11 a plan that ends gives its price no more, to work that begins afterwards', async () => {
  const [ann] = await people(1);
  const { body } = await ann.post('/api/plans/purchase', { planName: 'academy-2024' });
  await onPage(body.url, 'pay');
  await tell(shop);
  const order = () => ({ meetingId: newId(), model: 'speech', seconds: 6000 });
  const desk = createDesk(shop.house.house, () => ({ speech: 150_000 }));
  const offered = async () => (await desk.options(shop.house.database.orm, { id: ann.id }, order()))[0]?.cost;
  await setFreeMinutes(shop.house, ann, 0);
  expect(await offered()).toBe(10);
  expect((await ann.post('/api/plans/cancel', { planName: 'academy-2024' })).status).toBe(204);
  await tell(shop);
  // Cancelled, it holds until its period ends.
  expect(await offered()).toBe(10);
  const seen = { cost: 10, groupId: null };
  shop.house.clock.forward(367 * 86_400);
  shop.practice.account.advance();
  await tell(shop);
  expect(await offered()).toBe(15);
  const late = transaction(shop.house.house, (tx) => desk.hold(tx, { id: ann.id }, order(), seen));
  await expect(late).rejects.toMatchObject({ code: 'PRICE' });
});

it.each([
  ...['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '＝1+1', '＋1', '－1', '＠x', '\u200b=1', ' =1'],
  ...['=HYPERLINK("https://x.example","y")', '=1\r\n=2', '";=1;"'],
])('H10 %j in a name stays text in every table that leaves the house', async (name) => {
  const [ann, ben] = await people(2);
  const { sql } = shop.house.database;
  await sql`update users set first_name = ${name} where id = ${ben.id}`;
  const id = await makeTeam(ann, [ben]);
  await sql`update groups set name = ${name} where id = ${id}`;
  await giveCredits(shop.house, ann, '1');
  await transaction(shop.house.house, async (tx) => {
    await shop.house.house.costs.capture(tx, (await holdForTeam(shop.house, ben, id, 1)) ?? '');
  });
  const report = await ann.get(`/api/groups/${id}/activity-report?fromDate=2020-01-01&toDate=2040-01-01`);
  const lines = await ann.get('/api/transactions.csv');
  for (const { text } of [report, lines]) {
    const cells = readCsv(text).flat();
    expect(
      cells.some((cell) => cell.replace(/^'\s+/, "'").startsWith(`'${name.trim()}`) || cell.startsWith(name)),
    ).toBe(true);
    // No cell begins like a formula, with what spreadsheet programs pass over before it.
    for (const cell of cells)
      if (!/^-?\d+(\.\d+)?$/.test(cell)) expect(cell).not.toMatch(/^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u);
  }
});
