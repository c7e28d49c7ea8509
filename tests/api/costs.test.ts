// Cost of a recording, and its payment: minutes, credits and a price list, with a model that is not free.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDesk } from '#server/billing/desk.ts';
import type { Transcription } from '#server/billing/quote.ts';
import { systemClock } from '#server/clock.ts';
import { findPrograms } from '#server/media/ffmpeg.ts';
import { transaction, type Person as Principal } from '#server/context.ts';
import { trialMinutes } from '#shared/billing.ts';
import { newId } from '#shared/ids.ts';
import { externalModel, humanModel, intakeFailures } from '#shared/intake.ts';
import { roles } from '#shared/roles.ts';
import { creditsLeft, giveCredits, minutesLeft, setFreeMinutes } from '#tests/support/billing.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { beginProcessing, createMeeting, external, processed, tone, type FilePart } from '#tests/support/intake.ts';
import { share } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';

/** Fifteen cents a minute, also for recordings with a transcript. */
const desk = createDesk({ clock: systemClock }, () => ({ [externalModel]: 150_000 }));

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse({ house: { costs: desk } });
});
afterAll(() => house.close());

const left = (person: Person) => minutesLeft(house, person);
const order = (minutes: number): Transcription => ({ meetingId: newId(), model: externalModel, seconds: minutes * 60 });
const principal = ({ id }: Person) => ({ id }) as Principal;
const options = (person: Person, wanted: Transcription) => desk.options(house.database.orm, principal(person), wanted);

test('trial minutes go first, begun seconds are counted, and what they do not cover has its price', async () => {
  const ann = await house.person();
  expect(await options(ann, { ...order(1), seconds: 89.2 })).toMatchObject([
    { cost: 0, freeMinutes: 1.5, isEnough: true, recommendedBalanceTopUp: 0 },
  ]);
  expect(await options(ann, order(trialMinutes))).toMatchObject([{ cost: 0, isEnough: true }]);
  expect(await options(ann, order(trialMinutes + 1))).toMatchObject([
    { cost: 0.15, freeMinutes: trialMinutes, isEnough: false, recommendedBalanceTopUp: 0.15 },
  ]);
  await expect(options(ann, { ...order(1), seconds: null })).rejects.toMatchObject({
    code: 'INVALID',
    errors: [{ field: 'file', code: 'file_type' }],
  });
  await expect(options(ann, { ...order(1), model: 'oracle' })).rejects.toMatchObject({ code: 'INVALID' });
});

