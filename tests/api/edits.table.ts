import { expect } from 'vitest';
import { longestSummary, mostSummary } from '#shared/meetings/summary.ts';
import { roles, type Permission } from '#shared/roles.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import { makeRecording } from '#tests/support/recording.ts';
import type { Answer } from '#tests/support/people.ts';
import type { Scene, Table } from '#tests/support/table.ts';

// Only who may write, and what is no edit at all; the edits themselves are in edits.test.ts.

const recorded = async ({ house, caller }: Scene) => ({ id: await makeRecording(house, caller) });
const listed = async ({ caller }: Scene) => ({ id: (await caller.get('/api/meetings')).body.hits[0].id as string });
const othersWith =
  (...permissions: Permission[]) =>
  async ({ house, caller, person }: Scene) => {
    const id = await makeMeeting(house, await person());
    if (permissions.length > 0) await share(house, id, caller, permissions);
    return { id };
  };
/** The first segment of a recording of the caller; bodies are made before paths. */
const opening = async ({ house, caller }: Scene) => {
  const { version, doc } = (await caller.get(`/api/meetings/${await makeRecording(house, caller)}`)).body;
  const [{ id, text }] = doc.transcript.segments;
  return { version, id, text };
};
const rises = ({ body, headers }: Answer) => {
  expect(body).toEqual({ version: 2 });
  expect(headers.get('etag')).toMatch(/^"[\w-]{27}"$/);
};
const tellsVersion = ({ problem }: Answer) =>
  expect(problem.info).toMatchObject({ code: 'CONFLICT', version: expect.any(Number) });
/** The id of a request that asked for something else. */
const usedBefore = async ({ caller }: Scene) => {
  const requestId = 'the-same-request';
  const [hit] = (await caller.get('/api/meetings')).body.hits;
  const renamed = await caller.post(
    `/api/meetings/${hit.id}/rename`,
    { title: 'Another' },
    { headers: { 'X-Request-ID': requestId } },
  );
  expect(renamed.status).toBe(200);
  return { headers: { 'X-Request-ID': requestId } };
};

const refused = (body: unknown) => [
  {
    when: 'by one who may only read it',
    as: 'session' as const,
    params: othersWith('read'),
    body,
    status: 403,
    code: 'NO_PERM' as const,
    then: ({ problem }: Answer) => expect(problem.message).toBe('No permissions to update'),
  },
  {
    when: 'by one who may comment on it',
    as: 'session' as const,
    params: othersWith(...roles.canComment),
    body,
    status: 403,
    code: 'NO_PERM' as const,
  },
  {
    when: 'a meeting of another person',
    as: 'session' as const,
    params: othersWith(),
    body,
    status: 403,
    code: 'NO_ACCESS' as const,
  },
  { when: 'no such meeting: the same', as: 'session' as const, body, status: 403, code: 'NO_ACCESS' as const },
];
const anEdit = { pos: 0, old: '', new: 'a' };

