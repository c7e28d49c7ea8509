import { expect } from 'vitest';
import { rules } from '#server/limits.ts';
import { mostPieces, recorderLimits, type LiveView } from '#shared/recorder.ts';
import { roles } from '#shared/roles.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import type { Answer } from '#tests/support/people.ts';
import { beginLive, beginTake, endLive, liveForm, putPiece } from '#tests/support/recorder.ts';
import type { Row, Scene, Table } from '#tests/support/table.ts';

const piece = { raw: new Uint8Array([1, 2, 3]), headers: { 'Content-Type': 'application/octet-stream' } };
const takeForm = { track: 'mic', type: 'audio/webm;codecs=opus', offset: 0 };

const mine = async ({ caller }: Scene) => ({ id: await beginLive(caller) });
const ended = async (scene: Scene) => {
  const { id } = await mine(scene);
  expect((await endLive(scene.caller, id)).status).toBe(204);
  return { id };
};
const another = async (scene: Scene) => ({ id: await beginLive(await scene.person()) });
/** A recording of another person, which the caller may read, or owns, too. */
const shared = (role: keyof typeof roles) => async (scene: Scene) => {
  const { id } = await another(scene);
  await share(scene.house, id, scene.caller, roles[role]);
  return { id };
};
const uploaded = async ({ house, caller }: Scene) => ({ id: await makeMeeting(house, caller) });
const take = async ({ caller }: Scene) => ({ take: await beginTake(caller, await beginLive(caller)), n: '1' });
const takeOfAnother = async (scene: Scene) => {
  const person = await scene.person();
  return { take: await beginTake(person, await beginLive(person)), n: '1' };
};
const takeWithPiece = async (scene: Scene) => {
  const found = await take(scene);
  expect((await putPiece(scene.caller, found.take, 1, new Uint8Array([9]))).status).toBe(200);
  return found;
};

const hasEnded = ({ problem }: Answer) => expect(problem.info['reason']).toBe('RECORDING_ENDED');

/** Rows of every call on a recording that changes it. */
const refusals = (body?: unknown): Row[] => [
  { when: 'nobody is signed in', body, status: 401, code: 'UNAUTH' },
  {
    when: 'a recording of another person',
    as: 'session',
    params: another,
    body,
    status: 403,
    code: 'NO_ACCESS',
  },
  { when: 'no such meeting: the same', as: 'session', body, status: 403, code: 'NO_ACCESS' },
  {
    when: 'a meeting that is not recorded here',
    as: 'session',
    params: uploaded,
    body,
    status: 404,
    code: 'NOT_FOUND',
  },
  { when: 'it has ended', as: 'session', params: ended, body, status: 409, code: 'CONFLICT', then: hasEnded },
];
const byReader = (body?: unknown): Row => ({
  when: 'the caller may only read it',
  as: 'session',
  params: shared('canRead'),
  body,
  status: 403,
  code: 'NO_PERM',
});
const byOwner = (body?: unknown): Row => ({
  when: 'the caller owns it too, and did not begin it',
  as: 'session',
  params: shared('canEditShare'),
  body,
  status: 403,
  code: 'NO_PERM',
});

const wrong = (field: string, code: string, value: unknown): Row => ({
  when: `${field} is ${JSON.stringify(value)?.slice(0, 30) ?? 'missing'}`,
  as: 'session',
  body: liveForm({ [field]: value }),
  status: 422,
  code: 'INVALID',
  fields: { [field]: code },
});

