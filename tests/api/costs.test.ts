// Cost of a recording, and its payment: the trial and a price list, with a model that is not free.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { users } from '#db/schema/accounts.ts';
import { trialDesk, type Order } from '#server/intake/costs.ts';
import { transaction, type Person as Principal } from '#server/context.ts';
import { trialMinutes } from '#shared/billing.ts';
import { externalModel } from '#shared/intake.ts';
import { roles } from '#shared/roles.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { beginProcessing, createMeeting, external, processed, tone } from '#tests/support/intake.ts';
import { share } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';

/** Fifteen cents a minute, also for recordings with a transcript. */
const desk = trialDesk({ [externalModel]: 150_000 });

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse({ house: { costs: desk } });
});
afterAll(() => house.close());

const left = async ({ id }: Person): Promise<number> =>
  (await house.database.orm.select({ left: users.trialMinutes }).from(users).where(eq(users.id, id)))[0]?.left ?? -1;
const order = (minutes: number): Order => ({ model: externalModel, seconds: minutes * 60 });
const principal = ({ id }: Person) => ({ id }) as Principal;
const options = (person: Person, wanted: Order) => desk.options(house.database.orm, principal(person), wanted);

test('trial minutes go first, whole ones are counted, and what they do not cover has its price', async () => {
  const ann = await house.person();
  expect(await options(ann, { model: externalModel, seconds: 61 })).toMatchObject([
    { cost: 0, freeMinutes: 2, isEnough: true, recommendedBalanceTopUp: 0 },
  ]);
  expect(await options(ann, order(trialMinutes))).toMatchObject([{ cost: 0, isEnough: true }]);
  expect(await options(ann, order(trialMinutes + 1))).toMatchObject([
    { cost: 0.15, freeMinutes: trialMinutes, isEnough: false, recommendedBalanceTopUp: 0.15 },
  ]);
  await expect(options(ann, { model: externalModel, seconds: null })).rejects.toMatchObject({
    code: 'INVALID',
    errors: [{ field: 'file', code: 'file_type' }],
  });
  await expect(options(ann, { model: 'oracle', seconds: 1 })).rejects.toMatchObject({ code: 'INVALID' });
});

test('the same minutes are never given twice, however many orders come at once', async () => {
  const ann = await house.person();
  const [option] = await options(ann, order(20));
  if (!option) throw new Error('nothing is offered');
  const held = await Promise.allSettled(
    Array.from({ length: 10 }, () =>
      transaction(house.house, (tx) => desk.hold(tx, principal(ann), order(20), option)),
    ),
  );
  expect(held.filter(({ status }) => status === 'fulfilled')).toHaveLength(Math.floor(trialMinutes / 20));
  expect(await left(ann)).toBe(trialMinutes % 20);
});

test('a recording takes its minutes once, and returns them after a failure', async () => {
  const ann = await house.person();
  const good = await createMeeting(ann, external({ file: { fileName: 'talk.wav', content: tone(70) } }));
  expect(good.costs).toMatchObject([{ cost: 0, freeMinutes: 2 }]);
  const both = await Promise.all([beginProcessing(ann, good.id), beginProcessing(ann, good.id)]);
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  await processed(ann, good.id);
  expect(await left(ann)).toBe(trialMinutes - 2);

  const bad = await createMeeting(ann, external({ file: { fileName: 'talk.wav', content: tone(61) } }));
  await house.database.sql`update uploads set digest = ${Buffer.alloc(32)} where meeting_id = ${bad.id}`;
  await beginProcessing(ann, bad.id);
  expect(await processed(ann, bad.id)).toMatchObject({ failures_present: true });
  expect(await left(ann)).toBe(trialMinutes - 2);
  // Tried again, it takes and gives back again; and the price is asked for, not believed.
  expect((await beginProcessing(ann, bad.id, { cost: 0.3 })).problem).toMatchObject({ code: 'PRICE' });
  await beginProcessing(ann, bad.id);
  await processed(ann, bad.id);
  expect(await left(ann)).toBe(trialMinutes - 2);
});

test.for([
  ['fails', async () => {}],
  ['is deleted meanwhile', (person: Person, id: string) => person.delete(`/api/meetings/${id}`)],
] as const)('the price of a recording that %s is returned to its payer', async ([, end]) => {
  const [ann, ben] = [await house.person(), await house.person('Ben')];
  const { id } = await createMeeting(ann, external({ file: { fileName: 'talk.wav', content: tone(61) } }));
  await house.database.sql`update uploads set digest = ${Buffer.alloc(32)} where meeting_id = ${id}`;
  await beginProcessing(ann, id);
  expect(await processed(ann, id)).toMatchObject({ failures_present: true });
  await share(house, id, ben, roles.canEditShare);
  await beginProcessing(ben, id);
  await end(ann, id);
  await expect.poll(async () => [await left(ann), await left(ben)]).toEqual([trialMinutes, trialMinutes]);
  const [row] = await house.database.sql`select state, payer_id from intakes where meeting_id = ${id}`;
  expect(row).toEqual({ state: 'failed', payer_id: null });
});

test('a person with too few minutes is refused, and nothing is begun', async () => {
  const ann = await house.person();
  await house.database.orm.update(users).set({ trialMinutes: 1 }).where(eq(users.id, ann.id));
  const { id, costs } = await createMeeting(ann, external({ file: { fileName: 'talk.wav', content: tone(90) } }));
  expect(costs).toMatchObject([{ cost: 0.15, isEnough: false }]);
  const refused = await beginProcessing(ann, id, { cost: costs[0]?.cost });
  expect([refused.status, refused.problem.code]).toEqual([402, 'FUNDS']);
  expect(await left(ann)).toBe(1);
  expect(await house.database.sql`select 1 from jobs where meeting_id = ${id}`).toHaveLength(0);
  await house.database.orm.update(users).set({ trialMinutes: 2 }).where(eq(users.id, ann.id));
  expect((await beginProcessing(ann, id)).status).toBe(200);
});
