// Every amount that a person sends is plain digits: whatever else some reader takes for a number is refused by each call that
// takes one, before anything is stored (shared/money.ts, shared/intake.ts).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '#shared/ids.ts';
import { giveCredits } from '#tests/support/billing.ts';
import { makeTeam } from '#tests/support/groups.ts';
import { createMeeting } from '#tests/support/intake.ts';
import { makePromo, openShop, type Shop } from '#tests/support/payments.ts';
import type { Answer, Person } from '#tests/support/people.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ env: { SHARE_PRICE: '0.5' } });
  await makePromo(shop, 'PLAIN', 1_000_000n, 10);
});
afterAll(() => shop.close());

/** Everything that such a call could have written. */
const tables = [
  ...['purchases', 'promo_uses', 'gifts', 'holds', 'ledger_postings', 'invitations'],
  ...['groups', 'group_members', 'teams', 'allowances', 'ai_runs'],
];
const stored = async (): Promise<unknown> => {
  const { sql } = shop.house.database;
  const rows = await Promise.all(
    tables.map((name) => sql.unsafe(`select md5(string_agg(t::text, '|' order by t::text)) as sum from ${name} t`)),
  );
  return rows.map(([row]) => row?.['sum']);
};

/** Somebody with credits, a team that they pay for with a member, and a recording and a folder of theirs. */
interface Scene {
  ann: Person;
  team: string;
  ben: string;
  recording: string;
}
const scene = async (): Promise<Scene> => {
  const [ann, ben] = (await shop.house.people(2)) as [Person, Person];
  await giveCredits(shop.house, ann, '50');
  const team = await makeTeam(ann, [ben]);
  const { id: recording } = await createMeeting(ann);
  expect((await ann.post('/api/folders', { path: '/Plain' })).status).toBe(200);
  return { ann, team, ben: ben.id, recording };
};
const address = () => `${newId(10).toLowerCase()}@example.test`;

type Call = (scene: Scene, given: unknown) => Promise<Answer>;
/** Name, first part of the field that is refused, and the call. */
type Row = [name: string, field: string, call: Call];

/** The same list for each of the calls; a right amount at last is accepted, so that nothing else was refused. */
async function expectRefused(call: Call, field: string, wrong: readonly unknown[], right: unknown): Promise<void> {
  const there = await scene();
  const before = await stored();
  const fieldsOf = ({ status, problem }: Answer) =>
    status === 422 ? problem.info.errors.map((error) => error.field) : status;
  for (const given of wrong)
    expect(fieldsOf(await call(there, given)), JSON.stringify(given)).toEqual([expect.stringMatching(`^${field}`)]);
  expect(await stored()).toEqual(before);
  expect(fieldsOf(await call(there, right))).not.toEqual([expect.stringMatching(`^${field}`)]);
}

describe('an amount that is not plain digits is refused', () => {
  const wrong = [
    ...['-5', '+5', '1e3', '5.001', '5,', '.5', '5.5.5', '1,000.00', '1 000', '1_000', '0x10', 'NaN', 'Infinity'],
    ...['٥', '५', '５', '5\u066b5', '1000000000000000000', '', ' ', '5 credits', '$5'],
    ...[-5, 5.001, 1e21, true, [], ['5'], {}],
  ];

  test.each<Row>([
    ['a purchase of credits', 'balance', ({ ann }, balance) => ann.post('/api/credits/purchase', { balance })],
    ['a promo code', 'balance', ({ ann }, balance) => ann.post('/api/credits/promo', { code: 'PLAIN', balance })],
    ['a bundle from credits', 'balance', ({ ann }, balance) => ann.post('/api/plan', { plan: 'bundle300', balance })],
    ['a transfer', 'balance', ({ ann }, balance) => ann.post('/api/gift', { recipient: address(), balance })],
    [
      'the default quota of a new team',
      'defaultQuota',
      ({ ann }, defaultQuota) => ann.post('/api/groups', { name: `Team ${newId()}`, type: 'team', defaultQuota }),
    ],
    [
      'the default quota of a team',
      'defaultQuota',
      ({ ann, team }, defaultQuota) => ann.put(`/api/groups/${team}`, { defaultQuota }),
    ],
    [
      'the balance below which a team is told',
      'balanceThreshold',
      ({ ann, team }, balanceThreshold) => ann.put(`/api/groups/${team}`, { balanceThreshold }),
    ],
    [
      'the quota of a member',
      'quota',
      ({ ann, team, ben }, quota) => ann.put(`/api/groups/${team}/members/${ben}`, { quota }),
    ],
    [
      'the quota of somebody who is invited',
      'members.0.quota',
      ({ ann, team }, quota) => ann.post(`/api/groups/${team}/members`, { members: [{ email: address(), quota }] }),
    ],
    [
      'the quota of somebody who is included',
      'include.0',
      ({ ann, team }, quota) => ann.put(`/api/groups/${team}`, { include: [{ email: address(), quota }] }),
    ],
  ])('%s', (_, field, call) => expectRefused(call, field, wrong, '36,00'));
});

describe('a price that is not a plain number is refused', () => {
  const wrong = [
    ...['-0.5', '+0.5', '0.5e0', '1e3', '0,5', '.5', '5.', '0.1234567', '0x10', 'NaN', '٥', '０.５', '', ' 1', '$1'],
    ...[-0.5, 1e7, 1e21, null, true, [], ['0.5'], {}, { cost: '0.5' }, { cost: -1 }, { cost: null }, { groupId: 'x' }],
  ];
  const of =
    (path: string, more: object = {}): Call =>
    ({ ann, recording }, cost) =>
      ann.post(`/api/meetings/${recording}/${path}`, { ...more, cost });

  test.each<Row>([
    ['a transcription', 'cost', of('process')],
    ['an upgrade', 'cost', of('upgrade')],
    ['sharing a recording', 'cost', of('paid-share')],
    ['sharing a folder', 'cost', ({ ann }, cost) => ann.post('/api/folders/paid-share', { path: '/Plain', cost })],
    ['a question', 'cost', of('chat', { content: 'What was decided?' })],
    ['an analysis', 'cost', of('analysis')],
    ['a search for outcomes', 'cost', of('outcomes/autodetect')],
    ['an explained grade', 'cost', of('grades/trust/explanation')],
    ['a draft of a summary', 'cost', of('drafts/summary')],
    ['a draft of chapters', 'cost', of('drafts/chapters')],
  ])('%s', (_, field, call) => expectRefused(call, field, wrong, '0.5'));
});

test('a number is read by its value, however JSON writes it', async () => {
  const { ann } = await scene();
  const raw = (balance: string) =>
    ann.post('/api/gift', undefined, {
      raw: `{"recipient":"${address()}","balance":${balance}}`,
      headers: { 'Content-Type': 'application/json' },
    });
  expect((await raw('1e1')).body).toEqual({ balance: '40.00' });
  expect((await raw('10.0')).body).toEqual({ balance: '30.00' });
});
