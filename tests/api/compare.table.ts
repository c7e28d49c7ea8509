import { expect } from 'vitest';
import { compareAnswer } from '#shared/compare.ts';
import { makeMeeting } from '#tests/support/meetings.ts';
import type { Answer } from '#tests/support/people.ts';
import { unknownParameter, type Scene, type Table } from '#tests/support/table.ts';

const two = async ({ house, caller }: Scene) =>
  `?ids=${await makeMeeting(house, caller)},${await makeMeeting(house, caller)}`;

export default {
  'GET /api/compare': [
    { ...unknownParameter, query: '?ids=a&page=1' },
    { when: 'a session that is none', as: 'nobody', query: '?ids=a', status: 401, code: 'UNAUTH' },
    ...(
      [
        ['', { ids: 'required' }],
        ['?ids=', { ids: 'required' }],
        ['?ids=,', { ids: 'required' }],
        ['?ids=a,b%20c', { 'ids.1': 'invalid' }],
        [`?ids=${Array.from({ length: 101 }, (_, n) => `a${n}`).join(',')}`, { ids: 'too_many' }],
        [`?ids=${'a'.repeat(10_001)}`, { ids: 'too_long' }],
        ['?ids=a&rows=words', { rows: 'invalid' }],
        [`?ids=a&row=${'a'.repeat(201)}`, { row: 'too_long' }],
      ] as const
    ).map(([query, fields]) => ({
      when: `a request that makes no comparison: ${query.slice(0, 20)}`,
      as: 'session' as const,
      query,
      status: 422,
      code: 'INVALID' as const,
      fields,
    })),
    {
      when: 'two recordings of the caller',
      as: 'session',
      query: two,
      status: 200,
      then: ({ body }: Answer) => {
        expect(compareAnswer.parse(body)).toEqual(body);
        expect(body).toMatchObject({ by: 'highlights', rows: [], missing: [], cut: [] });
        expect(body.columns).toHaveLength(2);
      },
    },
    {
      when: 'a recording of another person, and one that is not there: the same',
      as: 'session',
      query: async ({ house, person }: Scene) => `?ids=${await makeMeeting(house, await person())},not-there`,
      status: 200,
      then: ({ body }: Answer) => {
        expect(body.columns).toEqual([]);
        expect(body.missing).toHaveLength(2);
      },
    },
  ],
} satisfies Table;
