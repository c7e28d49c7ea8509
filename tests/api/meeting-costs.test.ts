// The cost of a recording is shown to its owners until one is chosen, and again after processing failed; afterwards lists show
// what was paid.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MeetingsAnswer } from '#shared/meetings/meeting.ts';
import { payTranscript } from '#tests/support/billing.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { beginProcessing, createMeeting, external, processed, sendFile, tone } from '#tests/support/intake.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.close());

test('costs stand there while nothing is processed, for the owner alone, and are gone with the choice', async () => {
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const { id, costs } = await createMeeting(ann, external({ uploadId: await sendFile(ann, 'talk.wav', tone(2)) }));
  await share(house, id, ben, ['read', 'write']);
  const read = async (person: Person, of = id) => (await person.get(`/api/meetings/${of}`)).body;
  expect(costs).toHaveLength(1);
  const draft = await read(ann);
  expect(draft.costs).toEqual(costs);
  expect((await read(ben)).costs).toBeNull();
  // A page that has the old answer learns that there is nothing to choose any more.
  const etag = (await ann.get(`/api/meetings/${id}`)).headers.get('etag') ?? '';
  expect((await ann.get(`/api/meetings/${id}`, { headers: { 'If-None-Match': etag } })).status).toBe(304);
  expect((await beginProcessing(ann, id, { cost: draft.costs[0].cost })).status).toBe(200);
  await processed(ann, id);
  const after = await ann.get(`/api/meetings/${id}`, { headers: { 'If-None-Match': etag } });
  expect([after.status, after.body.costs]).toEqual([200, null]);
  expect((await read(ann, await makeMeeting(house, ann))).costs).toBeNull();
});

test('costs are shown again after a failure, to people who may process it once more', async () => {
  const [ann, ben, cleo] = (await house.people(3)) as [Person, Person, Person];
  const broken = { fileName: 'talk.wav', content: 'no sound at all'.repeat(100) };
  const { id, costs } = await createMeeting(ann, external({ file: broken }));
  await share(house, id, ben, ['read', 'write', 'own']);
  await share(house, id, cleo, ['read', 'write']);
  const read = async (person: Person) => (await person.get(`/api/meetings/${id}`)).body;
  // Until then it is a draft that only she sees.
  expect((await beginProcessing(ann, id, { cost: costs[0]?.cost })).status).toBe(200);
  // A job may have failed before this is read.
  const meanwhile = await read(ann);
  expect(meanwhile.costs === null || meanwhile.progress.failures_present).toBe(true);
  expect(await processed(ann, id)).toMatchObject({ failures_present: true });
  for (const one of [ann, ben]) expect((await read(one)).costs).toEqual([expect.objectContaining({ cost: 0 })]);
  expect((await read(cleo)).costs).toBeNull();
});

test('a model that is no longer offered has no cost to show', async () => {
  const ann = await house.person();
  const { id } = await createMeeting(ann);
  await house.database.sql`update intakes set model = 'gone' where meeting_id = ${id}`;
  const answer = await ann.get(`/api/meetings/${id}`);
  expect([answer.status, answer.body.costs]).toEqual([200, null]);
});

test('a list shows what the caller has paid for each recording, and nobody what others have', async () => {
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const made = { credits: await makeMeeting(house, ann), free: await makeMeeting(house, ann), both: '', none: '' };
  for (const how of ['both', 'none'] as const) made[how] = await makeMeeting(house, ann);
  for (const id of Object.values(made)) await share(house, id, ben, ['read', 'write']);
  for (const how of ['credits', 'free', 'both'] as const) await payTranscript(house, ann, made[how], how);
  const listed = async (person: Person) => {
    const { hits } = (await person.get('/api/meetings')).body as MeetingsAnswer;
    const costs = new Map(hits.map(({ id, cost }) => [id, cost]));
    return Object.values(made).map((id) => costs.get(id));
  };
  expect(await listed(ann)).toEqual([
    { credits: 0.6, minutes: 0 },
    { credits: 0, minutes: 1 },
    { credits: 0.3, minutes: 0.5 },
    null,
  ]);
  expect(await listed(ben)).toEqual([null, null, null, null]);
  // Several payments for one recording are one sum.
  await payTranscript(house, ann, made.credits, 'credits');
  expect((await listed(ann))[0]).toEqual({ credits: 1.2, minutes: 0 });
  // A person who pays for another's recording sees their own part.
  await payTranscript(house, ben, made.none, 'credits');
  expect([(await listed(ann))[3], (await listed(ben))[3]]).toEqual([null, { credits: 0.6, minutes: 0 }]);
});
