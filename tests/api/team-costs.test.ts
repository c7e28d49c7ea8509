// Costs of a team (server/billing/{quote,desk,paying-teams}.ts): credits of its payer, within the quota of each member.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { subscriptions } from '#db/schema/payments.ts';
import { balanceOf } from '#server/billing/balance.ts';
import { createDesk } from '#server/billing/desk.ts';
import { purseOf } from '#server/billing/ledger.ts';
import type { Asker } from '#server/billing/quote.ts';
import { systemClock } from '#server/clock.ts';
import { transaction } from '#server/context.ts';
import { asProblem } from '#server/http/answer.ts';
import type { PlanName } from '#shared/catalogue.ts';
import { newId } from '#shared/ids.ts';
import { externalModel, humanModel, type CostOption } from '#shared/intake.ts';
import { roles } from '#shared/roles.ts';
import { giveCredits, setFreeMinutes } from '#tests/support/billing.ts';
import { makeTeam } from '#tests/support/groups.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { beginProcessing, createMeeting, external, processed, tone } from '#tests/support/intake.ts';
import { share } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';

/** Fifteen cents a minute, also for recordings with a transcript; people cost two dollars. */
const desk = createDesk({ clock: systemClock }, () => ({ [externalModel]: 150_000, [humanModel]: 2_000_000 }));

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse({ env: { TRUSTED_PROXIES: '127.0.0.1' }, house: { costs: desk } });
});
afterAll(() => house.close());

/** Ann pays with ten credits; Ben is a member who has nothing of his own. */
let [ann, ben]: Person[] = [];
let id: string;
beforeEach(async () => {
  [ann, ben] = await house.people(2);
  if (!ann || !ben) throw new Error('nobody is there');
  id = await makeTeam(ann, [ben], { name: 'Interviews', defaultQuota: 3 });
  await giveCredits(house, ann, '10');
  for (const person of [ann, ben]) await setFreeMinutes(house, person, 0);
});
const payer = () => ann as Person;
const member = () => ben as Person;

const order = (minutes: number, model: string = externalModel) => ({
  meetingId: newId(),
  model,
  seconds: minutes * 60,
});
const options = (who: Asker, minutes = 10, model?: string) =>
  desk.options(house.database.orm, who, order(minutes, model));
const inTeam = (who: Person = member()): Asker => ({ id: who.id, scopeId: id });
const tx = <T>(work: Parameters<typeof transaction<T>>[1]) => transaction(house.house, work);
/** Reserves what the team pays for. */
const holds = async (minutes: number, who: Asker = { id: member().id }, groupId = id): Promise<string> => {
  const cost = (minutes * 150_000) / 1e6;
  return (await tx((at) => desk.hold(at, who, order(minutes), { cost, groupId }))) ?? '';
};
/** The same of many at once: a busy server asks to come again. */
const holdsInTurn = async (...given: Parameters<typeof holds>): Promise<string> => {
  for (;;) {
    try {
      return await holds(...given);
    } catch (error) {
      if (asProblem(error).code !== 'UNAVAILABLE') throw error;
    }
  }
};
const balance = async (who: Person) => balanceOf(house.house, house.database.orm, who.id);
const used = async (who: Person = member()) => (await who.whoami()).body.teams[0]?.used;
const setQuota = (quota: number | null) => payer().put(`/api/groups/${id}/members/${member().id}`, { quota });
const own = { groupId: null, isDelegated: false };
const teams = () => ({ groupId: id, isDelegated: true, organizationName: 'Interviews', payer: 'Ann Test' });

