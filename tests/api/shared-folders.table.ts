import { expect } from 'vitest';
import { rules } from '#server/limits.ts';
import { newId } from '#shared/ids.ts';
import { roles, type Role } from '#shared/roles.ts';
import { folderGrantOf, folderSharingView, sharedAnswer, type EntryInput } from '#shared/sharing.ts';
import { giveFolder, makeFolders } from '#tests/support/folders.ts';
import type { Answer } from '#tests/support/people.ts';
import type { Scene, Table } from '#tests/support/table.ts';

const invited = (email: string, role: Role = 'canComment'): EntryInput => ({
  principal: { id: -1, kind: 'pending', email },
  permissions: [...roles[role]],
});
const named = (id: string, role: Role = 'canRead'): EntryInput => ({
  principal: { id, kind: 'user' },
  permissions: [...roles[role]],
});

/** A folder of the caller. */
const own =
  (body: object = {}) =>
  async ({ caller }: Scene) => {
    await makeFolders(caller, '/a');
    return { path: '/a', ...body };
  };
/** A folder of another person, shared with the caller in this role. */
const othersAs =
  (role: Role | null, body: object = {}, path = '/') =>
  async ({ house, caller, person }: Scene) => {
    const [sid = ''] = await makeFolders(await person(), '/a', '/a/b');
    if (role) await giveFolder(house, sid, caller, folderGrantOf(role));
    return { path, sid, ...body };
  };
const asQuery = (body: (scene: Scene) => Promise<object>) => async (scene: Scene) =>
  `?${new URLSearchParams((await body(scene)) as Record<string, string>)}`;
const list = (...entries: unknown[]) => ({ entries, version: 0 });
const wrong = (when: string, entry: unknown, fields: Record<string, string>) =>
  ({ when, as: 'session', body: own(list(entry)), status: 422, code: 'INVALID', fields }) as const;

