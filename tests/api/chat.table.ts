import { expect } from 'vitest';
import { rules } from '#server/limits.ts';
import { analysisView, assistantsView, chatView } from '#shared/ai/views.ts';
import { giveCredits } from '#tests/support/billing.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import type { Answer } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';
import { unknownParameter, type Row, type Scene, type Table } from '#tests/support/table.ts';

const own = async ({ house, caller }: Scene) => ({ id: await makeMeeting(house, caller) });
const read = async ({ house, caller, person }: Scene) => {
  const id = await makeMeeting(house, await person());
  await share(house, id, caller, ['read']);
  return { id };
};
const funded = async (scene: Scene) => {
  await giveCredits(scene.house, scene.caller, '2');
  return own(scene);
};
/** A question about a recording with words, which the assistant of the tables never answers. */
const asked = async (scene: Scene) => {
  await giveCredits(scene.house, scene.caller, '2');
  const params = { id: await makeRecording(scene.house, scene.caller) };
  const answer = await scene.caller.post(`/api/meetings/${params.id}/chat`, question);
  expect(answer.status, answer.text).toBe(200);
  return params;
};

/** The house of the tables takes half a credit for a question. */
const question = { content: 'What was decided?', cost: 0.5 };

const price = { cost: 0.5 };
/** A recording whose analysis never comes to its end. */
const closed = (given: (scene: Scene) => Promise<{ id: string }>) => async (scene: Scene) => {
  const params = await given(scene);
  const { status, text } = await scene.caller.post(`/api/meetings/${params.id}/close`, { name: 'Done' });
  expect(status, text).toBe(200);
  return params;
};
const analysed = async (scene: Scene) => {
  await giveCredits(scene.house, scene.caller, '2');
  const params = { id: await makeRecording(scene.house, scene.caller) };
  const answer = await scene.caller.post(`/api/meetings/${params.id}/analysis`, price);
  expect(answer.status, answer.text).toBe(200);
  return params;
};

const stranger: Row[] = [
  { when: 'no such meeting', as: 'session', status: 403, code: 'NO_ACCESS' },
  { when: 'nobody', status: 401, code: 'UNAUTH' },
];
const withBody = (body: object): Row[] => stranger.map((row) => ({ ...row, body }));

