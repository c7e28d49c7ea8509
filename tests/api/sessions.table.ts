import { expect } from 'vitest';
import { apiTokens } from '#db/schema/accounts.ts';
import { rules } from '#server/limits.ts';
import { limits } from '#shared/accounts.ts';
import { unknownParameter, type Scene, type Table } from '#tests/support/table.ts';

const tooOften = async ({ exhaust, caller }: Scene) => {
  await exhaust(rules.write, caller.id);
  return {};
};
const byToken = { when: 'by a token', as: 'token', status: 403, code: 'NO_PERM' } as const;

export default {
  'GET /api/sessions': [
    unknownParameter,
    {
      when: 'signed in twice: the one that asks is marked',
      as: 'session',
      send: async ({ caller, house }) => {
        const elsewhere = house.stranger();
        elsewhere.email = caller.email;
        await elsewhere.login({ remember: true });
        return {};
      },
      status: 200,
      then: ({ body }) => {
        const shown = body.sessions as { current: boolean; remember: boolean; userAgent: string }[];
        expect(shown).toHaveLength(2);
        expect(shown.filter((one) => one.current)).toMatchObject([{ remember: false, userAgent: 'test' }]);
      },
    },
    byToken,
  ],

  'POST /api/logout/others': [
    {
      when: 'signed in elsewhere, too: only here stays',
      as: 'session',
      send: async ({ caller, house }) => {
        const elsewhere = house.stranger();
        elsewhere.email = caller.email;
        await elsewhere.login();
        return {};
      },
      status: 204,
      then: async (_, { caller }) => expect((await caller.get('/api/sessions')).body.sessions).toHaveLength(1),
    },
    byToken,
    {
      when: 'too often',
      as: 'session',
      params: tooOften,
      status: 429,
      code: 'RATE',
    },
  ],

  'GET /api/tokens': [
    unknownParameter,
    {
      when: 'one was made: it is named, not shown',
      as: 'session',
      send: async ({ caller }) => {
        await caller.post('/api/tokens', { name: 'nightly export' });
        return {};
      },
      status: 200,
      then: ({ body, text }) => {
        expect(body.tokens).toMatchObject([{ name: 'nightly export', used: null }]);
        expect(text).not.toContain('colloquy_');
      },
    },
    byToken,
  ],

  'POST /api/tokens': [
    {
      when: 'a name: the token is shown this once, and works',
      as: 'session',
      body: { name: ' nightly export ' },
      status: 200,
      then: async ({ body }, { caller, house }) => {
        expect(body).toEqual({
          id: expect.any(String),
          name: 'nightly export',
          token: expect.stringMatching(/^colloquy_[\w-]{43}$/),
        });
        const script = house.stranger();
        script.token = body.token;
        expect((await script.whoami()).body.principal.id).toBe(caller.id);
        expect(house.log()).not.toContain(body.token);
      },
    },
    { ...byToken, body: { name: 'another' } },
    { when: 'no name', as: 'session', body: { name: ' ' }, status: 422, code: 'INVALID', fields: { name: 'required' } },
    {
      when: 'a name too long',
      as: 'session',
      body: { name: 'n'.repeat(limits.tokenNameLength + 1) },
      status: 422,
      code: 'INVALID',
      fields: { name: 'too_long' },
    },
    {
      when: 'one has fifty, the last of them made with others at once',
      as: 'session',
      body: async ({ house, caller }: Scene) => {
        const kept = Array.from({ length: limits.tokensPerPerson - 1 }, (_, i) => {
          const id = `${caller.id}-${i}`;
          return { id, userId: caller.id, name: 'a script', hash: Buffer.from(id), createdAt: house.clock.now() };
        });
        await house.database.orm.insert(apiTokens).values(kept);
        const last = Array.from({ length: 4 }, () => caller.post('/api/tokens', { name: 'the last one' }));
        expect((await Promise.all(last)).filter(({ status }) => status === 200)).toHaveLength(1);
        return { name: 'one more' };
      },
      status: 422,
      code: 'INVALID',
      fields: { '': 'too_many' },
    },
    {
      when: 'too often',
      as: 'session',
      params: tooOften,
      body: { name: 'a script' },
      status: 429,
      code: 'RATE',
    },
  ],

  'DELETE /api/tokens/:id': [
    {
      when: 'one of one’s own: it is dead',
      as: 'session',
      params: async ({ caller }) => ({ id: (await caller.post('/api/tokens', { name: 'a script' })).body.id }),
      status: 204,
      then: async (_, { caller }) => expect((await caller.get('/api/tokens')).body.tokens).toEqual([]),
    },
    byToken,
    { when: 'one that is not there', as: 'session', status: 404, code: 'NOT_FOUND' },
    {
      when: 'one of another person: as if it did not exist',
      as: 'session',
      params: async ({ person }) => ({
        id: (await (await person()).post('/api/tokens', { name: 'a script' })).body.id,
      }),
      status: 404,
      code: 'NOT_FOUND',
    },
    { when: 'too often', as: 'session', params: tooOften, status: 429, code: 'RATE' },
  ],
} satisfies Table;
