import { eq } from 'drizzle-orm';
import { expect } from 'vitest';
import { meetings } from '#db/schema/meetings.ts';
import { changesAnswer, restoredAnswer, versionsAnswer } from '#shared/meetings/history.ts';
import { meetingView } from '#shared/meetings/meeting.ts';
import { textOf } from '#shared/meetings/transcript.ts';
import { roles, type Permission } from '#shared/roles.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import { makeRecording } from '#tests/support/recording.ts';
import type { Answer, Person } from '#tests/support/people.ts';
import type { Scene, Table } from '#tests/support/table.ts';

/** Changes a word of the recording, or the person's own change of it. */
const write = ({ house }: Scene, id: string, { id: userId }: Person, was: string, now: string) =>
  house.house.rooms.change(id, 'transcript', { userId, origin: 'test' }, (doc) => {
    const text = textOf(doc);
    // Boundaries count one each, and stand for nothing in the string.
    let at = 0;
    for (const { insert } of text.toDelta() as { insert: unknown }[]) {
      const found = typeof insert === 'string' ? insert.indexOf(was) : -1;
      if (found >= 0) {
        text.insert(at + found + was.length, now);
        text.delete(at + found, was.length);
        return;
      }
      at += typeof insert === 'string' ? insert.length : 1;
    }
    throw new Error(`no ${was}`);
  });

/** A recording in three versions: the original, one with a corrected word, and one with another. */
async function talk(scene: Scene, owner: Person): Promise<string> {
  const id = await makeRecording(scene.house, owner);
  await write(scene, id, owner, 'conversion', 'conversation');
  await write(scene, id, owner, 'Good morning', 'Good evening');
  return id;
}

const own = async (scene: Scene) => ({ id: await talk(scene, scene.caller), version: '2' });
const othersWith =
  (...permissions: Permission[]) =>
  async (scene: Scene) => {
    const id = await talk(scene, await scene.person());
    if (permissions.length > 0) await share(scene.house, id, scene.caller, permissions);
    return { id, version: '2' };
  };
const linked =
  (...permissions: Permission[]) =>
  async (scene: Scene) => {
    const id = await talk(scene, await scene.person());
    await share(scene.house, id, 'anonymous', permissions);
    return { id, version: '2' };
  };
const deleted = async (scene: Scene) => {
  const { id, version } = await own(scene);
  await scene.house.database.orm.update(meetings).set({ deletedAt: new Date() }).where(eq(meetings.id, id));
  return { id, version };
};
const at = (version: string, given: (scene: Scene) => Promise<{ id: string }> = own) => {
  return async (scene: Scene) => ({ id: (await given(scene)).id, version });
};

const closed = [
  { when: 'a meeting of another person', as: 'session', params: othersWith(), status: 403, code: 'NO_ACCESS' },
  { when: 'one that is deleted: the same', as: 'session', params: deleted, status: 403, code: 'NO_ACCESS' },
  { when: 'no such meeting: the same', as: 'session', params: { version: '0' }, status: 403, code: 'NO_ACCESS' },
] as const;
const mayNot = (message: string, ...permissions: Permission[]) =>
  ({
    when: `by one who may only ${permissions.at(-2)}`,
    as: 'session',
    params: othersWith(...permissions),
    status: 403,
    code: 'NO_PERM',
    then: ({ problem }: Answer) => expect(problem.message).toBe(message),
  }) as const;
/** Versions hold what was deleted: for those who may write. */
const readers = [
  mayNot('No permissions to see earlier versions', ...roles.canRead),
  mayNot('No permissions to see earlier versions', ...roles.canComment),
  { when: 'by a link to read', params: linked('read'), status: 403, code: 'NO_PERM' },
] as const;
const noVersion = [
  { when: 'a version that is yet to come', as: 'session', params: at('4'), status: 404, code: 'NOT_FOUND' },
  { when: 'no number', as: 'session', params: at('latest'), status: 404, code: 'NOT_FOUND' },
] as const;

const textAt = ({ body }: Answer): string =>
  (body.doc.transcript.segments as { text: string }[]).map(({ text }) => text).join(' ');