export default {
  'GET /api/ai': [
    {
      when: 'a model',
      as: 'session',
      status: 200,
      then: ({ body }: Answer) =>
        expect(assistantsView.parse(body)).toEqual({
          models: [{ id: 'thinking', title: 'Thinking', host: '127.0.0.1:11434', local: true, context: 8192 }],
          canSetUp: expect.any(Boolean),
        }),
    },
    unknownParameter,
    { when: 'nobody', status: 401, code: 'UNAUTH' },
  ],
  'GET /api/meetings/:id/chat': [
    {
      when: 'a recording that one may read, and nothing asked',
      as: 'session',
      params: read,
      status: 200,
      then: ({ body }: Answer) =>
        expect(chatView.parse(body)).toMatchObject({
          version: 0,
          messages: [],
          consent: { consent: 'local', host: null },
          ...{ price: 0.5, costs: [{ cost: 0.5, groupId: null, isEnough: false }] },
        }),
    },
    {
      when: 'a question that is being answered',
      as: 'session',
      params: asked,
      query: '?after=0',
      status: 200,
      then: ({ body }: Answer) =>
        expect(chatView.parse(body).messages).toMatchObject([
          { nth: 1, role: 'user', content: 'What was decided?', run: null },
          { nth: 2, role: 'assistant', content: '', parts: [], run: { model: 'thinking' } },
        ]),
    },
    { ...unknownParameter, params: own },
    {
      when: 'a version that is none',
      as: 'session',
      query: '?after=-1',
      status: 422,
      code: 'INVALID',
      fields: { after: 'invalid' },
    },
    ...stranger,
  ],
  'POST /api/meetings/:id/chat': [
    {
      when: 'a question, at the price that the person saw',
      as: 'session',
      params: funded,
      body: question,
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ id: expect.any(String), version: 1 }),
    },
    {
      when: 'another while that one is answered',
      as: 'session',
      params: asked,
      body: question,
      status: 409,
      code: 'CONFLICT',
    },
    {
      when: 'another price',
      as: 'session',
      params: funded,
      body: { ...question, cost: 0 },
      status: 409,
      code: 'PRICE',
    },
    { when: 'no credits', as: 'session', params: own, body: question, status: 402, code: 'FUNDS' },
    {
      when: 'the owner has turned it off',
      as: 'session',
      params: async (scene: Scene) => {
        const params = await funded(scene);
        await scene.caller.put(`/api/meetings/${params.id}/ai`, { consent: 'none' });
        return params;
      },
      body: question,
      status: 403,
      code: 'CONSENT',
    },
    {
      when: 'too many questions',
      as: 'session',
      params: async (scene: Scene) => {
        await scene.exhaust(rules.questions, scene.caller.id);
        return own(scene);
      },
      body: question,
      status: 429,
      code: 'RATE',
    },
    {
      when: 'nothing asked',
      as: 'session',
      params: own,
      body: { content: '  ' },
      status: 422,
      code: 'INVALID',
      fields: { content: 'required' },
    },
    {
      when: 'too long a question',
      as: 'session',
      params: own,
      body: { content: 'x'.repeat(2001) },
      status: 422,
      code: 'INVALID',
      fields: { content: 'too_long' },
    },
    {
      when: 'a model that is not offered',
      as: 'session',
      params: own,
      body: { ...question, model: 'another' },
      status: 422,
      code: 'INVALID',
      fields: { model: 'unknown' },
    },
    ...withBody(question),
  ],
  'POST /api/meetings/:id/chat/stop': [
    {
      when: 'an answer that is being written',
      as: 'session',
      params: asked,
      status: 204,
      then: async (_: Answer, { caller, house }: Scene) => {
        const [run] = await house.database.sql`select state from ai_runs where user_id = ${caller.id}`;
        expect(run).toEqual({ state: 'stopped' });
        const [hold] = await house.database.sql`select state from holds where subject = ${caller.id}`;
        expect(hold).toEqual({ state: 'released' });
      },
    },
    { when: 'nothing to stop', as: 'session', params: own, status: 204 },
    ...stranger,
  ],
  'DELETE /api/meetings/:id/chat': [
    {
      when: 'one’s own chat, also while something is answered',
      as: 'session',
      params: asked,
      status: 204,
      then: async (_: Answer, { caller, house }: Scene) =>
        expect([...(await house.database.sql`select 1 from ai_messages where user_id = ${caller.id}`)]).toEqual([]),
    },
    ...stranger,
  ],
  'DELETE /api/meetings/:id/chat/:messageId': [
    {
      when: 'a question with its answer',
      as: 'session',
      params: async (scene: Scene) => {
        const { id } = await asked(scene);
        const { body } = await scene.caller.get(`/api/meetings/${id}/chat`);
        return { id, messageId: chatView.parse(body).messages[0]?.id ?? '' };
      },
      status: 204,
      then: async (_: Answer, { caller, house }: Scene) =>
        expect([...(await house.database.sql`select 1 from ai_messages where user_id = ${caller.id}`)]).toEqual([]),
    },
    {
      when: 'a message of somebody else',
      as: 'session',
      params: async (scene: Scene) => {
        const ann = await scene.person();
        await giveCredits(scene.house, ann, '2');
        const id = await makeMeeting(scene.house, ann);
        await share(scene.house, id, scene.caller, ['read', 'write', 'own']);
        await ann.post(`/api/meetings/${id}/chat`, question);
        const { body } = await ann.get(`/api/meetings/${id}/chat`);
        return { id, messageId: chatView.parse(body).messages[0]?.id ?? '' };
      },
      status: 404,
      code: 'NOT_FOUND',
    },
    ...stranger,
  ],
  'GET /api/meetings/:id/analysis': [
    {
      when: 'a recording that one may read, and no analysis',
      as: 'session',
      params: read,
      status: 200,
      then: ({ body }: Answer) =>
        expect(analysisView.parse(body)).toEqual({
          ...{ analysis: null, run: null, price: 0.5 },
          costs: [expect.objectContaining({ cost: 0.5, groupId: null, isEnough: false })],
        }),
    },
    {
      when: 'one in the making',
      as: 'session',
      params: analysed,
      status: 200,
      then: ({ body }: Answer) =>
        expect(analysisView.parse(body)).toMatchObject({ analysis: null, run: { model: 'thinking', mine: true } }),
    },
    { ...unknownParameter, params: own },
    ...stranger,
  ],
  'POST /api/meetings/:id/analysis': [
    {
      when: 'an editor, at the price that the person saw',
      as: 'session',
      params: funded,
      body: price,
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ id: expect.any(String) }),
    },
    {
      when: 'another while that one is made',
      as: 'session',
      params: analysed,
      body: price,
      status: 409,
      code: 'CONFLICT',
    },
    { when: 'another price', as: 'session', params: funded, body: {}, status: 409, code: 'PRICE' },
    { when: 'no credits', as: 'session', params: own, body: price, status: 402, code: 'FUNDS' },
    { when: 'a reader', as: 'session', params: read, body: price, status: 403, code: 'NO_PERM' },
    {
      when: 'a closed text',
      as: 'session',
      params: closed(funded),
      body: price,
      status: 409,
      code: 'CLOSED',
    },
    {
      when: 'the owner has turned it off',
      as: 'session',
      params: async (scene: Scene) => {
        const params = await funded(scene);
        await scene.caller.put(`/api/meetings/${params.id}/ai`, { consent: 'none' });
        return params;
      },
      body: price,
      status: 403,
      code: 'CONSENT',
    },
    {
      when: 'too many questions',
      as: 'session',
      params: async (scene: Scene) => {
        await scene.exhaust(rules.questions, scene.caller.id);
        return own(scene);
      },
      body: price,
      status: 429,
      code: 'RATE',
    },
    {
      when: 'a model that is not offered',
      as: 'session',
      params: own,
      body: { ...price, model: 'another' },
      status: 422,
      code: 'INVALID',
      fields: { model: 'unknown' },
    },
    ...withBody(price),
  ],
  'POST /api/meetings/:id/analysis/stop': [
    {
      when: 'one in the making',
      as: 'session',
      params: analysed,
      status: 204,
      then: async (_: Answer, { caller, house }: Scene) => {
        const [run] = await house.database.sql`select state from ai_runs where user_id = ${caller.id}`;
        expect(run).toEqual({ state: 'stopped' });
        const [hold] = await house.database.sql`select state from holds where subject = 'analysis' and meeting_id =
          (select meeting_id from ai_runs where user_id = ${caller.id})`;
        expect(hold).toEqual({ state: 'released' });
      },
    },
    { when: 'nothing to stop', as: 'session', params: own, status: 204 },
    { when: 'a closed text', as: 'session', params: closed(own), status: 409, code: 'CLOSED' },
    { when: 'a reader', as: 'session', params: read, status: 403, code: 'NO_PERM' },
    ...stranger,
  ],
  'PUT /api/meetings/:id/ai': [
    {
      when: 'the owner',
      as: 'session',
      params: own,
      body: { consent: 'host', host: '127.0.0.1:11434' },
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ consent: 'host', host: '127.0.0.1:11434' }),
    },
    { when: 'a reader', as: 'session', params: read, body: { consent: 'none' }, status: 403, code: 'NO_PERM' },
    {
      when: 'a host that is not offered',
      as: 'session',
      params: own,
      body: { consent: 'host', host: 'evil.example' },
      status: 422,
      code: 'INVALID',
      fields: { host: 'unknown' },
    },
    {
      when: 'no host',
      as: 'session',
      params: own,
      body: { consent: 'host' },
      status: 422,
      code: 'INVALID',
      fields: { host: 'required' },
    },
    {
      when: 'some other word',
      as: 'session',
      params: own,
      body: { consent: 'all' },
      status: 422,
      code: 'INVALID',
      fields: { consent: 'invalid' },
    },
    ...withBody({ consent: 'none' }),
  ],
} satisfies Table;
