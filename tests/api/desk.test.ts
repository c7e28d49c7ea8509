// The desk (server/billing/desk.ts): what work costs is reserved when it begins, and taken or returned when it ends.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { balanceOf } from '#server/billing/balance.ts';
import { createDesk, sweepHolds, sweepLots } from '#server/billing/desk.ts';
import { sweepStalled } from '#server/intake/stalled.ts';
import { newLot, post, purseOf, type Account } from '#server/billing/ledger.ts';
import { giving } from '#server/billing/transfers.ts';
import { asProblem } from '#server/http/answer.ts';
import { transaction, type Person as Principal } from '#server/context.ts';
import { newId } from '#shared/ids.ts';
import { Problem } from '#shared/problems.ts';
import { externalModel, humanModel, type CostOption } from '#shared/intake.ts';
import { giveCredits, setFreeMinutes } from '#tests/support/billing.ts';
import { MovableClock } from '#tests/support/clock.ts';
import { refusingIn } from '#tests/support/database.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { beginProcessing, createMeeting, external, tone } from '#tests/support/intake.ts';
import { makeMeeting } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';

/** Fifteen cents a minute; people cost two credits. */
const prices = { [externalModel]: 150_000, [humanModel]: 2_000_000 };
const clock = new MovableClock();
const desk = createDesk({ clock }, () => prices);
const day = 24 * 3600;

let house: TestHouse;
let ann: Person;
beforeAll(async () => {
  // Without workers: what is queued stays so.
  house = await openHouse({ clock, env: { ROLE: 'api' }, house: { costs: desk } });
});
afterAll(() => house.close());
beforeEach(async () => {
  ann = await house.person();
  await setFreeMinutes(house, ann, 0);
});

const who = () => ({ id: ann.id }) as Principal;
// Not by the call, as sessions end when the clock is moved.
const balance = () => balanceOf(house.house, house.database.orm, ann.id);
const order = (minutes: number, model: string = externalModel) => ({
  meetingId: newId(),
  model,
  seconds: minutes * 60,
});
const tx = <T>(work: Parameters<typeof transaction<T>>[1]) => transaction(house.house, work);
const holds = async (wanted: ReturnType<typeof order>, option?: CostOption): Promise<string> => {
  const [first] = option ? [option] : await desk.options(house.database.orm, who(), wanted);
  if (!first) throw new Error('nothing is offered');
  return (await tx((at) => desk.hold(at, who(), wanted, first))) ?? '';
};
/** A lot of minutes that lapses after so many days; null: never. */
const give = (minutes: number, { paid = false, days = null as number | null } = {}): Promise<string> =>
  tx(async (at) => {
    const purse = await purseOf(house.house, at, ann.id);
    const lapsesAt = days === null ? null : new Date(clock.now().getTime() + days * day * 1000);
    const lot = await newLot(house.house, at, purse, { paid, lapsesAt, source: 'test' });
    const transfers = [
      { from: { house: 'minted' }, to: { purse, lot } as Account, amount: BigInt(minutes * 60) } as const,
    ];
    await post(house.house, at, { key: newId(), kind: 'grant', by: null, transfers });
    return lot;
  });
const lots = async () => (await balance()).lots.map(({ minutes, paid }) => [minutes, paid]);

test('minutes that lapse soonest are spent first, then free ones, then bought ones, then credits', async () => {
  await give(10, { paid: true });
  await give(10);
  await give(10, { paid: true, days: 30 });
  await give(10, { days: 3 });
  await giveCredits(house, ann, '3');
  expect(await lots()).toEqual([
    [10, false],
    [10, true],
    [10, false],
    [10, true],
  ]);
  const [option] = await desk.options(house.database.orm, who(), order(45));
  expect(option).toMatchObject({ cost: 0.75, freeMinutes: 20, professionalMinutes: 20, isEnough: true, balance: 3 });
  await tx(async (at) => desk.capture(at, await holds(order(15))));
  expect(await lots()).toEqual([
    [5, true],
    [10, false],
    [10, true],
  ]);
  await tx(async (at) => desk.capture(at, await holds(order(30))));
  expect(await balance()).toMatchObject({ lots: [], balance: '2.25', totalMinutes: 0 });
});

