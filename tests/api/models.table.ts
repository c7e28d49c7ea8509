import { expect } from 'vitest';
import type { ModelsView } from '#shared/engines.ts';
import type { Scene, Table } from '#tests/support/table.ts';

/** Asks directly from this computer, without a proxy. */
const direct = ({ caller }: Scene) => {
  caller.address = null;
};
const named = (name: string) => ({ params: { name } });

export default {
  'GET /api/engines/models': [
    {
      when: 'somebody at the computer itself',
      as: 'session',
      body: direct,
      status: 200,
      then: ({ body }) => {
        const { ready, models } = body as ModelsView;
        expect(ready).toBe(false);
        expect(models.map(({ name, bytes, licence, state }) => [name, bytes, licence, state])).toEqual([
          ['whisper-small', 641e6, 'MIT', 'absent'],
          ['whisper-turbo', 561e6, 'MIT', 'absent'],
          ['whisper-base', 211e6, 'MIT', 'absent'],
          ['parakeet-v3', 491e6, 'CC-BY-4.0', 'absent'],
          ['voices', 37e6, 'MIT, Apache-2.0', 'absent'],
        ]);
      },
    },
    { when: 'a program of that person', as: 'token', body: direct, status: 200 },
    { when: 'the request came through a proxy', as: 'session', status: 403, code: 'NO_PERM' },
    { when: 'nobody is signed in', body: direct, status: 401, code: 'UNAUTH' },
    {
      when: 'a parameter it does not know',
      as: 'session',
      query: '?page=2',
      status: 422,
      code: 'INVALID',
      fields: { page: 'unknown' },
    },
  ],
  'POST /api/engines/models/:name': [
    { when: 'the request came through a proxy', as: 'session', ...named('voices'), status: 403, code: 'NO_PERM' },
    { when: 'nobody is signed in', ...named('voices'), body: direct, status: 401, code: 'UNAUTH' },
    { when: 'there is no such model', as: 'session', body: direct, status: 404, code: 'NOT_FOUND' },
    {
      when: 'the model is only fetched along with others',
      as: 'session',
      ...named('activity'),
      body: direct,
      status: 404,
      code: 'NOT_FOUND',
    },
  ],
  'DELETE /api/engines/models/:name': [
    {
      when: 'nothing is downloaded: it stays as it is',
      as: 'session',
      ...named('voices'),
      body: direct,
      status: 200,
      then: ({ body }) => expect((body as ModelsView).models.at(-1)).toMatchObject({ name: 'voices', state: 'absent' }),
    },
    { when: 'the request came through a proxy', as: 'session', ...named('voices'), status: 403, code: 'NO_PERM' },
    { when: 'nobody is signed in', ...named('voices'), body: direct, status: 401, code: 'UNAUTH' },
    { when: 'there is no such model', as: 'session', body: direct, status: 404, code: 'NOT_FOUND' },
  ],
} satisfies Table;
