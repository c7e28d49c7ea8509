// Transcripts written by people: ordered with a recording, and delivered by the operators of the server.
import { setTimeout as sleep } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { users } from '#db/schema/accounts.ts';
import { trialMinutes } from '#shared/billing.ts';
import { intakeFailures, type LanguagesView, type Progress } from '#shared/intake.ts';
import { readAbout, writeAbout } from '#shared/meetings/about.ts';
import { addSpeaker, readSpeakers } from '#shared/meetings/speakers.ts';
import { readSegments, textOf } from '#shared/meetings/transcript.ts';
import { readWords } from '#shared/meetings/words.ts';
import type { OrderRecording, OrderView } from '#shared/orders.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { beginProcessing, createMeeting, processed, tone, zoomTranscript } from '#tests/support/intake.ts';
import { creditsLeft } from '#tests/support/billing.ts';
import { answer, makeOperator, orderCredits, orderOf, orderTranscript, recordingForm } from '#tests/support/orders.ts';
import type { Person } from '#tests/support/people.ts';

const addresses = ['olga@example.test', 'otto@example.test'] as const;

const env = { TRANSCRIBE_HUMAN: addresses.join(', '), TRANSCRIBE_HUMAN_PRICE: '2' };

let house: TestHouse;
let olga: Person;
let otto: Person;
beforeAll(async () => {
  house = await openHouse({ env });
  [olga, otto] = [await house.person('Olga'), await house.person('Otto')];
  await makeOperator(house, olga, addresses[0]);
  await makeOperator(house, otto, addresses[1]);
});
afterEach(async () => {
  await house.database.sql.unsafe('drop trigger if exists test_spoils on orders');
});
afterAll(() => house?.close());

const read = <T>(id: string, work: Parameters<typeof house.house.documents.read<T>>[1]) =>
  house.house.documents.read(id, work);
const write = (id: string, work: Parameters<typeof house.house.rooms.change>[3]) =>
  house.house.rooms.change(id, 'transcript', { userId: null, origin: 'test' }, work);
const textsOf = (id: string) => read(id, (doc) => readSegments(doc).map(({ text }) => text));
const left = (person: Person) => creditsLeft(house, person);
/** Seven seconds, at two credits a minute. */
const price = 0.233334;
const listed = async (operator: Person) => ((await operator.get('/api/orders')).body as { orders: OrderView[] }).orders;
const order = async (operator: Person, id: string) => (await listed(operator)).find((one) => one.id === id);
const send = (operator: Person, id: string, form = answer()) =>
  operator.post(`/api/orders/${id}/transcript`, undefined, form);
const subjects = async (address: string) => (await house.mails(address)).map(({ subject }) => subject);

describe('the model of a human transcript', () => {
  test('is offered with its price if an operator is configured, and not otherwise', async () => {
    const { models } = (await house.stranger().get('/api/languages')).body as LanguagesView;
    expect(models.map(({ name, price }) => [name, price])).toEqual([
      ['trme', 2],
      ['external', 0],
    ]);
    const without = await openHouse();
    try {
      const offered = (await without.stranger().get('/api/languages')).body as LanguagesView;
      expect(offered.models.map(({ name }) => name)).toEqual(['external']);
      const ann = await without.person();
      const refused = await ann.post('/api/meetings-fast', undefined, recordingForm());
      expect([refused.status, refused.problem.info.errors]).toEqual([422, [{ field: 'model', code: 'model' }]]);
      expect((await ann.get('/api/orders')).status).toBe(403);
    } finally {
      await without.close();
    }
  });

  test('tells the page of an operator that they are one, but not the pages of others', async () => {
    expect((await olga.whoami()).body.operator).toBe(true);
    expect((await (await house.person()).whoami()).body.operator).toBe(false);
  });
});

