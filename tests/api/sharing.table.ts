import { expect } from 'vitest';
import { rules } from '#server/limits.ts';
import { newId } from '#shared/ids.ts';
import { roles, type Role } from '#shared/roles.ts';
import { sharedAnswer, sharingView, type EntryInput } from '#shared/sharing.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import type { Answer } from '#tests/support/people.ts';
import type { Scene, Table } from '#tests/support/table.ts';

const code = 'ABCD-2345';
const address = () => `dana-${newId(8).toLowerCase()}@example.test`;

const own = async ({ house, caller }: Scene) => ({ id: await makeMeeting(house, caller) });
const othersAs =
  (role?: Role) =>
  async ({ house, caller, person }: Scene) => {
    const id = await makeMeeting(house, await person());
    if (role) await share(house, id, caller, roles[role]);
    return { id };
  };
/** Another person's recording, whose link asks for a code. */
const locked = async ({ house, person }: Scene) => {
  const ben = await person();
  const id = await makeMeeting(house, ben);
  await ben.post(`/api/meetings/${id}/acl`, { entries: [link({ code })], version: 0 });
  return { id };
};
/** A request for access to a recording of the caller. */
const asked = async (scene: Scene) => {
  const { id } = await own(scene);
  const ben = await scene.person();
  expect((await ben.post(`/api/meetings/${id}/requestAccess`)).status).toBe(202);
  const { body } = await scene.caller.get(`/api/meetings/${id}/acl`);
  return { id: body.requests[0].id as string };
};

const link = (fields: Partial<EntryInput> = {}): EntryInput => ({
  principal: { id: -1, kind: 'anonymous' },
  permissions: ['read'],
  ...fields,
});
const invited = (email: string, role: Role = 'canComment'): EntryInput => ({
  principal: { id: -1, kind: 'pending', email },
  permissions: [...roles[role]],
});
const list = (...entries: EntryInput[]) => ({ entries, version: 0 });
const wrong = (when: string, entry: unknown, fields: Record<string, string>) =>
  ({
    when,
    as: 'session',
    params: own,
    body: { entries: [entry], version: 0 },
    status: 422,
    code: 'INVALID',
    fields,
  }) as const;