describe('ways to pay', () => {
  test('are all in the personal scope, and in a team’s scope that team’s', async () => {
    await setFreeMinutes(house, member(), 20);
    expect(await options({ id: member().id })).toMatchObject([
      { ...own, cost: 0, freeMinutes: 10 },
      { ...teams(), cost: 1.5, freeMinutes: 0, isEnough: true, isEnoughQuota: true, quotaLeft: 3 },
    ]);
    expect(await options(inTeam())).toMatchObject([{ ...teams(), cost: 1.5 }]);
    // Free work has no payer.
    expect(await options(inTeam(), 0)).toMatchObject([{ ...own, cost: 0 }]);
  });

  test('are one’s own beside the team’s where that cannot be used', async () => {
    expect(await options(inTeam(), 30)).toMatchObject([{ ...teams(), isEnough: true, isEnoughQuota: false }, own]);
    await setQuota(100);
    expect(await options(inTeam(), 80)).toMatchObject([{ ...teams(), isEnough: false, isEnoughQuota: true }, own]);
  });

  test('tell admins alone what the payer has, and the payer what is missing', async () => {
    await setQuota(100);
    const [option] = await options(inTeam(), 80);
    expect(option).toMatchObject({ balance: 0, recommendedBalanceTopUp: 0 });
    const [seen] = await options(inTeam(payer()), 80);
    expect(seen).toMatchObject({ balance: 10, recommendedBalanceTopUp: 2 });
  });

  test.each<[string, () => Promise<unknown>]>([
    ['is archived', () => payer().post(`/api/groups/${id}/deactivate`)],
    ['is a plain group', () => payer().put(`/api/groups/${id}`, { type: 'group' })],
    ['was left by the member', () => member().post(`/api/groups/${id}/leave`)],
    ['was deleted', () => payer().delete(`/api/groups/${id}`)],
  ])('are the person’s own alone where the team %s', async (_, end) => {
    const { id: recording, costs } = await createMeeting(member(), recorded());
    const delegated = costs.find(({ groupId }) => groupId === id);
    await end();
    expect(await options(inTeam())).toMatchObject([own]);
    const refused = await beginProcessing(member(), recording, { cost: delegated });
    expect([refused.status, refused.problem]).toMatchObject([402, { code: 'FUNDS', info: { costs: [own] } }]);
    await expect(holds(1)).rejects.toMatchObject({ code: 'FUNDS', info: { costs: [own] } });
  });

  test('are one’s own after the payer is no admin any more', async () => {
    const [cem] = await house.people(1);
    const other = await makeTeam(cem as Person, [[payer(), 'admin'], member()]);
    await payer().put(`/api/groups/${other}`, { payer: payer().id });
    const ways = async () => (await options({ id: member().id })).map(({ groupId }) => groupId);
    expect(await ways()).toEqual([null, id, other]);
    await (cem as Person).put(`/api/groups/${other}/members/${payer().id}`, { role: 'member' });
    expect(await ways()).toEqual([null, id]);
    await expect(holds(1, { id: member().id }, other)).rejects.toMatchObject({ code: 'FUNDS' });
  });
});

describe('the price of a minute', () => {
  const subscribe = (who: Person, plan: PlanName) =>
    tx(async (at) => {
      const purseId = await purseOf(house.house, at, who.id);
      const now = systemClock.now();
      const periodEnd = new Date(now.getTime() + 86_400_000);
      const row = { id: newId(), purseId, plan, serviceId: null, state: 'active' as const, cancelled: true };
      await at.insert(subscriptions).values({ ...row, periodEnd, createdAt: now });
    });
  const costs = async (who: Asker, model?: string) => (await options(who, 10, model)).map(({ cost }) => cost);

  test('is that of the payer’s plan', async () => {
    await subscribe(payer(), 'team300-2024');
    expect(await costs({ id: member().id })).toEqual([1.5, 1.2]);
    expect(await costs({ id: payer().id })).toEqual([1.2, 1.2]);
    await tx((at) => desk.hold(at, inTeam(), order(10), { cost: 1.2, groupId: id }));
    expect((await balance(payer())).reserved).toMatchObject({ balance: '1.20' });
    await subscribe(member(), 'academy-2024');
    expect(await costs({ id: member().id })).toEqual([1, 1.2]);
  });

  test('is the usual one with a plan of minutes, and for the work of people', async () => {
    await subscribe(payer(), 'professional');
    expect(await costs({ id: member().id })).toEqual([1.5, 1.5]);
    await subscribe(payer(), 'academy-2024');
    expect(await costs({ id: member().id }, humanModel)).toEqual([20, 20]);
  });
});

