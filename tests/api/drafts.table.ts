import { expect } from 'vitest';
import { rules } from '#server/limits.ts';
import { draftsView } from '#shared/ai/drafts.ts';
import { giveCredits } from '#tests/support/billing.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import type { Answer } from '#tests/support/people.ts';
import { unknownParameter, type Row, type Scene, type Table } from '#tests/support/table.ts';

type Kind = 'summary' | 'chapters';

const own =
  (kind: string) =>
  async ({ house, caller }: Scene) => ({ id: await makeMeeting(house, caller), kind, draftId: 'nothing' });
const held =
  (kind: Kind, ...permissions: ('read' | 'comment' | 'write')[]) =>
  async ({ house, caller, person }: Scene) => {
    await giveCredits(house, caller, '2');
    const id = await makeMeeting(house, await person());
    await share(house, id, caller, permissions);
    return { id, kind, draftId: 'nothing' };
  };
const funded = (kind: Kind) => async (scene: Scene) => {
  await giveCredits(scene.house, scene.caller, '2');
  return own(kind)(scene);
};
/** One that the assistant of the tables never ends. */
const drafting = (kind: Kind) => async (scene: Scene) => {
  const params = await funded(kind)(scene);
  const { status, text } = await scene.caller.post(`/api/meetings/${params.id}/drafts/${kind}`, price);
  expect(status, text).toBe(200);
  return params;
};
const closed = (kind: Kind) => async (scene: Scene) => {
  const params = await funded(kind)(scene);
  expect((await scene.caller.post(`/api/meetings/${params.id}/close`, { name: 'Done' })).status).toBe(200);
  return params;
};
const off = (kind: Kind) => async (scene: Scene) => {
  const params = await funded(kind)(scene);
  await scene.caller.put(`/api/meetings/${params.id}/ai`, { consent: 'none' });
  return params;
};
const price = { cost: 0.5 };
const decided = { state: 'accepted' };

const refused = (body?: object): Row[] =>
  [
    { when: 'a reader', as: 'session', params: held('summary', 'read'), status: 403, code: 'NO_PERM' },
    {
      when: 'a commenter, for chapters',
      as: 'session',
      params: held('chapters', 'read', 'comment'),
      status: 403,
      code: 'NO_PERM',
    },
    { when: 'chapters of a closed text', as: 'session', params: closed('chapters'), status: 409, code: 'CLOSED' },
    { when: 'a draft of something else', as: 'session', params: own('poem'), status: 404, code: 'NOT_FOUND' },
    ...stranger,
  ].map((row): Row => ({ ...(row as Row), ...(body && { body }) }));
const stranger: Row[] = [
  {
    when: 'no such meeting',
    as: 'session',
    params: { id: 'nothing', kind: 'summary' },
    status: 403,
    code: 'NO_ACCESS',
  },
  { when: 'nobody', params: { id: 'nothing', kind: 'summary' }, status: 401, code: 'UNAUTH' },
];

export default {
  'GET /api/meetings/:id/drafts/:kind': [
    {
      when: 'a commenter, and no draft',
      as: 'session',
      params: held('summary', 'read', 'comment'),
      status: 200,
      then: ({ body }: Answer) =>
        expect(draftsView.parse(body)).toMatchObject({
          run: null,
          drafts: [],
          price: 0.5,
          models: [{ id: 'thinking' }],
        }),
    },
    {
      when: 'one in the making',
      as: 'session',
      params: drafting('chapters'),
      status: 200,
      then: ({ body }: Answer) =>
        expect(draftsView.parse(body)).toMatchObject({ run: { model: 'thinking' }, drafts: [] }),
    },
    { when: 'a reader', as: 'session', params: held('summary', 'read'), status: 403, code: 'NO_PERM' },
    { when: 'a draft of something else', as: 'session', params: own('poem'), status: 404, code: 'NOT_FOUND' },
    { ...unknownParameter, params: own('summary') },
    ...stranger,
  ],
  'POST /api/meetings/:id/drafts/:kind': [
    {
      when: 'a commenter, at the price that the person saw',
      as: 'session',
      params: held('summary', 'read', 'comment'),
      body: price,
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ id: expect.any(String) }),
    },
    { when: 'a summary of a closed text', as: 'session', params: closed('summary'), body: price, status: 200 },
    {
      when: 'another while that one is written',
      as: 'session',
      params: drafting('summary'),
      body: price,
      status: 409,
      code: 'CONFLICT',
    },
    { when: 'another price', as: 'session', params: funded('summary'), body: {}, status: 409, code: 'PRICE' },
    { when: 'no credits', as: 'session', params: own('summary'), body: price, status: 402, code: 'FUNDS' },
    {
      when: 'the owner has turned it off',
      as: 'session',
      params: off('summary'),
      body: price,
      status: 403,
      code: 'CONSENT',
    },
    {
      when: 'too many questions',
      as: 'session',
      params: async (scene: Scene) => {
        await scene.exhaust(rules.questions, scene.caller.id);
        return own('summary')(scene);
      },
      body: price,
      status: 429,
      code: 'RATE',
    },
    {
      when: 'a model that is not offered',
      as: 'session',
      params: own('chapters'),
      body: { ...price, model: 'another' },
      status: 422,
      code: 'INVALID',
      fields: { model: 'unknown' },
    },
    ...refused(price),
  ],
  'POST /api/meetings/:id/drafts/:kind/stop': [
    {
      when: 'one in the making',
      as: 'session',
      params: drafting('summary'),
      status: 204,
      then: async (_: Answer, { caller, house }: Scene) => {
        const [run] = await house.database.sql`select state from ai_runs where user_id = ${caller.id}`;
        expect(run).toEqual({ state: 'stopped' });
        const [hold] = await house.database.sql`select state from holds where subject = ${`summary ${caller.id}`}`;
        expect(hold).toEqual({ state: 'released' });
      },
    },
    { when: 'nothing to stop', as: 'session', params: own('chapters'), status: 204 },
    ...refused(),
  ],
  'PUT /api/meetings/:id/drafts/:kind/:draftId': [
    {
      when: 'a point of the caller’s draft',
      as: 'session',
      params: async (scene: Scene) => {
        const params = await own('summary')(scene);
        await insertDraft(scene, params.id, scene.caller.id);
        return { ...params, draftId: `d-${params.id}` };
      },
      body: decided,
      status: 204,
      then: async (_: Answer, { caller, house }: Scene) =>
        expect([...(await house.database.sql`select state from ai_drafts where user_id = ${caller.id}`)]).toEqual([
          decided,
        ]),
    },
    {
      when: 'a point of somebody else’s draft',
      as: 'session',
      params: async (scene: Scene) => {
        const params = await own('summary')(scene);
        await insertDraft(scene, params.id, (await scene.person()).id);
        return { ...params, draftId: `d-${params.id}` };
      },
      body: decided,
      status: 404,
      code: 'NOT_FOUND',
    },
    { when: 'no such point', as: 'session', params: own('summary'), body: decided, status: 404, code: 'NOT_FOUND' },
    {
      when: 'another state',
      as: 'session',
      params: own('summary'),
      body: { state: 'lost' },
      status: 422,
      code: 'INVALID',
      fields: { state: 'invalid' },
    },
    ...refused(decided),
  ],
} satisfies Table;

const insertDraft = ({ house }: Scene, meetingId: string, userId: string) =>
  house.database.sql`insert into ai_drafts (id, meeting_id, user_id, kind, nth, text, quotes, struck, model, created_at)
    values (${`d-${meetingId}`}, ${meetingId}, ${userId}, 'summary', 0, 'It was.', '[]', 0, 'thinking', now())`;