export default {
  'GET /api/meetings/:id/acl': [
    {
      when: 'it is one’s own alone',
      as: 'session',
      params: own,
      status: 200,
      then: ({ body }: Answer, { caller }: Scene) => {
        expect(sharingView.parse(body)).toEqual(body);
        expect(body).toEqual({
          acl: { entries: [] },
          closed: false,
          sharingCost: null,
          version: 0,
          owner: { id: caller.id, name: 'Ann Test' },
          requests: [],
          history: 'write',
          inherited: [],
        });
      },
    },
    { when: 'by a token', as: 'token', params: own, status: 200 },
    { when: 'there is none', as: 'session', status: 403, code: 'NO_ACCESS' },
    { when: 'it is not shared', as: 'session', params: othersAs(), status: 403, code: 'NO_ACCESS' },
    { when: 'one may edit and no more', as: 'session', params: othersAs('canEdit'), status: 403, code: 'NO_PERM' },
    { when: 'its link asks for a code', as: 'session', params: locked, status: 401, code: 'IC' },
    { when: 'not signed in', params: othersAs(), status: 401, code: 'UNAUTH' },
  ],

  'POST /api/meetings/:id/paid-share': [
    {
      when: 'sharing costs nothing here',
      as: 'session',
      params: own,
      body: { cost: 0 },
      status: 200,
      then: ({ body }: Answer) => expect(body).toMatchObject({ sharingCost: null }),
    },
    {
      when: 'a person who may not share',
      as: 'session',
      params: othersAs('canEdit'),
      body: { cost: 0 },
      status: 403,
      code: 'NO_PERM',
    },
    {
      when: 'a recording that cannot be read',
      as: 'session',
      params: othersAs(),
      body: { cost: 0 },
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'a price that is none',
      as: 'session',
      params: own,
      body: { cost: '-1' },
      status: 422,
      code: 'INVALID',
    },
  ],
  'POST /api/meetings/:id/acl': [
    {
      when: 'an address, and a link that asks for a code',
      as: 'session',
      params: own,
      body: list(invited('Dana@Example.test'), link({ code, expires: '2099-01-01T00:00:00Z' })),
      status: 200,
      then: ({ body }: Answer) => {
        expect(sharedAnswer.parse(body)).toEqual(body);
        const nobody = { id: -1, first_name: '', last_name: '', name: '' };
        expect(body).toEqual({
          acl: {
            entries: [
              {
                principal: { ...nobody, kind: 'anonymous', email: null },
                permissions: ['read'],
                code: true,
                expires: '2099-01-01T00:00:00.000Z',
              },
              {
                principal: { ...nobody, kind: 'pending', email: 'Dana@Example.test' },
                permissions: ['read', 'comment', 'discover'],
              },
            ],
          },
          version: 1,
        });
      },
    },
    {
      when: 'versions and deleted text for those who may share, and for nobody else',
      as: 'session',
      params: async (scene: Scene) => {
        const { id } = await own(scene);
        await share(scene.house, id, 'anonymous', ['read', 'write']);
        return { id };
      },
      body: { ...list(link({ permissions: ['read', 'comment', 'write'] })), history: 'own' },
      status: 200,
      then: async ({ body }: Answer, { caller, house }: Scene) => {
        expect(body.version).toBe(1);
        const { id } = (await caller.get('/api/meetings')).body.hits[0];
        const told = (await caller.get(`/api/meetings/${id}/acl`)).body;
        expect(told).toMatchObject({ history: 'own', version: 1 });
        const statuses = async () => {
          const people = [caller, house.stranger()];
          return (await Promise.all(people.map((one) => one.get(`/api/meetings/${id}/versions`)))).map(
            (one) => one.status,
          );
        };
        expect(await statuses()).toEqual([200, 403]);
        expect((await house.stranger().get(`/api/meetings/${id}`)).body.permissions).not.toContain('history');
        // Left out, it stays; the other choice brings it back.
        const { entries } = told.acl;
        await caller.post(`/api/meetings/${id}/acl`, { entries, version: 1 });
        expect(await statuses()).toEqual([200, 403]);
        await caller.post(`/api/meetings/${id}/acl`, { entries, version: 1, history: 'write' });
        expect(await statuses()).toEqual([200, 200]);
      },
    },
    {
      when: 'an unknown choice of who sees deleted text',
      as: 'session',
      params: own,
      body: { ...list(), history: 'read' },
      status: 422,
      code: 'INVALID',
      fields: { history: 'invalid' },
    },
    {
      when: 'an entry without a kind is an address',
      as: 'token',
      params: own,
      body: list({ principal: { email: ' dana@example.test ' }, permissions: ['read'] }),
      status: 200,
      then: ({ body }: Answer) =>
        expect(body.acl.entries).toMatchObject([
          { principal: { id: -1, kind: 'pending', email: 'dana@example.test' }, permissions: ['read', 'discover'] },
        ]),
    },
    {
      when: 'one may share it without having made it',
      as: 'session',
      params: othersAs('canEditShare'),
      body: ({ caller }: Scene) =>
        list({ principal: { id: caller.id, kind: 'user' }, permissions: [...roles.canEditShare] }, invited(address())),
      status: 200,
      then: ({ body }: Answer) => expect(body.acl.entries).toHaveLength(2),
    },
    {
      when: 'the same twice is one',
      as: 'session',
      params: own,
      body: list(invited('dana@example.test'), invited('DANA@example.test', 'canEdit')),
      status: 200,
      then: ({ body }: Answer) =>
        expect(body.acl.entries).toMatchObject([{ permissions: ['read', 'comment', 'discover'] }]),
    },
    {
      when: 'a person has changed it since',
      as: 'session',
      params: async (scene: Scene) => {
        const { id } = await own(scene);
        expect((await scene.caller.post(`/api/meetings/${id}/acl`, list(link()))).status).toBe(200);
        return { id };
      },
      body: list(),
      status: 409,
      code: 'CONFLICT',
      then: ({ problem }: Answer) => expect(problem.info['version']).toBe(1),
    },
    {
      when: 'the id was used for another request',
      as: 'session',
      params: async (scene: Scene) => {
        const { id } = await own(scene);
        await scene.caller.post(`/api/meetings/${id}/acl`, list(link()), {
          headers: { 'X-Request-ID': scene.caller.id },
        });
        return { id };
      },
      body: list(),
      send: async ({ caller }: Scene) => ({ headers: { 'X-Request-ID': caller.id } }),
      status: 422,
      code: 'IDEMP',
    },
    {
      when: 'too many were written to in this hour',
      as: 'session',
      params: async (scene: Scene) => {
        await scene.exhaust(rules.shareMails, scene.caller.id);
        return own(scene);
      },
      body: () => list(invited(address())),
      status: 429,
      code: 'RATE',
    },
    {
      when: 'a version that never was',
      as: 'session',
      params: own,
      body: { entries: [], version: 9 },
      status: 422,
      code: 'INVALID',
      fields: { version: 'unknown' },
    },
    {
      when: 'permissions that are no role: the one that matches most',
      as: 'session',
      params: own,
      body: list({ principal: { email: 'dana@example.test' }, permissions: ['read', 'write', 'read'] }),
      status: 200,
      then: ({ body }: Answer) =>
        expect(body.acl.entries).toMatchObject([{ permissions: ['read', 'comment', 'write', 'discover'] }]),
    },
    {
      when: 'a version of the numbers that were once larger',
      as: 'session',
      params: own,
      body: { entries: [], version: 2 ** 32 + 1 },
      status: 409,
      code: 'CONFLICT',
      then: ({ problem }: Answer) => expect(problem.info).toMatchObject({ version: 0 }),
    },
    ...[['own'], ['write', 'comment']].map((permissions) =>
      wrong(
        `permissions without one to read: ${permissions}`,
        { principal: { email: 'dana@example.test' }, permissions },
        { 'entries.0.permissions': 'invalid' },
      ),
    ),
    ...['admin', 'Read'].map((unknown) =>
      wrong(
        `a permission that is none: ${unknown}`,
        { principal: { email: 'dana@example.test' }, permissions: [unknown] },
        { 'entries.0.permissions.0': 'invalid' },
      ),
    ),
    wrong('a link that owns', link({ permissions: ['read', 'comment', 'write', 'own'] }), {
      'entries.0.permissions': 'anonymous_own',
    }),
    wrong('a code that is too short', link({ code: 'ABC' }), { 'entries.0.code': 'code' }),
    wrong('an end that is no time', link({ expires: 'tomorrow' }), { 'entries.0.expires': 'invalid' }),
    wrong(
      'nobody by that id',
      { principal: { id: newId(), kind: 'user' }, permissions: ['read'] },
      {
        'entries.0.principal': 'unknown',
      },
    ),
    wrong(
      'a group, of which there are none',
      { principal: { id: 'g1', kind: 'group' }, permissions: ['read'] },
      {
        'entries.0.principal': 'unknown',
      },
    ),
    wrong(
      'neither a kind nor an address',
      { principal: { id: -1 }, permissions: ['read'] },
      {
        'entries.0.principal': 'required',
      },
    ),
    wrong(
      'no address',
      { principal: { email: 'dana' }, permissions: ['read'] },
      { 'entries.0.principal.email': 'email' },
    ),
    wrong(
      'no permissions',
      { principal: { email: 'dana@example.test' }, permissions: [] },
      {
        'entries.0.permissions': 'required',
      },
    ),
    {
      when: 'the owner as less',
      as: 'session',
      params: own,
      body: ({ caller }: Scene) => list({ principal: { id: caller.id, kind: 'user' }, permissions: ['read'] }),
      status: 422,
      code: 'INVALID',
      fields: { 'entries.0.principal': 'last_owner' },
    },
    {
      when: 'more than a list may hold',
      as: 'session',
      params: own,
      body: list(...Array.from({ length: 201 }, (_, i) => invited(`d${i}@example.test`))),
      status: 422,
      code: 'INVALID',
      fields: { entries: 'too_many' },
    },
    { when: 'there is none', as: 'session', body: list(), status: 403, code: 'NO_ACCESS' },
    { when: 'it is not shared', as: 'session', params: othersAs(), body: list(), status: 403, code: 'NO_ACCESS' },
    {
      when: 'one may edit and no more',
      as: 'session',
      params: othersAs('canEdit'),
      body: list(),
      status: 403,
      code: 'NO_PERM',
      then: ({ problem }: Answer) => expect(problem.message).toBe('No permissions to share'),
    },
    { when: 'its link asks for a code', as: 'session', params: locked, body: list(), status: 401, code: 'IC' },
  ],

  'POST /api/meetings/:id/unlock': [
    {
      when: 'it is the code, as people type it',
      params: locked,
      body: { code: ' abcd 2345' },
      status: 204,
      then: ({ headers }: Answer) => {
        const [cookie = ''] = headers.getSetCookie();
        expect(cookie).toMatch(/^pass=[\w-]{43};/);
        expect(cookie).toContain('HttpOnly');
        expect(cookie).toContain('SameSite=Lax');
      },
    },
    {
      when: 'by a token, which keeps no cookie',
      as: 'token',
      params: locked,
      body: { code },
      status: 204,
      then: ({ headers }: Answer) => expect(headers.getSetCookie()).toEqual([]),
    },
    {
      when: 'it is another',
      params: locked,
      body: { code: 'ABCD-2346' },
      status: 401,
      code: 'IC',
      fields: { code: 'wrong_code' },
    },
    {
      when: 'nothing is typed',
      params: locked,
      body: { code: '' },
      status: 422,
      code: 'INVALID',
      fields: { code: 'required' },
    },
    { when: 'there is none', body: { code }, status: 403, code: 'NO_ACCESS' },
    {
      when: 'it has no link',
      params: async (scene: Scene) => othersAs()(scene),
      body: { code },
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'guessed too often',
      params: async (scene: Scene) => {
        const { id } = await locked(scene);
        await scene.exhaust(rules.accessCode, `${id}:${scene.caller.address}`);
        return { id };
      },
      body: { code },
      status: 429,
      code: 'RATE',
    },
  ],

  'POST /api/meetings/:id/requestAccess': [
    {
      when: 'it is another person’s',
      as: 'session',
      params: othersAs(),
      status: 202,
    },
    { when: 'a role is named', as: 'session', params: othersAs(), body: { role: 'canEdit' }, status: 202 },
    { when: 'no role is named', as: 'session', params: othersAs(), body: {}, status: 202 },
    {
      when: 'as nothing known',
      as: 'session',
      params: othersAs(),
      body: { role: 'owner' },
      status: 422,
      code: 'INVALID',
    },
    { when: 'there is none', as: 'session', status: 202 },
    { when: 'there is none, for a role', as: 'session', body: { role: 'canEdit' }, status: 202 },
    { when: 'one’s own', as: 'session', params: own, status: 202 },
    { when: 'by a token', as: 'token', params: othersAs(), status: 202 },
    { when: 'not signed in', params: othersAs(), status: 401, code: 'UNAUTH' },
  ],

  'GET /api/access-requests/:id': [
    {
      when: 'it is for the caller',
      as: 'session',
      params: asked,
      status: 200,
      then: ({ body }: Answer) =>
        expect(body).toMatchObject({
          person: { name: 'Ben Test' },
          meeting: { title: '' },
          asks: 'canRead',
          role: null,
          answered: false,
        }),
    },
    { when: 'there is none', as: 'session', status: 403, code: 'NO_ACCESS' },
    {
      when: 'it is for another person',
      as: 'session',
      params: async (scene: Scene) => asked({ ...scene, caller: await scene.person() }),
      status: 403,
      code: 'NO_ACCESS',
    },
  ],

  'POST /api/access-requests/:id': [
    {
      when: 'the person is let in',
      as: 'session',
      params: asked,
      body: { role: 'canComment' },
      status: 200,
      then: ({ body }: Answer) => expect(body).toMatchObject({ role: 'canComment', answered: true }),
    },
    {
      when: 'the person is not',
      as: 'session',
      params: asked,
      body: { role: null },
      status: 200,
      then: ({ body }: Answer) => expect(body).toMatchObject({ role: null, answered: true }),
    },
    { when: 'as nothing known', as: 'session', params: asked, body: { role: 'owner' }, status: 422, code: 'INVALID' },
    { when: 'there is none', as: 'session', body: { role: null }, status: 403, code: 'NO_ACCESS' },
    {
      when: 'it is for another person',
      as: 'session',
      params: async (scene: Scene) => asked({ ...scene, caller: await scene.person() }),
      body: { role: 'canRead' },
      status: 403,
      code: 'NO_ACCESS',
    },
  ],
} satisfies Table;
