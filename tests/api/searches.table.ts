import { expect } from 'vitest';
import { rules } from '#server/limits.ts';
import { searchLimits } from '#shared/library.ts';
import { searchCountsAnswer, searchesAnswer, searchView } from '#shared/searches.ts';
import type { Answer, Person } from '#tests/support/people.ts';
import { unknownParameter, type Scene, type Table } from '#tests/support/table.ts';

const nobody = { when: 'a session that is none', as: 'nobody' as const, status: 401, code: 'UNAUTH' as const };
const plans = { name: 'Plans', query: 'plans' };

async function save(person: Person, body: object = plans): Promise<string> {
  const answer = await person.post('/api/searches', body);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.id;
}
const one = async ({ caller }: Scene) => ({ id: await save(caller) });
const another = async ({ person }: Scene) => ({ id: await save(await person()) });
const namesOf = async (person: Person): Promise<string[]> =>
  (await person.get('/api/searches')).body.searches.map(({ name }: { name: string }) => name);

export default {
  'GET /api/searches': [
    unknownParameter,
    nobody,
    {
      when: 'none was saved yet',
      as: 'session',
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ searches: [] }),
    },
    {
      when: 'one’s own by name, without those of others',
      as: 'token',
      query: async ({ caller, person }: Scene) => {
        await save(await person());
        await save(caller, { name: 'ideas', filters: { tag: ['idea'] }, sort: 'title' });
        await save(caller);
        return '';
      },
      status: 200,
      then: ({ body }: Answer) =>
        expect(searchesAnswer.parse(body).searches).toMatchObject([
          { name: 'ideas', query: '', filters: { tag: ['idea'] }, sort: 'title', shared: false },
          { name: 'Plans', query: 'plans', filters: {}, sort: '-updatedAt', place: { folder: '/', sid: null } },
        ]),
    },
  ],
  'POST /api/searches': [
    { ...nobody, body: plans },
    ...(
      [
        [{}, { name: 'required' }],
        [{ name: ' ', query: 'x' }, { name: 'required' }],
        [{ name: 'x'.repeat(searchLimits.name + 1), query: 'x' }, { name: 'too_long' }],
        [{ name: 'a\u202eb', query: 'x' }, { name: 'name' }],
        [{ name: 'Nothing', query: ' ' }, { query: 'required' }],
        [{ ...plans, query: 'x'.repeat(201) }, { query: 'too_long' }],
        [{ ...plans, filters: { color: ['red'] } }, { filters: 'invalid' }],
        [{ ...plans, filters: { tag: [] } }, { 'filters.tag': 'required' }],
        [{ ...plans, sort: 'colour' }, { sort: 'invalid' }],
        [{ ...plans, folder: '/a/../b' }, { folder: 'folder_path' }],
      ] as [object, Record<string, string>][]
    ).map(([body, fields]) => ({
      when: `what is saved is wrong: ${JSON.stringify(body).slice(0, 60)}`,
      as: 'session' as const,
      body,
      status: 422,
      code: 'INVALID' as const,
      fields,
    })),
    {
      when: 'a folder of another person',
      as: 'session',
      body: async ({ person }: Scene) => {
        const ben = await person();
        const { body } = await ben.post('/api/folders', { path: '/Theirs' });
        return { ...plans, folder: '/', sid: body.id };
      },
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'a name that is there, in other letters',
      as: 'session',
      body: async ({ caller }: Scene) => {
        await save(caller);
        return { ...plans, name: 'PLANS' };
      },
      status: 422,
      code: 'INVALID',
      fields: { name: 'search_taken' },
    },
    {
      when: 'more than a person has',
      as: 'session',
      body: async ({ house, caller }: Scene) => {
        await house.database.sql`
          insert into saved_searches (id, user_id, name, name_key, query, filters, sort, shared, looked_at, created_at)
          select 's' || n || ${caller.id}, ${caller.id}, n, n, 'x', '{}', 'title', false, now(), now()
          from generate_series(1, ${searchLimits.most}::int) n`;
        return plans;
      },
      status: 422,
      code: 'INVALID',
      fields: { '': 'too_many' },
    },
    {
      when: 'more searches a minute than anybody saves: nothing is saved',
      as: 'session',
      body: async ({ caller, exhaust }: Scene) => {
        await exhaust(rules.savedSearches, caller.id);
        return plans;
      },
      status: 429,
      code: 'RATE',
      then: async (_: Answer, { caller }: Scene) => expect(await namesOf(caller)).toEqual([]),
    },
    {
      when: 'sent again, it is saved once',
      as: 'session',
      body: async ({ caller }: Scene) => {
        const headers = { 'X-Request-ID': `twice-${caller.id}` };
        const send = () => caller.post('/api/searches', plans, { headers });
        const [first, second] = [await send(), await send()];
        expect([second.status, second.body]).toEqual([200, first.body]);
        expect((await caller.post('/api/searches', { ...plans, query: 'x' }, { headers })).problem.code).toBe('IDEMP');
        return { ...plans, name: 'Another' };
      },
      status: 200,
      then: async ({ body }: Answer, { caller }: Scene) => {
        expect(searchView.parse(body)).toEqual(body);
        expect(await namesOf(caller)).toEqual(['Another', 'Plans']);
      },
    },
    {
      when: 'within a folder, with words, filters and an order',
      as: 'token',
      body: async ({ caller }: Scene) => {
        expect((await caller.post('/api/folders', { path: '/Work' })).status).toBe(200);
        return {
          name: ' My  plans ',
          query: ' plans ',
          filters: { length: ['0-5'] },
          sort: 'relevance',
          folder: 'Work/',
        };
      },
      status: 200,
      then: ({ body: { id, ...rest } }: Answer) =>
        expect([id.length > 0, rest]).toEqual([
          true,
          {
            ...{ name: 'My plans', query: 'plans', filters: { length: ['0-5'] }, sort: 'relevance', shared: false },
            place: { folder: '/Work', sid: null, name: 'Work' },
          },
        ]),
    },
  ],
  'GET /api/searches/counts': [
    unknownParameter,
    nobody,
    {
      when: 'what is there when it is saved is not new',
      as: 'session',
      query: async ({ caller }: Scene) => {
        await save(caller);
        return '';
      },
      status: 200,
      then: ({ body }: Answer) => expect(searchCountsAnswer.parse(body).counts.map(({ fresh }) => fresh)).toEqual([0]),
    },
    {
      when: 'the counts of filters are used up, which are others',
      as: 'session',
      query: async ({ caller, exhaust }: Scene) => {
        await save(caller);
        await exhaust(rules.count, caller.id);
        return '';
      },
      status: 200,
    },
    {
      when: 'more counts a minute than anybody makes',
      as: 'session',
      query: async ({ caller, exhaust }: Scene) => {
        await save(caller);
        await exhaust(rules.savedSearches, caller.id);
        return '';
      },
      status: 429,
      code: 'RATE',
    },
  ],
  'PUT /api/searches/:id': [
    { ...nobody, body: { name: 'Ideas' } },
    { when: 'no such search', as: 'session', body: { name: 'Ideas' }, status: 403, code: 'NO_ACCESS' },
    {
      when: 'one of somebody else',
      as: 'session',
      params: another,
      body: { name: 'Ideas' },
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'no name',
      as: 'session',
      params: one,
      body: { name: '' },
      status: 422,
      code: 'INVALID',
      fields: { name: 'required' },
    },
    {
      when: 'the name of another search',
      as: 'session',
      params: async ({ caller }: Scene) => {
        await save(caller, { ...plans, name: 'Ideas' });
        return { id: await save(caller) };
      },
      body: { name: 'IDEAS' },
      status: 422,
      code: 'INVALID',
      fields: { name: 'search_taken' },
    },
    {
      when: 'its own name in other letters',
      as: 'token',
      params: one,
      body: { name: 'PLANS' },
      status: 200,
      then: async (_: Answer, { caller }: Scene) => expect(await namesOf(caller)).toEqual(['PLANS']),
    },
  ],
  'POST /api/searches/:id/look': [
    nobody,
    { when: 'no such search', as: 'session', status: 403, code: 'NO_ACCESS' },
    { when: 'one of somebody else', as: 'session', params: another, status: 403, code: 'NO_ACCESS' },
    {
      when: 'more looks a minute than anybody takes',
      as: 'session',
      params: async (scene: Scene) => {
        const params = await one(scene);
        await scene.exhaust(rules.savedSearches, scene.caller.id);
        return params;
      },
      status: 429,
      code: 'RATE',
    },
    { when: 'one’s own', as: 'token', params: one, status: 204 },
  ],
  'DELETE /api/searches/:id': [
    nobody,
    { when: 'no such search', as: 'session', status: 403, code: 'NO_ACCESS' },
    {
      when: 'one of somebody else',
      as: 'session',
      params: another,
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'one’s own',
      as: 'token',
      params: one,
      status: 204,
      then: async (_: Answer, { caller }: Scene) => expect(await namesOf(caller)).toEqual([]),
    },
  ],
} satisfies Table;