export default {
  'GET /api/meetings/:id/versions': [
    {
      when: 'one’s own: the machine first, then what people did',
      as: 'session',
      params: own,
      status: 200,
      then: ({ body }: Answer, { caller }: Scene) => {
        expect(versionsAnswer.parse(body)).toEqual(body);
        expect(body).toMatchObject({
          versions: [
            { version: 3, before: 1, kind: 'edited', by: [caller.id], edits: 2, name: null, restored: null },
            { version: 1, before: 0, kind: 'machine', by: [], edits: 1 },
          ],
          people: [{ id: caller.id, name: 'Ann Test', kind: 'person' }],
          current: 3,
          next: null,
        });
      },
    },
    {
      when: 'a page of it, and the next one',
      as: 'session',
      params: own,
      query: '?size=1',
      status: 200,
      then: async ({ body, headers }: Answer, { caller }: Scene) => {
        expect(headers.get('x-request-id')).not.toBeNull();
        expect(body).toMatchObject({ versions: [{ version: 3 }], next: 1 });
        const [id] = [(await caller.get('/api/meetings')).body.hits[0].id as string];
        const next = await caller.get(`/api/meetings/${id}/versions?size=1&upTo=${body.next}`);
        expect(next.body).toMatchObject({ versions: [{ version: 1 }], current: 3, next: null });
      },
    },
    {
      when: 'between two versions, step by step',
      as: 'session',
      params: own,
      query: '?by=step&after=2&upTo=3',
      status: 200,
      then: ({ body }: Answer) => expect(body).toMatchObject({ versions: [{ version: 3, before: 2 }], next: null }),
    },
    {
      when: 'not signed in: by a link, with names and without addresses',
      params: linked('read', 'write'),
      status: 200,
      then: ({ body, text }: Answer) => {
        expect(body.people).toMatchObject([{ name: 'Ben Test', kind: 'person' }]);
        expect(text).not.toContain('@');
      },
    },
    {
      when: 'one that was never opened',
      as: 'session',
      params: async ({ house, caller }: Scene) => ({ id: await makeMeeting(house, caller) }),
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ versions: [], people: [], current: 0, next: null }),
    },
    ...closed,
    ...readers,
    {
      when: 'up to a version that is yet to come',
      as: 'session',
      params: own,
      query: '?upTo=9',
      status: 404,
      code: 'NOT_FOUND',
    },
    {
      when: 'a page of nothing, in unknown steps',
      as: 'session',
      params: own,
      query: '?size=0&by=day&upTo=-1',
      status: 422,
      code: 'INVALID',
      fields: { size: 'invalid', by: 'invalid', upTo: 'invalid' },
    },
  ],
  'GET /api/meetings/:id/versions/:version': [
    {
      when: 'one’s own as it was: in the shape of what it is now',
      as: 'session',
      params: own,
      status: 200,
      then: (answer: Answer) => {
        expect(meetingView.parse(answer.body)).toEqual(answer.body);
        expect(answer.body.version).toBe(2);
        expect(textAt(answer)).toContain('Good morning');
        expect(textAt(answer)).toContain('putting off a conversation');
        expect(answer.body.doc.transcript.segments[0].words[0]).toMatchObject({ w: 'Good', f: expect.any(Number) });
      },
    },
    {
      when: 'before anything was written',
      as: 'session',
      params: at('0'),
      status: 200,
      then: ({ body }: Answer) =>
        expect(body).toMatchObject({ version: 0, doc: { title: '', transcript: { segments: [], speakers: [] } } }),
    },
    {
      when: 'a shared link, and not signed in: no addresses',
      params: linked('read', 'write'),
      status: 200,
      then: ({ text }: Answer) => expect(text).not.toContain('@'),
    },
    ...closed,
    ...readers,
    ...noVersion,
  ],
  'GET /api/meetings/:id/versions/:version/changes': [
    {
      when: 'since an earlier one: the words that came and went, and whose they are',
      as: 'session',
      params: at('3'),
      query: '?since=1',
      status: 200,
      then: ({ body }: Answer, { caller }: Scene) => {
        expect(changesAnswer.parse(body)).toEqual(body);
        const by = [caller.id];
        const changed = (body.segments as { changed: boolean }[]).filter((segment) => segment.changed);
        expect(body).toMatchObject({ version: 3, since: 1, people: [{ name: 'Ann Test' }] });
        expect(changed).toMatchObject([
          {
            start: expect.any(Number),
            pieces: [
              { kind: 'same', text: 'Good ' },
              { kind: 'gone', text: 'morning', by },
              { kind: 'new', text: 'evening', by },
              { kind: 'same', text: expect.stringMatching(/^, and welcome/) },
            ],
          },
          {
            pieces: [
              { kind: 'same' },
              { kind: 'gone', text: 'conversion', by },
              { kind: 'new', text: 'conversation', by },
              { kind: 'same' },
            ],
          },
        ]);
        expect(body.segments).toHaveLength(30);
        expect(body.segments.at(-1).start).toBeGreaterThan(100);
      },
    },
    {
      when: 'with nothing to compare: everybody who wrote each word',
      as: 'session',
      params: at('3'),
      status: 200,
      then: ({ body }: Answer, { caller }: Scene) => {
        const written = (body.segments as { pieces: { text: string; by?: string[] }[] }[])
          .flatMap(({ pieces }) => pieces)
          .filter(({ by }) => by !== undefined);
        expect(written.map(({ text, by }) => [text.trim(), by])).toEqual([
          ['Good evening,', [caller.id]],
          ['conversation', [caller.id]],
        ]);
        expect(body.since).toBeNull();
      },
    },
    {
      when: 'a shared link, and not signed in: names and no addresses',
      params: linked('read', 'write'),
      query: '?since=0',
      status: 200,
      then: ({ text, body }: Answer) => {
        expect(body.people).toMatchObject([{ name: 'Ben Test' }]);
        expect(text).not.toContain('@');
      },
    },
    ...closed,
    ...readers,
    ...noVersion,
    {
      when: 'since one that is yet to come',
      as: 'session',
      params: own,
      query: '?since=7',
      status: 404,
      code: 'NOT_FOUND',
    },
    {
      when: 'since a later one',
      as: 'session',
      params: own,
      query: '?since=3',
      status: 422,
      code: 'INVALID',
      fields: { since: 'invalid' },
    },
  ],
  'PUT /api/meetings/:id/versions/:version/name': [
    {
      when: 'one’s own: lists show it, standing by itself',
      as: 'session',
      params: own,
      body: { name: '  Before the review ' },
      status: 204,
      then: async (_answer: Answer, { caller }: Scene) => {
        const { id } = (await caller.get('/api/meetings')).body.hits[0];
        const { body } = await caller.get(`/api/meetings/${id}/versions`);
        expect(body.versions).toMatchObject([
          { version: 3, before: 2, name: null },
          { version: 2, before: 1, name: { text: 'Before the review', by: caller.id } },
          { version: 1 },
        ]);
      },
    },
    {
      when: 'another name in the place of one, by who may write',
      as: 'session',
      params: async (scene: Scene) => {
        const params = await othersWith('read', 'write')(scene);
        const path = `/api/meetings/${params.id}/versions/2/name`;
        expect((await scene.caller.put(path, { name: 'a' })).status).toBe(204);
        return params;
      },
      body: { name: 'b' },
      status: 204,
    },
    { ...mayNot('No permissions to update', ...roles.canComment), body: { name: 'a' } },
    ...closed.map((row) => ({ ...row, body: { name: 'a' } })),
    ...noVersion.map((row) => ({ ...row, body: { name: 'a' } })),
    {
      when: 'no name',
      as: 'session',
      params: own,
      body: { name: ' ' },
      status: 422,
      code: 'INVALID',
      fields: { name: 'required' },
    },
    {
      when: 'a name without end',
      as: 'session',
      params: own,
      body: { name: 'a'.repeat(101) },
      status: 422,
      code: 'INVALID',
      fields: { name: 'too_long' },
    },
  ],
  'DELETE /api/meetings/:id/versions/:version/name': [
    {
      when: 'a name of one’s own',
      as: 'session',
      params: async (scene: Scene) => {
        const params = await own(scene);
        await scene.caller.put(`/api/meetings/${params.id}/versions/2/name`, { name: 'a' });
        return params;
      },
      status: 204,
      then: async (_answer: Answer, { caller }: Scene) => {
        const { id } = (await caller.get('/api/meetings')).body.hits[0];
        const { body } = await caller.get(`/api/meetings/${id}/versions`);
        expect(body.versions).toMatchObject([{ version: 3, before: 1 }, { version: 1 }]);
      },
    },
    { when: 'one that has none', as: 'session', params: own, status: 204 },
    mayNot('No permissions to update', ...roles.canRead),
    ...closed,
    { when: 'no number', as: 'session', params: at('latest'), status: 404, code: 'NOT_FOUND' },
  ],
  'POST /api/meetings/:id/versions/:version/restore': [
    {
      when: 'one’s own: it is what it was, and what it was till now is still to be had',
      as: 'session',
      params: at('1'),
      status: 200,
      then: async ({ body }: Answer, { caller }: Scene) => {
        expect(restoredAnswer.parse(body)).toEqual(body);
        expect(body).toEqual({ version: 4, kept: 3 });
        const { id } = (await caller.get('/api/meetings')).body.hits[0];
        expect(textAt(await caller.get(`/api/meetings/${id}`))).toContain('Good morning');
        expect(textAt(await caller.get(`/api/meetings/${id}/versions/${body.kept}`))).toContain('Good evening');
        const { versions } = (await caller.get(`/api/meetings/${id}/versions`)).body;
        expect(versions[0]).toMatchObject({ kind: 'restored', restored: 1, before: 3, by: [caller.id] });
      },
    },
    {
      when: 'what it is already: nothing is written',
      as: 'session',
      params: at('3'),
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ version: 3, kept: 3 }),
    },
    {
      when: 'under the id of another request',
      as: 'session',
      params: at('1'),
      send: async ({ caller }: Scene) => {
        const [{ id }] = (await caller.get('/api/meetings')).body.hits;
        const headers = { 'X-Request-ID': 'the-same-request' };
        expect((await caller.post(`/api/meetings/${id}/rename`, { title: 'a' }, { headers })).status).toBe(200);
        return { headers };
      },
      status: 422,
      code: 'IDEMP',
    },
    {
      when: 'by a person who also owns it',
      as: 'session',
      params: othersWith(...roles.canEditShare),
      status: 200,
    },
    {
      when: 'of a closed text',
      as: 'session',
      params: async (scene: Scene) => {
        const params = await at('1')(scene);
        expect((await scene.caller.post(`/api/meetings/${params.id}/close`, { name: 'a' })).status).toBe(200);
        return params;
      },
      status: 409,
      code: 'CLOSED',
    },
    mayNot('No permissions to restore', ...roles.canEdit),
    ...closed,
    ...noVersion,
  ],
} satisfies Table;
