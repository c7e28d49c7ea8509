// The language model that a recording is asked about by default: set by PUT, kept beside the document and counted by its
// version, and as none once it is no longer offered.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '#server/config.ts';
import { createAssistants } from '#server/outside/assistants.ts';
import { detectionView } from '#shared/ai/suggestions.ts';
import { chatView } from '#shared/ai/views.ts';
import { openAssistant, type StandIn } from '#tests/support/assistant.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { share } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';

let house: TestHouse;
let there: StandIn;
/** Models that the operator has configured. */
let models = 'one,two';
const assistants = () =>
  createAssistants(readConfig({ AI_URL: there.url, AI_MODEL: models, AI_CONTEXT: '16000' }, '/srv'))();
beforeAll(async () => {
  there = await openAssistant('openai', { context: 16_000 });
  house = await openHouse({ house: { assistants } });
});
afterAll(async () => {
  await house?.close();
  await there?.close();
});

const meetingOf = async (by: Person, id: string) => {
  const { body, headers } = await by.get(`/api/meetings/${id}`);
  const { version, doc } = body as { version: number; doc: { chat_model_id: string | null; title: string } };
  return { version, etag: headers.get('etag'), model: doc.chat_model_id, title: doc.title };
};
const put = (by: Person, id: string, meeting: object, version: number, options?: Parameters<Person['put']>[2]) =>
  by.put(`/api/meetings/${id}`, { meeting, version }, options);
const chosen = (model: string | null) => ({ 'doc.chat_model_id': model });

async function begin(): Promise<{ ann: Person; id: string; version: number }> {
  const ann = await house.person('Ann');
  const id = await makeRecording(house, ann);
  return { ann, id, version: (await meetingOf(ann, id)).version };
}

/** The model that a question was sent to. */
async function asked(by: Person, id: string): Promise<string | undefined> {
  const before = there.received.length;
  expect((await by.post(`/api/meetings/${id}/chat`, { content: 'What is this?' })).status).toBe(200);
  const run = async () => chatView.parse((await by.get(`/api/meetings/${id}/chat`)).body).messages.at(-1)?.run?.state;
  await expect.poll(run, { timeout: 60_000 }).toBe('done');
  return there.received[before]?.model;
}

test('it is asked where a call names none, and the views begin with it, until it is no longer offered', async () => {
  const { ann, id, version } = await begin();
  expect(await asked(ann, id)).toBe('one');
  expect((await put(ann, id, chosen('two'), version)).status).toBe(200);
  const views = async () => [
    chatView.parse((await ann.get(`/api/meetings/${id}/chat`)).body).model,
    detectionView.parse((await ann.get(`/api/meetings/${id}/outcomes/autodetect`)).body).model,
    (await ann.get(`/api/meetings/${id}/drafts/summary`)).body.model,
  ];
  expect(await views()).toEqual(['two', 'two', 'two']);
  expect(await asked(ann, id)).toBe('two');
  expect((await ann.post(`/api/meetings/${id}/analysis`, {})).status).toBe(200);
  await expect.poll(() => there.received.at(-1)?.said, { timeout: 60_000 }).not.toContain('What is this?');
  expect(there.received.at(-1)?.model).toBe('two');
  models = 'one,three';
  try {
    expect(await views()).toEqual(['one', 'one', 'one']);
    expect(await asked(ann, id)).toBe('one');
    // The choice is kept for the day it is back.
    expect((await meetingOf(ann, id)).model).toBe('two');
    const now = (await meetingOf(ann, id)).version;
    expect((await put(ann, id, chosen('two'), now)).problem.info.errors).toEqual([
      { field: 'meeting.chat_model_id', code: 'unknown' },
    ]);
    expect((await put(ann, id, chosen(null), now)).status).toBe(200);
    expect((await meetingOf(ann, id)).model).toBeNull();
  } finally {
    models = 'one,two';
  }
});

test('each change raises the version once, and only another change of it is a conflict', async () => {
  const { ann, id, version } = await begin();
  const first = await put(ann, id, chosen('two'), version);
  expect(first.body).toEqual({ version: version + 1 });
  expect(await meetingOf(ann, id)).toMatchObject({
    ...{ version: version + 1, model: 'two' },
    etag: first.headers.get('etag'),
  });
  // The same again, also by a program that has not seen it.
  expect((await put(ann, id, chosen('two'), version)).body).toEqual({ version: version + 1 });
  const late = await put(ann, id, chosen('one'), version);
  expect([late.status, late.problem.info]).toMatchObject([
    409,
    { version: version + 1, errors: [{ field: 'meeting.chat_model_id', code: 'changed' }] },
  ]);
  expect((await put(ann, id, { 'doc.title': 'A title' }, version)).body).toEqual({ version: version + 2 });
  // An edit of the text is no conflict.
  expect((await put(ann, id, chosen('one'), version + 1)).body).toEqual({ version: version + 3 });
});

