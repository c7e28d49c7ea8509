import { expect } from 'vitest';
import { rules } from '#server/limits.ts';
import { detectionView } from '#shared/ai/suggestions.ts';
import type { Policy, ReviewerRole } from '#shared/reviews/review.ts';
import { outcomeAnswer } from '#shared/meetings/annotation-inputs.ts';
import { giveCredits } from '#tests/support/billing.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import type { Answer } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';
import { askFor, seenBy } from '#tests/support/reviews.ts';
import { suggest, suggestIn } from '#tests/support/suggestions.ts';
import { unknownParameter, type Row, type Scene, type Table } from '#tests/support/table.ts';

const own = async ({ house, caller }: Scene) => ({ id: await makeMeeting(house, caller) });
const read = async ({ house, caller, person }: Scene) => {
  const id = await makeMeeting(house, await person());
  await share(house, id, caller, ['read', 'comment']);
  return { id, itemId: 'nothing' };
};
const funded = async (scene: Scene) => {
  await giveCredits(scene.house, scene.caller, '2');
  return own(scene);
};
/** The house of the tables takes half a credit for a search. */
const price = { cost: 0.5 };
/** A search that never comes to its end. */
const searching = async (scene: Scene) => {
  await giveCredits(scene.house, scene.caller, '2');
  const params = { id: await makeRecording(scene.house, scene.caller) };
  const answer = await scene.caller.post(`/api/meetings/${params.id}/outcomes/autodetect`, price);
  expect(answer.status, answer.text).toBe(200);
  return params;
};
const closed = (given: (scene: Scene) => Promise<{ id: string }>) => async (scene: Scene) => {
  const params = await given(scene);
  const { status, text } = await scene.caller.post(`/api/meetings/${params.id}/close`, { name: 'Done' });
  expect(status, text).toBe(200);
  return params;
};
const waiting = async ({ house, caller }: Scene) => {
  const id = await makeRecording(house, caller);
  return { id, itemId: await suggest(house, id) };
};
const after = (call: string, body?: object) => async (scene: Scene) => {
  const params = await waiting(scene);
  const { status, text } = await scene.caller.post(
    `/api/meetings/${params.id}/outcomes/${params.itemId}/${call}`,
    body,
  );
  expect(status, text).toBeLessThan(300);
  return params;
};

/** The layer by which the caller opens a review with a suggestion. */
const assessed =
  ({ policy = 'relaxed' as Policy, role = 'required' as ReviewerRole } = {}) =>
  async ({ house, caller, person }: Scene) => {
    await giveCredits(house, caller, '2');
    const leader = await person('Lea');
    const review = await askFor(leader, await makeRecording(house, leader), { policy, roles: [[caller, role]] });
    // Nobody reads the machine's layer of a blind review without a supervisor, and there is none.
    const itemId = role === 'supervisor' || policy === 'relaxed' ? await suggestIn(house, review) : 'nothing';
    return { id: (await seenBy(caller, review)).cloneId ?? '', itemId };
  };
const supervised = assessed({ policy: 'strict', role: 'supervisor' });
const blind = assessed({ policy: 'strict' });
const watched = assessed({ role: 'watcher' });
const before = (params: NonNullable<Row['params']>): Row => ({
  ...{ when: 'before a blind review opens', as: 'session', params, status: 403, code: 'NO_PERM' },
});

const stranger: Row[] = [
  { when: 'no such meeting', as: 'session', status: 403, code: 'NO_ACCESS' },
  { when: 'nobody', status: 401, code: 'UNAUTH' },
];
const withBody = (body: object): Row[] => stranger.map((row) => ({ ...row, body }));
const noneThere = async (scene: Scene) => ({ ...(await own(scene)), itemId: 'nothing' });
const refused = { status: 403, code: 'NO_PERM' } as const;

