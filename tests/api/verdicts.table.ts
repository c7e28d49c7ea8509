import { expect } from 'vitest';
import { rules } from '#server/limits.ts';
import { verdictView } from '#shared/ai/verdicts.ts';
import { giveCredits } from '#tests/support/billing.ts';
import { makeMeeting } from '#tests/support/meetings.ts';
import type { Answer } from '#tests/support/people.ts';
import { askFor } from '#tests/support/reviews.ts';
import { unknownParameter, type Row, type Scene, type Table } from '#tests/support/table.ts';

const type = 'listening';
const price = { cost: 0.5 };
/** The assessment of the caller, who has credits or not, in a recording whose owner may refuse. */
const sheet =
  ({ policy = 'relaxed' as 'relaxed' | 'strict', credits = true, allowed = true } = {}) =>
  async ({ house, caller, person }: Scene) => {
    if (credits) await giveCredits(house, caller, '2');
    const leader = await person('Lea');
    const id = await makeMeeting(house, leader);
    if (!allowed) await leader.put(`/api/meetings/${id}/ai`, { consent: 'none' });
    await askFor(leader, id, { policy, outcomeModel: 'coaching', roles: [[caller, 'required']] });
    const [review] = (await caller.get(`/api/meetings/${id}/reviews`)).body.reviews as { cloneId: string }[];
    return { id: review?.cloneId ?? '', type };
  };
/** One that the assistant of the tables never ends. */
const explaining = async (scene: Scene) => {
  const params = await sheet()(scene);
  const { status, text } = await scene.caller.post(`/api/meetings/${params.id}/grades/${type}/explanation`, price);
  expect(status, text).toBe(200);
  return params;
};
const notes = async (scene: Scene) => ({ ...(await sheet()(scene)), type: 'notes' });
const ownMeeting = async ({ house, caller }: Scene) => ({ id: await makeMeeting(house, caller), type });

const refused: Row[] = [
  {
    when: 'before a blind review opens',
    as: 'session',
    params: sheet({ policy: 'strict' }),
    status: 403,
    code: 'NO_PERM',
  },
  { when: 'by the id of a recording', as: 'session', params: ownMeeting, status: 404, code: 'NOT_FOUND' },
  {
    when: 'a type without grades',
    as: 'session',
    params: notes,
    status: 422,
    code: 'INVALID',
    fields: { type: 'unknown' },
  },
  { when: 'no such layer', as: 'session', params: { id: 'nothing', type }, status: 403, code: 'NO_ACCESS' },
  { when: 'nobody', params: { id: 'nothing', type }, status: 401, code: 'UNAUTH' },
];

export default {
  'GET /api/meetings/:id/grades/:type/explanation': [
    {
      when: 'a reviewer who has asked for none',
      as: 'session',
      params: sheet(),
      status: 200,
      then: ({ body }: Answer) =>
        expect(verdictView.parse(body)).toMatchObject({
          ...{ run: null, verdict: null, price: 0.5 },
          models: [{ id: 'thinking' }],
        }),
    },
    {
      when: 'one in the making',
      as: 'session',
      params: explaining,
      status: 200,
      then: ({ body }: Answer) => expect(verdictView.parse(body)).toMatchObject({ run: { model: 'thinking' } }),
    },
    { ...unknownParameter, params: sheet() },
    ...refused,
  ],
  'POST /api/meetings/:id/grades/:type/explanation': [
    {
      when: 'a reviewer, at the price that the person saw',
      as: 'session',
      params: sheet(),
      body: price,
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ id: expect.any(String) }),
    },
    {
      when: 'another while that one is written',
      as: 'session',
      params: explaining,
      body: price,
      status: 409,
      code: 'CONFLICT',
    },
    { when: 'another price', as: 'session', params: sheet(), body: {}, status: 409, code: 'PRICE' },
    { when: 'no credits', as: 'session', params: sheet({ credits: false }), body: price, status: 402, code: 'FUNDS' },
    {
      when: 'the owner has turned it off',
      as: 'session',
      params: sheet({ allowed: false }),
      body: price,
      status: 403,
      code: 'CONSENT',
    },
    {
      when: 'too many questions',
      as: 'session',
      params: async (scene: Scene) => {
        await scene.exhaust(rules.questions, scene.caller.id);
        return sheet()(scene);
      },
      body: price,
      status: 429,
      code: 'RATE',
    },
    ...refused.map((row): Row => ({ ...row, body: price })),
  ],
  'POST /api/meetings/:id/grades/:type/explanation/stop': [
    {
      when: 'one in the making',
      as: 'session',
      params: explaining,
      status: 204,
      then: async (_: Answer, { caller, house }: Scene) => {
        const [run] = await house.database.sql`select state from ai_runs where user_id = ${caller.id}`;
        expect(run).toEqual({ state: 'stopped' });
        const [hold] = await house.database.sql`select state from holds where subject = ${`verdict ${caller.id}`}`;
        expect(hold).toEqual({ state: 'released' });
      },
    },
    { when: 'nothing to stop', as: 'session', params: sheet(), status: 204 },
    ...refused,
  ],
} satisfies Table;
