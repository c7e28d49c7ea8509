// Drafts of a summary and of chapters (server/ai/drafts.ts): what does not stand in the transcript is left out, they are
// their asker's alone, and each end settles the price once.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Doc } from 'yjs';
import { readConfig } from '#server/config.ts';
import { createAssistants } from '#server/outside/assistants.ts';
import { draftKinds, draftsView, type DraftKind, type DraftsView } from '#shared/ai/drafts.ts';
import { addTimed } from '#shared/meetings/entries.ts';
import { textOf } from '#shared/meetings/transcript.ts';

import { openAssistant, type StandIn } from '#tests/support/assistant.ts';
import { creditsLeft, giveCredits } from '#tests/support/billing.ts';
import { openCanary, plantCanaries } from '#tests/support/canaries.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { share } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';

let house: TestHouse;
let there: StandIn;
const assistants = () =>
  createAssistants(readConfig({ AI_URL: there.url, AI_CONTEXT: '16000' }, '/srv'), { patience: { pause: 1 } })();
beforeAll(async () => {
  house = await openHouse({ env: { QUESTION_PRICE: '0.5' }, house: { assistants } });
});
beforeEach(async () => {
  there = await openAssistant('openai', { context: 16_000 });
});
afterEach(() => there.close());
afterAll(() => house.close());

interface Told {
  text: string;
  cites: { line: number; quote: string }[];
}
const says = (parts: Told[], enough = true) => JSON.stringify({ parts, enough });
const good = { text: 'It is a practice session.', cites: [{ line: 1, quote: 'welcome to our practice session' }] };
const wrong = { text: 'They flew to the moon.', cites: [{ line: 1, quote: 'we flew to the moon last week' }] };

async function begin(): Promise<{ ann: Person; id: string }> {
  const ann = await house.person('Ann');
  await giveCredits(house, ann, '5');
  return { ann, id: await makeRecording(house, ann) };
}
const put = (by: Person, id: string, kind: DraftKind = 'summary') =>
  by.post(`/api/meetings/${id}/drafts/${kind}`, { cost: 0.5 });
const draftsOf = async (by: Person, id: string, kind: DraftKind = 'summary'): Promise<DraftsView> => {
  const { body, status, text } = await by.get(`/api/meetings/${id}/drafts/${kind}`);
  expect(status, text).toBe(200);
  return draftsView.parse(body);
};
async function drafted(by: Person, id: string, kind: DraftKind = 'summary'): Promise<DraftsView> {
  const { status, text } = await put(by, id, kind);
  expect(status, text).toBe(200);
  return ended(by, id, kind);
}
async function ended(by: Person, id: string, kind: DraftKind = 'summary'): Promise<DraftsView> {
  await expect
    .poll(async () => (await draftsOf(by, id, kind)).run?.state, { timeout: 60_000 })
    .toMatch(/done|failed|stopped/);
  return draftsOf(by, id, kind);
}
const write = ({ id: userId }: Person, id: string, change: (doc: Doc) => void) =>
  house.house.rooms.change(id, 'transcript', { userId, origin: 'test' }, change);
const decide = (by: Person, id: string, draftId: string, state: string, kind: DraftKind = 'summary') =>
  by.put(`/api/meetings/${id}/drafts/${kind}/${draftId}`, { state });

test.each(draftKinds)('a draft of the %s has what stands in the transcript, and the rest is counted', async (kind) => {
  const { ann, id } = await begin();
  there.mood.answer = () => says([good, wrong]);
  const { run, drafts } = await drafted(ann, id, kind);
  expect(run).toMatchObject({ state: 'done', found: 1, dropped: 1 });
  expect(drafts).toMatchObject([
    { text: good.text, state: 'open', model: 'stand-in', quotes: [{ text: 'welcome to our practice session' }] },
  ]);
  expect(await creditsLeft(house, ann)).toBe(4.5);
});

