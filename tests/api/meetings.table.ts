import { facetsView } from '#shared/filters.ts';
import { eq } from 'drizzle-orm';
import { expect } from 'vitest';
import { meetings } from '#db/schema/meetings.ts';
import { rules } from '#server/limits.ts';
import { closingAnswer, meetingsAnswer, meetingView } from '#shared/meetings/meeting.ts';
import { roles, type Permission } from '#shared/roles.ts';
import { payTranscript } from '#tests/support/billing.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import { makeRecording } from '#tests/support/recording.ts';
import { createMeeting } from '#tests/support/intake.ts';
import type { Answer } from '#tests/support/people.ts';
import { unknownParameter, type Row, type Scene, type Table } from '#tests/support/table.ts';

const own = async ({ house, caller }: Scene) => ({ id: await makeMeeting(house, caller) });
const talkTitle = 'Practice session: asking for a decision';
/** A recording whose transcription was paid in this way. */
const paidBy =
  (how: 'free' | 'credits' | 'both') =>
  async ({ house, caller }: Scene) => {
    const id = await makeMeeting(house, caller);
    await payTranscript(house, caller, id, how);
    return { id };
  };
const recorded = async ({ house, caller }: Scene) => ({ id: await makeRecording(house, caller) });
const othersWith =
  (...permissions: Permission[]) =>
  async ({ house, caller, person }: Scene) => {
    const id = await makeMeeting(house, await person());
    if (permissions.length > 0) await share(house, id, caller, permissions);
    return { id };
  };
const linked =
  (...permissions: Permission[]) =>
  async ({ house, person }: Scene) => {
    const id = await makeRecording(house, await person());
    await share(house, id, 'anonymous', permissions);
    return { id };
  };
const deleted = (given: (scene: Scene) => Promise<{ id: string }>) => async (scene: Scene) => {
  const { id } = await given(scene);
  await scene.house.database.orm.update(meetings).set({ deletedAt: new Date() }).where(eq(meetings.id, id));
  return { id };
};
const closed =
  (given: (scene: Scene) => Promise<{ id: string }> = recorded) =>
  async (scene: Scene) => {
    const { id } = await given(scene);
    const { sql } = scene.house.database;
    await sql`update meetings set closed_at = now(), closed_by = owner_id, closed_version = 1 where id = ${id}`;
    return { id };
  };
/** The meetings of the caller, with their titles. */
const library =
  (...titles: string[]) =>
  async ({ house, caller }: Scene) => {
    for (const title of titles) {
      const id = await makeMeeting(house, caller);
      expect((await caller.post(`/api/meetings/${id}/rename`, { title })).status).toBe(200);
    }
    return '';
  };
const titled = (...titles: string[]) =>
  expect.objectContaining({ hits: titles.map((title) => expect.objectContaining({ title })) });
/** Gets the answer once, so that its ETag can be sent with the request. */
const knowing = async (scene: Scene, params: { id: string }) =>
  (await scene.caller.get(`/api/meetings/${params.id}`)).headers.get('etag') ?? '';