export default {
  'PUT /api/meetings/:id': [
    {
      when: 'a title for one’s own',
      as: 'session',
      params: recorded,
      body: { meeting: { 'doc.title': 'Interview 4' }, version: 1 },
      status: 200,
      then: rises,
    },
    {
      when: 'by an API token',
      as: 'token',
      params: recorded,
      body: { meeting: { 'doc.title': 'Interview 4' }, version: 1 },
      status: 200,
      then: rises,
    },
    {
      when: 'a title that was changed since',
      as: 'session',
      params: recorded,
      body: { meeting: { 'doc.title': 'Interview 4' }, version: 0 },
      status: 409,
      code: 'CONFLICT',
      then: tellsVersion,
    },
    {
      when: 'a language model that is offered',
      as: 'session',
      params: recorded,
      body: { meeting: { 'doc.chat_model_id': 'thinking' }, version: 1 },
      status: 200,
      then: rises,
    },
    {
      when: 'a language model that is not offered, with a title that is not written then',
      as: 'session',
      params: recorded,
      body: { meeting: { doc: { chat_model_id: 'another', title: 'Interview 4' } }, version: 1 },
      status: 422,
      code: 'INVALID',
      fields: { 'meeting.chat_model_id': 'unknown' },
    },
    {
      when: 'a version that has not been, with a language model',
      as: 'session',
      params: recorded,
      body: { meeting: { 'doc.chat_model_id': null }, version: 9 },
      status: 422,
      code: 'INVALID',
      fields: { version: 'unknown' },
    },
    {
      when: 'a path that is none',
      as: 'session',
      params: recorded,
      body: { meeting: { 'doc.owner': 'me' }, version: 1 },
      status: 422,
      code: 'INVALID',
      fields: { 'meeting.owner': 'unknown' },
    },
    ...[
      { what: 'a point that is no text', summary: [{ text: { ops: [] } }], field: '0.text', code: 'required' },
      {
        what: 'a point that is too long',
        summary: [{ text: 'a' }, { text: 'a'.repeat(longestSummary + 1) }],
        field: '1.text',
        code: 'too_long',
      },
      {
        what: 'more points than there may be',
        summary: Array.from({ length: mostSummary + 1 }, () => ({ text: 'a' })),
        field: '',
        code: 'too_many',
      },
    ].map(({ what, summary, field, code }) => ({
      when: `in the summary ${what}`,
      as: 'session' as const,
      params: recorded,
      body: { meeting: { 'doc.summary': summary }, version: 1 },
      status: 422,
      code: 'INVALID' as const,
      fields: { [['meeting.summary', field].filter(Boolean).join('.')]: code },
    })),
    {
      when: 'as many points in the summary as there may be, and as long',
      as: 'session',
      params: recorded,
      body: {
        meeting: {
          'doc.summary': Array.from({ length: mostSummary }, (_, i) => ({
            text: 'a'.repeat(i === 0 ? longestSummary : 1),
          })),
        },
        version: 1,
      },
      status: 200,
      then: rises,
    },
    {
      when: 'a version of the numbers that were once larger',
      as: 'session',
      params: recorded,
      body: { meeting: { 'doc.title': 'a' }, version: 2 ** 32 + 1 },
      status: 409,
      code: 'CONFLICT',
      then: (answer: Answer) => expect(answer.problem.info).toMatchObject({ code: 'CONFLICT', version: 1 }),
    },
    {
      when: 'no version',
      as: 'session',
      params: recorded,
      body: { meeting: { 'doc.title': 'a' } },
      status: 422,
      code: 'INVALID',
      fields: { version: 'required' },
    },
    {
      when: 'under the id of another request',
      as: 'session',
      params: recorded,
      send: usedBefore,
      body: { meeting: { 'doc.title': 'a' }, version: 1 },
      status: 422,
      code: 'IDEMP',
    },
    ...refused({ meeting: { 'doc.title': 'a' }, version: 0 }),
  ],
  'POST /api/meetings/:id/edit': [
    {
      when: 'another text for a segment, by its place',
      as: 'session',
      params: listed,
      body: async (scene: Scene) => {
        const { text, version } = await opening(scene);
        return { pos: 0, old: text, new: `${text} Well.`, version };
      },
      status: 200,
      then: rises,
    },
    {
      when: 'the same, by its id and an API token',
      as: 'token',
      params: listed,
      body: async (scene: Scene) => {
        const { id, text, version } = await opening(scene);
        return { pos: id, old: text, new: `${text} Well.`, version };
      },
      status: 200,
      then: rises,
    },
    {
      when: 'the text there is another',
      as: 'session',
      params: recorded,
      body: { pos: 0, old: 'something else', new: 'a', version: 1 },
      status: 409,
      code: 'CONFLICT',
      then: (answer: Answer) => {
        tellsVersion(answer);
        expect(answer.problem.info).toMatchObject({ version: 1, errors: [{ field: 'old', code: 'changed' }] });
      },
    },
    {
      when: 'a version that has not been',
      as: 'session',
      params: recorded,
      body: { ...anEdit, version: 9 },
      status: 422,
      code: 'INVALID',
      fields: { version: 'unknown' },
    },
    {
      when: 'a version of the numbers that were once larger',
      as: 'session',
      params: recorded,
      body: { ...anEdit, version: 2 ** 32 + 1 },
      status: 409,
      code: 'CONFLICT',
      then: (answer: Answer) => expect(answer.problem.info).toMatchObject({ code: 'CONFLICT', version: 1 }),
    },
    {
      when: 'a segment that is none',
      as: 'session',
      params: recorded,
      body: { ...anEdit, pos: 'nobody', version: 1 },
      status: 422,
      code: 'INVALID',
      fields: { pos: 'unknown' },
    },
    {
      when: 'a place before the first',
      as: 'session',
      params: recorded,
      body: { ...anEdit, pos: -1, version: 1 },
      status: 422,
      code: 'INVALID',
      fields: { pos: 'invalid' },
    },
    {
      when: 'under the id of another request',
      as: 'session',
      params: recorded,
      send: usedBefore,
      body: { ...anEdit, version: 1 },
      status: 422,
      code: 'IDEMP',
    },
    ...refused({ ...anEdit, version: 0 }),
  ],
  'POST /api/meetings/:id/edits': [
    {
      when: 'two upon each other',
      as: 'session',
      params: listed,
      body: async (scene: Scene) => {
        const { id, text, version } = await opening(scene);
        const edits = [
          { pos: 0, old: text, new: 'one' },
          { pos: id, old: 'one', new: 'two' },
        ];
        return { edits, version };
      },
      status: 200,
      then: rises,
    },
    {
      when: 'one of them is of another text',
      as: 'session',
      params: listed,
      body: async (scene: Scene) => {
        const { text, version } = await opening(scene);
        return {
          edits: [
            { pos: 0, old: text, new: 'one' },
            { ...anEdit, pos: 1 },
          ],
          version,
        };
      },
      status: 409,
      code: 'CONFLICT',
      then: tellsVersion,
    },
    {
      when: 'none',
      as: 'session',
      params: recorded,
      body: { edits: [], version: 1 },
      status: 422,
      code: 'INVALID',
      fields: { edits: 'required' },
    },
    {
      when: 'too many',
      as: 'session',
      params: recorded,
      body: { edits: Array.from({ length: 1001 }, () => anEdit), version: 1 },
      status: 422,
      code: 'INVALID',
      fields: { edits: 'too_many' },
    },
    {
      when: 'under the id of another request',
      as: 'session',
      params: recorded,
      send: usedBefore,
      body: { edits: [anEdit], version: 1 },
      status: 422,
      code: 'IDEMP',
    },
    ...refused({ edits: [anEdit], version: 0 }),
  ],
} satisfies Table;
