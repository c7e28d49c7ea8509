// A grade that a language model explains beside an assessment (server/ai/verdicts.ts): its quotes are checked, its asker
// alone reads it, and blind reviewers get none.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAssistants } from '#server/outside/assistants.ts';
import { readConfig } from '#server/config.ts';
import { verdictView } from '#shared/ai/verdicts.ts';
import { textOf } from '#shared/meetings/transcript.ts';
import { openAssistant, type StandIn } from '#tests/support/assistant.ts';
import { creditsLeft, giveCredits } from '#tests/support/billing.ts';
import { openCanary, plantCanaries } from '#tests/support/canaries.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeSet } from '#tests/support/outcome-models.ts';
import type { Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';
import { askFor, seenBy, setStatus } from '#tests/support/reviews.ts';

let house: TestHouse;
let there: StandIn;
const assistants = () =>
  createAssistants(readConfig({ AI_URL: there.url, AI_CONTEXT: '16000' }, '/srv'), { patience: { pause: 1 } })();
beforeAll(async () => {
  there = await openAssistant('openai', { context: 16_000 });
  house = await openHouse({ env: { QUESTION_PRICE: '0.5' }, house: { assistants } });
});
afterAll(async () => {
  await house?.close();
  await there?.close();
});

const welcome = { text: 'They are welcomed.', cites: [{ line: 1, quote: 'welcome to our practice session' }] };
const invented = { text: 'They are asked.', cites: [{ line: 1, quote: 'words that nobody ever said' }] };
const gives = (grade: number | null, parts: object[], why = 'The client says little.') => {
  there.mood.answer = () => JSON.stringify({ grade, parts, why });
};

const path = (layer: string, type = 'trust') => `/api/meetings/${layer}/grades/${type}/explanation`;
const ask = (by: Person, layer: string, type?: string) => by.post(path(layer, type), { cost: 0.5 });
const seen = async (by: Person, layer: string, type?: string) => {
  const { body, status, text } = await by.get(path(layer, type));
  expect(status, text).toBe(200);
  return verdictView.parse(body);
};
async function explained(by: Person, layer: string) {
  const { status, text } = await ask(by, layer);
  expect(status, text).toBe(200);
  await expect.poll(async () => (await seen(by, layer)).run?.state, { timeout: 60_000 }).toMatch(/done|failed|stopped/);
  return seen(by, layer);
}

async function reviewed(policy: 'strict' | 'relaxed') {
  const [ann, ben, chen, dee] = await Promise.all(['Ann', 'Ben', 'Chen', 'Dee'].map((name) => house.person(name)));
  if (!ann || !ben || !chen || !dee) throw new Error('nobody');
  for (const one of [ben, chen, dee]) await giveCredits(house, one, '2');
  const id = await makeRecording(house, ann);
  const review = await askFor(ann, id, {
    ...{ policy, outcomeModel: 'coaching' },
    roles: [
      [ben, 'required'],
      [chen, 'optional'],
      [dee, 'supervisor'],
    ],
  });
  const layerOf = async (by: Person) => (await seenBy(by, review)).cloneId ?? '';
  return { ann, ben, chen, dee, id, review, layerOf };
}

test('it has the grade, checked reasons and why not the next, is paid once, and is its asker’s alone', async () => {
  const { ann, ben, chen, id, layerOf } = await reviewed('relaxed');
  const layer = await layerOf(ben);
  gives(3, [welcome, invented]);
  const { verdict, run } = await explained(ben, layer);
  expect(run).toMatchObject({ state: 'done', enough: true, dropped: 1 });
  expect(verdict).toMatchObject({
    ...{ grade: 3, why: 'The client says little.', model: 'stand-in' },
    parts: [{ text: welcome.text, quotes: [{ text: 'welcome to our practice session', start: 1.55 }], struck: 0 }],
  });
  expect(verdict?.parts).toHaveLength(1);
  expect(await creditsLeft(house, ben)).toBe(1.5);
  // The model got the competency in its own words, with all of its grades.
  expect(there.received.at(-1)?.rules).toContain('Creates a place to speak freely');
  expect(there.received.at(-1)?.rules).toContain('4: throughout');
  // Nothing of it is in the assessment, which both annotate, and others do not learn that it was asked for.
  const { grades, outcomes } = (await ben.get(`/api/meetings/${layer}`)).body.doc;
  expect([grades, outcomes]).toEqual([[], []]);
  expect(await seen(chen, await layerOf(chen))).toMatchObject({ run: null, verdict: null });
  expect(await seen(ben, layer, 'listening')).toMatchObject({ run: null, verdict: null });
  // By the id of the recording there is no sheet.
  expect((await ask(ann, id)).body.code).toBe('NOT_FOUND');

  // Once its words are deleted, there is no grade.
  const by = { userId: ann.id, origin: 'test' };
  await house.house.rooms.change(id, 'transcript', by, (doc) => {
    const text = textOf(doc);
    text.delete(text.toString().indexOf('welcome'), 'welcome'.length);
  });
  expect((await seen(ben, layer)).verdict).toBeNull();
});

test('the model gets the transcript and the competency, and nothing of rooms, layers, other recordings and the account', async () => {
  const { ann, ben, id, layerOf } = await reviewed('relaxed');
  const layer = await layerOf(ben);
  const secrets = await plantCanaries(house, { id, owner: ann, other: ben });
  const before = there.arrived().length;
  // All of it, as often as it likes.
  there.mood.heedsLimit = false;
  there.mood.answer = ({ rules, said }) =>
    JSON.stringify({ grade: 3, parts: [{ ...welcome, text: `${rules}\n${said}` }], why: said });
  const { verdict } = await explained(ben, layer);
  expect(verdict?.grade).toBe(3);
  there.mood.heedsLimit = true;
  const sent = there.arrived().slice(before);
  expect(sent).toContain(openCanary);
  for (const secret of [...secrets, layer]) {
    expect(sent, secret).not.toContain(secret);
    expect(JSON.stringify(verdict), secret).not.toContain(secret);
  }
  expect(house.log()).not.toContain(openCanary);
});

test('without words that show it there is no grade, and nothing is paid; a grade of no list is asked for again', async () => {
  const { ben, layerOf } = await reviewed('relaxed');
  const layer = await layerOf(ben);
  gives(4, [invented]);
  expect(await explained(ben, layer)).toMatchObject({ run: { state: 'done', enough: false }, verdict: null });
  gives(null, [welcome]);
  expect(await explained(ben, layer)).toMatchObject({ run: { state: 'done', enough: false }, verdict: null });
  gives(9, [welcome]);
  expect(await explained(ben, layer)).toMatchObject({ run: { state: 'failed', failure: 'answer' }, verdict: null });
  expect(there.received.at(-1)?.said).toContain('required form');
  expect(await creditsLeft(house, ben)).toBe(2);
  expect((await ask(ben, layer, 'notes')).status).toBe(422);
  // A set of types does not exist for an assessment that nobody named it for.
  const [foreign] = (await makeSet(await house.person('Fay'))).types;
  const before = there.received.length;
  expect((await ask(ben, layer, foreign?.id)).body).toMatchObject({
    info: { errors: [{ field: 'type', code: 'unknown' }] },
  });
  expect(there.received).toHaveLength(before);
});

test('blind reviewers get none until the review opens, and its supervisor does; a run ends with the right to it', async () => {
  const { ann, ben, chen, dee, id, review, layerOf } = await reviewed('strict');
  const layers = [await layerOf(ben), await layerOf(chen), await layerOf(dee)] as const;
  const [bens, chens, dees] = layers;
  for (const [by, layer] of [
    [ben, bens],
    [chen, chens],
  ] as const) {
    expect((await ask(by, layer)).body.code).toBe('NO_PERM');
    expect((await by.get(path(layer))).body.code).toBe('NO_PERM');
  }
  expect((await ask(ben, chens)).body.code).toBe('NO_ACCESS');
  gives(2, [welcome]);
  expect((await explained(dee, dees)).verdict?.grade).toBe(2);
  for (const one of [ben, chen, dee]) await setStatus(one, review, 'complete');
  expect((await explained(ben, bens)).verdict?.grade).toBe(2);

  there.mood.silent = true;
  const asking = there.asking();
  expect((await ask(chen, chens)).status).toBe(200);
  await expect.poll(() => there.asking(), { timeout: 60_000 }).toBe(asking + 1);
  expect((await ask(chen, chens)).body.code).toBe('CONFLICT');
  // The review is blind again.
  await setStatus(ben, review, 'in-progress');
  const state = async () =>
    (await house.database.sql`select state, failure from ai_runs where user_id = ${chen.id} and kind = 'verdict'`).at(
      0,
    );
  await expect.poll(state, { timeout: 60_000 }).toEqual({ state: 'failed', failure: 'ended' });
  expect(await creditsLeft(house, chen)).toBe(2);

  // The owner takes the word back while the model reads, and nothing is shown.
  expect((await ask(dee, dees)).status).toBe(200);
  await expect.poll(() => there.asking(), { timeout: 60_000 }).toBe(asking + 1);
  expect((await ann.put(`/api/meetings/${id}/ai`, { consent: 'none' })).status).toBe(200);
  await expect
    .poll(async () => (await seen(dee, dees)).run, { timeout: 60_000 })
    .toMatchObject({ state: 'failed', failure: 'ended', paid: 0 });
  await expect.poll(() => there.asking(), { timeout: 60_000 }).toBe(asking);
  expect((await ann.put(`/api/meetings/${id}/ai`, { consent: 'local' })).status).toBe(200);
  expect(await creditsLeft(house, dee)).toBe(1.5);

  // Stopped by its asker; without the owner's word it is not asked for.
  expect((await ask(dee, dees)).status).toBe(200);
  expect((await dee.post(`${path(dees)}/stop`)).status).toBe(204);
  expect((await seen(dee, dees)).run?.state).toBe('stopped');
  expect(await creditsLeft(house, dee)).toBe(1.5);
  there.mood.silent = false;
  expect((await ann.put(`/api/meetings/${id}/ai`, { consent: 'none' })).status).toBe(200);
  expect((await ask(dee, dees)).body.code).toBe('CONSENT');
});
