import { expect } from 'vitest';
import { roles, type Permission } from '#shared/roles.ts';
import type { Answer, Person } from '#tests/support/people.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import { makeRecording } from '#tests/support/recording.ts';
import { unknownParameter, type Row, type Scene, type Table } from '#tests/support/table.ts';

// Permissions for annotations, and requests that are refused; annotations.test.ts shows what is stored.

const recorded = async ({ house, caller }: Scene) => ({ id: await makeRecording(house, caller) });
const othersWith =
  (...permissions: Permission[]) =>
  async ({ house, caller, person }: Scene) => {
    const id = await makeMeeting(house, await person());
    if (permissions.length > 0) await share(house, id, caller, permissions);
    return { id };
  };

const outcome = { type: 'actionItems', start: 10, end: 12, text: 'Send the list' };
const comment = { start: 10, end: 12, text: 'Is this so?' };

const oneEdit = (id: string) => ({ edits: [{ id, field: 'text', value: 'Another' }], version: 0 });

const made = async (by: Person, id: string, what: 'outcomes' | 'comments', body: object): Promise<string> => {
  const answer = await by.post(`/api/meetings/${id}/${what}`, body);
  expect(answer.status, answer.text).toBe(200);
  return (answer.body.outcome ?? answer.body.comment).id;
};
const ownOutcome = async (scene: Scene) => {
  const { id } = await recorded(scene);
  return { id, itemId: await made(scene.caller, id, 'outcomes', { outcome }) };
};
const ownComment = async (scene: Scene) => {
  const { id } = await recorded(scene);
  return { id, itemId: await made(scene.caller, id, 'comments', comment) };
};
/** Something the owner said about a recording the caller may do this with. */
const theirs =
  (what: 'outcomes' | 'comments', body: object, ...permissions: Permission[]) =>
  async ({ house, caller, person }: Scene) => {
    const owner = await person();
    const id = await makeRecording(house, owner);
    await share(house, id, caller, permissions);
    return { id, itemId: await made(owner, id, what, body) };
  };
/** The recording in which a caller answered something. */
const answered = new WeakMap<Person, string>();
const usedBefore = async ({ caller, house }: Scene) => {
  const headers = { 'X-Request-ID': 'the-same-request' };
  const id = await makeRecording(house, caller);
  expect((await caller.post(`/api/meetings/${id}/rename`, { title: 'Another' }, { headers })).status).toBe(200);
  return { headers };
};

const message = (text: string) => (answer: Answer) => expect(answer.problem.message).toBe(text);
const closed = (body: unknown): Row[] => [
  { when: 'not signed in', body, status: 401, code: 'UNAUTH' },
  { when: 'a meeting of another person', as: 'session', params: othersWith(), body, status: 403, code: 'NO_ACCESS' },
  { when: 'no such meeting: the same', as: 'session', body, status: 403, code: 'NO_ACCESS' },
];
const again = (body: unknown, params: Row['params'] = recorded): Row => ({
  when: 'the id of a request that asked for something else',
  as: 'session',
  params,
  body,
  send: usedBefore,
  status: 422,
  code: 'IDEMP',
});
const gone = (body: unknown): Row => ({
  when: 'nothing of that name',
  as: 'session',
  params: recorded,
  body,
  status: 404,
  code: 'NOT_FOUND',
});
const wrong = (when: string, body: unknown, fields: Record<string, string>, params: Row['params'] = recorded): Row => ({
  when,
  as: 'session',
  params,
  body,
  status: 422,
  code: 'INVALID',
  fields,
});

const notes = (...lines: string[]) =>
  JSON.stringify({
    type: 'doc',
    content: lines.map((text) => ({ type: 'paragraph', content: [{ type: 'text', text }] })),
  });