export default {
  'GET /api/meetings/:id/outcomes/autodetect': [
    {
      when: 'nothing was looked for',
      as: 'session',
      params: own,
      status: 200,
      then: ({ body }: Answer) =>
        expect(detectionView.parse(body)).toMatchObject({
          ...{ readiness: null, run: null, suggestions: [], price: 0.5, costs: [{ cost: 0.5, groupId: null }] },
          models: [{ id: 'thinking' }],
          consent: { consent: 'local', host: null },
        }),
    },
    {
      when: 'a search that runs',
      as: 'session',
      params: searching,
      status: 200,
      then: ({ body }: Answer) =>
        expect(detectionView.parse(body)).toMatchObject({
          readiness: { completionDate: null },
          run: { model: 'thinking', outcomeModel: 'meeting', found: null, dropped: null },
        }),
    },
    {
      when: 'a suggestion, also of a closed text',
      as: 'session',
      params: closed(waiting),
      status: 200,
      then: ({ body }: Answer) =>
        expect(detectionView.parse(body).suggestions).toMatchObject([
          {
            ...{ type: 'decisions', typeChoices: ['actionItems'], text: 'They practise.', reason: 'It says so.' },
            ...{ quote: 'welcome to our practice session', start: 1.55, end: 3.26, automatic: true },
            author: { kind: 'machine', name: 'stand-in' },
          },
        ]),
    },
    { when: 'somebody who may not write', as: 'session', params: read, ...refused },
    {
      when: 'a supervisor of a blind review',
      as: 'session',
      params: supervised,
      status: 200,
      then: ({ body }: Answer) => expect(detectionView.parse(body).suggestions).toHaveLength(1),
    },
    {
      when: 'a watcher of a relaxed review, by the layer of its words',
      as: 'session',
      params: watched,
      status: 200,
      then: ({ body }: Answer) => expect(detectionView.parse(body).suggestions).toHaveLength(1),
    },
    before(blind),
    { ...unknownParameter, params: own },
    ...stranger,
  ],
  'POST /api/meetings/:id/outcomes/autodetect': [
    {
      when: 'an editor, at the price that the person saw',
      as: 'session',
      params: funded,
      body: price,
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ id: expect.any(String) }),
    },
    {
      when: 'outcomes of coaching, named in the place of the model, with the speaker who coaches',
      as: 'session',
      params: async (scene: Scene) => {
        await giveCredits(scene.house, scene.caller, '2');
        return { id: await makeRecording(scene.house, scene.caller) };
      },
      body: { ...price, modelId: 'coaching', coachSpeakerId: 'coach' },
      status: 200,
    },
    { when: 'a reviewer, for the machine’s layer', as: 'session', params: assessed(), body: price, status: 200 },
    { ...before(blind), body: price },
    {
      when: 'another while that one runs',
      as: 'session',
      params: searching,
      body: price,
      status: 409,
      code: 'CONFLICT',
    },
    { when: 'another price', as: 'session', params: funded, body: {}, status: 409, code: 'PRICE' },
    { when: 'no credits', as: 'session', params: own, body: price, status: 402, code: 'FUNDS' },
    { when: 'somebody who may not write', as: 'session', params: read, body: price, ...refused },
    { when: 'a closed text', as: 'session', params: closed(funded), body: price, status: 409, code: 'CLOSED' },
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
      when: 'too many searches',
      as: 'session',
      params: async (scene: Scene) => {
        await scene.exhaust(rules.detections, scene.caller.id);
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
      body: { ...price, modelId: 'another' },
      status: 422,
      code: 'INVALID',
      fields: { modelId: 'unknown' },
    },
    {
      when: 'outcomes of an unknown model',
      as: 'session',
      params: own,
      body: { ...price, outcomeModel: 'another' },
      status: 422,
      code: 'INVALID',
      fields: { outcomeModel: 'unknown' },
    },
    {
      when: 'coaching without its speaker',
      as: 'session',
      params: own,
      body: { ...price, outcomeModel: 'coaching' },
      status: 422,
      code: 'INVALID',
      fields: { coachSpeakerId: 'required' },
    },
    {
      when: 'somebody who does not speak',
      as: 'session',
      params: own,
      body: { ...price, outcomeModel: 'coaching', coachSpeakerId: 'nobody' },
      status: 422,
      code: 'INVALID',
      fields: { coachSpeakerId: 'unknown' },
    },
    ...withBody(price),
  ],
  'POST /api/meetings/:id/outcomes/autodetect/stop': [
    {
      when: 'one that runs',
      as: 'session',
      params: searching,
      status: 204,
      then: async (_: Answer, { caller, house }: Scene) => {
        const [run] = await house.database.sql`select state from ai_runs where user_id = ${caller.id}`;
        expect(run).toEqual({ state: 'stopped' });
        const [hold] = await house.database.sql`select state from holds where subject = ${caller.id}`;
        expect(hold).toEqual({ state: 'released' });
      },
    },
    { when: 'nothing to stop', as: 'session', params: own, status: 204 },
    { when: 'nothing to stop in a review', as: 'session', params: assessed(), status: 204 },
    before(blind),
    { when: 'a closed text', as: 'session', params: closed(own), status: 409, code: 'CLOSED' },
    { when: 'somebody who may not write', as: 'session', params: read, ...refused },
    ...stranger,
  ],
  'POST /api/meetings/:id/outcomes/:itemId/accept': [
    {
      when: 'a suggestion',
      as: 'session',
      params: waiting,
      body: {},
      status: 200,
      then: ({ body }: Answer, { caller }: Scene) =>
        expect(outcomeAnswer.parse(body).outcome).toMatchObject({
          ...{ type: 'decisions', text: 'They practise.', automatic: false, wasAutomatic: true, grade: null },
          ...{ quote: 'welcome to our practice session', author: { id: caller.id, kind: 'user' } },
        }),
    },
    {
      when: 'one of a review, into the caller’s layer',
      as: 'session',
      params: supervised,
      body: {},
      status: 200,
      then: ({ body }: Answer, { caller }: Scene) =>
        expect(outcomeAnswer.parse(body).outcome).toMatchObject({ wasAutomatic: true, author: { id: caller.id } }),
    },
    { ...before(blind), body: {} },
    { when: 'by a layer that the caller only reads', as: 'session', params: watched, body: {}, ...refused },
    {
      when: 'as another type that fits',
      as: 'session',
      params: waiting,
      body: { type: 'actionItems' },
      status: 200,
      then: ({ body }: Answer) => expect(outcomeAnswer.parse(body).outcome.type).toBe('actionItems'),
    },
    {
      when: 'as a type that was not suggested',
      as: 'session',
      params: waiting,
      body: { type: 'problems' },
      status: 422,
      code: 'INVALID',
      fields: { type: 'unknown' },
    },
    { when: 'accepted before', as: 'session', params: after('accept', {}), body: {}, status: 409, code: 'CONFLICT' },
    {
      when: 'rejected before',
      as: 'session',
      params: after('reject', { reason: 'type' }),
      body: {},
      status: 409,
      code: 'CONFLICT',
      fields: { id: 'rejected' },
    },
    {
      when: 'its words are gone',
      as: 'session',
      params: async ({ house, caller }: Scene) => {
        const id = await makeRecording(house, caller);
        return { id, itemId: await suggest(house, id, { quote: 'words that nobody ever said' }) };
      },
      body: {},
      status: 409,
      code: 'CONFLICT',
      fields: { id: 'gone' },
    },
    { when: 'no such suggestion', as: 'session', params: noneThere, body: {}, status: 404, code: 'NOT_FOUND' },
    { when: 'a closed text', as: 'session', params: closed(waiting), body: {}, status: 409, code: 'CLOSED' },
    { when: 'somebody who may not write', as: 'session', params: read, body: {}, ...refused },
    ...withBody({}),
  ],
  'POST /api/meetings/:id/outcomes/:itemId/reject': [
    {
      when: 'a suggestion',
      as: 'session',
      params: waiting,
      body: { reason: 'unimportant' },
      status: 204,
      then: async (_: Answer, { caller, house }: Scene) =>
        expect([
          ...(await house.database
            .sql`select state, reject_reason from ai_suggestions where decided_by = ${caller.id}`),
        ]).toEqual([{ state: 'rejected', reject_reason: 'unimportant' }]),
    },
    {
      when: 'one of a review',
      as: 'session',
      params: assessed(),
      body: { reason: 'type' },
      status: 204,
      then: async (_: Answer, { caller, house }: Scene) =>
        expect([
          ...(await house.database.sql`select state, reject_reason from ai_decisions where user_id = ${caller.id}`),
        ]).toEqual([{ state: 'rejected', reject_reason: 'type' }]),
    },
    { ...before(blind), body: { reason: 'type' } },
    {
      when: 'no reason',
      as: 'session',
      params: waiting,
      body: {},
      status: 422,
      code: 'INVALID',
      fields: { reason: 'invalid' },
    },
    {
      when: 'accepted before',
      as: 'session',
      params: after('accept', {}),
      body: { reason: 'type' },
      status: 409,
      code: 'CONFLICT',
      fields: { id: 'accepted' },
    },
    {
      when: 'no such suggestion',
      as: 'session',
      params: noneThere,
      body: { reason: 'type' },
      status: 404,
      code: 'NOT_FOUND',
    },
    {
      when: 'a closed text',
      as: 'session',
      params: closed(waiting),
      body: { reason: 'type' },
      status: 409,
      code: 'CLOSED',
    },
    { when: 'somebody who may not write', as: 'session', params: read, body: { reason: 'type' }, ...refused },
    ...withBody({ reason: 'type' }),
  ],
  'POST /api/meetings/:id/outcomes/:itemId/reopen': [
    {
      when: 'rejected before',
      as: 'session',
      params: after('reject', { reason: 'type' }),
      status: 204,
      then: async (_: Answer, { caller, house }: Scene) =>
        expect([
          ...(await house.database.sql`select state from ai_suggestions
            where meeting_id in (select id from meetings where owner_id = ${caller.id})`),
        ]).toEqual([{ state: 'open' }]),
    },
    { when: 'accepted before', as: 'session', params: after('accept', {}), status: 204 },
    { when: 'not decided', as: 'session', params: waiting, status: 204 },
    { when: 'not decided in a review', as: 'session', params: assessed(), status: 204 },
    before(blind),
    { when: 'no such suggestion', as: 'session', params: noneThere, status: 404, code: 'NOT_FOUND' },
    { when: 'a closed text', as: 'session', params: closed(waiting), status: 409, code: 'CLOSED' },
    { when: 'somebody who may not write', as: 'session', params: read, ...refused },
    ...stranger,
  ],
} satisfies Table;