export default {
  'GET /api/folders/share': [
    {
      when: 'it is one’s own alone',
      as: 'session',
      query: asQuery(own()),
      status: 200,
      then: ({ body }: Answer, { caller }: Scene) => {
        expect(folderSharingView.parse(body)).toEqual(body);
        expect(body).toEqual({
          acl: { entries: [] },
          version: 0,
          owner: { id: caller.id, name: 'Ann Test' },
          inherited: [],
          sharingCost: null,
        });
      },
    },
    {
      when: 'one may share it without having made it',
      as: 'token',
      query: asQuery(othersAs('canEditShare')),
      status: 200,
      then: ({ body }: Answer, { caller }: Scene) =>
        expect(body.acl.entries).toMatchObject([
          { principal: { id: caller.id }, permissions: ['read', 'comment', 'write', 'own', 'discover', 'upload'] },
        ]),
    },
    {
      when: 'it is in a shared folder: the answer names who shares it',
      as: 'session',
      query: asQuery(othersAs('canEditShare', {}, '/b')),
      status: 200,
      then: ({ body }: Answer, { caller }: Scene) => {
        expect(body.acl.entries).toEqual([]);
        expect(body.inherited).toMatchObject([
          { principal: { id: caller.id }, folder: { name: 'a', path: '/' }, owner: false },
        ]);
      },
    },
    {
      when: 'the library itself is none',
      as: 'session',
      query: '?path=/',
      status: 422,
      code: 'INVALID',
      fields: { path: 'required' },
    },
    { when: 'a path that leads out of it', as: 'session', query: '?path=/../a', status: 422, code: 'INVALID' },
    { when: 'there is none', as: 'session', query: '?path=/a', status: 403, code: 'NO_ACCESS' },
    { when: 'it is not shared', as: 'session', query: asQuery(othersAs(null)), status: 403, code: 'NO_ACCESS' },
    {
      when: 'one may edit and no more',
      as: 'session',
      query: asQuery(othersAs('canEdit')),
      status: 403,
      code: 'NO_PERM',
      then: ({ problem }: Answer) => expect(problem.message).toBe('No permissions to share'),
    },
    { when: 'not signed in', query: '?path=/a', status: 401, code: 'UNAUTH' },
  ],

  'POST /api/folders/paid-share': [
    {
      when: 'sharing costs nothing here',
      as: 'session',
      body: own({ cost: 0 }),
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ id: expect.any(String), sharingCost: null }),
    },
    {
      when: 'one may edit and no more',
      as: 'session',
      body: othersAs('canEdit', { cost: 0 }),
      status: 403,
      code: 'NO_PERM',
    },
    { when: 'it is not shared', as: 'session', body: othersAs(null, { cost: 0 }), status: 403, code: 'NO_ACCESS' },
    { when: 'a price that is none', as: 'session', body: own({ cost: '-1' }), status: 422, code: 'INVALID' },
    {
      when: 'the library itself is none',
      as: 'session',
      body: { path: '/', cost: 0 },
      status: 422,
      code: 'INVALID',
      fields: { path: 'required' },
    },
    {
      when: 'its request id was used for another request',
      as: 'session',
      body: own({ cost: 0 }),
      send: async ({ caller }: Scene) => {
        const headers = { 'X-Request-ID': `used-${caller.id}` };
        expect((await caller.post('/api/folders', { path: '/b' }, { headers })).status).toBe(200);
        return { headers };
      },
      status: 422,
      code: 'IDEMP',
    },
    { when: 'not signed in', body: { path: '/a', cost: 0 }, status: 401, code: 'UNAUTH' },
  ],
  'POST /api/folders/share': [
    {
      when: 'an address; people who may write may add, too',
      as: 'session',
      body: own(list(invited('Dana@Example.test', 'canEdit'))),
      status: 200,
      then: ({ body }: Answer) => {
        expect(sharedAnswer.parse(body)).toEqual(body);
        expect(body).toMatchObject({
          acl: {
            entries: [
              {
                principal: { id: -1, kind: 'pending', email: 'Dana@Example.test' },
                permissions: ['read', 'comment', 'write', 'discover', 'upload'],
              },
            ],
          },
          version: 1,
        });
      },
    },
    {
      when: 'as it is answered it can be sent again, and changes nothing',
      as: 'session',
      body: async (scene: Scene) => {
        const at = await own()(scene);
        const { body } = await scene.caller.post('/api/folders/share', {
          ...at,
          ...list(invited(`dana-${newId(8).toLowerCase()}@example.test`, 'canEditShare')),
        });
        return { ...at, entries: body.acl.entries, version: body.version };
      },
      status: 200,
      then: ({ body }: Answer) => expect([body.version, body.acl.entries.length]).toEqual([1, 1]),
    },
    {
      when: 'one may share it without having made it',
      as: 'token',
      body: async (scene: Scene) => ({
        ...(await othersAs('canEditShare')(scene)),
        ...list(named(scene.caller.id, 'canEditShare'), invited(`dana-${newId(8).toLowerCase()}@example.test`)),
      }),
      status: 200,
      then: ({ body }: Answer) => expect(body.acl.entries).toHaveLength(2),
    },
    {
      when: 'the same request twice',
      as: 'session',
      body: own(list()),
      send: { headers: { 'X-Request-ID': 'share-a-folder-again' } },
      status: 200,
      then: async (_: Answer, { caller }: Scene) => {
        const headers = { 'X-Request-ID': 'share-a-folder-again' };
        const again = await caller.post('/api/folders/share', { path: '/a', ...list() }, { headers });
        expect(again.status).toBe(200);
        const other = await caller.post('/api/folders/share', { path: '/b', ...list() }, { headers });
        expect(other.problem.code).toBe('IDEMP');
      },
    },
    wrong(
      'a link, of which a folder has none',
      { principal: { id: -1, kind: 'anonymous' }, permissions: ['read'] },
      {
        'entries.0.principal': 'unavailable',
      },
    ),
    wrong(
      'rights without one to read',
      { principal: { email: 'x@example.test' }, permissions: ['write', 'upload'] },
      {
        'entries.0.permissions': 'invalid',
      },
    ),
    wrong(
      'no rights',
      { principal: { email: 'x@example.test' }, permissions: [] },
      { 'entries.0.permissions': 'required' },
    ),
    wrong(
      'what is no address',
      { principal: { email: 'x' }, permissions: ['read'] },
      {
        'entries.0.principal.email': 'email',
      },
    ),
    wrong('a person who does not exist', named('nobody'), { 'entries.0.principal': 'unknown' }),
    {
      when: 'its owner is to hold less',
      as: 'session',
      body: async (scene: Scene) => own(list(named(scene.caller.id)))(scene),
      status: 422,
      code: 'INVALID',
      fields: { 'entries.0.principal': 'last_owner' },
    },
    {
      when: 'a version there is not',
      as: 'session',
      body: own({ entries: [], version: 7 }),
      status: 422,
      code: 'INVALID',
      fields: { version: 'unknown' },
    },
    { when: 'there is no list', as: 'session', body: own({ version: 0 }), status: 422, code: 'INVALID' },
    {
      when: 'the library itself',
      as: 'session',
      body: { path: '/', ...list() },
      status: 422,
      code: 'INVALID',
      fields: { path: 'required' },
    },
    {
      when: 'a person changed it meanwhile',
      as: 'session',
      body: async (scene: Scene) => {
        const at = await own()(scene);
        await scene.caller.post('/api/folders/share', { ...at, ...list(invited('dana@example.test')) });
        return { ...at, ...list() };
      },
      status: 409,
      code: 'CONFLICT',
      then: ({ problem }: Answer) => expect(problem.info).toMatchObject({ version: 1 }),
    },
    {
      when: 'more mails than one may send in an hour',
      as: 'session',
      body: async (scene: Scene) => {
        await scene.exhaust(rules.shareMails, scene.caller.id);
        return own(list(invited('dana@example.test')))(scene);
      },
      status: 429,
      code: 'RATE',
    },
    { when: 'it is not shared', as: 'session', body: othersAs(null, list()), status: 403, code: 'NO_ACCESS' },
    {
      when: 'one may edit and no more',
      as: 'session',
      body: othersAs('canEdit', list()),
      status: 403,
      code: 'NO_PERM',
    },
    { when: 'not signed in', body: { path: '/a', ...list() }, status: 401, code: 'UNAUTH' },
  ],

  'POST /api/folders/unshare': [
    {
      when: 'its owner ends all sharing',
      as: 'session',
      body: async (scene: Scene) => {
        const at = await own()(scene);
        await scene.caller.post('/api/folders/share', { ...at, ...list(invited('dana@example.test')) });
        return at;
      },
      status: 204,
      then: async (_: Answer, { caller }: Scene) =>
        expect((await caller.get('/api/folders/share?path=/a')).body).toMatchObject({
          acl: { entries: [] },
          version: 2,
        }),
    },
    {
      when: 'a person leaves it',
      as: 'token',
      body: othersAs('canRead'),
      status: 204,
      then: async (_: Answer, { caller }: Scene) =>
        expect((await caller.get('/api/folders')).body).toEqual({ folders: [] }),
    },
    { when: 'it was never shared', as: 'session', body: own(), status: 204 },
    {
      when: 'one holds it by the folder it lies in',
      as: 'session',
      body: othersAs('canEditShare', {}, '/b'),
      status: 403,
      code: 'NO_PERM',
    },
    { when: 'it is not shared', as: 'session', body: othersAs(null), status: 403, code: 'NO_ACCESS' },
    { when: 'there is none', as: 'session', body: { path: '/a' }, status: 403, code: 'NO_ACCESS' },
    {
      when: 'the library itself',
      as: 'session',
      body: { path: '/' },
      status: 422,
      code: 'INVALID',
      fields: { path: 'required' },
    },
    { when: 'not signed in', body: { path: '/a' }, status: 401, code: 'UNAUTH' },
  ],
} satisfies Table;
