import { expect } from 'vitest';
import { actionsAnswer } from '#shared/actions.ts';
import { longestReplacement, mostFixedRecordings, mostFixes } from '#shared/finding/fix.ts';
import { fixAnswer } from '#shared/finds.ts';
import { breadcrumbsAnswer, deletedFolderView, foldersAnswer, folderView, manyAnswer } from '#shared/folders.ts';
import { folderLimits } from '#shared/library.ts';
import { rules } from '#server/limits.ts';
import { deletedAnswer, trashDays } from '#shared/meetings/meeting.ts';
import { roles } from '#shared/roles.ts';
import { makeSaid } from '#tests/support/finding.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import type { Answer, Person } from '#tests/support/people.ts';
import { unknownParameter, type Scene, type Table } from '#tests/support/table.ts';

async function make(person: Person, ...paths: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const path of paths) {
    const { status, body, text } = await person.post('/api/folders', { path });
    expect(status, text).toBe(200);
    ids.push(body.id);
  }
  return ids;
}
/** Sends this, once the caller has these folders. */
const having =
  (paths: string[], body: object) =>
  async ({ caller }: Scene) => {
    await make(caller, ...paths);
    return body;
  };
/** The same, but another person has the folders. */
const others =
  (paths: string[], body: object) =>
  async ({ person }: Scene) => {
    await make(await person(), ...paths);
    return body;
  };
const pathsOf = async (person: Person): Promise<string[]> =>
  (await person.get('/api/folders')).body.folders.map(({ path }: { path: string }) => path);
const listed = async (person: Person, folder: string): Promise<string[]> =>
  (await person.get(`/api/meetings?folder=${encodeURIComponent(folder)}`)).body.hits.map(
    ({ id }: { id: string }) => id,
  );
const deep = (depth: number) =>
  Array.from(
    { length: depth },
    (_, i) =>
      `/${Array(i + 1)
        .fill('a')
        .join('/')}`,
  );
/** Sends the request twice under one id; both get the same answer. */
const again = async (scene: Scene, path: string, body: object) => {
  const headers = { 'X-Request-ID': `again-${scene.caller.id}` };
  const [first, second] = [
    await scene.caller.post(path, body, { headers }),
    await scene.caller.post(path, body, { headers }),
  ];
  expect([first.status, first.body]).toEqual([200, second.body]);
  const other = await scene.caller.post(path, { ...body, path: '/another' }, { headers });
  expect(other.problem.code).toBe('IDEMP');
};

const paths: [when: string, path: string, code: string][] = [
  ['a path that leads out of it', '/../a', 'folder_path'],
  ['a name that is no name', '/.', 'folder_path'],
  ['a backslash', '/a\\b', 'folder_path'],
  ['a name that runs the other way', '/a\u202eb', 'folder_path'],
  ['an empty name', '/a//b', 'folder_path'],
  ['a name without end', `/${'a'.repeat(folderLimits.name + 1)}`, 'folder_path'],
  ['a path without end', '/a'.repeat(1000), 'too_long'],
  ['the library itself', '/', 'required'],
];

const foundPlace = { segment: 's0', start: null, before: 'a ', words: 'pear', after: '' };
const fixing = (more: object) => ({
  ...{ query: 'pear', replacement: 'plum', places: [{ ...foundPlace, recording: 'none' }] },
  ...more,
});
const merged = (meeting: string) => ({
  meeting,
  speaker: { id: 'p1', name: 'Coach', color: 0, sortId: 1 },
  into: { id: 'a', name: 'Client' },
  segments: ['s0'],
});
/** Replaces a word of a recording; gives the id of the action. */
async function fixOne({ house }: Scene, person: Person, of?: string): Promise<string> {
  const recording = of ?? (await makeSaid(house, person, ['a pear']));
  const { body } = await person.post('/api/finds/fix', fixing({ places: [{ ...foundPlace, recording }] }));
  expect(body.fixed).toBe(1);
  return body.action;
}

