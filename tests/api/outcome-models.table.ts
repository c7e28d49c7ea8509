import { expect } from 'vitest';
import { rules } from '#server/limits.ts';
import { mostNamed } from '#shared/meetings/own-types.ts';
import { outcomeModelAnswer, outcomeModelsAnswer, setsAnswer } from '#shared/outcome-models.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import { greeting, makeSet } from '#tests/support/outcome-models.ts';
import type { Answer } from '#tests/support/people.ts';
import { unknownParameter, type Row, type Scene, type Table } from '#tests/support/table.ts';

const foreign = 'own_0000000000000000000000';
const [first] = greeting.types;
const wrong = (when: string, body: object, fields: Record<string, string>): Row => ({
  ...{ when, as: 'session', body: { ...greeting, ...body }, status: 422, code: 'INVALID', fields },
});
const many = (count: number, from = 0) => Array.from({ length: count }, (_, n) => ({ name: `Type ${n + from}` }));
const graded = (grades: object[]) => ({ types: [{ ...first, grades }] });

/** Bodies that are refused wherever a set is sent. */
const refused: Row[] = [
  wrong('no name', { name: ' ' }, { name: 'required' }),
  wrong('a name too long', { name: 'n'.repeat(101) }, { name: 'too_long' }),
  wrong('another language', { language: 'tlh' }, { language: 'invalid' }),
  wrong('no types', { types: [] }, { types: 'required' }),
  wrong('201 types', { types: many(201) }, { types: 'too_many' }),
  wrong('two types of one name', { types: [...many(2), { name: 'type 1' }] }, { 'types.2.name': 'twice' }),
  wrong('a type with another field', { types: [{ ...first, weight: 2 }] }, { 'types.0': 'invalid' }),
  wrong('a grade that is none', graded([{ value: -1, name: 'Bad' }]), { 'types.0.grades.0.value': 'number' }),
  wrong('a grade too high', graded([{ value: 101, name: 'Good' }]), { 'types.0.grades.0.value': 'number' }),
  wrong(
    'a grade twice',
    graded([
      { value: 1, name: 'Bad' },
      { value: 1, name: 'Good' },
    ]),
    { 'types.0.grades.1.value': 'twice' },
  ),
  wrong('types below one too many', { types: [{ ...first, children: many(13) }] }, { 'types.0.children': 'too_many' }),
  wrong('a colour that is none', { types: [{ ...first, color: 5 }] }, { 'types.0.color': 'number' }),
  wrong('a name that reads backwards', { types: [{ name: 'a\u202Eb' }] }, { 'types.0.name': 'name' }),
];

const own = async ({ house, caller }: Scene) => ({ id: await makeMeeting(house, caller) });
const read = async ({ house, caller, person }: Scene) => {
  const id = await makeMeeting(house, await person());
  await share(house, id, caller, ['read', 'comment']);
  return { id };
};
/** A recording of the caller with a set that is named for it, by the id of its set and that of the recording. */
const named = async ({ house, caller }: Scene) => {
  const [id, { id: setId, types }] = await Promise.all([makeMeeting(house, caller), makeSet(caller)]);
  const answer = await caller.post(`/api/meetings/${id}/outcome-models`, { id: setId });
  expect(answer.status, answer.text).toBe(200);
  return { id, setId, type: types[1]?.id ?? '' };
};
const exhausted = (params: (scene: Scene) => Promise<Record<string, string>> = async () => ({})) => ({
  ...{ when: 'too many changes', as: 'session' as const, status: 429, code: 'RATE' as const },
  params: async (scene: Scene) => {
    const made = await params(scene);
    await scene.exhaust(rules.outcomeModels, scene.caller.id);
    return made;
  },
});
/** The id of an earlier request of the caller. */
const again: Row = {
  ...{ when: 'the id was used for another request', as: 'session', status: 422, code: 'IDEMP' },
  send: async ({ caller }: Scene) => {
    const headers = { 'X-Request-ID': caller.id };
    expect((await caller.post('/api/outcome-models', greeting, { headers })).status).toBe(200);
    return { headers };
  },
};
const ofCaller = async ({ caller }: Scene) => ({ id: (await makeSet(caller)).id });