test('a draft without anything that stands is not paid for, nor one that fails', async () => {
  const { ann, id } = await begin();
  there.mood.answer = () => says([wrong]);
  expect(await drafted(ann, id)).toMatchObject({ run: { state: 'done', found: 0, dropped: 1 }, drafts: [] });
  there.mood.answer = () => 'no JSON';
  expect(await drafted(ann, id)).toMatchObject({ run: { state: 'failed', failure: 'answer' }, drafts: [] });
  expect(await creditsLeft(house, ann)).toBe(5);
});

test('a draft says how far it is, by its time and 99 percent at most, and what it cost', async () => {
  const { ann, id } = await begin();
  there.mood.silent = true;
  expect((await put(ann, id)).status).toBe(200);
  await expect.poll(() => there.asking(), { timeout: 30_000 }).toBe(1);
  const { run } = await draftsOf(ann, id);
  expect(run).toMatchObject({ state: 'running', paid: null });
  expect(run?.progress).toBeLessThan(50);
  const begunBefore = (seconds: number) =>
    house.database
      .sql`update ai_runs set created_at = created_at - ${`${seconds} s`}::interval where meeting_id = ${id}`;
  // Half of the fifteen minutes.
  await begunBefore(450);
  const half = (await draftsOf(ann, id)).run;
  expect(half?.progress).toBeGreaterThanOrEqual(50);
  expect(Date.parse(half?.startDate ?? '')).toBe(Date.parse(run?.startDate ?? '') - 450_000);
  await begunBefore(36_000);
  expect((await draftsOf(ann, id)).run?.progress).toBe(99);
  expect((await ann.post(`/api/meetings/${id}/drafts/summary/stop`)).status).toBe(204);
  expect((await draftsOf(ann, id)).run).toMatchObject({ state: 'stopped', progress: 100, paid: 0 });
  there.mood.silent = false;
  there.mood.answer = () => 'no JSON';
  expect((await drafted(ann, id)).run).toMatchObject({ state: 'failed', progress: 100, paid: 0 });
  there.mood.answer = () => says([good]);
  expect((await drafted(ann, id)).run).toMatchObject({ state: 'done', progress: 100, paid: 0.5 });
});

test('a draft is its person’s alone; what they decided on is not drafted again, and what waits is replaced', async () => {
  const { ann, id } = await begin();
  const ben = await house.person('Ben');
  await share(house, id, ben, ['read', 'comment', 'write']);
  const others = ['One.', 'Two.', 'Three.'].map((text) => ({ ...good, text }));
  there.mood.answer = () => says(others);
  const { drafts } = await drafted(ann, id);
  const [one, two] = drafts.map((draft) => draft.id);
  expect((await draftsOf(ben, id)).drafts).toEqual([]);
  expect((await decide(ben, id, one ?? '', 'accepted')).status).toBe(404);
  expect((await decide(ann, id, one ?? '', 'edited')).status).toBe(204);
  expect((await decide(ann, id, two ?? '', 'rejected')).status).toBe(204);
  there.mood.answer = () => says([...others, { ...good, text: 'Four.' }]);
  const again = await drafted(ann, id);
  expect(again.run).toMatchObject({ found: 2, dropped: 0 });
  expect(again.drafts.map(({ text, state }) => `${text} ${state}`)).toEqual([
    'One. edited',
    'Three. open',
    'Four. open',
  ]);
  // Nothing of it is in the recording, for its readers and exports.
  expect((await ben.get(`/api/meetings/${id}`)).text).not.toContain('Three.');
});

test('chapters stand in the order of the recording, and none where one is already', async () => {
  const { ann, id } = await begin();
  there.mood.answer = () => says([good, { ...good, text: 'The same place' }]);
  const { drafts } = await drafted(ann, id, 'chapters');
  expect(drafts.map(({ text }) => text)).toEqual([good.text]);
  const start = drafts[0]?.quotes[0]?.start ?? 0;
  await write(ann, id, (doc) => addTimed(doc, 'toc', { id: 'begun', start, title: 'Begun' }, 'test'));
  expect((await decide(ann, id, drafts[0]?.id ?? '', 'open', 'chapters')).status).toBe(204);
  expect(await drafted(ann, id, 'chapters')).toMatchObject({ run: { found: 0 }, drafts: [] });
});