test('what is held is nobody else’s, still one’s own, and one line once it is taken', async () => {
  await give(10);
  await giveCredits(house, ann, '1');
  const wanted = order(12);
  const id = await holds(wanted);
  expect(await balance()).toMatchObject({
    ...{ balance: '0.70', freeMinutes: 0 },
    reserved: { balance: '0.30', freeMinutes: 10, professionalMinutes: 0 },
  });
  const before: number = (await ann.get('/api/transactions')).body.total;
  await tx((at) => desk.capture(at, id));
  const { transactions, total } = (await ann.get('/api/transactions')).body;
  expect(total).toBe(before + 1);
  expect(transactions[0]).toMatchObject({ kind: 'transcription', balance: '-0.30', freeMinutes: -10, meetingId: null });
  expect((await balance()).reserved).toEqual({ balance: '0.00', freeMinutes: 0, professionalMinutes: 0 });
  // Settled once, whatever comes later.
  await tx((at) => desk.capture(at, id));
  await tx((at) => desk.release(at, id));
  expect(await balance()).toMatchObject({ balance: '0.70', freeMinutes: 0 });
});

test.for([
  [3, 7, '1.00'],
  [10, 0, '1.00'],
  [11.5, 0, '0.775'],
  [12, 0, '0.70'],
  [99, 0, '0.70'],
] as const)(
  'of a hold for 12 minutes, %d used ones are taken and the rest is returned',
  async ([used, minutes, credits]) => {
    await give(10);
    await giveCredits(house, ann, '1');
    const id = await holds(order(12));
    await tx((at) => desk.capture(at, id, used * 60));
    expect(await balance()).toMatchObject({ freeMinutes: minutes, balance: credits });
  },
);

test('a release returns everything, and a second one nothing', async () => {
  await give(10);
  await giveCredits(house, ann, '1');
  const id = await holds(order(12));
  for (let i = 0; i < 2; i += 1) await tx((at) => desk.release(at, id));
  expect(await balance()).toMatchObject({ balance: '1.00', freeMinutes: 10, reserved: { balance: '0.00' } });
});