const table: Table = {
  'GET /api/meetings/:id/notes': [
    ...closed(undefined),
    {
      when: 'nothing is noted',
      as: 'session',
      params: othersWith('read'),
      status: 200,
      then: ({ body }) => expect(body).toEqual({ text: '{"type":"doc","content":[]}' }),
    },
    {
      when: 'one has noted something, and the owner something else',
      as: 'session',
      params: async ({ house, caller, person }) => {
        const owner = await person();
        const id = await makeMeeting(house, owner);
        await share(house, id, caller, ['read']);
        await owner.put(`/api/meetings/${id}/notes`, { text: notes('a secret') });
        await caller.put(`/api/meetings/${id}/notes`, { text: notes('mine') });
        return { id };
      },
      status: 200,
      then: ({ body }) => expect(body).toEqual({ text: notes('mine') }),
    },
  ],
  'PUT /api/meetings/:id/notes': [
    ...closed({ text: notes('so') }),
    {
      when: 'by one who may only read',
      as: 'session',
      params: othersWith('read'),
      body: { text: notes('so', 'it is') },
      status: 200,
      then: ({ body }) => expect(body).toEqual({ text: notes('so', 'it is') }),
    },
    wrong('no document', { text: 'plain words' }, { text: 'invalid' }),
    wrong('nothing', {}, { text: 'required' }),
    again({ text: notes('so') }),
  ],
  'GET /api/meetings/:id/summary/own': [
    ...closed(undefined),
    {
      when: 'one has kept something to oneself, and the owner something else',
      as: 'session',
      params: async ({ house, caller, person }) => {
        const owner = await person();
        const id = await makeMeeting(house, owner);
        await share(house, id, caller, ['read']);
        await owner.put(`/api/meetings/${id}/summary/own`, { summary: [{ text: 'a secret' }] });
        await caller.put(`/api/meetings/${id}/summary/own`, { summary: [{ id: 'mine', text: 'mine', order: 3 }] });
        return { id };
      },
      status: 200,
      then: ({ body }) => expect(body).toEqual({ summary: [{ id: 'mine', text: 'mine', order: 3 }] }),
    },
  ],
  'PUT /api/meetings/:id/summary/own': [
    ...closed({ summary: [] }),
    {
      when: 'by one who may only read; in the order they come in, where none is said',
      as: 'session',
      params: othersWith('read'),
      body: { summary: [{ id: 'b', text: 'first' }, { id: 'a', text: 'second' }, { text: 'third' }] },
      status: 200,
      then: ({ body }) =>
        expect(body.summary.map(({ text }: { text: string }) => text)).toEqual(['first', 'second', 'third']),
    },
    wrong('no text', { summary: [{ id: 'a' }] }, { 'summary.0.text': 'required' }),
    wrong('too long a text', { summary: [{ text: 'a'.repeat(10_001) }] }, { 'summary.0.text': 'too_long' }),
    wrong(
      'one name twice',
      {
        summary: [
          { id: 'a', text: 'a' },
          { id: 'a', text: 'b' },
        ],
      },
      { summary: 'twice' },
    ),
    wrong('too many', { summary: Array.from({ length: 501 }, () => ({ text: 'a' })) }, { summary: 'too_many' }),
    wrong('nothing', {}, { summary: 'required' }),
    again({ summary: [] }),
  ],
  'POST /api/meetings/:id/outcomes': [
    ...closed({ outcome }),
    {
      when: 'by one who may comment',
      as: 'session',
      params: othersWith(...roles.canComment),
      body: { outcome },
      status: 200,
      then: ({ body }) =>
        expect(body.outcome).toMatchObject({ ...outcome, rev: 1, private: false, author: { kind: 'user' } }),
    },
    {
      when: 'with a token',
      as: 'token',
      params: recorded,
      body: { outcome },
      status: 200,
      then: ({ body }) => expect(body.outcome.anchor).not.toBeNull(),
    },
    {
      when: 'by one who may only read',
      as: 'session',
      params: othersWith('read'),
      body: { outcome },
      status: 403,
      code: 'NO_PERM',
      then: message('No permissions to update'),
    },
    {
      when: 'to oneself, by one who may only read',
      as: 'session',
      params: othersWith('read'),
      body: { outcome: { ...outcome, private: true } },
      status: 200,
      then: ({ body }) => expect(body.outcome.private).toBe(true),
    },
    wrong('no type', { outcome: { start: 1, end: 2 } }, { 'outcome.type': 'required' }),
    wrong('a type there is not', { outcome: { ...outcome, type: 'wishes' } }, { 'outcome.type': 'unknown' }),
    wrong('a voice note that nobody spoke', { outcome: { ...outcome, type: 'vNotes' } }, { 'outcome.url': 'required' }),
    wrong(
      'a voice note with an address of elsewhere',
      { outcome: { ...outcome, type: 'vNotes', url: 'https://elsewhere.example/a.mp3' } },
      { 'outcome.url': 'unknown' },
    ),
    wrong('a grade the type has not', { outcome: { ...outcome, grade: 3 } }, { 'outcome.grade': 'invalid' }),
    wrong(
      'something below it that belongs elsewhere',
      { outcome: { ...outcome, children: [{ type: 'trustRespect' }] } },
      { 'outcome.children': 'unknown' },
    ),
    wrong('an end before its beginning', { outcome: { ...outcome, end: 9 } }, { 'outcome.end': 'invalid' }),
    wrong('a name that is none', { outcome: { ...outcome, id: '__proto__' } }, { 'outcome.id': 'invalid' }),
    {
      when: 'a name that is taken',
      as: 'session',
      params: recorded,
      body: { outcome: { ...outcome, id: 'taken' } },
      send: async ({ caller }) => {
        const [hit] = (await caller.get('/api/meetings')).body.hits;
        await made(caller, hit.id, 'outcomes', { outcome: { ...outcome, id: 'taken' } });
        return {};
      },
      status: 409,
      code: 'CONFLICT',
    },
    again({ outcome }),
  ],
  'POST /api/meetings/:id/outcomes/update': [
    ...closed(oneEdit('nobody')),
    {
      when: 'several fields of several',
      as: 'session',
      params: async (scene) => {
        const { id } = await recorded(scene);
        await made(scene.caller, id, 'outcomes', { outcome: { ...outcome, id: 'first' } });
        await made(scene.caller, id, 'outcomes', { outcome: { ...outcome, id: 'second', start: 20, end: 21 } });
        return { id };
      },
      body: {
        edits: [
          { id: 'first', field: 'type', value: 'decisions', rev: 1 },
          { id: 'second', field: 'text', value: 'Later' },
          { id: 'first', field: 'text', value: 'Send it' },
        ],
        version: 0,
      },
      status: 200,
      then: ({ body }) =>
        expect(body.outcomes).toMatchObject([
          { type: 'decisions', text: 'Send it', rev: 2 },
          { type: 'actionItems', text: 'Later', rev: 2 },
        ]),
    },
    {
      when: 'one that is another by now',
      as: 'session',
      params: async (scene) => {
        const { id } = await recorded(scene);
        await made(scene.caller, id, 'outcomes', { outcome: { ...outcome, id: 'known' } });
        return { id };
      },
      body: { edits: [{ id: 'known', field: 'text', value: 'Another', rev: 2 }], version: 0 },
      status: 409,
      code: 'CONFLICT',
    },
    gone(oneEdit('nobody')),
    wrong('nothing', { edits: [], version: 0 }, { edits: 'required' }),
    wrong('no version', { edits: oneEdit('a').edits }, { version: 'required' }),
    {
      when: 'a version of the numbers that were once larger',
      as: 'session',
      params: recorded,
      body: { ...oneEdit('a'), version: 2 ** 32 + 1 },
      status: 409,
      code: 'CONFLICT',
    },
    wrong('a version there is not yet', { ...oneEdit('a'), version: 999_999_999 }, { version: 'unknown' }),
    wrong(
      'the same field twice',
      { edits: [...oneEdit('a').edits, ...oneEdit('a').edits], version: 0 },
      { edits: 'twice' },
    ),
    wrong(
      'half a place',
      { edits: [{ id: 'a', field: 'start', value: 4 }], version: 0 },
      { 'edits.0.end': 'required' },
    ),
    again(oneEdit('nobody')),
  ],
  'POST /api/meetings/:id/outcomes/:itemId/update': [
    ...closed({ outcome: { text: 'Another' } }),
    {
      when: 'by its author',
      as: 'session',
      params: ownOutcome,
      body: { outcome: { text: 'Another', grade: -1 } },
      status: 200,
      then: ({ body }) =>
        expect(body.outcome).toMatchObject({ text: 'Another', grade: -1, rev: 2, type: 'actionItems' }),
    },
    {
      when: 'by one who may write',
      as: 'session',
      params: theirs('outcomes', { outcome }, ...roles.canEdit),
      body: { outcome: { text: 'Another' } },
      status: 200,
    },
    {
      when: 'by a person who may comment, on another person’s',
      as: 'session',
      params: theirs('outcomes', { outcome }, ...roles.canComment),
      body: { outcome: { text: 'Another' } },
      status: 403,
      code: 'NO_PERM',
      then: message('No permissions to update'),
    },
    gone({ outcome: { text: 'Another' } }),
    wrong('nothing', { outcome: {} }, { outcome: 'required' }, ownOutcome),
    wrong('half a place', { outcome: { start: 4 } }, { 'outcome.end': 'required' }, ownOutcome),
    wrong(
      'another type that nobody picks',
      { outcome: { type: 'vNotes' } },
      { 'outcome.type': 'read_only' },
      ownOutcome,
    ),
    again({ outcome: { text: 'Another' } }, ownOutcome),
  ],
  'DELETE /api/meetings/:id/outcomes/:itemId': [
    ...closed(undefined),
    { when: 'by its author', as: 'session', params: ownOutcome, status: 204 },
    {
      when: 'by a person who may comment, on another person’s',
      as: 'session',
      params: theirs('outcomes', { outcome }, ...roles.canComment),
      status: 403,
      code: 'NO_PERM',
      then: message('No permissions to delete'),
    },
    gone(undefined),
    again(undefined, ownOutcome),
  ],
  'POST /api/meetings/:id/outcomes/:itemId/reveal/:type': [
    ...closed(undefined),
    {
      when: 'one’s own',
      as: 'session',
      params: async (scene) => {
        const { id } = await recorded(scene);
        const itemId = await made(scene.caller, id, 'outcomes', { outcome: { ...outcome, private: true } });
        return { id, itemId, type: 'outcome' };
      },
      status: 200,
      then: ({ body }) => expect(body.outcome).toMatchObject({ ...outcome, private: false, rev: 2 }),
    },
    {
      when: 'under an id that another person has used',
      as: 'session',
      params: async (scene) => {
        const owner = await scene.person();
        const id = await makeRecording(scene.house, owner);
        await share(scene.house, id, scene.caller, roles.canComment);
        const itemId = await made(scene.caller, id, 'outcomes', { outcome: { ...outcome, private: true } });
        await made(owner, id, 'outcomes', { outcome: { ...outcome, id: itemId } });
        return { id, itemId, type: 'outcome' };
      },
      status: 409,
      code: 'CONFLICT',
    },
    {
      when: 'where one may only read',
      as: 'session',
      params: async (scene) => {
        const { id } = await othersWith('read')(scene);
        const itemId = await made(scene.caller, id, 'comments', { ...comment, private: true });
        return { id, itemId, type: 'comment' };
      },
      status: 403,
      code: 'NO_PERM',
      then: message('No permissions to publish comment'),
    },
    {
      when: 'a point of the summary, by one who may write',
      as: 'session',
      params: async (scene) => {
        const { id } = await recorded(scene);
        const summary = [{ id: 'point', text: 'In short' }];
        expect((await scene.caller.put(`/api/meetings/${id}/summary/own`, { summary })).status).toBe(200);
        return { id, itemId: 'point', type: 'summary' };
      },
      status: 200,
      then: ({ body }) => expect(body).toEqual({ summary: { id: 'point', text: 'In short', order: 1024 } }),
    },
    {
      when: 'a point of the summary, by one who may comment and not write',
      as: 'session',
      params: async (scene) => {
        const { id } = await othersWith(...roles.canComment)(scene);
        const summary = [{ id: 'point', text: 'In short' }];
        expect((await scene.caller.put(`/api/meetings/${id}/summary/own`, { summary })).status).toBe(200);
        return { id, itemId: 'point', type: 'summary' };
      },
      status: 403,
      code: 'NO_PERM',
      then: message('No permissions to publish summary'),
    },
    {
      when: 'a point of the summary that says nothing',
      as: 'session',
      params: async (scene) => {
        const { id } = await recorded(scene);
        const summary = [{ id: 'point', text: ' ' }];
        expect((await scene.caller.put(`/api/meetings/${id}/summary/own`, { summary })).status).toBe(200);
        return { id, itemId: 'point', type: 'summary' };
      },
      status: 422,
      code: 'INVALID',
      fields: { 'summary.text': 'required' },
    },
    {
      when: 'a point of the summary that is not there',
      as: 'session',
      params: async (scene) => ({ ...(await recorded(scene)), itemId: 'nothing', type: 'summary' }),
      status: 403,
      code: 'NO_PERM',
      then: message('No permissions to publish summary'),
    },
    {
      when: 'nothing that can be revealed',
      as: 'session',
      params: async (scene) => ({ ...(await ownOutcome(scene)), type: 'title' }),
      status: 422,
      code: 'INVALID',
      fields: { type: 'unknown' },
    },
    {
      when: 'an unknown id, or another person’s: the same',
      as: 'session',
      params: async (scene) => ({ ...(await recorded(scene)), itemId: 'nothing', type: 'outcome' }),
      status: 403,
      code: 'NO_PERM',
      then: message('No permissions to publish outcome'),
    },
    again(undefined, async (scene) => ({ ...(await ownOutcome(scene)), type: 'outcome' })),
  ],
  'GET /api/meetings/:id/mentionable': [
    ...closed(undefined),
    unknownParameter,
    {
      when: 'by one who may only read',
      as: 'session',
      params: othersWith('read'),
      status: 403,
      code: 'NO_PERM',
      then: message('No permissions to comment'),
    },
    {
      when: 'by one who may comment: the owner, by name alone',
      as: 'session',
      params: othersWith(...roles.canComment),
      status: 200,
      then: ({ body }) => expect(body).toEqual({ people: [{ id: expect.any(String), name: 'Ben Test' }] }),
    },
  ],
  'POST /api/meetings/:id/comments': [
    ...closed(comment),
    {
      when: 'by one who may comment',
      as: 'session',
      params: othersWith(...roles.canComment),
      body: comment,
      status: 200,
      then: ({ body }) => {
        expect(body.comment).toMatchObject({ start: 10, end: 12, parent: null, rev: 1, editTimestamp: null });
        expect(JSON.parse(body.comment.text)).toEqual({
          type: 'doc',
          content: [{ type: 'paragraph', content: [{ type: 'text', text: 'Is this so?' }] }],
        });
      },
    },
    {
      when: 'by one who may only read',
      as: 'session',
      params: othersWith('read'),
      body: comment,
      status: 403,
      code: 'NO_PERM',
      then: message('No permissions to comment'),
    },
    {
      when: 'a name that is taken',
      as: 'session',
      params: async (scene) => {
        const { id } = await recorded(scene);
        await made(scene.caller, id, 'comments', { ...comment, id: 'taken' });
        return { id };
      },
      body: { ...comment, id: 'taken' },
      status: 409,
      code: 'CONFLICT',
    },
    wrong('no words', { ...comment, text: '  ' }, { text: 'required' }),
    wrong('a document that says nothing', { ...comment, text: '{"type":"doc","content":[]}' }, { text: 'invalid' }),
    wrong(
      'a document with something of which nobody knows what it does',
      { ...comment, text: '{"type":"doc","content":[{"type":"iframe"}]}' },
      { text: 'invalid' },
    ),
    wrong('an answer to nothing', { ...comment, parent: 'nothing' }, { parent: 'unknown' }),
    wrong('no time', { text: 'Hello' }, { start: 'required', end: 'required' }),
    again(comment),
  ],
  'POST /api/meetings/:id/comments/:itemId/update': [
    ...closed({ text: 'Another' }),
    {
      when: 'by its author',
      as: 'session',
      params: ownComment,
      body: { text: 'Another' },
      status: 200,
      then: ({ body }) => expect(body.comment).toMatchObject({ rev: 2, editTimestamp: expect.any(String) }),
    },
    {
      when: 'settled by another one who may comment',
      as: 'session',
      params: theirs('comments', comment, ...roles.canComment),
      body: { resolved: true },
      status: 200,
      then: ({ body }) =>
        expect(body.comment).toMatchObject({ resolved: { by: { kind: 'user' } }, editTimestamp: null }),
    },
    {
      when: 'changed by another person, though they may write',
      as: 'session',
      params: theirs('comments', comment, ...roles.canEditShare),
      body: { text: 'Another' },
      status: 403,
      code: 'NO_PERM',
      then: message('No permissions to update'),
    },
    {
      when: 'put on other words by another one who may write, with its replies',
      as: 'session',
      params: async (scene) => {
        const named = await theirs('comments', comment, ...roles.canEdit)(scene);
        answered.set(scene.caller, named.id);
        await made(scene.caller, named.id, 'comments', { ...comment, parent: named.itemId });
        return named;
      },
      body: { start: 20, end: 22, quote: 'Other words' },
      status: 200,
      then: async ({ body }, scene) => {
        expect(body.comment).toMatchObject({ start: 20, end: 22, quote: 'Other words', rev: 2, editTimestamp: null });
        const { comments } = (await scene.caller.get(`/api/meetings/${answered.get(scene.caller)}`)).body.doc;
        expect(comments).toHaveLength(2);
        for (const one of comments) expect(one).toMatchObject({ start: 20, quote: 'Other words', rev: 2 });
      },
    },
    {
      when: 'put on other words by another one who may only comment',
      as: 'session',
      params: theirs('comments', comment, ...roles.canComment),
      body: { start: 20, end: 22 },
      status: 403,
      code: 'NO_PERM',
    },
    {
      when: 'a reply put on other words than its thread',
      as: 'session',
      params: async (scene) => {
        const named = await ownComment(scene);
        const reply = await made(scene.caller, named.id, 'comments', { ...comment, parent: named.itemId });
        return { ...named, itemId: reply };
      },
      body: { start: 20, end: 22 },
      status: 422,
      code: 'INVALID',
    },
    wrong('other words without their time', { quote: 'Other words' }, { start: 'required' }, ownComment),
    gone({ text: 'Another' }),
    wrong('nothing', {}, { '': 'required' }, ownComment),
    wrong('without words, and nothing was spoken', { text: ' ' }, { text: 'required' }, ownComment),
    again({ text: 'Another' }, ownComment),
  ],
  'DELETE /api/meetings/:id/comments/:itemId': [
    ...closed(undefined),
    { when: 'by its author', as: 'session', params: ownComment, status: 204 },
    {
      when: 'that has been answered: its place stays',
      as: 'session',
      params: async (scene) => {
        const named = await ownComment(scene);
        await made(scene.caller, named.id, 'comments', { ...comment, parent: named.itemId });
        return named;
      },
      status: 200,
      then: ({ body }) => expect(body.comment).toMatchObject({ text: '', author: { kind: 'deleted' } }),
    },
    {
      when: 'by one who shares the recording with others',
      as: 'session',
      params: theirs('comments', comment, ...roles.canEditShare),
      status: 204,
    },
    {
      when: 'by a person who may write, on another person’s',
      as: 'session',
      params: theirs('comments', comment, ...roles.canEdit),
      status: 403,
      code: 'NO_PERM',
      then: message('No permissions to delete'),
    },
    gone(undefined),
    again(undefined, ownComment),
  ],
};
export default table;