test('it is set together with paths of the document, all or none, and once under one id of a request', async () => {
  const { ann, id, version } = await begin();
  const both = { ...chosen('two'), 'doc.title': 'Both' };
  const options = { headers: { 'X-Request-ID': 'a-model-and-a-title' } };
  const answers = [await put(ann, id, both, version, options), await put(ann, id, both, version, options)];
  const now = await meetingOf(ann, id);
  expect(now).toMatchObject({ model: 'two', title: 'Both' });
  for (const { body, headers } of answers)
    expect([body, headers.get('etag')]).toEqual([{ version: now.version }, now.etag]);
  // With one row, which nothing stands between.
  expect(now.version).toBe(version + 1);
  const same = await put(ann, id, { ...chosen(null), 'doc.title': 'Both' }, now.version);
  expect(same.body).toEqual({ version: version + 2 });
  expect((await put(ann, id, { ...chosen('two'), 'doc.title': 'Both' }, version + 2)).body).toEqual({
    version: version + 3,
  });
  const last = await meetingOf(ann, id);
  const late = await put(ann, id, { ...chosen('one'), 'doc.tags': ['late'] }, version);
  expect([late.status, late.problem.info]).toMatchObject([409, { version: last.version }]);
  expect(await meetingOf(ann, id)).toEqual(last);
});

test('it takes the permission to write in an open text, and a copy has it', async () => {
  const { ann, id, version } = await begin();
  const ben = await house.person('Ben');
  await share(house, id, ben, ['read', 'comment']);
  expect((await put(ben, id, chosen('two'), version)).body.code).toBe('NO_PERM');
  expect((await put(ann, id, chosen('two'), version)).status).toBe(200);
  expect((await meetingOf(ben, id)).model).toBe('two');
  const { body } = await ann.post(`/api/meetings/${id}/clone`, {});
  expect((await meetingOf(ann, (body as { id: string }).id)).model).toBe('two');
  expect((await ann.post(`/api/meetings/${id}/close`, { name: 'Done' })).status).toBe(200);
  expect((await put(ann, id, chosen(null), version + 2)).body.code).toBe('CLOSED');
});

test('it is not set by somebody who loses the permission to write at that moment', async () => {
  const { ann, id, version } = await begin();
  const ben = await house.person('Ben');
  await share(house, id, ben, ['read', 'write']);
  const { sql } = house.database;
  let late: ReturnType<Person['put']> | undefined;
  await sql.begin(async (tx) => {
    await tx`select 1 from meetings where id = ${id} for update`;
    await tx`update meeting_access set permissions = ${['read']} where meeting_id = ${id}`;
    late = put(ben, id, chosen('two'), version);
    const waiting = () =>
      sql`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%"meetings"%for update%'`;
    await expect.poll(async () => (await waiting()).length, { timeout: 60_000 }).toBe(1);
  });
  expect((await late)?.body.code).toBe('NO_PERM');
  expect((await meetingOf(ann, id)).model).toBeNull();
});

test('with paths of the document, it locks the recording before its text, as the end of an analysis does', async () => {
  const { ann, id, version } = await begin();
  const { sql } = house.database;
  let late: ReturnType<Person['put']> | undefined;
  await sql.begin(async (tx) => {
    await tx`select 1 from meetings where id = ${id} for share`;
    late = put(ann, id, { ...chosen('two'), 'doc.title': 'Both' }, version);
    const waiting = () =>
      sql`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%select name, seq from rooms%'`;
    await expect.poll(async () => (await waiting()).length, { timeout: 60_000 }).toBe(1);
    // The holder of the recording gets the log of its text without waiting for the call, which would be a deadlock.
    expect(
      await tx`select 1 from rooms where meeting_id = ${id} and part = 'transcript' for update nowait`,
    ).toHaveLength(1);
  });
  expect((await late)?.status).toBe(200);
  expect(await meetingOf(ann, id)).toMatchObject({ version: version + 1, model: 'two', title: 'Both' });
});