export default {
  'GET /api/finds': [
    unknownParameter,
    { when: 'a session that is none', as: 'nobody', status: 401, code: 'UNAUTH' },
    ...['', '?query=-plans', '?filters={"tag":["plan"]}'].map((query) => ({
      when: `neither a word nor an outcome is asked for: ${query}`,
      as: 'session' as const,
      query,
      status: 422,
      code: 'INVALID' as const,
      fields: { query: 'required' },
    })),
    ...['{', '{"meeting":"x"}', String.raw`{"addedAt":1,"meeting":"x","passage":[1,0,"\u0000"],"left":0}`].map(
      (after) => ({
        when: `a page that begins nowhere: ${after}`,
        as: 'session' as const,
        query: `?query=plans&after=${encodeURIComponent(after)}`,
        status: 422,
        code: 'INVALID' as const,
      }),
    ),
    {
      when: 'a page that begins at a time that is none',
      as: 'session',
      query: `?query=plans&after=${encodeURIComponent('{"addedAt":1e300,"meeting":"x","passage":[1,0,""],"left":0}')}`,
      status: 422,
      code: 'INVALID',
    },
    {
      when: 'a folder that is not there',
      as: 'session',
      query: '?query=plans&folder=/No',
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'more new searches a minute than anybody types',
      as: 'session',
      query: async ({ exhaust, caller }: Scene) => {
        await exhaust(rules.find, caller.id);
        return '?query=plans';
      },
      status: 429,
      code: 'RATE',
    },
    {
      when: 'nothing is there yet',
      as: 'session',
      query: '?query=plans',
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ places: [], recordings: [], total: 0, next: null, behind: 0 }),
    },
  ],
  'GET /api/finds.csv': [
    unknownParameter,
    { when: 'a session that is none', as: 'nobody', status: 401, code: 'UNAUTH' },
    {
      when: 'neither a word nor an outcome is asked for',
      as: 'session',
      query: '?query=-plans',
      status: 422,
      code: 'INVALID',
      fields: { query: 'required' },
    },
    {
      when: 'the page of the list that follows another: the file has all of them',
      as: 'session',
      query: '?query=plans&after={}',
      status: 422,
      code: 'INVALID',
      fields: { after: 'unknown' },
    },
    {
      when: 'a folder that is not there',
      as: 'session',
      query: '?query=plans&folder=/No',
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'more files a minute than anybody reads',
      as: 'session',
      query: async ({ exhaust, caller }: Scene) => {
        await exhaust(rules.placesFile, caller.id);
        return '?query=plans';
      },
      status: 429,
      code: 'RATE',
    },
    {
      when: 'nothing is there yet',
      as: 'token',
      query: '?query=plans',
      status: 200,
      then: ({ text, headers }: Answer) => {
        expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
        expect(headers.get('content-disposition')).toBe('attachment; filename="places.csv"');
        expect(text.split('\r\n')).toEqual([expect.stringMatching(/^"Recording","Owner",.*"Address"$/), '']);
      },
    },
  ],
  'POST /api/finds/fix': [
    { when: 'a session that is none', as: 'nobody', body: fixing({}), status: 401, code: 'UNAUTH' },
    {
      when: 'nothing is asked for',
      as: 'session',
      body: {},
      status: 422,
      code: 'INVALID',
      fields: { query: 'invalid', replacement: 'required', places: 'invalid' },
    },
    {
      when: 'blanks and no places',
      as: 'session',
      body: { query: ' ', replacement: ' ', places: [] },
      status: 422,
      code: 'INVALID',
      fields: { query: 'required', replacement: 'required', places: 'required' },
    },
    {
      when: 'more than there is room for',
      as: 'session',
      body: {
        query: 'a '.repeat(101),
        replacement: 'a'.repeat(longestReplacement + 1),
        places: Array.from({ length: mostFixes + 1 }, () => foundPlace),
      },
      status: 422,
      code: 'INVALID',
      fields: { query: 'too_long', replacement: 'too_long', places: 'too_many' },
    },
    {
      when: 'places in more recordings than are changed at once',
      as: 'session',
      body: fixing({
        places: Array.from({ length: mostFixedRecordings + 1 }, (_, n) => ({ ...foundPlace, recording: `none-${n}` })),
      }),
      status: 422,
      code: 'INVALID',
      fields: { places: 'too_many' },
    },
    {
      when: 'an action of somebody else to add to',
      as: 'session',
      body: async (scene: Scene) => fixing({ action: await fixOne(scene, await scene.person()) }),
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'a recording that is not there, or of somebody else: the rest is changed, and this is named',
      as: 'session',
      body: async ({ house, caller, person }: Scene) => {
        const others = await makeSaid(house, await person(), ['a pear']);
        const own = await makeSaid(house, caller, ['a pear']);
        return fixing({ places: ['none', others, own].map((recording) => ({ ...foundPlace, recording })) });
      },
      status: 200,
      then: ({ body }: Answer) => {
        expect(fixAnswer.parse(body)).toMatchObject({ fixed: 1, recordings: 1, action: expect.any(String) });
        expect(body.failed.map(({ code }: { code: string }) => code)).toEqual(['NO_ACCESS', 'NO_ACCESS']);
      },
    },
    {
      when: 'the words are what they would become',
      as: 'token',
      body: fixing({ replacement: foundPlace.words }),
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ fixed: 0, recordings: 0, failed: [], action: null }),
    },
  ],
  'GET /api/actions': [
    unknownParameter,
    { when: 'a session that is none', as: 'nobody', status: 401, code: 'UNAUTH' },
    {
      when: 'a page that is none',
      as: 'session',
      query: '?start=-1',
      status: 422,
      code: 'INVALID',
      fields: { start: 'invalid' },
    },
    {
      when: 'nothing was done yet',
      as: 'session',
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ actions: [], total: 0 }),
    },
    {
      when: 'what was done, newest first, and by oneself alone',
      as: 'token',
      query: async (scene: Scene) => {
        await fixOne(scene, await scene.person());
        await fixOne(scene, scene.caller);
        return '';
      },
      status: 200,
      then: ({ body }: Answer) =>
        expect(actionsAnswer.parse(body)).toMatchObject({
          actions: [
            { kind: 'fix', what: { query: 'pear', replacement: 'plum', places: 1, recordings: 1 }, undoneAt: null },
          ],
          total: 1,
        }),
    },
  ],
  'POST /api/actions/speakers': [
    { when: 'a session that is none', as: 'nobody', body: merged('none'), status: 401, code: 'UNAUTH' },
    {
      when: 'nothing is said of it',
      as: 'session',
      body: {},
      status: 422,
      code: 'INVALID',
      fields: { meeting: 'required', speaker: 'invalid', into: 'invalid', segments: 'invalid' },
    },
    { when: 'no such recording', as: 'session', body: merged('none'), status: 403, code: 'NO_ACCESS' },
    {
      when: 'a recording that they only read',
      as: 'session',
      body: async ({ house, caller, person }: Scene) => {
        const id = await makeSaid(house, await person(), ['a pear']);
        await share(house, id, caller, roles.canRead);
        return merged(id);
      },
      status: 403,
      code: 'NO_PERM',
    },
    {
      when: 'a closed one',
      as: 'session',
      body: async ({ house, caller }: Scene) => {
        const id = await makeSaid(house, caller, ['a pear']);
        expect((await caller.post(`/api/meetings/${id}/close`, { name: 'Final' })).status).toBeLessThan(300);
        return merged(id);
      },
      status: 409,
      code: 'CLOSED',
    },
    {
      when: 'more than anybody merges',
      as: 'session',
      body: async ({ exhaust, caller }: Scene) => {
        await exhaust(rules.write, caller.id);
        return merged('none');
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
      body: merged('none'),
      status: 422,
      code: 'IDEMP',
    },
    {
      when: 'one’s own',
      as: 'token',
      body: async ({ house, caller }: Scene) => merged(await makeSaid(house, caller, ['a pear'], { title: 'Fruit' })),
      status: 204,
    },
  ],
  'POST /api/actions/:id/undo': [
    { when: 'a session that is none', as: 'nobody', status: 401, code: 'UNAUTH' },
    { when: 'no such action', as: 'session', status: 403, code: 'NO_ACCESS' },
    {
      when: 'a place to continue that is none',
      as: 'session',
      body: { after: 7 },
      status: 422,
      code: 'INVALID',
      fields: { after: 'invalid' },
    },
    {
      when: 'an action of somebody else',
      as: 'session',
      params: async (scene: Scene) => ({ id: await fixOne(scene, await scene.person()) }),
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'one’s own',
      as: 'session',
      params: async (scene: Scene) => ({ id: await fixOne(scene, scene.caller) }),
      body: { after: '' },
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ undone: 1, failed: [], next: null }),
    },
    {
      when: 'its request id was used for another request',
      as: 'session',
      send: async ({ caller }: Scene) => {
        const headers = { 'X-Request-ID': `used-${caller.id}` };
        expect((await caller.post('/api/folders', { path: '/a' }, { headers })).status).toBe(200);
        return { headers };
      },
      status: 422,
      code: 'IDEMP',
    },
    {
      when: 'it is undone already',
      as: 'token',
      params: async (scene: Scene) => {
        const id = await fixOne(scene, scene.caller);
        expect((await scene.caller.post(`/api/actions/${id}/undo`)).status).toBe(200);
        return { id };
      },
      status: 409,
      code: 'CONFLICT',
    },
    {
      when: 'it would give access back, and too many were written to in this hour',
      as: 'session',
      params: async (scene: Scene) => {
        const recording = await makeSaid(scene.house, scene.caller, ['a pear']);
        const path = `/api/meetings/${recording}/acl`;
        const entry = {
          principal: { id: -1, kind: 'pending', email: `${scene.caller.id.toLowerCase()}@guests.example.test` },
          permissions: [...roles.canRead],
        };
        for (const entries of [[entry], []]) {
          const { version } = (await scene.caller.get(path)).body;
          expect((await scene.caller.post(path, { entries, version })).status).toBe(200);
        }
        const [action] = (await scene.caller.get('/api/actions')).body.actions;
        await scene.exhaust(rules.shareMails, scene.caller.id);
        return { id: action.id };
      },
      status: 429,
      code: 'RATE',
    },
    {
      when: 'the recording is closed',
      as: 'session',
      params: async (scene: Scene) => {
        const recording = await makeSaid(scene.house, scene.caller, ['a pear']);
        const id = await fixOne(scene, scene.caller, recording);
        expect((await scene.caller.post(`/api/meetings/${recording}/close`, { name: 'Final' })).status).toBeLessThan(
          300,
        );
        return { id };
      },
      status: 409,
      code: 'CLOSED',
    },
    {
      when: 'the right to change the words has ended',
      as: 'session',
      params: async (scene: Scene) => {
        const recording = await makeSaid(scene.house, await scene.person(), ['a pear']);
        await share(scene.house, recording, scene.caller, roles.canEdit);
        const id = await fixOne(scene, scene.caller, recording);
        await share(scene.house, recording, scene.caller, roles.canRead);
        return { id };
      },
      status: 403,
      code: 'NO_PERM',
    },
  ],
  'GET /api/folders': [
    unknownParameter,
    {
      when: 'nothing is there yet',
      as: 'session',
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ folders: [] }),
    },
    {
      when: 'one’s own, each behind the one it lies in, with what lies below',
      as: 'token',
      query: async ({ house, caller, person }: Scene) => {
        await make(await person(), '/Theirs');
        await make(caller, '/b', '/Été', '/a', '/a/z', '/a/z/y');
        const id = await makeMeeting(house, caller);
        expect((await caller.put(`/api/meetings/${id}/move`, { path: '/a/z' })).status).toBe(204);
        return '';
      },
      status: 200,
      then: ({ body }: Answer) => {
        expect(foldersAnswer.parse(body)).toEqual(body);
        expect(body.folders.map(({ path }: { path: string }) => path)).toEqual(['/a', '/a/z', '/a/z/y', '/b', '/Été']);
        expect(body.folders[0]).toMatchObject({ name: 'a', sid: null, meetings: 1, folders: 2 });
        expect(body.folders[2]).toMatchObject({ name: 'y', meetings: 0, folders: 0 });
      },
    },
  ],
  'POST /api/folders': [
    {
      when: 'at the top, its name written as everybody reads it',
      as: 'session',
      body: { path: '/  E\u0301te\u0301   2026 ' },
      status: 200,
      then: ({ body }: Answer) => {
        expect(folderView.parse(body)).toEqual(body);
        expect(body).toMatchObject({ name: 'Été 2026', path: '/Été 2026', meetings: 0, folders: 0 });
      },
    },
    {
      when: 'in another',
      as: 'token',
      body: having(['/a'], { path: 'a/b' }),
      status: 200,
      then: ({ body }: Answer) => expect(body.path).toBe('/a/b'),
    },
    {
      when: 'sent again, it is made once',
      as: 'session',
      body: async (scene: Scene) => {
        await again(scene, '/api/folders', { path: '/a' });
        return { path: '/b' };
      },
      status: 200,
      then: async (_: Answer, { caller }: Scene) => expect(await pathsOf(caller)).toEqual(['/a', '/b']),
    },
    ...paths.map(([when, path, code]) => ({
      when,
      as: 'session' as const,
      body: { path },
      status: 422,
      code: 'INVALID' as const,
      fields: { path: code },
    })),
    {
      when: 'a name that is there, in other letters',
      as: 'session',
      body: having(['/Interviews'], { path: '/INTERVIEWS' }),
      status: 422,
      code: 'INVALID',
      fields: { path: 'folder_taken' },
    },
    {
      when: 'deeper than they may lie',
      as: 'session',
      body: having(deep(folderLimits.depth), { path: deep(folderLimits.depth + 1).at(-1) }),
      status: 422,
      code: 'INVALID',
      fields: { path: 'too_deep' },
    },
    { when: 'in one there is not', as: 'session', body: { path: '/a/b' }, status: 403, code: 'NO_PERM' },
    {
      when: 'in one of another person: the same',
      as: 'session',
      body: others(['/a'], { path: '/a/b' }),
      status: 403,
      code: 'NO_PERM',
      then: ({ problem }: Answer) => expect(problem.message).toBe('No permissions to add folder'),
    },
  ],
  'POST /api/folders/breadcrumbs': [
    {
      when: 'the way from the top',
      as: 'session',
      body: having(['/a', '/a/b'], { path: '/a/b' }),
      status: 200,
      then: ({ body }: Answer) => {
        expect(breadcrumbsAnswer.parse(body)).toEqual(body);
        expect(body.breadcrumbs).toEqual([
          { name: 'a', path: '/a', sid: null },
          { name: 'b', path: '/a/b', sid: null },
        ]);
      },
    },
    {
      when: 'the library itself: none',
      as: 'token',
      body: { path: '/' },
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ breadcrumbs: [] }),
    },
    { when: 'no such folder', as: 'session', body: { path: '/a' }, status: 403, code: 'NO_ACCESS' },
    {
      when: 'one of another person: the same',
      as: 'session',
      body: others(['/a'], { path: '/a' }),
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'one of another person, by its id',
      as: 'session',
      body: async ({ person }: Scene) => ({ path: '/', sid: (await make(await person(), '/a'))[0] }),
      status: 403,
      code: 'NO_ACCESS',
    },
  ],
  'POST /api/folders/rename': [
    {
      when: 'with all that lies in it',
      as: 'session',
      body: having(['/a', '/a/b'], { path: '/a', name: ' c ' }),
      status: 200,
      then: async ({ body }: Answer, { caller }: Scene) => {
        expect(body).toMatchObject({ name: 'c', path: '/c', folders: 1 });
        expect(await pathsOf(caller)).toEqual(['/c', '/c/b']);
      },
    },
    {
      when: 'the same name in other letters',
      as: 'session',
      body: having(['/a'], { path: '/a', name: 'A' }),
      status: 200,
      then: ({ body }: Answer) => expect(body.path).toBe('/A'),
    },
    {
      when: 'sent again, it is done once',
      as: 'session',
      body: async (scene: Scene) => {
        await make(scene.caller, '/a');
        await again(scene, '/api/folders/rename', { path: '/a', name: 'b' });
        return { path: '/b', name: 'a' };
      },
      status: 200,
    },
    {
      when: 'the name of its neighbour',
      as: 'session',
      body: having(['/a', '/b'], { path: '/a', name: 'B' }),
      status: 422,
      code: 'INVALID',
      fields: { name: 'folder_taken' },
    },
    {
      when: 'a name that is a path',
      as: 'session',
      body: having(['/a'], { path: '/a', name: 'b/c' }),
      status: 422,
      code: 'INVALID',
      fields: { name: 'folder_name' },
    },
    {
      when: 'the library itself',
      as: 'session',
      body: { path: '/', name: ' ' },
      status: 422,
      code: 'INVALID',
      fields: { path: 'required', name: 'required' },
    },
    { when: 'no such folder', as: 'session', body: { path: '/a', name: 'b' }, status: 403, code: 'NO_PERM' },
    {
      when: 'one of another person, by its id',
      as: 'session',
      body: async ({ person }: Scene) => ({ path: '/a', name: 'b', sid: (await make(await person(), '/a'))[0] }),
      status: 403,
      code: 'NO_PERM',
      then: ({ problem }: Answer) => expect(problem.message).toBe('No permissions to rename'),
    },
  ],
  'POST /api/folders/move': [
    {
      when: 'into another, with all that lies in it',
      as: 'session',
      body: having(['/a', '/a/b', '/c'], { path: '/a', dest: '/c' }),
      status: 200,
      then: async ({ body }: Answer, { caller }: Scene) => {
        expect(body.path).toBe('/c/a');
        expect(await pathsOf(caller)).toEqual(['/c', '/c/a', '/c/a/b']);
      },
    },
    {
      when: 'to the top, as a program does',
      as: 'token',
      body: having(['/a', '/a/b'], { path: '/a/b', dest: '/' }),
      status: 200,
      then: ({ body }: Answer) => expect(body.path).toBe('/b'),
    },
    {
      when: 'sent again, it is done once',
      as: 'session',
      body: async (scene: Scene) => {
        await make(scene.caller, '/a', '/b');
        await again(scene, '/api/folders/move', { path: '/a', dest: '/b' });
        return { path: '/b/a', dest: '/' };
      },
      status: 200,
    },
    {
      when: 'into itself',
      as: 'session',
      body: having(['/a'], { path: '/a', dest: '/a' }),
      status: 422,
      code: 'INVALID',
      fields: { dest: 'inside_itself' },
    },
    {
      when: 'into what lies in it',
      as: 'session',
      body: having(['/a', '/a/b', '/a/b/c'], { path: '/a', dest: '/a/b/c' }),
      status: 422,
      code: 'INVALID',
      fields: { dest: 'inside_itself' },
    },
    {
      when: 'where its name is taken',
      as: 'session',
      body: having(['/a', '/b', '/b/A'], { path: '/a', dest: '/b' }),
      status: 422,
      code: 'INVALID',
      fields: { dest: 'folder_taken' },
    },
    {
      when: 'so that what lies in it would lie too deep',
      as: 'session',
      body: having([...deep(folderLimits.depth - 1), '/b', '/b/c'], {
        path: '/b',
        dest: deep(folderLimits.depth - 1).at(-1),
      }),
      status: 422,
      code: 'INVALID',
      fields: { dest: 'too_deep' },
    },
    {
      when: 'the library itself, out of the library',
      as: 'session',
      body: { path: '/', dest: '/..' },
      status: 422,
      code: 'INVALID',
      fields: { path: 'required', dest: 'folder_path' },
    },
    {
      when: 'into one of another person: as if there were none',
      as: 'session',
      body: async ({ caller, person }: Scene) => {
        await make(await person(), '/b');
        await make(caller, '/a');
        return { path: '/a', dest: '/b' };
      },
      status: 403,
      code: 'NO_PERM',
      then: ({ problem }: Answer) => expect(problem.message).toBe('No permissions to move'),
    },
    { when: 'no such folder', as: 'session', body: { path: '/a', dest: '/' }, status: 403, code: 'NO_PERM' },
  ],
  'POST /api/folders/delete': [
    {
      when: 'with all that lies in it, and nothing else',
      as: 'session',
      body: async ({ house, caller }: Scene) => {
        await make(caller, '/a', '/a/b', '/c');
        const ids = await Promise.all([1, 2, 3].map(() => makeMeeting(house, caller)));
        await caller.post('/api/meetings/move', { ids: ids.slice(0, 2), path: '/a/b' });
        await caller.post('/api/meetings/move', { ids: ids.slice(2), path: '/c' });
        return { path: '/a' };
      },
      status: 200,
      then: async ({ body }: Answer, { caller }: Scene) => {
        expect(deletedFolderView.parse(body)).toEqual(body);
        expect(body).toMatchObject({ meetings: 2, folders: 1 });
        expect(await pathsOf(caller)).toEqual(['/c']);
        expect((await caller.get('/api/meetings')).body.total).toBe(1);
      },
    },
    {
      when: 'sent again, it is done once',
      as: 'session',
      body: async (scene: Scene) => {
        await make(scene.caller, '/a', '/b');
        await again(scene, '/api/folders/delete', { path: '/a' });
        return { path: '/b' };
      },
      status: 200,
    },
    {
      when: 'the library itself',
      as: 'session',
      body: { path: '' },
      status: 422,
      code: 'INVALID',
      fields: { path: 'required' },
    },
    { when: 'no such folder', as: 'session', body: { path: '/a' }, status: 403, code: 'NO_PERM' },
    {
      when: 'one of another person, by its id, with something in it',
      as: 'session',
      body: async ({ house, person }: Scene) => {
        const ben = await person();
        const [sid] = await make(ben, '/a');
        const id = await makeMeeting(house, ben);
        await ben.put(`/api/meetings/${id}/move`, { path: '/a' });
        return { path: '/a', sid };
      },
      status: 403,
      code: 'NO_PERM',
      then: ({ problem }: Answer) => expect(problem.message).toBe('No permissions to delete'),
    },
  ],
  'POST /api/folders/restore': [
    {
      when: 'with all that went with it, and not what went before',
      as: 'session',
      body: async ({ house, caller }: Scene) => {
        const [id] = await make(caller, '/a', '/a/b');
        const ids = await Promise.all([1, 2].map(() => makeMeeting(house, caller)));
        await caller.post('/api/meetings/move', { ids, path: '/a/b' });
        await caller.delete(`/api/meetings/${ids[0]}`);
        await caller.post('/api/folders/delete', { path: '/a' });
        return { id };
      },
      status: 200,
      then: async ({ body }: Answer, { caller }: Scene) => {
        expect(body).toMatchObject({ path: '/a', meetings: 1, folders: 1 });
        expect((await listed(caller, '/a/b')).length).toBe(1);
      },
    },
    {
      when: 'where its name is taken by now: with a number',
      as: 'session',
      body: async ({ caller }: Scene) => {
        const [id] = await make(caller, '/a');
        await caller.post('/api/folders/delete', { path: '/a' });
        await make(caller, '/A');
        return { id };
      },
      status: 200,
      then: ({ body }: Answer) => expect(body.path).toBe('/a (2)'),
    },
    {
      when: 'where the folder it lay in is gone, too: at the top',
      as: 'session',
      body: async ({ caller }: Scene) => {
        const [, id] = await make(caller, '/a', '/a/b');
        await caller.post('/api/folders/delete', { path: '/a/b' });
        await caller.post('/api/folders/delete', { path: '/a' });
        return { id };
      },
      status: 200,
      then: ({ body }: Answer) => expect(body.path).toBe('/b'),
    },
    {
      when: 'pressed twice',
      as: 'session',
      body: async (scene: Scene) => {
        const [id = ''] = await make(scene.caller, '/a');
        await scene.caller.post('/api/folders/delete', { path: '/a' });
        await again(scene, '/api/folders/restore', { id });
        return { id };
      },
      status: 200,
      then: async (_: Answer, { caller }: Scene) => expect(await pathsOf(caller)).toEqual(['/a']),
    },
    {
      when: 'one that is there: nothing happens',
      as: 'session',
      body: async ({ caller }: Scene) => ({ id: (await make(caller, '/a'))[0] }),
      status: 200,
    },
    {
      when: 'one of another person: as if there were none',
      as: 'session',
      body: async ({ person }: Scene) => {
        const ben = await person();
        const [id] = await make(ben, '/a');
        await ben.post('/api/folders/delete', { path: '/a' });
        return { id };
      },
      status: 403,
      code: 'NO_ACCESS',
    },
    { when: 'nothing said', as: 'session', body: {}, status: 422, code: 'INVALID', fields: { id: 'required' } },
  ],
  'PUT /api/meetings/:id/move': [
    {
      when: 'one’s own, into a folder',
      as: 'session',
      params: async ({ house, caller }: Scene) => ({ id: await makeMeeting(house, caller) }),
      body: having(['/a'], { path: '/a' }),
      status: 204,
      then: async (_: Answer, { caller }: Scene) => {
        expect((await listed(caller, '/a')).length).toBe(1);
        expect(await listed(caller, '/')).toEqual([]);
      },
    },
    {
      when: 'back to the top',
      as: 'token',
      params: async ({ house, caller }: Scene) => {
        const id = await makeMeeting(house, caller);
        await make(caller, '/a');
        await caller.put(`/api/meetings/${id}/move`, { path: '/a' });
        return { id };
      },
      body: { path: '/' },
      status: 204,
      then: async (_: Answer, { caller }: Scene) => expect((await listed(caller, '/')).length).toBe(1),
    },
    {
      when: 'one of another person, with any permissions on it',
      as: 'session',
      params: async ({ house, caller, person }: Scene) => {
        const id = await makeMeeting(house, await person());
        await share(house, id, caller, roles.canEditShare);
        return { id };
      },
      body: having(['/a'], { path: '/a' }),
      status: 403,
      code: 'NO_PERM',
      then: ({ problem }: Answer) => expect(problem.message).toBe('No permissions to move'),
    },
    {
      when: 'a folder of another person',
      as: 'session',
      params: async ({ house, caller }: Scene) => ({ id: await makeMeeting(house, caller) }),
      body: others(['/a'], { path: '/a' }),
      status: 403,
      code: 'NO_PERM',
    },
    { when: 'no such meeting', as: 'session', body: { path: '/' }, status: 403, code: 'NO_ACCESS' },
    {
      when: 'out of the library',
      as: 'session',
      body: { path: '/..' },
      status: 422,
      code: 'INVALID',
      fields: { path: 'folder_path' },
    },
  ],
  'POST /api/meetings/move': [
    {
      when: 'those that are one’s own; the others stay, and it says why',
      as: 'session',
      body: async ({ house, caller, person }: Scene) => {
        await make(caller, '/a');
        const ben = await person();
        const mine = await makeMeeting(house, caller);
        const [read, owned, foreign] = await Promise.all([1, 2, 3].map(() => makeMeeting(house, ben)));
        await share(house, read ?? '', caller, roles.canRead);
        await share(house, owned ?? '', caller, roles.canEditShare);
        return { ids: [mine, mine, read, owned, foreign], path: '/a' };
      },
      status: 200,
      then: async ({ body }: Answer, { caller }: Scene) => {
        expect(manyAnswer.parse(body)).toEqual(body);
        expect(await listed(caller, '/a')).toEqual(body.done);
        expect(body.done.length).toBe(1);
        expect(body.failed.map(({ code }: { code: string }) => code).toSorted()).toEqual([
          'NO_ACCESS',
          'NO_PERM',
          'NO_PERM',
        ]);
      },
    },
    {
      when: 'sent again, it is done once',
      as: 'session',
      body: async (scene: Scene) => {
        await make(scene.caller, '/a');
        const ids = [await makeMeeting(scene.house, scene.caller)];
        await again(scene, '/api/meetings/move', { ids, path: '/a' });
        return { ids, path: '/' };
      },
      status: 200,
    },
    {
      when: 'into a folder there is not',
      as: 'session',
      body: { ids: ['a'], path: '/a' },
      status: 403,
      code: 'NO_PERM',
    },
    {
      when: 'none, nowhere',
      as: 'session',
      body: { ids: [] },
      status: 422,
      code: 'INVALID',
      fields: { ids: 'required', path: 'required' },
    },
  ],
  'POST /api/meetings/delete': [
    {
      when: 'those one may delete; the others stay, and it says why',
      as: 'session',
      body: async ({ house, caller, person }: Scene) => {
        const ben = await person();
        const mine = await makeMeeting(house, caller);
        const [read, owned, foreign] = await Promise.all([1, 2, 3].map(() => makeMeeting(house, ben)));
        await share(house, read ?? '', caller, roles.canRead);
        await share(house, owned ?? '', caller, roles.canEditShare);
        return { ids: [mine, mine, read, owned, foreign] };
      },
      status: 200,
      then: async ({ body }: Answer, { caller }: Scene) => {
        expect(manyAnswer.parse(body)).toEqual(body);
        expect(body.done.length).toBe(2);
        expect(body.failed.map(({ code }: { code: string }) => code).toSorted()).toEqual(['NO_ACCESS', 'NO_PERM']);
        expect((await caller.get('/api/meetings')).body.total).toBe(1);
      },
    },
    {
      when: 'sent again, it is done once',
      as: 'token',
      body: async (scene: Scene) => {
        const ids = [await makeMeeting(scene.house, scene.caller)];
        await again(scene, '/api/meetings/delete', { ids });
        return { ids };
      },
      status: 200,
      then: ({ body }: Answer) => expect(body.failed).toMatchObject([{ code: 'NO_ACCESS' }]),
    },
    {
      when: 'more than a page of them',
      as: 'session',
      body: { ids: Array.from({ length: 101 }, (_, i) => `id-${i}`) },
      status: 422,
      code: 'INVALID',
      fields: { ids: 'too_many' },
    },
    { when: 'nothing said', as: 'session', body: {}, status: 422, code: 'INVALID', fields: { ids: 'required' } },
  ],
  'POST /api/meetings/restore': [
    {
      when: 'those one may bring back, and those that are there',
      as: 'session',
      body: async ({ house, caller, person }: Scene) => {
        const ben = await person();
        const [gone, there] = await Promise.all([1, 2].map(() => makeMeeting(house, caller)));
        const foreign = await makeMeeting(house, ben);
        await share(house, foreign, caller, roles.canRead);
        await ben.delete(`/api/meetings/${foreign}`);
        await caller.delete(`/api/meetings/${gone}`);
        return { ids: [gone, there, foreign] };
      },
      status: 200,
      then: async ({ body }: Answer, { caller }: Scene) => {
        expect(manyAnswer.parse(body)).toEqual(body);
        expect(body).toMatchObject({ failed: [{ code: 'NO_ACCESS' }] });
        expect((await caller.get('/api/meetings')).body.total).toBe(2);
      },
    },
    {
      when: 'sent again, it is done once',
      as: 'session',
      body: async (scene: Scene) => {
        const id = await makeMeeting(scene.house, scene.caller);
        await scene.caller.delete(`/api/meetings/${id}`);
        await again(scene, '/api/meetings/restore', { ids: [id] });
        return { ids: [id] };
      },
      status: 200,
    },
    { when: 'none', as: 'session', body: { ids: [] }, status: 422, code: 'INVALID', fields: { ids: 'required' } },
  ],
  'POST /api/sample': [
    {
      when: 'the first time: a recording of one’s own that can be played and costs nothing',
      as: 'session',
      status: 200,
      then: async ({ body }: Answer, { caller }: Scene) => {
        const { id } = body;
        expect((await caller.get('/api/meetings')).body.hits).toMatchObject([
          { id, words: expect.any(Number), duration: 175.608, progress: { percentage: 100 } },
        ]);
        expect((await caller.get(`/api/meetings/${id}`)).status).toBe(200);
      },
    },
    {
      when: 'again, also once it is deleted: the same one',
      as: 'token',
      body: async ({ caller }: Scene) => {
        const { id } = (await caller.post('/api/sample', {})).body;
        expect((await caller.post('/api/sample', {})).body).toEqual({ id });
        await caller.delete(`/api/meetings/${id}`);
        expect((await caller.get('/api/meetings')).body.total).toBe(0);
        return {};
      },
      status: 200,
      then: async ({ body }: Answer, { caller }: Scene) =>
        expect((await caller.get('/api/meetings')).body.hits).toMatchObject([{ id: body.id }]),
    },
    {
      when: 'made anew again and again, as it was deleted for good',
      as: 'session',
      body: async ({ caller, exhaust }: Scene) => {
        await exhaust(rules.samples, caller.id);
        return {};
      },
      status: 429,
      code: 'RATE',
    },
    unknownParameter,
  ],
  'GET /api/deleted': [
    {
      when: 'one’s own, a folder once with what went with it, the newest first; nothing of others',
      as: 'session',
      query: async ({ house, caller, person }: Scene) => {
        const ben = await person();
        const [alone, inside, foreign] = await Promise.all([
          makeMeeting(house, caller),
          makeMeeting(house, caller),
          makeMeeting(house, ben),
        ]);
        await make(caller, '/a', '/a/b');
        await caller.put(`/api/meetings/${inside}/move`, { path: '/a/b' });
        await share(house, foreign, caller, roles.canEditShare);
        await caller.delete(`/api/meetings/${alone}`);
        house.clock.forward(1);
        await caller.post('/api/folders/delete', { path: '/a' });
        await ben.delete(`/api/meetings/${foreign}`);
        return '';
      },
      status: 200,
      then: ({ body }: Answer) => {
        expect(deletedAnswer.parse(body)).toEqual(body);
        expect(body).toMatchObject({
          items: [
            { kind: 'folder', title: 'a', meetings: 1 },
            { kind: 'meeting', title: '', meetings: 0 },
          ],
          total: 2,
        });
        const [{ deletedAt, until }] = body.items;
        expect(Date.parse(until) - Date.parse(deletedAt)).toBe(trashDays * 86_400_000);
      },
    },
    {
      when: 'page by page, and beyond the last',
      as: 'token',
      query: async ({ house, caller }: Scene) => {
        for (let nth = 0; nth < 3; nth += 1) await caller.delete(`/api/meetings/${await makeMeeting(house, caller)}`);
        expect((await caller.get('/api/deleted?start=1&size=1')).body).toMatchObject({ items: [{}], total: 3 });
        return '?start=5&size=2';
      },
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ items: [], total: 3 }),
    },
    { when: 'not signed in', status: 401, code: 'UNAUTH' },
    { when: 'no number', as: 'session', query: '?start=a', status: 422, code: 'INVALID', fields: { start: 'invalid' } },
  ],
  'POST /api/deleted/remove': [
    {
      when: 'a recording and a folder with what went with it; nothing that is not deleted, and nothing of others',
      as: 'session',
      body: async ({ house, caller, person }: Scene) => {
        const ben = await person();
        const [alone, inside, living, kept] = await Promise.all([1, 2, 3, 4].map(() => makeMeeting(house, caller)));
        const foreign = await makeMeeting(house, ben);
        await share(house, foreign, caller, roles.canEditShare);
        const [folder] = await make(caller, '/a', '/a/b');
        await caller.put(`/api/meetings/${inside}/move`, { path: '/a/b' });
        await caller.post('/api/folders/delete', { path: '/a' });
        await caller.delete(`/api/meetings/${alone}`);
        await caller.delete(`/api/meetings/${kept}`);
        await ben.delete(`/api/meetings/${foreign}`);
        return { ids: [alone, folder, living, foreign, inside] };
      },
      status: 200,
      then: async ({ body }: Answer, { caller, house }: Scene) => {
        expect(manyAnswer.parse(body)).toEqual(body);
        expect([body.done.length, body.failed.map(({ code }: { code: string }) => code)]).toEqual([
          2,
          ['NO_ACCESS', 'NO_ACCESS', 'NO_ACCESS'],
        ]);
        // One recording remains, and one deleted one.
        expect((await caller.get('/api/meetings')).body.total).toBe(1);
        expect((await caller.get('/api/deleted')).body.total).toBe(1);
        expect(await house.database.sql`select 1 from meetings where owner_id = ${caller.id}`).toHaveLength(2);
        expect(await house.database.sql`select 1 from folders where owner_id = ${caller.id}`).toEqual([]);
        expect((await caller.post('/api/meetings/restore', { ids: body.done.slice(0, 1) })).body.done).toEqual([]);
      },
    },
    {
      when: 'sent again, it is done once',
      as: 'session',
      body: async (scene: Scene) => {
        const id = await makeMeeting(scene.house, scene.caller);
        await scene.caller.delete(`/api/meetings/${id}`);
        const headers = { 'X-Request-ID': `again-${scene.caller.id}` };
        const send = () => scene.caller.post('/api/deleted/remove', { ids: [id] }, { headers });
        const [first, second] = [await send(), await send()];
        expect([first.body, second.body]).toEqual([{ done: [id], failed: [] }, first.body]);
        return { ids: [id] };
      },
      status: 200,
      then: ({ body }: Answer) => expect(body.done).toEqual([]),
    },
    { when: 'none', as: 'session', body: { ids: [] }, status: 422, code: 'INVALID', fields: { ids: 'required' } },
  ],
} satisfies Table;
