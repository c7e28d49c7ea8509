import { expect } from 'vitest';
import { rules } from '#server/limits.ts';
import { replaceTagsAnswer, tagsAnswer } from '#shared/tags.ts';
import type { Answer } from '#tests/support/people.ts';
import { tagged } from '#tests/support/tags.ts';
import { unknownParameter, type Scene, type Table } from '#tests/support/table.ts';

const nobody = { when: 'a session that is none', as: 'nobody' as const, status: 401, code: 'UNAUTH' as const };
const renaming = { tags: ['idea'], to: 'plan' };

export default {
  'GET /api/tags': [
    unknownParameter,
    nobody,
    {
      when: 'a page that is none',
      as: 'session',
      query: '?start=-1',
      status: 422,
      code: 'INVALID',
      fields: { start: 'invalid' },
    },
    {
      when: 'more letters than a tag has',
      as: 'session',
      query: `?like=${'a'.repeat(101)}`,
      status: 422,
      code: 'INVALID',
      fields: { like: 'too_long' },
    },
    {
      when: 'nothing is there yet',
      as: 'session',
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ tags: [], total: 0, behind: 0 }),
    },
    {
      when: 'those with these letters, and of nobody else',
      as: 'token',
      query: async ({ house, caller, person }: Scene) => {
        await tagged(house, await person(), ['Ideas']);
        await tagged(house, caller, ['Good idea', 'plan']);
        return '?like=IDEA';
      },
      status: 200,
      then: ({ body }: Answer) =>
        expect(tagsAnswer.parse(body)).toEqual({
          tags: [{ tag: 'Good idea', recordings: 1, writes: 1 }],
          total: 1,
          behind: 0,
        }),
    },
  ],
  'POST /api/tags/replace': [
    { ...nobody, body: renaming },
    {
      when: 'nothing is asked for',
      as: 'session',
      body: {},
      status: 422,
      code: 'INVALID',
      fields: { tags: 'invalid', to: 'required' },
    },
    {
      when: 'no tag, and one of blanks',
      as: 'session',
      body: { tags: [], to: ' ' },
      status: 422,
      code: 'INVALID',
      fields: { tags: 'required', to: 'required' },
    },
    {
      when: 'more than there is room for',
      as: 'session',
      body: { tags: Array.from({ length: 51 }, (_, n) => `t${n}`), to: 'a'.repeat(101) },
      status: 422,
      code: 'INVALID',
      fields: { tags: 'too_many', to: 'too_long' },
    },
    {
      when: 'an action of somebody else is continued',
      as: 'session',
      body: async ({ house, person }: Scene) => {
        const other = await person();
        await tagged(house, other, ['idea']);
        const { body } = await other.post('/api/tags/replace', renaming);
        return { ...renaming, action: body.action };
      },
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'more changes a minute than anybody makes',
      as: 'session',
      body: async ({ exhaust, caller }: Scene) => {
        await exhaust(rules.write, caller.id);
        return renaming;
      },
      status: 429,
      code: 'RATE',
    },
    {
      when: 'its request id was used for another request',
      as: 'session',
      send: async ({ caller }: Scene) => {
        const headers = { 'X-Request-ID': `used-${caller.id}` };
        expect((await caller.post('/api/folders', { path: '/a' }, { headers })).status).toBe(200);
        return { headers };
      },
      body: renaming,
      status: 422,
      code: 'IDEMP',
    },
    {
      when: 'a tag of nobody',
      as: 'session',
      body: renaming,
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ changed: 0, failed: [], next: null, action: null }),
    },
    {
      when: 'one’s own',
      as: 'token',
      body: async ({ house, caller }: Scene) => {
        await tagged(house, caller, ['idea']);
        return renaming;
      },
      status: 200,
      then: ({ body }: Answer) =>
        expect(replaceTagsAnswer.parse(body)).toEqual({
          changed: 1,
          failed: [],
          next: null,
          action: expect.any(String),
        }),
    },
  ],
} satisfies Table;