test('fifty orders at once on one purse get exactly what is in it', async () => {
  await give(20);
  await giveCredits(house, ann, '3');
  // Forty minutes in all: ten orders of four.
  const orders = await Promise.allSettled(
    Array.from({ length: 50 }, async () => {
      const wanted = order(4);
      for (;;) {
        try {
          const [option] = await desk.options(house.database.orm, who(), wanted);
          if (!option?.isEnough) throw new Problem('FUNDS');
          return await tx((at) => desk.hold(at, who(), wanted, option));
        } catch (error) {
          if (!['PRICE', 'UNAVAILABLE'].includes(asProblem(error).code)) throw error;
        }
      }
    }),
  );
  expect(orders.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  expect(await balance()).toMatchObject({
    balance: '0.00',
    totalMinutes: 0,
    reserved: { balance: '3.00', freeMinutes: 20 },
  });
});

test('a price that is no longer the one that was seen is refused with the new one', async () => {
  await give(10);
  const wanted = order(10);
  const [seen] = await desk.options(house.database.orm, who(), wanted);
  await setFreeMinutes(house, ann, 5);
  await giveCredits(house, ann, '5');
  await expect(holds(wanted, seen)).rejects.toMatchObject({ code: 'PRICE', info: { costs: [{ cost: 0.75 }] } });
});

test('the same work is reserved for once at a time', async () => {
  await give(10);
  const wanted = order(2);
  const id = await holds(wanted);
  await expect(holds(wanted)).rejects.toMatchObject({ code: 'CONFLICT' });
  await tx((at) => desk.release(at, id));
  expect(await holds(wanted)).not.toBe('');
});

/** A dispute that takes credits, and leaves the rest owed. */
const dispute = (credits: bigint, debt: bigint) =>
  tx(async (at) => {
    const purse = await purseOf(house.house, at, ann.id);
    const transfers = [
      ...(credits > 0n
        ? [{ from: { purse, kind: 'credits' }, to: { house: 'stripe' }, amount: credits } as const]
        : []),
      { from: { purse, kind: 'debt' }, to: { house: 'stripe' }, amount: debt } as const,
    ];
    await post(house.house, at, { key: newId(), kind: 'dispute', by: null, transfers });
  });

test('who owes something spends nothing before it is paid, however much they have', async () => {
  await give(10);
  await dispute(0n, 3_000_000n);
  expect((await balance()).debt).toBe('3.00');
  const first = async (minutes: number) => (await desk.options(house.database.orm, who(), order(minutes)))[0];
  // Minutes alone would pay for it.
  expect(await first(1)).toMatchObject({ isEnough: false, recommendedBalanceTopUp: 3 });
  expect(await first(20)).toMatchObject({ isEnough: false, recommendedBalanceTopUp: 4.5 });
  await expect(holds(order(1))).rejects.toMatchObject({ code: 'FUNDS' });
  await tx(async (at) => {
    const purse = await purseOf(house.house, at, ann.id);
    const transfers = await giving(at, purse, 4_000_000n, { house: 'granted' });
    await post(house.house, at, { key: newId(), kind: 'grant', by: null, transfers });
  });
  expect(await balance()).toMatchObject({ balance: '1.00', debt: '0.00' });
  expect(await holds(order(10))).not.toBe('');
});

test.for([
  ['a failure', (at, id) => desk.release(at, id), '1.00'],
  ['a shorter recording', (at, id) => desk.capture(at, id, 600), '0.00'],
] as [string, (at: Parameters<typeof desk.release>[0], id: string) => Promise<void>, string][])(
  'what %s returns pays what is owed meanwhile first',
  async ([, end, left]) => {
    await giveCredits(house, ann, '5');
    const id = await holds(order(20));
    await dispute(2_000_000n, 2_000_000n);
    await tx((at) => end(at, id));
    expect(await balance()).toMatchObject({
      balance: left,
      debt: left === '1.00' ? '0.00' : '0.50',
      reserved: { balance: '0.00' },
    });
  },
);

test('the work of people is paid from credits alone', async () => {
  await give(90);
  await giveCredits(house, ann, '5');
  await tx(async (at) => desk.capture(at, await holds(order(2, humanModel))));
  expect(await balance()).toMatchObject({ balance: '1.00', freeMinutes: 90 });
});

test('lapsed minutes are not spent, and end as a line; those that return after their end live a week more', async () => {
  await give(10, { days: 2 });
  await give(5, { days: 2, paid: true });
  const id = await holds(order(8));
  clock.forward(3 * day);
  expect(await lots()).toEqual([]);
  await expect(holds(order(1))).rejects.toMatchObject({ code: 'FUNDS' });
  await sweepLots(house.house);
  const lapsed = await house.database.sql`
    select l.free_seconds::int as free, l.paid_seconds::int as paid
    from ledger_lines l join ledger_postings p on p.id = l.posting_id join purses u on u.id = l.purse_id
    where u.user_id = ${ann.id} and p.kind = 'lapse' order by 1`;
  expect(lapsed).toEqual([
    { free: -120, paid: 0 },
    { free: 0, paid: -300 },
  ]);
  await tx((at) => desk.release(at, id));
  expect(await lots()).toEqual([[8, false]]);
  clock.forward(6 * day);
  expect(await lots()).toEqual([[8, false]]);
  clock.forward(2 * day);
  expect(await lots()).toEqual([]);
});

test('a hold without work ends after a day, that of an order after thirty', async () => {
  await give(10);
  await giveCredits(house, ann, '5');
  await holds(order(8));
  await holds(order(1, humanModel));
  clock.forward(day - 60);
  await sweepHolds(house.house);
  expect((await balance()).reserved).toMatchObject({ balance: '2.00', freeMinutes: 8 });
  clock.forward(120);
  await sweepHolds(house.house);
  expect(await balance()).toMatchObject({ freeMinutes: 10, reserved: { balance: '2.00', freeMinutes: 0 } });
  clock.forward(29 * day);
  await sweepHolds(house.house);
  expect(await balance()).toMatchObject({ balance: '5.00', reserved: { balance: '0.00' } });
});

test('a hold or a lot that cannot be settled at this moment keeps no other one from it', async () => {
  await giveCredits(house, ann, '5');
  const [stuck, other] = [await holds(order(2)), await holds(order(3))];
  clock.forward(day + 60);
  const reserved = async () => (await balance()).reserved.balance;
  expect(await reserved()).toBe('0.75');
  await refusingIn(house, `insert on ledger_postings for each row when (new.hold_id = '${stuck}')`, () =>
    expect(sweepHolds(house.house)).rejects.toThrow('could not be released yet'),
  );
  expect(await reserved()).toBe('0.30');
  await sweepHolds(house.house);
  expect(await reserved()).toBe('0.00');
  expect(other).not.toBe(stuck);

  const [first, second] = [await give(10, { days: 1 }), await give(20, { days: 2 })];
  clock.forward(3 * day);
  const left = async () =>
    (
      await house.database.sql<{ balance: number }[]>`
        select balance::int as balance from ledger_accounts where id in ${house.database.sql([first, second])} order by lapses_at`
    ).map((one) => one.balance);
  expect(await left()).toEqual([600, 1200]);
  await refusingIn(house, `insert on ledger_transfers for each row when (new.from_account = '${first}')`, () =>
    expect(sweepLots(house.house)).rejects.toThrow('could not be emptied yet'),
  );
  expect(await left()).toEqual([600, 0]);
  await sweepLots(house.house);
  expect(await left()).toEqual([0, 0]);
});

test('what is reserved for a question stays so while its job waits, and is returned where it has none', async () => {
  await giveCredits(house, ann, '5');
  const reserved = async () => (await balance()).reserved.balance;
  const meetingId = await makeMeeting(house, ann);
  const question = { meetingId, purpose: 'question', price: 250_000n, subject: ann.id } as const;
  const [option] = await desk.options(house.database.orm, who(), question);
  if (!option) throw new Error('nothing is offered');
  const hold = await tx((at) => desk.hold(at, who(), question, option));
  const { sql } = house.database;
  await sql`
    insert into ai_runs (id, kind, meeting_id, user_id, hold_id, model, host, language, state, created_at)
    values (${newId()}, 'question', ${meetingId}, ${ann.id}, ${hold}, 'm', 'h', 'en', 'waiting', now())`;
  // No worker takes it in this test.
  await sql`
    insert into jobs (id, kind, meeting_id, subject, state, next_at, created_at)
    values (${newId()}, 'question', ${meetingId}, ${ann.id}, 'waiting', now() + interval '10 years', now())`;
  clock.forward(2 * 3600);
  await sweepHolds(house.house);
  expect(await reserved()).toBe('0.25');
  await sql`delete from jobs where meeting_id = ${meetingId}`;
  await sweepHolds(house.house);
  expect(await reserved()).toBe('0.00');
});

test('a recording whose job is gone fails after a day and returns what it reserved; one whose job or order waits goes on', async () => {
  const { sql } = house.database;
  await give(10);
  const begun = async (price?: object): Promise<string> => {
    const file = { fileName: 'talk.wav', content: tone(90) };
    const { id, costs } = await createMeeting(ann, external({ file }));
    expect((await beginProcessing(ann, id, { cost: price ?? costs[0] })).status).toBe(200);
    return id;
  };
  clock.stop();
  const [lost, waiting, ordered] = [await begun(), await begun(), await begun()];
  await sql`delete from jobs where meeting_id in (${lost}, ${ordered})`;
  await sql`
    insert into orders (id, meeting_id, state, title, lang, speakers, vocabulary, created_at)
    values (${newId()}, ${ordered}, 'open', 'Monday', 'en-US', 2, '', now())`;
  const sweep = async () => {
    await sweepStalled(house.house);
    await sweepHolds(house.house);
    const rows = await sql`
      select state, failure, hold_id is not null as held from intakes where meeting_id in (${lost}, ${waiting}, ${ordered})
      order by array_position(array[${lost}, ${waiting}, ${ordered}], meeting_id)`;
    return [...rows.map(({ state, failure, held }) => [state, failure, held]), (await balance()).reserved.freeMinutes];
  };
  const underWay = ['processing', null, true];
  clock.forward(day - 60);
  expect(await sweep()).toEqual([underWay, underWay, underWay, 4.5]);
  clock.forward(120);
  expect(await sweep()).toEqual([['failed', 'unexpected', false], underWay, underWay, 3]);
  expect(await sweep()).toEqual([['failed', 'unexpected', false], underWay, underWay, 3]);
  expect((await balance()).freeMinutes).toBe(7);
  expect((await house.mails(ann.email)).map(({ subject }) => subject)).toEqual([
    expect.stringContaining('could not be'),
  ]);
  // A transcript that people have written is delivered, once, and nothing is returned.
  await sql`update orders set state = 'delivered', transcript = 'Hello.' where meeting_id = ${ordered}`;
  for (const again of [1, 2]) {
    expect((await sweep())[2], `time ${again}`).toEqual(underWay);
    expect(await sql`select kind, state from jobs where meeting_id = ${ordered}`).toEqual([
      { kind: 'delivery', state: 'waiting' },
    ]);
  }
  await sql`delete from jobs where meeting_id = ${ordered}`;
  await sql`update orders set state = 'withdrawn', transcript = null where meeting_id = ${ordered}`;
  // Two processes that look at once end it once.
  await Promise.all([sweepStalled(house.house), sweepStalled(house.house)]);
  expect((await sweep())[2]).toEqual(['failed', 'unexpected', false]);
  expect(await house.mails(ann.email)).toHaveLength(2);
});
