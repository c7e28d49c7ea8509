// Cost of a recording, and its payment: the trial and a price list, with a model that is not free.
import { readFile } from 'node:fs/promises';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { users } from '#db/schema/accounts.ts';
import { trialDesk, type Order } from '#server/intake/costs.ts';
import { findPrograms } from '#server/media/ffmpeg.ts';
import { transaction, type Person as Principal } from '#server/context.ts';
import { trialMinutes } from '#shared/billing.ts';
import { externalModel, humanModel, intakeFailures } from '#shared/intake.ts';
import { roles } from '#shared/roles.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { beginProcessing, createMeeting, external, processed, tone, type FilePart } from '#tests/support/intake.ts';
import { share } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';

/** Fifteen cents a minute, also for recordings with a transcript. */
const desk = trialDesk(() => ({ [externalModel]: 150_000 }));

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

test('trial minutes pay no human transcript', async () => {
  const ann = await house.person();
  const human = trialDesk(() => ({ [humanModel]: 2_000_000 }));
  const wanted = { model: humanModel, seconds: 61 };
  expect(await human.options(house.database.orm, principal(ann), wanted)).toMatchObject([
    { cost: 4, freeMinutes: 0, isEnough: false },
  ]);
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

const path = process.env['PATH'] ?? '';
const ffmpeg = (await findPrograms(path)) ? [path] : [];

describe.each([...ffmpeg, ''])('a recording whose header names a wrong length (programs in: %s)', (programs) => {
  let house: TestHouse;
  beforeAll(async () => {
    house = await openHouse({ env: { PATH: programs }, house: { costs: desk } });
  });
  afterAll(() => house.close());
  const left = async (person: Person): Promise<number> => (await person.whoami()).body.billing.freeMinutes;

  /** Almost three minutes of speech; its header has the number of frames. */
  const whole = 175.6;
  async function talk(claimedSeconds: number): Promise<FilePart & { content: Buffer }> {
    const content = await readFile(new URL('../../server/demo/talk.mp3', import.meta.url));
    content.writeUInt32BE(Math.round((claimedSeconds * 16_000) / 576), content.indexOf('Info') + 8);
    return { fileName: 'talk.mp3', content };
  }
  const state = async (id: string) =>
    (await house.database.sql`select state, minutes_held from intakes where meeting_id = ${id}`)[0];

  test('that is too short: nothing is done or taken, and its real price is asked for', async () => {
    const ann = await house.person();
    const { id, costs } = await createMeeting(ann, external({ file: await talk(30) }));
    expect(costs).toMatchObject([{ cost: 0, freeMinutes: 1 }]);
    await beginProcessing(ann, id);
    const progress = await processed(ann, id);
    expect(progress).toMatchObject({ failure: 'longer', failure_messages: [intakeFailures.longer] });
    expect(progress.agreed).toBeCloseTo(30, 0);
    expect(progress.measured).toBeGreaterThan(170);
    expect(await left(ann)).toBe(trialMinutes);
    expect(await state(id)).toMatchObject({ state: 'failed', minutes_held: 0 });
    const [hit] = (await ann.get('/api/meetings')).body.hits;
    expect(hit.progress).toEqual(progress);

    // The page asks for the price again, which is now the real one.
    const { costs: anew } = (await ann.get(`/api/meetings/${id}`)).body;
    expect(anew).toMatchObject([{ cost: 0, freeMinutes: 3 }]);
    await beginProcessing(ann, id);
    expect(await processed(ann, id)).toMatchObject({ percentage: 100 });
    expect(await left(ann)).toBe(trialMinutes - 3);
  });

  test('and nobody can pay the real price: it stays undone', async () => {
    const ann = await house.person();
    await house.database.orm.update(users).set({ trialMinutes: 1 }).where(eq(users.id, ann.id));
    const { id } = await createMeeting(ann, external({ file: await talk(30) }));
    await beginProcessing(ann, id);
    await processed(ann, id);
    const { costs } = (await ann.get(`/api/meetings/${id}`)).body;
    expect(costs).toMatchObject([{ cost: 0.3, freeMinutes: 1, isEnough: false }]);
    expect((await beginProcessing(ann, id)).problem.code).toBe('PRICE');
    expect((await beginProcessing(ann, id, { cost: 0.3 })).problem.code).toBe('FUNDS');
  });

  test('that is too long: only the measured length is taken', async () => {
    const ann = await house.person();
    const { id, costs } = await createMeeting(ann, external({ file: await talk(610) }));
    expect(costs).toMatchObject([{ freeMinutes: 11 }]);
    await beginProcessing(ann, id);
    expect(await processed(ann, id)).toMatchObject({ percentage: 100 });
    expect(await left(ann)).toBe(trialMinutes - 3);
  });

  test('that differs by what encoders add: it goes on at the price that was agreed', async () => {
    const ann = await house.person();
    const { fileName, content } = await talk(119.5);
    const cut = content.subarray(0, Math.round((content.length * 120.7) / whole));
    const { id, costs } = await createMeeting(ann, external({ file: { fileName, content: cut } }));
    expect(costs).toMatchObject([{ freeMinutes: 2 }]);
    await beginProcessing(ann, id);
    expect(await processed(ann, id)).toMatchObject({ percentage: 100 });
    expect(await left(ann)).toBe(trialMinutes - 2);
    const [row] = await house.database.sql`select measured_ms from intakes where meeting_id = ${id}`;
    expect(row?.['measured_ms']).toBeGreaterThan(120_000);
  });
});