test('trial minutes pay no human transcript', async () => {
  const ann = await house.person();
  const human = createDesk({ clock: systemClock }, () => ({ [humanModel]: 2_000_000 }));
  const wanted = { meetingId: newId(), model: humanModel, seconds: 90 };
  expect(await human.options(house.database.orm, principal(ann), wanted)).toMatchObject([
    { cost: 3, freeMinutes: 0, isEnough: false },
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
  const good = await createMeeting(ann, external({ file: { fileName: 'talk.wav', content: tone(90) } }));
  expect(good.costs).toMatchObject([{ cost: 0, freeMinutes: 1.5 }]);
  const both = await Promise.all([beginProcessing(ann, good.id), beginProcessing(ann, good.id)]);
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  await processed(ann, good.id);
  expect(await left(ann)).toBe(trialMinutes - 1.5);

  const bad = await createMeeting(ann, external({ file: { fileName: 'talk.wav', content: tone(61) } }));
  await house.database.sql`update uploads set digest = ${Buffer.alloc(32)} where meeting_id = ${bad.id}`;
  await beginProcessing(ann, bad.id);
  expect(await processed(ann, bad.id)).toMatchObject({ failures_present: true });
  expect(await left(ann)).toBe(trialMinutes - 1.5);
  // Tried again, it takes and gives back again; and the price is asked for, not believed.
  expect((await beginProcessing(ann, bad.id, { cost: 0.3 })).problem).toMatchObject({ code: 'PRICE' });
  await beginProcessing(ann, bad.id);
  await processed(ann, bad.id);
  expect(await left(ann)).toBe(trialMinutes - 1.5);
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
  const [row] = await house.database.sql`select state, hold_id from intakes where meeting_id = ${id}`;
  expect(row).toEqual({ state: 'failed', hold_id: null });
});

test('a person with too few minutes is refused, and nothing is begun', async () => {
  const ann = await house.person();
  await setFreeMinutes(house, ann, 1);
  const { id, costs } = await createMeeting(ann, external({ file: { fileName: 'talk.wav', content: tone(90) } }));
  expect(costs).toMatchObject([{ cost: 0.075, isEnough: false }]);
  const refused = await beginProcessing(ann, id, { cost: costs[0]?.cost });
  expect([refused.status, refused.problem]).toMatchObject([402, { code: 'FUNDS', info: { costs } }]);
  expect(await left(ann)).toBe(1);
  expect(await house.database.sql`select 1 from jobs where meeting_id = ${id}`).toHaveLength(0);
  await setFreeMinutes(house, ann, 1.5);
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
  /** Minutes of the whole recording, as decoders measure it. */
  const measured = 176 / 60;

  /** Almost three minutes of speech; its header has the number of frames. */
  const whole = 175.6;
  async function talk(claimedSeconds: number): Promise<FilePart & { content: Buffer }> {
    const content = await readFile(new URL('../../server/demo/talk.mp3', import.meta.url));
    content.writeUInt32BE(Math.round((claimedSeconds * 16_000) / 576), content.indexOf('Info') + 8);
    return { fileName: 'talk.mp3', content };
  }
  const state = async (id: string) =>
    (await house.database.sql`select state, hold_id from intakes where meeting_id = ${id}`)[0];

  test('that is too short: nothing is done or taken, and its real price is asked for', async () => {
    const ann = await house.person();
    const { id, costs } = await createMeeting(ann, external({ file: await talk(30) }));
    expect(costs).toMatchObject([{ cost: 0, freeMinutes: expect.closeTo(0.5, 1) }]);
    await beginProcessing(ann, id);
    const progress = await processed(ann, id);
    expect(progress).toMatchObject({ failure: 'longer', failure_messages: [intakeFailures.longer] });
    expect(progress.agreed).toBeCloseTo(30, 0);
    expect(progress.measured).toBeGreaterThan(170);
    expect(await left(ann)).toBe(trialMinutes);
    expect(await state(id)).toMatchObject({ state: 'failed', hold_id: null });
    const [hit] = (await ann.get('/api/meetings')).body.hits;
    expect(hit.progress).toEqual(progress);

    // The page asks for the price again, which is now the real one.
    const { costs: anew } = (await ann.get(`/api/meetings/${id}`)).body;
    expect(anew).toMatchObject([{ cost: 0, freeMinutes: expect.closeTo(measured, 1) }]);
    await beginProcessing(ann, id);
    expect(await processed(ann, id)).toMatchObject({ percentage: 100 });
    expect(await left(ann)).toBe(trialMinutes - anew[0].freeMinutes);
  });

  test('and nobody can pay the real price: it stays undone', async () => {
    const ann = await house.person();
    await setFreeMinutes(house, ann, 1);
    const { id } = await createMeeting(ann, external({ file: await talk(30) }));
    await beginProcessing(ann, id);
    await processed(ann, id);
    const { costs } = (await ann.get(`/api/meetings/${id}`)).body;
    const cost = expect.closeTo((measured - 1) * 0.15, 1);
    expect(costs).toMatchObject([{ cost, freeMinutes: 1, isEnough: false }]);
    expect((await beginProcessing(ann, id)).problem.code).toBe('PRICE');
    expect((await beginProcessing(ann, id, { cost: costs[0].cost })).problem.code).toBe('FUNDS');
    // Topped up, it is done, and the credits are taken.
    await giveCredits(house, ann, '1');
    await beginProcessing(ann, id, { cost: costs[0] });
    expect(await processed(ann, id)).toMatchObject({ percentage: 100 });
    expect(await creditsLeft(house, ann)).toBeCloseTo(1 - costs[0].cost, 6);
    expect(await left(ann)).toBe(0);
  });

  test('that is too long: only the measured length is taken', async () => {
    const ann = await house.person();
    const { id, costs } = await createMeeting(ann, external({ file: await talk(610) }));
    expect(costs).toMatchObject([{ freeMinutes: expect.closeTo(610 / 60, 1) }]);
    await beginProcessing(ann, id);
    expect(await processed(ann, id)).toMatchObject({ percentage: 100 });
    expect(await left(ann)).toBeCloseTo(trialMinutes - measured, 1);
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