describe('a quota', () => {
  test('is used by what is reserved, and gets back what was not taken', async () => {
    const hold = await holds(10);
    expect(await used()).toBe(1.5);
    expect(await balance(payer())).toMatchObject({ balance: '8.50', reserved: { balance: '1.50' } });
    expect((await balance(member())).reserved).toMatchObject({ balance: '0.00' });
    await tx((at) => desk.capture(at, hold, 240));
    expect(await used()).toBe(0.6);
    expect(await balance(payer())).toMatchObject({ balance: '9.40', reserved: { balance: '0.00' } });
    const other = await holds(16);
    await expect(holds(1)).rejects.toMatchObject({ code: 'QUOTA', info: { costs: [own, { isEnoughQuota: false }] } });
    for (let i = 0; i < 2; i += 1) await tx((at) => desk.release(at, other));
    expect(await used()).toBe(0.6);
    expect((await balance(payer())).balance).toBe('9.40');
  });

  test('is not set below what is reserved', async () => {
    await holds(10);
    expect((await setQuota(1.49)).problem.info.errors).toEqual([{ field: 'quota', code: 'quota_used' }]);
    expect((await setQuota(1.5)).status).toBe(200);
    await expect(holds(1)).rejects.toMatchObject({ code: 'QUOTA' });
  });

  test('stops fifty orders at once at exactly what it allows', async () => {
    const orders = await Promise.allSettled(Array.from({ length: 50 }, () => holdsInTurn(2)));
    expect(orders.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    for (const one of orders) if (one.status === 'rejected') expect(asProblem(one.reason).code).toBe('QUOTA');
    expect(await used()).toBe(3);
    expect((await balance(payer())).reserved.balance).toBe('3.00');
  });
});

describe('a payer', () => {
  test('pays for fifty orders of many members at once exactly what is there', async () => {
    await payer().put(`/api/groups/${id}`, { defaultQuota: null });
    const others = await house.people(4);
    for (const one of others) {
      await payer().post(`/api/groups/${id}/members`, { members: [{ email: one.email, role: 'member' }] });
      await one.post(`/api/groups/${id}/accept`);
    }
    const who = [...others, member(), payer()];
    // A team of the same payer draws on the same credits.
    const second = await makeTeam(payer(), [member()], { name: 'Another team' });
    const orders = await Promise.allSettled(
      Array.from({ length: 50 }, (_, i) =>
        i % 7 === 0
          ? holdsInTurn(4, { id: member().id }, second)
          : holdsInTurn(4, { id: who[i % who.length]?.id ?? '' }),
      ),
    );
    expect(orders.filter(({ status }) => status === 'fulfilled')).toHaveLength(16);
    for (const one of orders) if (one.status === 'rejected') expect(asProblem(one.reason).code).toBe('FUNDS');
    expect(await balance(payer())).toMatchObject({ balance: '0.40', reserved: { balance: '9.60' } });
  });

  test('keeps what is reserved when another takes over; from then on that one pays', async () => {
    const [cem] = await house.people(1);
    await payer().post(`/api/groups/${id}/members`, { members: [{ email: (cem as Person).email, role: 'admin' }] });
    await (cem as Person).post(`/api/groups/${id}/accept`);
    await giveCredits(house, cem as Person, '5');
    const [taken, failed] = [await holds(4), await holds(2)];
    await (cem as Person).put(`/api/groups/${id}`, { payer: (cem as Person).id });
    const later = await holds(2);
    await tx((at) => desk.capture(at, taken));
    await tx((at) => desk.release(at, failed));
    await tx((at) => desk.capture(at, later));
    expect((await balance(payer())).balance).toBe('9.40');
    expect((await balance(cem as Person)).balance).toBe('4.70');
    expect(await used()).toBe(0.9);
  });

  test('pays for the job of a member who left while it runs, as was agreed', async () => {
    const { id: recording, costs } = await createMeeting(member(), recorded(61));
    const cost = costs.find(({ groupId }) => groupId === id);
    expect(cost).toMatchObject({ cost: 0.1525 });
    // The job finds its file damaged, so that everything is returned; the same file is good the second time.
    const { sql } = house.database;
    const [upload] = await sql`select digest from uploads where meeting_id = ${recording}`;
    await sql`update uploads set digest = ${Buffer.alloc(32)} where meeting_id = ${recording}`;
    expect((await beginProcessing(member(), recording, { cost })).status).toBe(200);
    expect(await processed(member(), recording)).toMatchObject({ failures_present: true });
    expect([await used(), (await balance(payer())).balance]).toEqual([0, '10.00']);

    await sql`update uploads set digest = ${upload?.['digest'] as Buffer} where meeting_id = ${recording}`;
    const [begun, left] = await Promise.all([
      beginProcessing(member(), recording, { cost }),
      member().post(`/api/groups/${id}/leave`),
    ]);
    expect(left.status).toBe(204);
    if (begun.status === 402) expect((await balance(payer())).balance).toBe('10.00');
    else {
      expect(await processed(member(), recording)).toMatchObject({ percentage: 100 });
      expect((await balance(payer())).balance).toBe('9.8475');
    }
  });
});

const recorded = (seconds = 61) => external({ file: { fileName: 'talk.wav', content: tone(seconds) } });

describe('fifty callers of the server at once', () => {
  /** Five callers for each of ten recordings, which the team is to pay for. Returns those that were begun. */
  const callFifty = async (whose: readonly Person[], groupId: string, refusal: string): Promise<string[]> => {
    const recordings: { who: Person; id: string; cost: CostOption }[] = [];
    for (const who of whose) {
      const made = await createMeeting(who, recorded());
      const cost = made.costs.find((one) => one.groupId === groupId);
      if (!cost) throw new Error('the team does not pay');
      recordings.push({ who, id: made.id, cost });
    }
    const call = async ({ who, id: recording, cost }: (typeof recordings)[number]) => {
      for (;;) {
        const { status, problem } = await beginProcessing(who, recording, { cost });
        // A busy server asks to come again.
        if (status !== 503) return { recording, status, code: status === 200 ? null : problem.code };
      }
    };
    const answers = await Promise.all(Array.from({ length: 5 }, () => recordings.map(call)).flat());
    expect(answers).toHaveLength(50);
    for (const { status, code } of answers)
      expect([
        [200, null],
        [402, refusal],
      ]).toContainEqual([status, code]);
    const begun = recordings.filter((one) => answers.some((each) => each.recording === one.id && each.status === 200));
    for (const one of begun) expect(await processed(one.who, one.id)).toMatchObject({ percentage: 100 });
    const rows = await house.database.sql<{ meeting: string; state: string }[]>`
      select meeting_id as meeting, state from holds where group_id = ${groupId}`;
    expect(rows.map(({ meeting, state }) => `${state} ${meeting}`).toSorted()).toEqual(
      begun.map((one) => `captured ${one.id}`).toSorted(),
    );
    return begun.map((one) => one.id);
  };
  const ten = <One>(all: readonly One[]) => Array.from({ length: 10 / all.length }, () => all).flat();

  test('use one quota up to the last of it, and the payer keeps the rest', async () => {
    await setQuota(0.61);
    expect(await callFifty(ten([member()]), id, 'QUOTA')).toHaveLength(4);
    expect([await used(), await balance(payer())]).toMatchObject([
      0.61,
      { balance: '9.39', reserved: { balance: '0.00' } },
    ]);
  });

  test('use the credits of one payer up to the last of them', async () => {
    const [cem, ...others] = (await house.people(5)) as [Person, ...Person[]];
    const team = await makeTeam(cem, [...others, member()]);
    await giveCredits(house, cem, '0.61');
    expect(await callFifty(ten([...others, member()]), team, 'FUNDS')).toHaveLength(4);
    expect(await balance(cem)).toMatchObject({ balance: '0.00', reserved: { balance: '0.00' } });
    expect((await balance(payer())).balance).toBe('10.00');
    for (const one of others) expect((await balance(one)).balance).toBe('0.00');
  });
});

test('a recording is paid by the option that was chosen, out of two that cost alike', async () => {
  await giveCredits(house, member(), '5');
  const { id: recording, costs } = await createMeeting(member(), recorded());
  expect(costs).toMatchObject([
    { ...own, cost: 0.1525 },
    { ...teams(), cost: 0.1525 },
  ]);
  const chosen = costs[1] as CostOption;
  expect((await beginProcessing(member(), recording, { cost: chosen })).status).toBe(200);
  await processed(member(), recording);
  expect((await balance(member())).balance).toBe('5.00');
  expect((await balance(payer())).balance).toBe('9.8475');
  expect(await used()).toBe(0.1525);
});

test('a quota that is used up is refused with what is left, and the recording goes on once it is raised', async () => {
  await setQuota(0.1);
  await member().post('/api/principals/change', { scope: { scope_id: id, role_id: 'member' } });
  const { id: recording, costs } = await createMeeting(member(), recorded());
  expect(costs).toMatchObject([{ ...teams(), isEnoughQuota: false, quotaLeft: 0.1 }, own]);
  const refused = await beginProcessing(member(), recording, { cost: costs[0] });
  expect([refused.status, refused.problem]).toMatchObject([402, { code: 'QUOTA', info: { costs } }]);
  await setQuota(1);
  expect((await member().get(`/api/meetings/${recording}/costs`)).body).toMatchObject([{ ...teams(), quotaLeft: 1 }]);
  expect((await beginProcessing(member(), recording, { cost: costs[0] })).status).toBe(200);
  expect(await processed(member(), recording)).toMatchObject({ percentage: 100 });
  expect(await used()).toBe(0.1525);
});

test('the payer’s transactions say for whom and which team, and name only what the payer may read', async () => {
  const today = () => house.clock.now().toISOString().slice(0, 10);
  const day = today();
  const { id: recording, costs } = await createMeeting(member(), recorded());
  await beginProcessing(member(), recording, { cost: costs.find(({ groupId }) => groupId === id) });
  await processed(member(), recording);
  const [line] = (await payer().get('/api/transactions')).body.transactions;
  const seen = {
    kind: 'transcription',
    balance: '-0.1525',
    uploader: 'Ben Test',
    groupId: id,
    organizationName: 'Interviews',
  };
  expect(line).toMatchObject({ ...seen, meetingId: null, meetingName: null });
  await share(house, recording, payer(), roles.canRead);
  expect((await payer().get('/api/transactions')).body.transactions[0]).toMatchObject({
    ...seen,
    meetingId: recording,
    meetingName: 'Monday',
  });
  expect((await payer().get('/api/transactions.csv')).text).toContain(',"Ben Test",');
  // The member paid nothing.
  expect((await member().get('/api/transactions')).body.transactions[0]).not.toMatchObject({ kind: 'transcription' });

  const report = await payer().get(`/api/groups/${id}/activity-report?fromDate=${day}&toDate=${today()}`);
  const rows = report.text.split('\r\n').map((row) => row.replaceAll('"', '').split(','));
  expect(rows.find((row) => row[1] === member().email)?.slice(4)).toEqual([
    '1',
    '1.02',
    '0.1525',
    '3',
    expect.toBeOneOf([day, today()]),
  ]);
  expect(rows.find((row) => row[1] === payer().email)?.slice(4)).toEqual(['0', '0', '0', '3', '']);

  // The line keeps its member's name after the team and the recording are deleted.
  await member().delete(`/api/meetings/${recording}`);
  await payer().delete(`/api/groups/${id}`);
  const [after] = (await payer().get('/api/transactions')).body.transactions;
  expect(after).toMatchObject({ uploader: 'Ben Test', groupId: null, organizationName: null, meetingName: null });
});
