import { expect } from 'vitest';
import { rules } from '#server/limits.ts';
import { groupLimits } from '#shared/group-rules.ts';
import { groupDetail, groupsAnswer, groupView, newGroupView } from '#shared/groups.ts';
import { newId } from '#shared/ids.ts';
import { giveCredits, holdForTeam } from '#tests/support/billing.ts';
import { inviteTo, makeGroup, makeTeam } from '#tests/support/groups.ts';
import type { Answer } from '#tests/support/people.ts';
import { unknownParameter, type Row, type Scene, type Table } from '#tests/support/table.ts';

const own = async ({ caller }: Scene) => ({ id: await makeGroup(caller) });
/** The one that was made for the body. */
const only = async ({ caller }: Scene) => ({ id: (await caller.get('/api/groups')).body.groups[0].id as string });
/** Another person's group, in which the caller is a member. */
const asMember = async ({ caller, person }: Scene) => ({ id: await makeGroup(await person(), [caller]) });
const invited = async ({ caller, person }: Scene) => {
  const ben = await person();
  const id = await makeGroup(ben);
  await inviteTo(ben, id, caller.email);
  return { id };
};
const declined = async (scene: Scene) => {
  const { id } = await invited(scene);
  expect((await scene.caller.post(`/api/groups/${id}/ignore`)).status).toBe(204);
  return { id };
};
const others = async ({ person }: Scene) => ({ id: await makeGroup(await person()) });
/** The caller was its admin, with another one who has put them out. */
const once = async ({ caller, person }: Scene) => {
  const ben = await person();
  const id = await makeGroup(caller, [[ben, 'admin']]);
  expect((await ben.delete(`/api/groups/${id}/members/${caller.id}`)).status).toBe(204);
  return { id };
};
const archived = async (scene: Scene) => {
  const { id } = await own(scene);
  expect((await scene.caller.post(`/api/groups/${id}/deactivate`)).status).toBe(200);
  return { id };
};
/** The request's id was used for something else. */
const used = async (scene: Scene) => {
  const { id } = await own(scene);
  await scene.caller.put(
    `/api/groups/${id}`,
    { description: 'Before' },
    { headers: { 'X-Request-ID': scene.caller.id } },
  );
  return { id };
};
const again = {
  when: 'the id was used for another request',
  as: 'session',
  params: used,
  send: async ({ caller }: Scene) => ({ headers: { 'X-Request-ID': caller.id } }),
  status: 422,
  code: 'IDEMP',
} as const;

const name = 'Interviews of the spring';
const days = (fromDate: string, toDate: string) => `?${new URLSearchParams({ fromDate, toDate })}`;
const foreignSet = `own_${newId()}`;
const address = () => `dana-${newId(8).toLowerCase()}@example.test`;
const wrong = (when: string, body: unknown, fields: Record<string, string>): Row => ({
  when,
  as: 'session',
  params: own,
  body,
  status: 422,
  code: 'INVALID',
  fields,
});
/** People without access to a group, who get the same answer as for a missing one. */
const closedTo = (body?: unknown, member?: string): Row[] =>
  (
    [
      ['there is none', async () => ({ id: newId() })],
      ['one is not in it', others],
      ['one is only invited', invited],
      ['one was removed from it', once],
    ] as const
  ).map(([when, params]) => ({
    when,
    as: 'session',
    params: async (scene: Scene) => ({ ...(await params(scene)), ...(member && { member }) }),
    body,
    status: 403,
    code: 'NO_ACCESS',
  }));
const notForMembers = (body?: unknown, message = 'No permissions', member?: string): Row => ({
  when: 'one is a member and no admin',
  as: 'session',
  params: async (scene: Scene) => ({ ...(await asMember(scene)), ...(member && { member }) }),
  body,
  status: 403,
  code: 'NO_PERM',
  then: ({ problem }: Answer) => expect(problem.message).toBe(message),
});