test('words that are deleted from the transcript are no longer quoted', async () => {
  const { ann, id } = await begin();
  const secret = ' the canary secret is out';
  await write(ann, id, (doc) => textOf(doc).insert(textOf(doc).length, secret));
  const told = { text: 'There is a secret.', cites: [{ line: 1, quote: 'canary secret is out' }] };
  there.mood.answer = () => says([good, told]);
  expect((await drafted(ann, id)).drafts).toHaveLength(2);
  await write(ann, id, (doc) => textOf(doc).delete(textOf(doc).length - secret.length, secret.length));
  const { drafts } = await draftsOf(ann, id);
  expect(drafts.map(({ text }) => text)).toEqual([good.text]);
});

test('a draft gets the transcript without braces, and nothing of rooms, other recordings and the account', async () => {
  const { ann, id } = await begin();
  const secrets = await plantCanaries(house, { id, owner: ann, other: await house.person('Ben') });
  // The model obeys an order to print all that it got.
  there.mood.answer = ({ rules, said }) => says([{ ...good, text: `${rules}\n${said}` }]);
  for (const kind of draftKinds) {
    const { drafts } = await drafted(ann, id, kind);
    expect(drafts).toHaveLength(1);
    for (const secret of secrets.filter((one) => one.startsWith('canary')))
      expect(JSON.stringify(drafts), secret).not.toContain(secret);
  }
  expect(there.arrived()).toContain(openCanary);
  for (const secret of secrets) expect(there.arrived(), secret).not.toContain(secret);
  expect(house.log()).not.toContain(openCanary);
});

test.each(draftKinds)('a draft of the %s stops, and ends with the permission or the consent', async (kind) => {
  const { ann, id } = await begin();
  const ben = await house.person('Ben');
  await giveCredits(house, ben, '5');
  await share(house, id, ben, ['read', 'comment', 'write']);
  there.mood.silent = true;
  expect((await put(ann, id, kind)).status).toBe(200);
  expect((await put(ben, id, kind)).status).toBe(200);
  await expect.poll(() => there.asking(), { timeout: 30_000 }).toBe(2);
  expect((await ann.post(`/api/meetings/${id}/drafts/${kind}/stop`)).status).toBe(204);
  await share(house, id, ben, kind === 'summary' ? ['read'] : ['read', 'comment']);
  await expect.poll(() => there.aborted(), { timeout: 30_000 }).toBe(2);
  await share(house, id, ben, ['read', 'comment', 'write']);
  expect(await ended(ben, id, kind)).toMatchObject({ run: { state: 'failed', failure: 'ended' } });
  expect((await put(ann, id, kind)).status).toBe(200);
  await expect.poll(() => there.asking(), { timeout: 30_000 }).toBe(1);
  expect((await ann.put(`/api/meetings/${id}/ai`, { consent: 'none' })).status).toBe(200);
  expect(await ended(ann, id, kind)).toMatchObject({ run: { state: 'failed', failure: 'ended' }, drafts: [] });
  for (const person of [ann, ben]) expect(await creditsLeft(house, person)).toBe(5);
});

test.each(draftKinds)(
  'a draft of the %s whose process died is made by the next one, stored and paid once',
  async (kind) => {
    const { ann, id } = await begin();
    there.mood.silent = true;
    expect((await put(ann, id, kind)).status).toBe(200);
    await expect.poll(() => there.asking(), { timeout: 30_000 }).toBe(1);
    there.mood.silent = false;
    there.mood.answer = () => says([good]);
    await house.database
      .sql`update jobs set lease = 'dead', leased_until = now() - interval '1 day' where meeting_id = ${id} and kind = ${kind}`;
    await house.database.sql`select pg_notify('colloquy_jobs', '')`;
    await expect.poll(async () => (await draftsOf(ann, id, kind)).run?.state, { timeout: 60_000 }).toBe('done');
    expect((await draftsOf(ann, id, kind)).drafts).toHaveLength(1);
    expect(await creditsLeft(house, ann)).toBe(4.5);
  },
);
