import { expect } from 'vitest';
import { archives } from '#db/schema/archive.ts';
import { newId } from '#shared/ids.ts';
import { archivesAnswer, archiveView, mostArchived } from '#shared/archives.ts';
import { rules } from '#server/limits.ts';
import { archived } from '#tests/support/archives.ts';
import { makeMeeting } from '#tests/support/meetings.ts';
import type { Answer } from '#tests/support/people.ts';
import { unknownParameter, type Scene, type Table } from '#tests/support/table.ts';

/** An archive of one recording that this person has made. */
async function archiveOf({ house, caller, person }: Scene, whose: 'caller' | 'other'): Promise<{ id: string }> {
  const maker = whose === 'caller' ? caller : await person();
  const { id } = await archived(maker, { ids: [await makeMeeting(house, maker)] });
  return { id };
}

export default {
  'GET /api/archives': [
    unknownParameter,
    { when: 'a session that is none', as: 'nobody', status: 401, code: 'UNAUTH' },
    {
      when: 'none was made yet',
      as: 'session',
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ archives: [] }),
    },
    {
      when: 'one’s own, without those of others',
      as: 'token',
      query: async (scene: Scene) => {
        await archiveOf(scene, 'other');
        await archiveOf(scene, 'caller');
        return '';
      },
      status: 200,
      then: ({ body }: Answer) =>
        expect(archivesAnswer.parse(body).archives).toMatchObject([
          { state: 'ready', folder: null, recordings: 1, done: 1, missing: 0, failure: null },
        ]),
    },
  ],
  'POST /api/archives': [
    { when: 'a session that is none', as: 'nobody', body: { all: true }, status: 401, code: 'UNAUTH' },
    ...[
      [{}, { ids: 'required' }],
      [{ ids: [] }, { ids: 'required' }],
      [{ ids: ['x'], all: true }, { ids: 'invalid' }],
      [{ folder: '/', sid: null }, { folder: 'required' }],
      [{ folder: '/a/../b' }, { folder: 'folder_path' }],
      [{ all: false }, { all: 'invalid' }],
      [{ ids: Array.from({ length: mostArchived + 1 }, () => 'x') }, { ids: 'too_many' }],
    ].map(([body, fields]) => ({
      when: `what is asked for is wrong: ${JSON.stringify(body).slice(0, 60)}`,
      as: 'session' as const,
      body,
      status: 422,
      code: 'INVALID' as const,
      fields: fields as Record<string, string>,
    })),
    {
      when: 'a library without a recording',
      as: 'session',
      body: { all: true },
      status: 422,
      code: 'INVALID',
      fields: { all: 'required' },
    },
    { when: 'a folder that is not there', as: 'session', body: { folder: '/No' }, status: 403, code: 'NO_ACCESS' },
    { when: 'a recording that is not there', as: 'session', body: { ids: ['no'] }, status: 403, code: 'NO_ACCESS' },
    {
      when: 'a recording of somebody else beside one’s own',
      as: 'session',
      body: async ({ house, caller, person }: Scene) => ({
        ids: [await makeMeeting(house, caller), await makeMeeting(house, await person())],
      }),
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'more archives than one asks for in an hour',
      as: 'session',
      body: async ({ house, exhaust, caller }: Scene) => {
        await exhaust(rules.archives, caller.id);
        return { ids: [await makeMeeting(house, caller)] };
      },
      status: 429,
      code: 'RATE',
    },
    {
      when: 'another one is being made',
      as: 'session',
      body: async ({ house, caller }: Scene) => {
        const ids = [await makeMeeting(house, caller)];
        const waiting = { id: newId(), userId: caller.id, state: 'waiting' as const, recordings: ids };
        await house.database.orm.insert(archives).values({ ...waiting, createdAt: new Date() });
        return { ids };
      },
      status: 409,
      code: 'CONFLICT',
    },
    {
      when: 'all of one’s library',
      as: 'token',
      body: async ({ house, caller }: Scene) => {
        await makeMeeting(house, caller);
        return { all: true };
      },
      status: 200,
      then: ({ body }: Answer) =>
        expect(archiveView.parse(body)).toMatchObject({ state: 'waiting', folder: null, recordings: 1, bytes: null }),
    },
    {
      when: 'the same request again',
      as: 'session',
      body: async ({ house, caller }: Scene) => ({ ids: [await makeMeeting(house, caller)] }),
      status: 200,
      then: async ({ body, headers }: Answer, { caller }: Scene) => {
        const { archives } = (await caller.get('/api/archives')).body;
        expect(archives).toHaveLength(1);
        const id = headers.get('x-request-id') ?? '';
        const other = await caller.post('/api/archives', { all: true }, { headers: { 'X-Request-ID': id } });
        expect(other.problem.code).toBe('IDEMP');
        expect(archives[0].id).toBe(body.id);
      },
    },
  ],
  'GET /api/archives/:id': [
    { when: 'a session that is none', as: 'nobody', status: 401, code: 'UNAUTH' },
    { when: 'no such archive', as: 'session', status: 403, code: 'NO_ACCESS' },
    {
      when: 'an archive of somebody else',
      as: 'session',
      params: (scene: Scene) => archiveOf(scene, 'other'),
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'a range beyond its end',
      as: 'session',
      params: (scene: Scene) => archiveOf(scene, 'caller'),
      send: { headers: { Range: 'bytes=99999999-' } },
      status: 416,
      code: 'RANGE',
    },
    {
      when: 'a range of it',
      as: 'session',
      params: (scene: Scene) => archiveOf(scene, 'caller'),
      send: { headers: { Range: 'bytes=0-3' } },
      status: 206,
      then: ({ bytes }: Answer) => expect(Buffer.from(bytes).toString('latin1')).toBe('PK\x03\x04'),
    },
    {
      when: 'it is known already',
      as: 'session',
      params: (scene: Scene) => archiveOf(scene, 'caller'),
      send: { headers: { 'If-None-Match': '*' } },
      status: 304,
    },
    {
      when: 'one’s own',
      as: 'token',
      params: (scene: Scene) => archiveOf(scene, 'caller'),
      status: 200,
      then: ({ headers }: Answer) => {
        expect(headers.get('content-type')).toBe('application/zip');
        expect(headers.get('content-disposition')).toMatch(/^attachment; filename="Colloquy \d{4}-\d\d-\d\d\.zip"/);
      },
    },
  ],
  'DELETE /api/archives/:id': [
    { when: 'a session that is none', as: 'nobody', status: 401, code: 'UNAUTH' },
    { when: 'no such archive', as: 'session', status: 403, code: 'NO_ACCESS' },
    {
      when: 'an archive of somebody else',
      as: 'session',
      params: (scene: Scene) => archiveOf(scene, 'other'),
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'one’s own',
      as: 'session',
      params: (scene: Scene) => archiveOf(scene, 'caller'),
      status: 204,
      then: async (_: Answer, { caller }: Scene) =>
        expect((await caller.get('/api/archives')).body).toEqual({ archives: [] }),
    },
  ],
} satisfies Table;