export default {
  'GET /api/groups': [
    unknownParameter,
    {
      when: 'one has made one and joined another',
      as: 'session',
      query: async (scene: Scene) => {
        await own(scene);
        await asMember(scene);
        await others(scene);
        await invited(scene);
        return '';
      },
      status: 200,
      then: ({ body }: Answer, { caller }: Scene) => {
        expect(groupsAnswer.parse(body)).toEqual(body);
        const mine = body.groups.find((one: { name: string }) => one.name === `Interviews ${caller.id}`);
        expect(mine).toMatchObject({ role: 'admin', members: 1, archived: false, type: 'group', description: '' });
        expect(body.groups.map(({ role }: { role: string }) => role).toSorted()).toEqual(['admin', 'member']);
      },
    },
    { when: 'by a token', as: 'token', status: 200, then: ({ body }: Answer) => expect(body).toEqual({ groups: [] }) },
  ],

  'POST /api/groups': [
    {
      when: 'it has a name',
      as: 'session',
      body: { name: '  Interviews\u00a0of   the spring ', description: ' What we hear ' },
      status: 200,
      then: ({ body }: Answer) => {
        expect(newGroupView.parse(body)).toEqual(body);
        expect(body).toMatchObject({ name, description: 'What we hear', type: 'group', role: 'admin', members: 1 });
      },
    },
    {
      when: 'it is a team, by a token',
      as: 'token',
      body: { name, type: 'team' },
      status: 200,
      then: ({ body }: Answer) => expect(body.type).toBe('team'),
    },
    {
      when: 'the name is too short',
      as: 'session',
      body: { name: 'Sevenly' },
      status: 422,
      code: 'INVALID',
      fields: { name: 'group_name' },
    },
    { when: 'it has none', as: 'session', body: {}, status: 422, code: 'INVALID', fields: { name: 'required' } },
    {
      when: 'one has a group of that name, in other letters',
      as: 'session',
      body: async ({ caller }: Scene) => {
        await makeGroup(caller, [], name);
        return { name: name.toUpperCase() };
      },
      status: 422,
      code: 'INVALID',
      fields: { name: 'group_taken' },
      then: async ({ problem }: Answer, { caller }: Scene) => {
        const [first] = problem.info['suggestions'] as string[];
        expect((await caller.post('/api/groups', { name: first })).status).toBe(200);
      },
    },
    {
      when: 'another person has one of that name',
      as: 'session',
      body: async ({ person }: Scene) => {
        await makeGroup(await person(), [], name);
        return { name };
      },
      status: 200,
    },
    {
      when: 'fields that a new group does not take',
      as: 'session',
      body: { name, payer: 'me', wallet: 9 },
      status: 422,
      code: 'INVALID',
      fields: { payer: 'unknown', wallet: 'unknown' },
    },
    {
      when: 'it is a team with settings and a folder',
      as: 'session',
      body: { name, type: 'team', folder: true, defaultQuota: '12,5', maxDurationMins: 90, notifyAdminOnUpload: true },
      status: 200,
      then: async ({ body }: Answer, { caller }: Scene) => {
        expect(newGroupView.parse(body)).toEqual(body);
        expect(body).toMatchObject({ payer: { id: caller.id }, defaultQuota: 12.5, maxDurationMins: 90 });
        expect(body).toMatchObject({ balanceThreshold: 10, notifyAdminOnUpload: true, folder: { path: `/${name}` } });
      },
    },
    {
      when: 'settings of a team for a plain group',
      as: 'session',
      body: { name, hideBuiltinModels: true, defaultQuota: 5 },
      status: 422,
      code: 'INVALID',
      fields: { hideBuiltinModels: 'team_only', defaultQuota: 'team_only' },
    },
    ...(
      [
        ['a quota that is no amount', { defaultQuota: '1e3' }, { defaultQuota: 'amount' }],
        ['a quota below nothing', { defaultQuota: -1 }, { defaultQuota: 'amount' }],
        ['a length of part of a minute', { maxDurationMins: 1.5 }, { maxDurationMins: 'number' }],
        ['a model that does not exist', { forceOutcomeModel: 'nothing' }, { forceOutcomeModel: 'invalid' }],
        [
          'a set of people that is not the caller’s',
          { forceOutcomeModel: foreignSet },
          { forceOutcomeModel: 'set_gone' },
        ],
        ['a set to include that is not the caller’s', { modelsInclude: [foreignSet] }, { modelsInclude: 'set_gone' }],
        ['a model to include that does not exist', { modelsInclude: ['x'] }, { 'modelsInclude.0': 'invalid' }],
        ['words with a link', { invitationEmail: 'Look at evil.example' }, { invitationEmail: 'no_links' }],
        ['a share above all', { secondPass: 101 }, { secondPass: 'percent' }],
        ['people for second passes who are not in it', { secondReaders: ['x'] }, { secondReaders: 'unknown' }],
        ['more words than fit', { assessmentEmail: 'x'.repeat(201) }, { assessmentEmail: 'too_long' }],
      ] as const
    ).map(([when, given, fields]): Row => ({
      when,
      as: 'session',
      body: { name, type: 'team', ...given },
      status: 422,
      code: 'INVALID',
      fields,
    })),
    {
      when: 'a kind there is not yet',
      as: 'session',
      body: { name, type: 'circle' },
      status: 422,
      code: 'INVALID',
      fields: { type: 'invalid' },
    },
    {
      when: 'a kind there is not',
      as: 'session',
      body: { name, type: 'company' },
      status: 422,
      code: 'INVALID',
      fields: { type: 'invalid' },
    },
    { when: 'the address is not confirmed', as: 'unconfirmed', body: { name }, status: 403, code: 'NO_PERM' },
    { ...again, body: { name } },
  ],

  'GET /api/groups/:id': [
    {
      when: 'one is its admin',
      as: 'session',
      params: async ({ caller, person }: Scene) => {
        const id = await makeGroup(caller, [await person()]);
        await inviteTo(caller, id, 'dana@example.test', 'admin');
        return { id };
      },
      status: 200,
      then: ({ body }: Answer, { caller }: Scene) => {
        expect(groupDetail.parse(body)).toEqual(body);
        expect(body.members).toMatchObject([
          { kind: 'user', id: caller.id, email: caller.email, first_name: 'Ann', role: 'admin' },
          { kind: 'user', first_name: 'Ben', role: 'member' },
          { kind: 'pending', email: 'dana@example.test', first_name: '', role: 'admin' },
        ]);
      },
    },
    {
      when: 'a member, who does not see other invitations',
      as: 'session',
      params: async ({ caller, person }: Scene) => {
        const ben = await person();
        const id = await makeGroup(ben, [caller]);
        await inviteTo(ben, id, address());
        return { id };
      },
      status: 200,
      then: ({ body }: Answer) =>
        expect(body.members.map(({ kind }: { kind: string }) => kind)).toEqual(['user', 'user']),
    },
    ...closedTo(),
  ],

  'PUT /api/groups/:id': [
    {
      when: 'it gets another name and description',
      as: 'session',
      params: own,
      body: { name, description: '' },
      status: 200,
      then: ({ body }: Answer) => expect(body).toMatchObject({ name, description: '' }),
    },
    {
      when: 'it comes whole, as it was answered',
      as: 'session',
      params: only,
      body: async ({ caller }: Scene) => {
        const { body } = await caller.get(`/api/groups/${await makeGroup(caller)}`);
        return { ...body, name, role: 'member', archived: true, members: [] };
      },
      status: 200,
      then: ({ body }: Answer) => expect(body).toMatchObject({ name, role: 'admin', archived: false, members: 1 }),
    },
    wrong('the name is too short', { name: 'Sevenly' }, { name: 'group_name' }),
    {
      when: 'it becomes a team, which the caller pays for',
      as: 'session',
      params: own,
      body: { type: 'team', defaultQuota: 20 },
      status: 200,
      then: ({ body }: Answer, { caller }: Scene) =>
        expect(body).toMatchObject({ type: 'team', payer: { id: caller.id }, defaultQuota: 20 }),
    },
    {
      when: 'outcome models are added and removed',
      as: 'session',
      params: own,
      body: { modelsInclude: ['coaching', 'meeting'], modelsExclude: ['meeting'] },
      status: 200,
      then: ({ body }: Answer) => expect(body.models).toEqual(['coaching']),
    },
    {
      when: 'it becomes a plain group while it pays for a recording',
      as: 'session',
      params: async (scene: Scene) => {
        const id = await makeTeam(scene.caller);
        await giveCredits(scene.house, scene.caller, '1');
        await holdForTeam(scene.house, scene.caller, id, 1);
        return { id };
      },
      body: { type: 'group' },
      status: 409,
      code: 'CONFLICT',
    },
    {
      when: 'too many were invited in this hour',
      as: 'session',
      params: async (scene: Scene) => {
        await scene.exhaust(rules.shareMails, scene.caller.id);
        return own(scene);
      },
      body: () => ({ include: [address()] }),
      status: 429,
      code: 'RATE',
    },
    wrong('a payer of a plain group', { payer: 'me' }, { payer: 'team_only' }),
    wrong('addresses that are none', { include: ['ben'] }, { 'include.0': 'invalid' }),
    {
      when: 'a member names a payer',
      as: 'session',
      params: asMember,
      body: ({ caller }: Scene) => ({ payer: caller.id }),
      status: 403,
      code: 'NO_PERM',
      then: ({ problem }: Answer) => expect(problem.message).toBe('No permissions to change payer'),
    },
    wrong('a name that looks like another', { name: 'Interviews \u202egnirps' }, { name: 'name' }),
    notForMembers({ name }, 'No permissions to update'),
    ...closedTo({ name }),
    { ...again, body: { name } },
  ],

  'DELETE /api/groups/:id': [
    {
      when: 'one is its admin',
      as: 'session',
      params: own,
      status: 204,
      then: async (_: Answer, { caller }: Scene) =>
        expect((await caller.get('/api/groups')).body).toEqual({ groups: [] }),
    },
    { when: 'it is archived', as: 'session', params: archived, status: 204 },
    notForMembers(undefined, 'No permissions to delete'),
    ...closedTo(),
    again,
  ],

  'POST /api/groups/:id/deactivate': [
    {
      when: 'one is its admin',
      as: 'session',
      params: own,
      status: 200,
      then: async ({ body }: Answer, { caller }: Scene) => {
        expect(groupView.parse(body)).toEqual(body);
        expect(body.archived).toBe(true);
        expect((await caller.whoami()).body.groups).toEqual([]);
      },
    },
    { when: 'it is archived already', as: 'session', params: archived, status: 200 },
    notForMembers(undefined, 'No permissions to archive'),
    ...closedTo(),
    again,
  ],

  'POST /api/groups/:id/activate': [
    {
      when: 'one is its admin',
      as: 'session',
      params: archived,
      status: 200,
      then: async ({ body }: Answer, { caller }: Scene) => {
        expect(body.archived).toBe(false);
        expect((await caller.whoami()).body.groups).toHaveLength(1);
      },
    },
    notForMembers(undefined, 'No permissions to unarchive'),
    ...closedTo(),
    again,
  ],

  'POST /api/groups/:id/leave': [
    {
      when: 'one is a member',
      as: 'session',
      params: asMember,
      status: 204,
      then: async (_: Answer, { caller }: Scene) =>
        expect((await caller.get('/api/groups')).body).toEqual({ groups: [] }),
    },
    {
      when: 'one is its only admin',
      as: 'session',
      params: async ({ caller, person }: Scene) => ({ id: await makeGroup(caller, [await person()]) }),
      status: 422,
      code: 'INVALID',
      fields: { members: 'last_admin' },
    },
    ...closedTo(),
    again,
  ],

  'POST /api/groups/:id/clone': [
    {
      when: 'one is its admin',
      as: 'session',
      params: own,
      body: { name, copyMembers: true },
      status: 200,
      then: ({ body }: Answer) => {
        expect(groupView.parse(body)).toEqual(body);
        expect(body).toMatchObject({ name, role: 'admin', members: 1 });
      },
    },
    {
      when: 'the name is its own',
      as: 'session',
      params: only,
      body: async ({ caller }: Scene) => {
        await makeGroup(caller, [], name);
        return { name };
      },
      status: 422,
      code: 'INVALID',
      fields: { name: 'group_taken' },
    },
    wrong('the name is too short', { name: 'Sevenly' }, { name: 'group_name' }),
    notForMembers({ name }, 'No permissions to clone'),
    ...closedTo({ name }),
    { ...again, body: { name } },
  ],

  'GET /api/groups/:id/activity-report': [
    {
      when: 'one is the admin of a team',
      as: 'session',
      params: async ({ caller, person }: Scene) => ({ id: await makeTeam(caller, [await person()], { name }) }),
      query: days('2026-01-01', '2026-01-31'),
      status: 200,
      then: ({ headers, text }: Answer) => {
        expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
        expect(headers.get('content-disposition')).toContain(`filename="${name}_2026-01-01_2026-01-31.csv"`);
        expect(text.trim().split('\r\n')).toHaveLength(3);
      },
    },
    ...(
      [
        ['days that are none', days('2026-02-30', 'today'), { fromDate: 'date', toDate: 'date' }],
        ['the last day is before the first', days('2026-02-02', '2026-02-01'), { toDate: 'date_order' }],
      ] as const
    ).map(([when, query, fields]): Row => ({
      when,
      as: 'session',
      params: own,
      query,
      status: 422,
      code: 'INVALID',
      fields,
    })),
    {
      when: 'it is a plain group',
      as: 'session',
      params: own,
      query: days('2026-01-01', '2026-01-31'),
      status: 422,
      code: 'INVALID',
      fields: { '': 'team_only' },
    },
    { ...notForMembers(), query: days('2026-01-01', '2026-01-31') },
    ...closedTo().map((row) => ({ ...row, query: days('2026-01-01', '2026-01-31') })),
  ],

  'POST /api/groups/:id/accept': [
    {
      when: 'one’s address is invited',
      as: 'session',
      params: invited,
      status: 200,
      then: async ({ body }: Answer, { caller }: Scene) => {
        expect(body).toMatchObject({ role: 'member', members: 2 });
        expect((await caller.whoami()).body).toMatchObject({ invitations: [], groups: [{ id: body.id }] });
      },
    },
    { when: 'one is in it already', as: 'session', params: asMember, status: 200 },
    {
      when: 'the address is not confirmed',
      as: 'unconfirmed',
      params: invited,
      status: 403,
      code: 'NO_ACCESS',
    },
    ...closedTo().filter(({ when }) => when !== 'one is only invited'),
    again,
  ],

  'POST /api/groups/:id/ignore': [
    {
      when: 'one’s address is invited',
      as: 'session',
      params: invited,
      status: 204,
      then: async (_: Answer, { caller }: Scene) => expect((await caller.whoami()).body.invitations).toEqual([]),
    },
    { when: 'one has declined already', as: 'session', params: declined, status: 204 },
    { when: 'one is in it', as: 'session', params: asMember, status: 403, code: 'NO_ACCESS' },
    ...closedTo().filter(({ when }) => when !== 'one is only invited'),
    again,
  ],

  'POST /api/groups/:id/members': [
    {
      when: 'addresses, one of them twice',
      as: 'session',
      params: own,
      body: {
        members: [
          { email: 'dana@example.test', role: 'admin' },
          { email: ' emil@example.test ' },
          { email: 'DANA@example.test.' },
        ],
      },
      status: 200,
      then: ({ body }: Answer) => {
        expect(groupDetail.parse(body)).toEqual(body);
        expect(body.members.slice(1)).toMatchObject([
          { kind: 'pending', email: 'dana@example.test', role: 'admin' },
          { kind: 'pending', email: 'emil@example.test', role: 'member' },
        ]);
      },
    },
    {
      when: 'a member becomes an admin',
      as: 'session',
      params: only,
      body: async ({ caller, person }: Scene) => {
        const ben = await person();
        await makeGroup(caller, [ben]);
        return { members: [{ email: ben.email.toUpperCase(), role: 'admin' }] };
      },
      status: 200,
      then: ({ body }: Answer) => expect(body.members[1].role).toBe('admin'),
    },
    {
      when: 'two that are none among others, of which none is written to',
      as: 'session',
      params: own,
      body: {
        members: [{ email: 'dana@example.test' }, { email: 'dana' }, { email: '' }, { email: 'emil@example.test' }],
      },
      status: 422,
      code: 'INVALID',
      fields: { 'members.1.email': 'email', 'members.2.email': 'required' },
      then: async (_: Answer, { caller }: Scene) => {
        const [{ id }] = (await caller.get('/api/groups')).body.groups;
        expect((await caller.get(`/api/groups/${id}`)).body.members).toHaveLength(1);
      },
    },
    wrong('nobody', { members: [] }, { members: 'required' }),
    wrong(
      'more than mails may leave',
      { members: Array.from({ length: groupLimits.invites + 1 }, (_, i) => ({ email: `d${i}@example.test` })) },
      { members: 'too_many' },
    ),
    wrong(
      'a role there is not',
      { members: [{ email: 'dana@example.test', role: 'owner' }] },
      { 'members.0.role': 'invalid' },
    ),
    {
      when: 'the only admin as less',
      as: 'session',
      params: own,
      body: ({ caller }: Scene) => ({ members: [{ email: caller.email, role: 'member' }] }),
      status: 422,
      code: 'INVALID',
      fields: { members: 'last_admin' },
    },
    {
      when: 'it is archived',
      as: 'session',
      params: archived,
      body: { members: [{ email: 'dana@example.test' }] },
      status: 422,
      code: 'INVALID',
      fields: { members: 'archived' },
    },
    {
      when: 'too many were written to in this hour',
      as: 'session',
      params: async (scene: Scene) => {
        await scene.exhaust(rules.shareMails, scene.caller.id);
        return own(scene);
      },
      body: () => ({ members: [{ email: address() }] }),
      status: 429,
      code: 'RATE',
    },
    notForMembers({ members: [{ email: 'dana@example.test' }] }),
    ...closedTo({ members: [{ email: 'dana@example.test' }] }),
    { ...again, body: { members: [{ email: 'dana@example.test' }] } },
  ],

  'PUT /api/groups/:id/members/:member': [
    {
      when: 'a member of a team gets another role and quota',
      as: 'session',
      params: async ({ caller, person }: Scene) => {
        const ben = await person();
        return { id: await makeTeam(caller, [ben]), member: ben.id };
      },
      body: { role: 'admin', quota: 7.5 },
      status: 200,
      then: ({ body }: Answer) => {
        expect(groupDetail.parse(body)).toEqual(body);
        expect(body.members[1]).toMatchObject({ role: 'admin', quota: 7.5, quotaDefault: false, used: 0 });
      },
    },
    {
      when: 'an invited person gets a quota',
      as: 'session',
      params: async ({ caller }: Scene) => {
        const id = await makeTeam(caller);
        const { members } = await inviteTo(caller, id, address());
        return { id, member: members[1]?.id ?? '' };
      },
      body: { quota: 3 },
      status: 200,
      then: ({ body }: Answer) => expect(body.members[1]).toMatchObject({ kind: 'pending', quota: 3 }),
    },
    {
      when: 'a quota in a plain group',
      as: 'session',
      params: async ({ caller, person }: Scene) => {
        const ben = await person();
        return { id: await makeGroup(caller, [ben]), member: ben.id };
      },
      body: { quota: 3 },
      status: 422,
      code: 'INVALID',
      fields: { quota: 'team_only' },
    },
    {
      when: 'a quota that is no amount',
      as: 'session',
      params: { id: 'nothing', member: 'nothing' },
      body: { quota: '٣' },
      status: 422,
      code: 'INVALID',
      fields: { quota: 'amount' },
    },
    {
      when: 'it is the last admin',
      as: 'session',
      params: async ({ caller }: Scene) => ({ id: await makeGroup(caller), member: caller.id }),
      body: { role: 'member' },
      status: 422,
      code: 'INVALID',
      fields: { members: 'last_admin' },
    },
    { when: 'no member has that id', as: 'session', params: own, body: {}, status: 403, code: 'NO_ACCESS' },
    notForMembers({ role: 'member' }),
    ...closedTo({ role: 'member' }),
    { ...again, body: { role: 'member' } },
  ],

  'DELETE /api/groups/:id/members/:member': [
    {
      when: 'a person is removed',
      as: 'session',
      params: async ({ caller, person }: Scene) => {
        const ben = await person();
        return { id: await makeGroup(caller, [ben]), member: ben.id };
      },
      status: 204,
      then: async (_: Answer, { caller }: Scene) =>
        expect((await caller.get('/api/groups')).body.groups).toMatchObject([{ members: 1 }]),
    },
    {
      when: 'an invitation is taken back',
      as: 'session',
      params: async ({ caller }: Scene) => {
        const id = await makeGroup(caller);
        const { members } = await inviteTo(caller, id, 'dana@example.test');
        return { id, member: members[1]?.id ?? '' };
      },
      status: 204,
    },
    {
      when: 'it is the last admin',
      as: 'session',
      params: async ({ caller, person }: Scene) => ({
        id: await makeGroup(caller, [await person()]),
        member: caller.id,
      }),
      status: 422,
      code: 'INVALID',
      fields: { members: 'last_admin' },
    },
    { when: 'no member has that id', as: 'session', params: own, status: 403, code: 'NO_ACCESS' },
    notForMembers(),
    ...closedTo(),
    again,
  ],
} satisfies Table;