test('the whole way: ordered, mailed, played, delivered, read', async () => {
  const ann = await house.person();
  const before = (await house.mails(addresses[0])).length;
  const { id, meetingId } = await orderTranscript(house, ann);
  expect(await left(ann)).toBeCloseTo(orderCredits - price, 6);
  const about = (await ann.get(`/api/meetings/${meetingId}/about`)).body as { progress: Progress };
  expect(about.progress).toMatchObject({ failures_present: false, ordered: true });
  expect(about.progress.percentage).toBeLessThan(100);

  for (const address of addresses) {
    const [mail] = await house.mails(address);
    expect(mail?.subject).toBe('A recording needs a transcript');
    expect(mail?.text).toContain('/orders');
    // Mails are stored outside the server, so they do not contain the recording's title.
    expect(mail?.text).not.toContain('Monday');
  }
  expect(await house.mails(addresses[0])).toHaveLength(before + 1);

  expect((await olga.post(`/api/orders/${id}/take`)).status).toBe(200);
  const recording = (await olga.get(`/api/orders/${id}/recording`)).body as OrderRecording;
  const heard = await fetch(new URL(recording.url, house.origin));
  expect(Buffer.from(await heard.arrayBuffer()).equals(tone(7))).toBe(true);
  // The order gives the operator its recording, and no permission for anything else.
  expect((await olga.get(`/api/meetings/${meetingId}`)).status).toBe(403);
  expect((await olga.get(`/api/meetings/${meetingId}/about`)).status).toBe(403);

  // Its owner has meanwhile begun to type.
  await write(meetingId, (doc) => {
    writeAbout(doc, { title: 'Tuesday' }, 'test');
    addSpeaker(doc, 'maria', 'Maria Lopez', 'test');
    textOf(doc).insert(0, 'My own notes');
  });
  expect((await send(olga, id)).body).toMatchObject({ state: 'delivered' });
  expect(await processed(ann, meetingId)).toEqual({ percentage: 100, failures_present: false, failure_messages: [] });
  expect(await textsOf(meetingId)).toEqual([
    'My own notes',
    'Thanks for joining, shall we start?',
    'Yes.',
    'Then the goal first.',
  ]);
  expect(await read(meetingId, (doc) => readAbout(doc))).toEqual({ title: 'Tuesday', lang: 'en-US' });
  expect(await read(meetingId, (doc) => readSpeakers(doc).map(({ name }) => name))).toEqual(['Maria Lopez', 'Tom']);
  const segments = await read(meetingId, (doc) => readSegments(doc));
  expect(segments[1]?.speaker).toBe('maria');
  const [, first] = await read(meetingId, (doc) => readWords(doc).segments.map(({ words }) => words[0]));
  expect(first).toMatchObject({ text: 'Thanks', from: 0, estimated: true });
  expect(await subjects(ann.email)).toEqual(['Your recording is ready']);
  expect(await left(ann)).toBeCloseTo(orderCredits - price, 6);

  // Done: its file is deleted, and nothing leads to the recording any more.
  const rows = await house.database.sql`select transcript from orders where id = ${id}`;
  expect(rows).toEqual([{ transcript: null }]);
  expect((await fetch(new URL(recording.url, house.origin))).status).toBe(410);
  expect(await order(olga, id)).toMatchObject({ state: 'delivered', holder: { isMe: true } });
  expect(await order(otto, id)).toMatchObject({ state: 'delivered', holder: { isMe: false } });
});

test('a refused order fails the recording with the reason, and costs nothing', async () => {
  const ann = await house.person();
  const { id, meetingId } = await orderTranscript(house, ann);
  expect((await olga.post(`/api/orders/${id}/refuse`, { reason: 'inaudible' })).status).toBe(200);
  expect(await processed(ann, meetingId)).toEqual({
    percentage: expect.any(Number),
    failures_present: true,
    failure_messages: [intakeFailures.order_inaudible],
    failure: 'order_inaudible',
  });
  expect(await left(ann)).toBe(orderCredits);
  expect(await subjects(ann.email)).toEqual(['Your recording could not be processed']);
  // A second order waits like the first.
  expect((await beginProcessing(ann, meetingId, { cost: price })).status).toBe(200);
  const again = await orderOf(house, meetingId);
  expect(again).not.toBe(id);
  expect((await send(otto, again)).status).toBe(200);
  expect((await processed(ann, meetingId)).percentage).toBe(100);
});

test.for([
  ['deleted', (person: Person, id: string) => person.delete(`/api/meetings/${id}`)],
  ['deleted with others', (person: Person, id: string) => person.post('/api/meetings/delete', { ids: [id] })],
] as const)(
  'an order whose recording is %s is withdrawn, and its operator gets a mail',
  { timeout: 300_000 },
  async ([, remove]) => {
    const ann = await house.person();
    const { id, meetingId } = await orderTranscript(house, ann);
    await olga.post(`/api/orders/${id}/take`);
    const { url } = (await olga.get(`/api/orders/${id}/recording`)).body as OrderRecording;
    expect((await remove(ann, meetingId)).status).toBeLessThan(300);
    expect(await order(olga, id)).toBeUndefined();
    expect((await fetch(new URL(url, house.origin))).status).toBe(410);
    expect((await send(olga, id)).status).toBe(404);
    expect(await left(ann)).toBe(orderCredits);
    expect((await house.mails(addresses[0]))[0]).toMatchObject({ subject: 'An order was withdrawn' });
  },
);

test('K12: a call that gives up drafts does not withdraw an order', async () => {
  const ann = await house.person();
  const { id, meetingId } = await orderTranscript(house, ann);
  const refused = await ann.delete(`/api/meetings/${meetingId}?force=1`);
  expect([refused.status, refused.problem.code]).toEqual([409, 'CONFLICT']);
  expect((await send(olga, id)).status).toBe(200);
  expect((await processed(ann, meetingId)).percentage).toBe(100);
});