export default {
  'GET /api/outcome-models': [
    { when: 'nobody', status: 401, code: 'UNAUTH' },
    unknownParameter,
    {
      when: 'none was made',
      as: 'session',
      status: 200,
      then: ({ body }: Answer) => expect(outcomeModelsAnswer.parse(body)).toEqual({ models: [] }),
    },
  ],
  'POST /api/outcome-models': [
    { when: 'nobody', body: greeting, status: 401, code: 'UNAUTH' },
    ...refused,
    {
      ...wrong('a group that the caller is not in', { groupId: 'nothing' }, { groupId: 'unknown' }),
    },
    {
      when: 'a set of one’s own',
      as: 'session',
      body: greeting,
      status: 200,
      then: ({ body }: Answer) => {
        expect(outcomeModelAnswer.parse(body)).toEqual(body);
        const { id, types } = body.model;
        expect(body.model).toMatchObject({
          name: 'Service desk',
          group: null,
          rev: 1,
          retired: false,
          mayChange: true,
          offeredIn: [],
        });
        expect(types[0]).toMatchObject({ id: expect.stringMatching(`^${id}_`), name: 'Greeting', retired: false });
        expect(types[1]).toMatchObject({ name: 'Follow-up', about: '', color: 0, grades: [], children: [] });
      },
    },
    { ...exhausted(), body: greeting },
    { when: 'as many types as there may be', as: 'token', body: { ...greeting, types: many(200) }, status: 200 },
  ],
  'PUT /api/outcome-models/:id': [
    { when: 'nobody', body: { ...greeting, rev: 1 }, status: 401, code: 'UNAUTH' },
    { when: 'no such set', as: 'session', body: { ...greeting, rev: 1 }, status: 403, code: 'NO_ACCESS' },
    {
      when: 'a set of somebody else',
      as: 'session',
      params: async ({ person }: Scene) => ({ id: (await makeSet(await person())).id }),
      body: { ...greeting, rev: 1 },
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'a set that was changed since',
      as: 'session',
      params: ofCaller,
      body: { ...greeting, rev: 0 },
      status: 409,
      code: 'CONFLICT',
    },
    {
      when: 'no `rev`',
      as: 'session',
      params: ofCaller,
      body: greeting,
      status: 422,
      code: 'INVALID',
      fields: { rev: 'invalid' },
    },
    { ...exhausted(ofCaller), body: { ...greeting, rev: 1 } },
    {
      when: 'fewer types',
      as: 'session',
      params: ofCaller,
      body: { ...greeting, types: [{ name: 'New' }], rev: 1, retired: true },
      status: 200,
      then: ({ body }: Answer) => {
        const { types } = outcomeModelAnswer.parse(body).model;
        expect(types.map(({ name, retired }) => [name, retired])).toEqual([
          ['New', false],
          ['Greeting', true],
          ['Follow-up', true],
        ]);
        expect(new Set(types.map(({ id }) => id)).size).toBe(3);
        expect(body.model).toMatchObject({ rev: 2, retired: true });
      },
    },
  ],
  'DELETE /api/outcome-models/:id': [
    { when: 'nobody', status: 401, code: 'UNAUTH' },
    { when: 'no such set', as: 'session', status: 403, code: 'NO_ACCESS' },
    {
      when: 'a set of somebody else',
      as: 'session',
      params: async ({ person }: Scene) => ({ id: (await makeSet(await person())).id }),
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'a set that is named for a recording',
      as: 'session',
      params: async (scene: Scene) => ({ id: (await named(scene)).setId }),
      status: 409,
      code: 'CONFLICT',
    },
    exhausted(ofCaller),
    again,
    {
      when: 'a set that nothing names',
      as: 'session',
      params: ofCaller,
      status: 204,
      then: async (_answer: Answer, { caller }: Scene) =>
        expect((await caller.get('/api/outcome-models')).body).toEqual({ models: [] }),
    },
  ],
  'GET /api/meetings/:id/outcome-models': [
    { when: 'no such meeting', as: 'session', status: 403, code: 'NO_ACCESS' },
    { when: 'nobody', status: 403, code: 'NO_ACCESS' },
    { ...unknownParameter, params: own },
    {
      when: 'a recording without sets of people',
      as: 'session',
      params: own,
      status: 200,
      then: ({ body }: Answer) => expect(setsAnswer.parse(body)).toEqual({ models: [] }),
    },
  ],
  'POST /api/meetings/:id/outcome-models': [
    { when: 'nobody', body: { id: foreign }, status: 401, code: 'UNAUTH' },
    { when: 'no such meeting', as: 'session', body: { id: foreign }, status: 403, code: 'NO_ACCESS' },
    { when: 'who may not write', as: 'session', params: read, body: { id: foreign }, status: 403, code: 'NO_PERM' },
    ...(
      [
        ['no such set', async () => ({ id: foreign }), 'unknown'],
        ['a set of the product', async () => ({ id: 'coaching' }), 'invalid'],
        [
          'a set of somebody else',
          async ({ person }: Scene) => ({ id: (await makeSet(await person())).id }),
          'unknown',
        ],
      ] as const
    ).map(([when, body, code]): Row => ({
      ...{ when, as: 'session', params: own, body, status: 422, code: 'INVALID', fields: { id: code } },
    })),
    {
      when: 'one set more than a recording may have',
      as: 'session',
      params: async (scene: Scene) => {
        const { id } = await own(scene);
        for (let n = 0; n < mostNamed; n += 1) {
          const { id: set } = await makeSet(scene.caller);
          expect((await scene.caller.post(`/api/meetings/${id}/outcome-models`, { id: set })).status).toBe(200);
        }
        return { id };
      },
      body: async ({ caller }: Scene) => ({ id: (await makeSet(caller)).id }),
      status: 422,
      code: 'INVALID',
      fields: { id: 'too_many' },
    },
    { ...exhausted(own), body: { id: foreign } },
    {
      when: 'a set of one’s own',
      as: 'session',
      params: own,
      body: async ({ caller }: Scene) => ({ id: (await makeSet(caller)).id }),
      status: 200,
      then: ({ body }: Answer) => expect(setsAnswer.parse(body).models).toMatchObject([{ name: 'Service desk' }]),
    },
  ],
  'DELETE /api/meetings/:id/outcome-models/:setId': [
    { when: 'nobody', status: 401, code: 'UNAUTH' },
    { when: 'no such meeting', as: 'session', status: 403, code: 'NO_ACCESS' },
    { when: 'who may not write', as: 'session', params: read, status: 403, code: 'NO_PERM' },
    { when: 'a set that is not named there', as: 'session', params: own, status: 404, code: 'NOT_FOUND' },
    exhausted(named),
    again,
    {
      when: 'a set with a type that somebody’s private outcome has',
      as: 'session',
      params: async (scene: Scene) => {
        const { id, setId, type } = await named(scene);
        const outcome = { type, start: 0, end: 1, private: true };
        expect((await scene.caller.post(`/api/meetings/${id}/outcomes`, { outcome })).status).toBe(200);
        return { id, setId };
      },
      status: 409,
      code: 'CONFLICT',
    },
    {
      when: 'a set that nothing uses',
      as: 'session',
      params: named,
      status: 204,
      then: async (_answer: Answer, { caller }: Scene) => {
        const { id } = (await caller.get('/api/meetings')).body.hits[0];
        expect((await caller.get(`/api/meetings/${id}/outcome-models`)).body).toEqual({ models: [] });
      },
    },
  ],
} satisfies Table;