export default {
  'POST /api/meetings/live': [
    {
      when: 'a title, tracks, language, model and consent',
      as: 'session',
      body: liveForm({ tracks: ['mic', 'tab'] }),
      status: 200,
      then: async ({ body }: Answer, { caller }) => {
        const { id } = body as { id: string };
        expect((await caller.get(`/api/meetings/${id}/live`)).body).toMatchObject({
          state: 'recording',
          tracks: ['mic', 'tab'],
          mine: true,
        });
      },
    },
    { when: 'by an API token', as: 'token', body: liveForm(), status: 200 },
    { when: 'nobody is signed in', body: liveForm(), status: 401, code: 'UNAUTH' },
    wrong('title', 'required', ''),
    wrong('title', 'too_long', 'x'.repeat(1000)),
    wrong('tracks', 'required', []),
    wrong('tracks', 'duplicate_key', ['mic', 'mic']),
    wrong('language', 'lang', 'xx-XX'),
    wrong('model', 'model', 'nothing'),
    wrong('consent', 'consent', 0),
    wrong('consent', 'consent', undefined),
    {
      when: 'the twenty-first within an hour',
      as: 'session',
      body: async ({ caller, exhaust }: Scene) => {
        await exhaust(rules.liveRecordings, caller.id);
        return liveForm();
      },
      status: 429,
      code: 'RATE',
    },
    {
      when: 'another recording was made under this request id',
      as: 'session',
      body: async ({ caller }: Scene) => {
        const headers = { 'X-Request-ID': 'recorder-once' };
        expect((await caller.post('/api/meetings/live', liveForm(), { headers })).status).toBe(200);
        return liveForm({ title: 'Tuesday' });
      },
      send: { headers: { 'X-Request-ID': 'recorder-once' } },
      status: 422,
      code: 'IDEMP',
    },
  ],
  'GET /api/meetings/:id/live': [
    { when: 'one’s own', as: 'session', params: mine, status: 200 },
    {
      when: 'one that is shared: without its takes',
      as: 'session',
      params: shared('canRead'),
      status: 200,
      then: ({ body }: Answer) => expect((body as LiveView).takes).toEqual([]),
    },
    { when: 'one of another person', as: 'session', params: another, status: 403, code: 'NO_ACCESS' },
    { when: 'not signed in', params: another, status: 403, code: 'NO_ACCESS' },
    { when: 'a meeting that is not recorded here', as: 'session', params: uploaded, status: 404, code: 'NOT_FOUND' },
  ],
  'POST /api/meetings/:id/takes': [
    { when: 'one’s own recording', as: 'session', params: mine, body: takeForm, status: 200 },
    ...refusals(takeForm),
    byReader(takeForm),
    byOwner(takeForm),
    {
      when: 'another tab records',
      as: 'session',
      params: async (scene: Scene) => {
        const found = await mine(scene);
        await beginTake(scene.caller, found.id);
        return found;
      },
      body: takeForm,
      status: 409,
      code: 'CONFLICT',
      then: ({ problem }: Answer) => expect(problem.info['reason']).toBe('RECORDING_ELSEWHERE'),
    },
    {
      when: 'a track, a type and an offset that do not exist',
      as: 'session',
      params: mine,
      body: { track: 'screen', type: 'text/html', offset: -1 },
      status: 422,
      code: 'INVALID',
      fields: { track: 'invalid', type: 'type', offset: 'invalid' },
    },
  ],
  'POST /api/meetings/:id/live/pause': [
    { when: 'one’s own recording', as: 'session', params: mine, status: 204 },
    ...refusals(),
    byReader(),
    byOwner(),
  ],
  'POST /api/meetings/:id/live/resume': [
    { when: 'one’s own recording', as: 'session', params: mine, status: 204 },
    ...refusals(),
    byReader(),
    byOwner(),
  ],
  'POST /api/meetings/:id/live/end': [
    { when: 'one’s own recording', as: 'session', params: mine, status: 204 },
    { when: 'one that the caller owns, too', as: 'session', params: shared('canEditShare'), status: 204 },
    ...refusals(),
    byReader(),
  ],
  'POST /api/meetings/:id/live/ask-to-stop': [
    { when: 'one that the caller may read', as: 'session', params: shared('canRead'), status: 204 },
    ...refusals(),
    {
      when: 'asked too often',
      as: 'session',
      params: async (scene: Scene) => {
        await scene.exhaust(rules.askToStop, scene.caller.id);
        return shared('canRead')(scene);
      },
      status: 429,
      code: 'RATE',
    },
  ],
  'PUT /api/takes/:take/pieces/:n': [
    {
      when: 'the first piece',
      as: 'session',
      params: take,
      send: piece,
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ kept: 1 }),
    },
    { when: 'nobody is signed in', send: piece, status: 401, code: 'UNAUTH' },
    {
      when: 'a take of another person',
      as: 'session',
      params: takeOfAnother,
      send: piece,
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'no such take: the same',
      as: 'session',
      params: { take: 'nothing', n: '1' },
      send: piece,
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'other bytes under a known number',
      as: 'session',
      params: takeWithPiece,
      send: piece,
      status: 409,
      code: 'CONFLICT',
    },
    ...['0', '-1', '1.5', 'one', String(mostPieces + 1)].map((n): Row => ({
      when: `number ${n}`,
      as: 'session',
      params: async (scene: Scene) => ({ ...(await take(scene)), n }),
      send: piece,
      status: 422,
      code: 'INVALID',
      fields: { n: 'invalid' },
    })),
    {
      when: 'no bytes',
      as: 'session',
      params: take,
      send: { raw: new Uint8Array(), headers: piece.headers },
      status: 422,
      code: 'INVALID',
    },
    { when: 'JSON', as: 'session', params: take, body: { bytes: 'x' }, status: 415, code: 'TYPE' },
    {
      when: 'too many bytes',
      as: 'session',
      params: take,
      send: { raw: new Uint8Array(recorderLimits.pieceBytes + 1), headers: piece.headers },
      status: 413,
      code: 'BIG',
    },
  ],
  'POST /api/takes/:take/end': [
    {
      when: 'its last piece is not stored yet',
      as: 'session',
      params: takeWithPiece,
      body: { pieces: 2 },
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ kept: 1 }),
    },
    { when: 'nobody is signed in', body: { pieces: 1 }, status: 401, code: 'UNAUTH' },
    {
      when: 'a take of another person',
      as: 'session',
      params: takeOfAnother,
      body: { pieces: 1 },
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'no number of pieces',
      as: 'session',
      params: take,
      body: { pieces: 'all' },
      status: 422,
      code: 'INVALID',
      fields: { pieces: 'required' },
    },
  ],
} satisfies Table;