test('two operators who take one at once do not both have it', async () => {
  const { id } = await orderTranscript(house, await house.person());
  const both = await Promise.all([olga, otto].map((one) => one.post(`/api/orders/${id}/take`)));
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const holder = both[0]?.status === 200 ? olga : otto;
  const other = holder === olga ? otto : olga;
  expect((await other.get(`/api/orders/${id}/recording`)).status).toBe(409);
  expect((await send(other, id)).status).toBe(409);
  expect((await holder.post(`/api/orders/${id}/give-back`)).status).toBe(200);
  expect((await other.get(`/api/orders/${id}/recording`)).status).toBe(200);
});

test('an operator who leaves leaves their orders to the others', async () => {
  const { id } = await orderTranscript(house, await house.person());
  const otta = await house.person('Otta');
  await makeOperator(house, otta, addresses[1]);
  try {
    await otta.post(`/api/orders/${id}/take`);
    expect(await order(olga, id)).toMatchObject({ state: 'taken', holder: { name: 'Otta Test' } });
    await house.database.orm.delete(users).where(eq(users.id, otta.id));
    expect(await order(olga, id)).toMatchObject({ state: 'waiting', holder: null });
  } finally {
    await makeOperator(house, otto, addresses[1]);
  }
});

test('the same answer sent again is taken once; another one is refused', async () => {
  const ann = await house.person();
  const { id, meetingId } = await orderTranscript(house, ann);
  const again = answer();
  again.headers = { ...again.headers, 'X-Request-ID': 'the-same-request' };
  const sent = await Promise.all([send(olga, id, again), send(olga, id, again)]);
  // One of two at the very same moment may learn that the other was quicker.
  expect(sent.map(({ status }) => status)).toContain(200);
  expect((await send(olga, id, again)).status).toBe(200);
  expect((await send(olga, id)).status).toBe(409);
  await processed(ann, meetingId);
  expect(await textsOf(meetingId)).toHaveLength(3);
});

test('a transcript that cannot be entered after all waits again, with its operator, and is not charged twice', async () => {
  const ann = await house.person();
  const { id, meetingId } = await orderTranscript(house, ann);
  await house.database.sql.unsafe(`
    create or replace function test_spoils() returns trigger language plpgsql as $$
      begin new.transcript := 'nothing'; return new; end $$;
    create trigger test_spoils before update on orders for each row when (new.state = 'delivered' and new.transcript is not null)
      execute function test_spoils();`);
  expect((await send(olga, id)).status).toBe(200);
  while (!(await order(olga, id))?.returned) await sleep(30);
  expect(await order(olga, id)).toMatchObject({ state: 'taken', holder: { isMe: true }, finished: null });
  expect(await subjects(ann.email)).toEqual([]);
  await house.database.sql.unsafe('drop trigger test_spoils on orders');
  expect((await send(olga, id)).status).toBe(200);
  expect((await processed(ann, meetingId)).percentage).toBe(100);
  expect(await left(ann)).toBeCloseTo(orderCredits - price, 6);
});

test('a file that is no recording never comes to the queue', async () => {
  const ann = await house.person();
  const mails = (await house.mails(addresses[0])).length;
  const content = Buffer.from('<!doctype html><title>no</title>'.repeat(50));
  const form = recordingForm({ file: { fileName: 'talk.mp3', content } });
  const made = await ann.post('/api/meetings-fast', undefined, form);
  // Its length is unknown, so it has no price; and nothing of it is stored.
  expect([made.status, made.problem.info]).toMatchObject([422, { errors: [{ field: 'file', code: 'file_type' }] }]);
  expect((await ann.get('/api/meetings')).body.hits).toEqual([]);
  expect(await house.mails(addresses[0])).toHaveLength(mails);
});

test('trial minutes do not pay for the work of people', async () => {
  const open = await openHouse({ env });
  try {
    const ann = await open.person();
    const { id, costs } = await createMeeting(ann, recordingForm());
    expect(costs).toMatchObject([{ cost: price, freeMinutes: 0, isEnough: false }]);
    const refused = await beginProcessing(ann, id, { cost: price });
    expect([refused.status, refused.problem]).toMatchObject([402, { code: 'FUNDS', info: { costs } }]);
    expect(await open.database.sql`select 1 from orders where meeting_id = ${id}`).toHaveLength(0);
    expect((await ann.whoami()).body.billing.freeMinutes).toBe(trialMinutes);
  } finally {
    await open.close();
  }
});

test('the file of an answer is what it says it is', async () => {
  const { id } = await orderTranscript(house, await house.person());
  const refused = await send(olga, id, answer(zoomTranscript, 'REV'));
  expect([refused.status, refused.problem.info['looksLike']]).toEqual([422, 'ZOOM']);
  expect(await order(olga, id)).toMatchObject({ state: 'waiting', returned: false });
});