export default {
  'GET /api/aggs': [
    unknownParameter,
    {
      when: 'more counts of searches a minute than anybody asks for',
      as: 'session',
      query: async ({ exhaust, caller }: Scene) => {
        await exhaust(rules.count, caller.id);
        expect((await caller.get('/api/aggs')).status).toBe(200);
        return '?query=plans';
      },
      status: 429,
      code: 'RATE',
    },
    { when: 'a session that is none', as: 'nobody', status: 401, code: 'UNAUTH' },
    {
      when: 'a folder that is not there',
      as: 'session',
      query: '?folder=/Nowhere',
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'nothing is there yet',
      as: 'session',
      status: 200,
      then: ({ body }: Answer) => {
        expect(facetsView.parse(body)).toEqual(body);
        expect(body.facets.every(({ values }: { values: unknown[] }) => values.length === 0)).toBe(true);
      },
    },
  ],
  'GET /api/meetings': [
    {
      when: 'a filter of a name that nobody knows',
      as: 'session',
      query: `?filters=${encodeURIComponent('{"colour":["red"]}')}`,
      status: 422,
      code: 'INVALID',
      fields: { colour: 'unknown' },
    },
    {
      when: 'a state of reviews that there is not',
      as: 'session',
      query: `?filters=${encodeURIComponent('{"review":["done"]}')}`,
      status: 422,
      code: 'INVALID',
      fields: { 'filters.review.0': 'invalid' },
    },
    {
      when: 'more searches an hour than a person makes: they go on without what others share with everyone',
      as: 'session',
      query: async ({ exhaust, caller }: Scene) => {
        await exhaust(rules.discover, caller.id);
        return '?query=plans';
      },
      status: 200,
    },
    {
      when: 'more new searches a minute than anybody types',
      as: 'session',
      query: async ({ exhaust, caller }: Scene) => {
        await exhaust(rules.find, caller.id);
        expect((await caller.get('/api/meetings?query=plans&start=20')).status).toBe(200);
        return '?query=plans';
      },
      status: 429,
      code: 'RATE',
    },
    {
      when: 'more words than a search has',
      as: 'session',
      query: `?query=${'word+'.repeat(17)}`,
      status: 422,
      code: 'INVALID',
      then: ({ problem }: Answer) => expect(problem.info?.errors).toEqual([{ field: 'query', code: 'too_long' }]),
    },
    {
      when: 'nothing is there yet',
      as: 'session',
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ hits: [], total: 0, folders: [] }),
    },
    {
      when: 'only those that others share with one, without one’s own and what others show everyone',
      as: 'session',
      query: async (scene: Scene) => {
        const { house, caller, person } = scene;
        const ben = await person();
        const [shared = '', open = ''] = await Promise.all([1, 2].map(() => makeRecording(house, ben)));
        await share(house, shared, caller, roles.canRead);
        await share(house, open, 'anonymous', ['read', 'discover']);
        await makeRecording(house, caller);
        expect((await caller.post('/api/folders', { path: '/Mine' })).status).toBe(200);
        const found = (await caller.get('/api/meetings?shared=with-me&query=practice')).body;
        expect(found.hits).toMatchObject([{ id: shared }]);
        return '?shared=with-me&folder=/';
      },
      status: 200,
      then: async ({ body }: Answer, { caller }: Scene) => {
        expect(body).toMatchObject({ total: 1, folders: [] });
        expect(body.hits[0].owner.id).not.toBe(caller.id);
      },
    },
    {
      when: 'one’s own and those shared with one by name, and no others',
      as: 'session',
      query: async (scene: Scene) => {
        const { house, caller, person } = scene;
        const ben = await person();
        const [shared, listed, , linkedOnly, gone] = await Promise.all(
          [1, 2, 3, 4, 5].map(() => makeMeeting(house, ben)),
        );
        await share(house, shared ?? '', caller, roles.canRead);
        // Discovered, but not readable: its page would not open.
        await share(house, listed ?? '', caller, ['discover']);
        await share(house, linkedOnly ?? '', 'anonymous', ['read']);
        await share(house, gone ?? '', caller, roles.canEdit);
        await house.database.orm
          .update(meetings)
          .set({ deletedAt: new Date() })
          .where(eq(meetings.id, gone ?? ''));
        await makeRecording(house, caller);
        return '?sort=owner';
      },
      status: 200,
      then: async ({ body, text }: Answer, { caller }: Scene) => {
        expect(meetingsAnswer.parse(body)).toEqual(body);
        expect(body).toMatchObject({
          total: 2,
          hits: [
            {
              title: 'Practice session: asking for a decision',
              owner: { id: caller.id },
              speakers: 3,
              duration: 175.608,
            },
            {
              title: '',
              owner: { name: 'Ben Test' },
              permissions: ['read', 'discover'],
              words: 0,
              glance: null,
              duration: null,
            },
          ],
        });
        expect(body.hits[0].words).toBeGreaterThan(400);
        expect(text).not.toContain('@');
        for (const { id } of body.hits) expect((await caller.get(`/api/meetings/${id}`)).status).toBe(200);
      },
    },
    {
      when: 'by an API token',
      as: 'token',
      query: library('by a program'),
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual(titled('by a program')),
    },
    {
      when: 'a page of them, sorted by title in any letters',
      as: 'session',
      query: async (scene: Scene) => {
        await library('éclair', 'Zebra', 'apple', 'Ёлка')(scene);
        return '?sort=title&start=1&size=2';
      },
      status: 200,
      then: ({ body }: Answer) => {
        expect(body).toEqual(titled('éclair', 'Zebra'));
        expect(body.total).toBe(4);
      },
    },
    {
      when: 'the other way round',
      as: 'session',
      query: async (scene: Scene) => {
        await library('b', 'a', 'c')(scene);
        return '?sort=-title';
      },
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual(titled('c', 'b', 'a')),
    },
    {
      when: 'behind the last: none, and how many there are',
      as: 'session',
      query: async (scene: Scene) => {
        await library('a')(scene);
        return '?start=20';
      },
      status: 200,
      then: ({ body }: Answer) => expect(body).toMatchObject({ hits: [], total: 1 }),
    },
    {
      when: 'those with all words of a query in their title, with any signs in it',
      as: 'session',
      query: async (scene: Scene) => {
        await library('Résumé of 100% of it', 'Resume', 'Interview 100')(scene);
        return `?query=${encodeURIComponent('100% RESUME')}`;
      },
      status: 200,
      then: ({ body }: Answer) => {
        expect(body).toEqual(titled('Résumé of 100% of it'));
        expect(body.total).toBe(1);
      },
    },
    {
      when: 'of a folder there is not',
      as: 'session',
      query: '?folder=/Nowhere',
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'of a folder that leads out of the library',
      as: 'session',
      query: '?folder=/../a',
      status: 422,
      code: 'INVALID',
      fields: { folder: 'folder_path' },
    },
    {
      when: 'an unknown sort',
      as: 'session',
      query: '?sort=title_key;drop',
      status: 422,
      code: 'INVALID',
      fields: { sort: 'invalid' },
    },
    {
      when: 'a page before the first',
      as: 'session',
      query: '?start=-1&size=0',
      status: 422,
      code: 'INVALID',
      fields: { start: 'invalid', size: 'invalid' },
    },
  ],
  'GET /api/meetings/:id': [
    {
      when: 'one’s own recording, every field of it',
      as: 'session',
      params: recorded,
      status: 200,
      then: ({ body, headers }: Answer, { caller }: Scene) => {
        expect(meetingView.parse(body)).toEqual(body);
        expect(headers.get('content-type')).toBe('application/json');
        expect(headers.get('etag')).toMatch(/^"[\w-]{27}"$/);
        const { doc } = body;
        expect(body).toMatchObject({
          version: 1,
          owner: { id: caller.id },
          progress: { percentage: 100 },
          costs: null,
        });
        expect(body.media.map(({ tag }: { tag: string }) => tag)).toEqual(['audio', 'histogram']);
        expect(doc).toMatchObject({
          title: 'Practice session: asking for a decision',
          lang: 'en-US',
          tags: ['practice', 'coaching'],
          comments: [],
          outcomes: [],
          acl: { entries: [] },
        });
        expect(doc.transcript.speakers.map(({ name }: { name: string }) => name)).toEqual([
          'Moderator',
          'Coach',
          'Client',
        ]);
        expect(doc.transcript.segments).toHaveLength(30);
        const [{ words, start, text }] = doc.transcript.segments;
        expect(words[0]).toEqual({
          w: text.split(' ')[0],
          f: start,
          t: expect.any(Number),
          confidence: expect.any(Number),
        });
        // Seconds of a recording of three minutes, not milliseconds.
        expect(doc.transcript.segments.at(-1).end).toBeGreaterThan(100);
        expect(doc.transcript.segments.at(-1).end).toBeLessThan(176);
      },
    },
    {
      when: 'one without any text',
      as: 'session',
      params: own,
      status: 200,
      then: ({ body }: Answer) => {
        expect(meetingView.parse(body)).toEqual(body);
        expect(body).toMatchObject({ version: 0, doc: { title: '', transcript: { segments: [], speakers: [] } } });
      },
    },
    {
      when: 'who may share it sees with whom it is shared',
      as: 'session',
      params: async ({ house, caller, person }: Scene) => {
        const id = await makeMeeting(house, caller);
        await share(house, id, await person(), roles.canComment);
        await share(house, id, 'anonymous', ['read']);
        return { id };
      },
      status: 200,
      then: ({ body }: Answer) => {
        expect(meetingView.parse(body)).toEqual(body);
        expect(body.doc.acl.entries).toMatchObject([
          { principal: { id: -1, kind: 'anonymous', email: null }, permissions: ['read'] },
          { principal: { kind: 'user', first_name: 'Ben', email: expect.stringContaining('@') } },
        ]);
      },
    },
    {
      when: 'one who may only read it: no addresses',
      as: 'session',
      params: othersWith('read', 'discover'),
      status: 200,
      then: ({ body, text }: Answer) => {
        expect(body).toMatchObject({ permissions: ['read', 'discover'], doc: { acl: null } });
        expect(text).not.toContain('@');
      },
    },
    { when: 'by an API token', as: 'token', params: recorded, status: 200 },
    {
      when: 'a shared link, and not signed in',
      params: linked('read', 'own'),
      status: 200,
      then: ({ body }: Answer) => expect(body).toMatchObject({ permissions: ['read'], doc: { acl: null } }),
    },
    {
      when: 'it is known already',
      as: 'session',
      params: recorded,
      send: async (scene: Scene) => {
        const [hit] = (await scene.caller.get('/api/meetings')).body.hits;
        return { headers: { 'If-None-Match': `"other", W/${await knowing(scene, hit)}` } };
      },
      status: 304,
      then: ({ text }: Answer) => expect(text).toBe(''),
    },
    {
      when: 'it has another title than the one that is known',
      as: 'session',
      params: recorded,
      send: async (scene: Scene) => {
        const [hit] = (await scene.caller.get('/api/meetings')).body.hits;
        const etag = await knowing(scene, hit);
        await scene.caller.post(`/api/meetings/${hit.id}/rename`, { title: 'Another' });
        return { headers: { 'If-None-Match': etag } };
      },
      status: 200,
      then: ({ body }: Answer) => expect(body).toMatchObject({ version: 2, doc: { title: 'Another' } }),
    },
    { when: 'a meeting of another person', as: 'session', params: othersWith(), status: 403, code: 'NO_ACCESS' },
    {
      when: 'one that may be discovered and not read: the same',
      as: 'session',
      params: othersWith('discover'),
      status: 403,
      code: 'NO_ACCESS',
    },
    { when: 'one that is deleted: the same', as: 'session', params: deleted(own), status: 403, code: 'NO_ACCESS' },
    { when: 'no such meeting: the same', as: 'session', status: 403, code: 'NO_ACCESS' },
  ],
  'DELETE /api/meetings/:id': [
    {
      when: 'one’s own meeting: it is gone for everybody',
      as: 'session',
      params: own,
      status: 204,
      then: async (_answer: Answer, { caller }: Scene) =>
        expect((await caller.get('/api/meetings')).body.total).toBe(0),
    },
    { when: 'without asking first', as: 'session', params: own, query: '?force=1', status: 204 },
    ...(
      [
        ['?force', 403],
        ['?force=1', 403],
        ['?force=0', 204],
        ['', 204],
      ] as const
    ).map(([query, restored]): Row => ({
      when: `one that was never processed, by ${query || 'nothing more'}: bringing it back is answered with ${restored}`,
      as: 'session',
      params: async ({ caller }: Scene) => ({ id: (await createMeeting(caller)).id }),
      query,
      status: 204,
      then: async (_: Answer, { house, caller }: Scene) => {
        const rows = await house.database.sql<{ id: string }[]>`select id from meetings where owner_id = ${caller.id}`;
        const [{ id } = { id: 'gone' }] = rows;
        expect((await caller.post(`/api/meetings/${id}/restore`)).status).toBe(restored);
      },
    })),
    {
      when: 'K12: one that is being processed, by force',
      as: 'session',
      params: async ({ house, caller }: Scene) => {
        const { id } = await createMeeting(caller);
        await house.database.sql`update intakes set state = 'processing' where meeting_id = ${id}`;
        return { id };
      },
      query: '?force=1',
      status: 409,
      code: 'CONFLICT',
      then: async (_: Answer, { caller }: Scene) => expect((await caller.get('/api/meetings')).body.total).toBe(1),
    },
    {
      when: 'by a person who also owns it',
      as: 'session',
      params: othersWith(...roles.canEditShare),
      status: 204,
    },
    {
      when: 'by one who may write in it',
      as: 'session',
      params: othersWith(...roles.canEdit),
      status: 403,
      code: 'NO_PERM',
      then: ({ problem }: Answer) => expect(problem.message).toBe('No permissions to delete'),
    },
    { when: 'a meeting of another person', as: 'session', params: othersWith(), status: 403, code: 'NO_ACCESS' },
    { when: 'one that is deleted already', as: 'session', params: deleted(own), status: 403, code: 'NO_ACCESS' },
    { when: 'no such meeting: the same', as: 'session', status: 403, code: 'NO_ACCESS' },
    {
      when: 'an unknown force',
      as: 'session',
      params: own,
      query: '?force=everything',
      status: 422,
      code: 'INVALID',
      fields: { force: 'invalid' },
    },
  ],
  'POST /api/meetings/:id/restore': [
    {
      when: 'one’s own, deleted by mistake',
      as: 'session',
      params: deleted(own),
      status: 204,
      then: async (_answer: Answer, { caller }: Scene) =>
        expect((await caller.get('/api/meetings')).body.total).toBe(1),
    },
    { when: 'one that is there', as: 'session', params: own, status: 204 },
    {
      when: 'under the id of another request',
      as: 'session',
      params: own,
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
      when: 'one that is there, by one who may only write in it',
      as: 'session',
      params: othersWith(...roles.canEdit),
      status: 403,
      code: 'NO_PERM',
    },
    {
      when: 'a deleted one, by a person who could write in it',
      as: 'session',
      params: deleted(othersWith(...roles.canEdit)),
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'a deleted one of another person',
      as: 'session',
      params: deleted(othersWith()),
      status: 403,
      code: 'NO_ACCESS',
    },
    { when: 'no such meeting: the same', as: 'session', status: 403, code: 'NO_ACCESS' },
  ],
  'POST /api/meetings/:id/clone': [
    {
      when: 'one’s own: the copy says what it is of, and the original which copies it has',
      as: 'session',
      params: recorded,
      body: {},
      status: 200,
      then: async ({ body }: Answer, { caller }: Scene) => {
        const { doc } = (await caller.get(`/api/meetings/${body.id}`)).body;
        expect(doc).toMatchObject({ title: talkTitle, cloned_private: false });
        const original = (await caller.get(`/api/meetings/${doc.cloned_from}`)).body;
        expect(original).toMatchObject({ clones: [{ id: body.id, title: talkTitle }], doc: { cloned_from: null } });
      },
    },
    {
      when: 'under another title',
      as: 'token',
      params: recorded,
      body: { title: ' Mine \n now ' },
      status: 200,
      then: async ({ body }: Answer, { caller }: Scene) =>
        expect((await caller.get('/api/meetings?query=mine')).body.hits).toMatchObject([
          { id: body.id, title: 'Mine now' },
        ]),
    },
    {
      when: 'one without a transcript and a recording',
      as: 'session',
      params: own,
      body: { removeMarkup: true, clearCommentAuthors: true, isBackup: true },
      status: 200,
    },
    {
      when: 'by one who may write in it: the copy is theirs alone',
      as: 'session',
      params: othersWith('read', 'write'),
      body: {},
      status: 200,
      then: async ({ body }: Answer, { caller }: Scene) =>
        expect((await caller.get(`/api/meetings/${body.id}`)).body).toMatchObject({ owner: { id: caller.id } }),
    },
    {
      when: 'by one who may comment on it',
      as: 'session',
      params: othersWith(...roles.canComment),
      body: {},
      status: 403,
      code: 'NO_PERM',
      then: ({ problem }: Answer) => expect(problem.message).toBe('No permissions to clone'),
    },
    {
      when: 'a meeting of another person',
      as: 'session',
      params: othersWith(),
      body: {},
      status: 403,
      code: 'NO_ACCESS',
    },
    { when: 'no such meeting: the same', as: 'session', body: {}, status: 403, code: 'NO_ACCESS' },
    {
      when: 'a deleted one',
      as: 'session',
      params: deleted(recorded),
      body: {},
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'transcribed for free minutes alone',
      as: 'session',
      params: paidBy('free'),
      body: {},
      status: 402,
      code: 'FUNDS',
      then: ({ problem }: Answer) => expect(problem.message).toBe('Free trial recordings are not allowed to clone'),
    },
    { when: 'transcribed for credits', as: 'session', params: paidBy('credits'), body: {}, status: 200 },
    { when: 'transcribed for both', as: 'session', params: paidBy('both'), body: {}, status: 200 },
    {
      when: 'one that is not processed yet',
      as: 'session',
      params: async ({ caller }: Scene) => ({ id: (await createMeeting(caller)).id }),
      body: {},
      status: 409,
      code: 'CONFLICT',
    },
    {
      when: 'too many in an hour',
      as: 'session',
      params: async (scene: Scene) => {
        await scene.exhaust(rules.copies, scene.caller.id);
        return own(scene);
      },
      body: {},
      status: 429,
      code: 'RATE',
    },
    {
      when: 'choices that are none',
      as: 'session',
      body: { isBackup: 'yes', title: '' },
      status: 422,
      code: 'INVALID',
      fields: { isBackup: 'invalid', title: 'required' },
    },
    { when: 'not signed in', body: {}, status: 401, code: 'UNAUTH' },
  ],
  'POST /api/meetings/:id/close': [
    {
      when: 'one’s own: the version has the name, and the text says since when and by whom it is closed',
      as: 'session',
      params: recorded,
      body: { name: ' For the review ' },
      status: 200,
      then: async ({ body }: Answer, { caller }: Scene) => {
        expect(closingAnswer.parse(body)).toEqual(body);
        expect(body).toMatchObject({ version: 2, closed: { by: { id: caller.id, name: 'Ann Test' }, version: 1 } });
        const [{ id, permissions }] = (await caller.get('/api/meetings')).body.hits;
        expect(permissions).not.toContain('write');
        const { versions } = (await caller.get(`/api/meetings/${id}/versions`)).body;
        expect(versions).toMatchObject([{ version: 1, name: { text: 'For the review', by: caller.id } }]);
        const now = (await caller.get(`/api/meetings/${id}`)).body;
        expect(meetingView.parse(now)).toEqual(now);
        expect(now).toMatchObject({ version: 2, closed: body.closed });
        expect((await caller.get(`/api/meetings/${id}/about`)).body.closed).toEqual(body.closed);
      },
    },
    {
      when: 'by a person who also owns it',
      as: 'session',
      params: othersWith(...roles.canEditShare),
      body: { name: 'a' },
      status: 200,
    },
    {
      when: 'by one who may only write',
      as: 'session',
      params: othersWith(...roles.canEdit),
      body: { name: 'a' },
      status: 403,
      code: 'NO_PERM',
    },
    {
      when: 'a meeting of another person',
      as: 'session',
      params: othersWith(),
      body: { name: 'a' },
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'one that is closed',
      as: 'session',
      params: closed(),
      body: { name: 'a' },
      status: 409,
      code: 'CLOSED',
    },
    {
      when: 'one that is not processed yet',
      as: 'session',
      params: async ({ caller }: Scene) => ({ id: (await createMeeting(caller)).id }),
      body: { name: 'a' },
      status: 409,
      code: 'CONFLICT',
    },
    {
      when: 'no name',
      as: 'session',
      params: recorded,
      body: { name: ' ' },
      status: 422,
      code: 'INVALID',
      fields: { name: 'required' },
    },
    {
      when: 'a name without end',
      as: 'session',
      params: recorded,
      body: { name: 'a'.repeat(101) },
      status: 422,
      code: 'INVALID',
      fields: { name: 'too_long' },
    },
  ],
  'POST /api/meetings/:id/reopen': [
    {
      when: 'a closed one: it can be written again, and its version keeps the name',
      as: 'session',
      params: async (scene: Scene) => {
        const { id } = await recorded(scene);
        expect((await scene.caller.post(`/api/meetings/${id}/close`, { name: 'Before' })).status).toBe(200);
        return { id };
      },
      status: 200,
      then: async ({ body }: Answer, { caller }: Scene) => {
        expect(body).toEqual({ version: 3, closed: null });
        const [{ id, permissions }] = (await caller.get('/api/meetings')).body.hits;
        expect(permissions).toContain('write');
        expect((await caller.post(`/api/meetings/${id}/rename`, { title: 'Another' })).status).toBe(200);
        const { versions } = (await caller.get(`/api/meetings/${id}/versions`)).body;
        expect(versions.at(-1)).toMatchObject({ version: 1, name: { text: 'Before' } });
      },
    },
    {
      when: 'an open one: nothing changes',
      as: 'session',
      params: recorded,
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ version: 1, closed: null }),
    },
    {
      when: 'by one who may only write',
      as: 'session',
      params: closed(othersWith(...roles.canEdit)),
      status: 403,
      code: 'NO_PERM',
    },
    { when: 'a meeting of another person', as: 'session', params: othersWith(), status: 403, code: 'NO_ACCESS' },
    {
      when: 'under the id of another request',
      as: 'session',
      params: recorded,
      send: async ({ caller }: Scene) => {
        const [{ id }] = (await caller.get('/api/meetings')).body.hits;
        const headers = { 'X-Request-ID': 'the-same-request' };
        expect((await caller.post(`/api/meetings/${id}/rename`, { title: 'a' }, { headers })).status).toBe(200);
        return { headers };
      },
      status: 422,
      code: 'IDEMP',
    },
  ],
  'POST /api/meetings/:id/rename': [
    {
      when: 'a closed one',
      as: 'session',
      params: closed(),
      body: { title: 'a' },
      status: 409,
      code: 'CLOSED',
    },
    {
      when: 'one’s own: lists show it with the answer',
      as: 'session',
      params: recorded,
      body: { title: '  Interview \t\n  4 ' },
      status: 200,
      then: async ({ body }: Answer, { caller }: Scene) => {
        expect(body).toEqual({ version: 2 });
        expect((await caller.get('/api/meetings')).body).toEqual(titled('Interview 4'));
      },
    },
    {
      when: 'by one who may write in it',
      as: 'session',
      params: othersWith('read', 'write'),
      body: { title: 'a' },
      status: 200,
    },
    {
      when: 'the title it has: nothing is written',
      as: 'session',
      params: recorded,
      body: { title: 'Practice session: asking for a decision' },
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ version: 1 }),
    },
    {
      when: 'by one who may comment on it',
      as: 'session',
      params: othersWith(...roles.canComment),
      body: { title: 'a' },
      status: 403,
      code: 'NO_PERM',
      then: ({ problem }: Answer) => expect(problem.message).toBe('No permissions to update'),
    },
    {
      when: 'a meeting of another person',
      as: 'session',
      params: othersWith(),
      body: { title: 'a' },
      status: 403,
      code: 'NO_ACCESS',
    },
    { when: 'no such meeting: the same', as: 'session', body: { title: 'a' }, status: 403, code: 'NO_ACCESS' },
    {
      when: 'no title',
      as: 'session',
      params: own,
      body: { title: '  ' },
      status: 422,
      code: 'INVALID',
      fields: { title: 'required' },
    },
    {
      when: 'a title without end',
      as: 'session',
      params: own,
      body: { title: 'a'.repeat(501) },
      status: 422,
      code: 'INVALID',
      fields: { title: 'too_long' },
    },
  ],
  'GET /api/meetings/:id/about': [
    {
      when: 'one’s own meeting',
      as: 'session',
      params: own,
      status: 200,
      then: ({ body }: Answer, { caller }: Scene) =>
        expect(body).toMatchObject({
          owner: { id: caller.id },
          permissions: expect.arrayContaining(['read', 'comment', 'write', 'own']),
          media: [],
        }),
    },
    {
      when: 'a meeting one may read: the answer contains no address',
      as: 'session',
      params: async ({ house, caller, person }: Scene) => {
        const owner = await person();
        const id = await makeMeeting(house, owner);
        await share(house, id, caller, ['read']);
        return { id };
      },
      status: 200,
      then: ({ body, text }: Answer) => {
        expect(body.permissions).toEqual(['read']);
        expect(text).not.toContain('@');
      },
    },
    {
      when: 'a shared link, and not signed in',
      params: async ({ house, person }: Scene) => {
        const id = await makeMeeting(house, await person());
        await share(house, id, 'anonymous', ['read', 'own']);
        return { id };
      },
      status: 200,
      then: ({ body }: Answer) => expect(body.permissions).toEqual(['read']),
    },
    {
      when: 'a meeting of another person',
      as: 'session',
      params: async ({ house, person }: Scene) => ({ id: await makeMeeting(house, await person()) }),
      status: 403,
      code: 'NO_ACCESS',
    },
    { when: 'no such meeting: the same', as: 'session', status: 403, code: 'NO_ACCESS' },
  ],
} satisfies Table;
