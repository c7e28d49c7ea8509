// Section 3.3 of the catalogue where it is about groups, D15, and what of H14 and S5 concerns them.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groups } from '#db/schema/groups.ts';
import { newId } from '#shared/ids.ts';
import { roles } from '#shared/roles.ts';
import { inviteTo, makeGroup } from '#tests/support/groups.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting } from '#tests/support/meetings.ts';
import type { Answer, Person } from '#tests/support/people.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(() => house.close());

/** Everything stored about a group, without times. */
const stored = async (id: string) =>
  JSON.stringify([
    await house.database.sql`select * from groups where id = ${id}`,
    await house.database.sql`select * from group_members where group_id = ${id} order by user_id`,
    await house.database
      .sql`select id, email, role, accepted_at, revoked_at from invitations where target_id = ${id} order by id`,
  ]);

interface Scene {
  ann: Person;
  member: Person;
  id: string;
  /** Id of an invitation that waits. */
  waiting: string;
}

/** A group of Ann's with a member and a person who is invited. */
async function scene(): Promise<Scene> {
  const [ann, member] = (await house.people(2)) as [Person, Person];
  const id = await makeGroup(ann, [member]);
  const { members } = await inviteTo(ann, id, `dana-${newId(8).toLowerCase()}@example.test`);
  return { ann, member, id, waiting: members.find(({ kind }) => kind === 'pending')?.id ?? '' };
}

const verbs: [string, (by: Person, scene: Scene) => Promise<Answer>][] = [
  ['renames', (by, { id }) => by.put(`/api/groups/${id}`, { name: 'Interviews of mine' })],
  ['deletes', (by, { id }) => by.delete(`/api/groups/${id}`)],
  ['archives', (by, { id }) => by.post(`/api/groups/${id}/deactivate`)],
  ['takes up', (by, { id }) => by.post(`/api/groups/${id}/activate`)],
  ['invites', (by, { id }) => by.post(`/api/groups/${id}/members`, { members: [{ email: 'eve@example.test' }] })],
  [
    'makes an admin of themselves',
    (by, { id }) => by.post(`/api/groups/${id}/members`, { members: [{ email: by.email, role: 'admin' }] }),
  ],
  ['puts the admin out', (by, { id, ann }) => by.delete(`/api/groups/${id}/members/${ann.id}`)],
  ['puts a member out', (by, { id, member }) => by.delete(`/api/groups/${id}/members/${member.id}`)],
  ['takes an invitation back', (by, { id, waiting }) => by.delete(`/api/groups/${id}/members/${waiting}`)],
];

const attackers: [string, string, (scene: Scene) => Promise<Person>][] = [
  ['a member', 'NO_PERM', ({ member }) => Promise.resolve(member)],
  [
    'an admin who was removed',
    'NO_ACCESS',
    async ({ ann, id }) => {
      const eve = await house.person('Eve');
      await inviteTo(ann, id, eve.email, 'admin');
      await eve.post(`/api/groups/${id}/accept`);
      await ann.delete(`/api/groups/${id}/members/${eve.id}`);
      return eve;
    },
  ],
  [
    'an admin who is one no more',
    'NO_PERM',
    async ({ ann, id }) => {
      const eve = await house.person('Eve');
      await inviteTo(ann, id, eve.email, 'admin');
      await eve.post(`/api/groups/${id}/accept`);
      await inviteTo(ann, id, eve.email, 'member');
      return eve;
    },
  ],
  [
    'a person who is only invited, as an admin',
    'NO_ACCESS',
    async ({ ann, id }) => {
      const eve = await house.person('Eve');
      await inviteTo(ann, id, eve.email, 'admin');
      return eve;
    },
  ],
  [
    'the admin of another group',
    'NO_ACCESS',
    async () => {
      const eve = await house.person('Eve');
      await makeGroup(eve);
      return eve;
    },
  ],
];

describe.each(attackers)('C11 %s', (_, code, enter) => {
  it.each(verbs)('%s nothing', async (_verb, act) => {
    const all = await scene();
    const eve = await enter(all);
    const before = await stored(all.id);
    const answer = await act(eve, all);
    expect([answer.status, answer.problem.code]).toEqual([403, code]);
    expect(await stored(all.id)).toBe(before);
  });
});

it('C11 an existing group and a missing one are answered by the same bytes', async () => {
  const all = await scene();
  const eve = await house.person('Eve');
  for (const [, act] of [...verbs, ['reads', (by: Person, { id }: Scene) => by.get(`/api/groups/${id}`)] as const]) {
    const bytes = [all, { ...all, id: newId() }].map(async (one) => {
      const { status, problem } = await act(eve, one);
      return JSON.stringify([status, { ...problem, requestId: '' }]);
    });
    const [there, nowhere] = await Promise.all(bytes);
    expect(there).toBe(nowhere);
  }
});

describe('C12', () => {
  it.each(['payer', 'include', 'exclude', 'defaultQuota', 'modelsInclude', 'forceAccountType', 'anything'])(
    '%s of another kind than it takes is refused by name, and nothing of the request is done',
    async (field) => {
      const { ann, member, id } = await scene();
      const before = await stored(id);
      const answer = await ann.put(`/api/groups/${id}`, { name: 'Interviews of mine', [field]: { id: member.id } });
      expect([answer.status, answer.problem.info.errors?.map((error) => error.field)]).toEqual([422, [field]]);
      expect(await stored(id)).toBe(before);
    },
  );

  it('nobody writes a balance, or makes somebody pay', async () => {
    const { ann, member, id } = await scene();
    expect((await ann.put(`/api/groups/${id}`, { type: 'team' })).status).toBe(200);
    const before = await stored(id);
    expect((await ann.put(`/api/groups/${id}`, { balance: '1000.00' })).body.balance).toBe('0.00');
    const named = await ann.put(`/api/groups/${id}`, { payer: member.id });
    expect([named.status, named.problem.info.errors]).toEqual([422, [{ field: 'payer', code: 'payer_admin' }]]);
    expect(await stored(id)).toBe(before);
  });

  it('nobody joins a group without accepting', async () => {
    const { ann, id } = await scene();
    const eve = await house.person('Eve');
    const { members } = await inviteTo(ann, id, eve.email, 'admin');
    expect(members.find(({ email }) => email === eve.email)?.kind).toBe('pending');
    expect((await eve.get('/api/groups')).body).toEqual({ groups: [] });
    const meeting = await makeMeeting(house, ann);
    const entries = [{ principal: { id, kind: 'group' }, permissions: [...roles.canEditShare] }];
    expect((await ann.post(`/api/meetings/${meeting}/acl`, { entries, version: 0 })).status).toBe(200);
    expect((await eve.get(`/api/meetings/${meeting}`)).status).toBe(403);
  });
});

it.each(['accept', 'ignore'])('C13 the invitation of another: %s', async (verb) => {
  const all = await scene();
  const { id, waiting } = all;
  const eve = await house.person('Eve');
  const before = await stored(id);
  for (const path of [`/api/groups/${id}/${verb}`, `/api/groups/${waiting}/${verb}`]) {
    const answer = await eve.post(path);
    expect([answer.status, answer.problem.code]).toEqual([403, 'NO_ACCESS']);
  }
  // The invitation's own id works only for its address.
  for (const end of ['', '/decline', '/reopen'])
    expect((await eve.post(`/api/invitations/${waiting}${end}`)).status).toBe(410);
  expect(await stored(id)).toBe(before);
});

it('D15 a person who is removed from a group keeps permissions given by name', async () => {
  const { ann, member, id } = await scene();
  const meeting = await makeMeeting(house, ann);
  const entries = [
    { principal: { id: member.id, kind: 'user', email: member.email }, permissions: [...roles.canRead] },
    { principal: { id, kind: 'group' }, permissions: [...roles.canEdit] },
  ];
  expect((await ann.post(`/api/meetings/${meeting}/acl`, { entries, version: 0 })).status).toBe(200);
  const held = async () => (await member.get(`/api/meetings/${meeting}`)).body.permissions;
  expect(await held()).toContain('write');
  expect((await ann.delete(`/api/groups/${id}/members/${member.id}`)).status).toBe(204);
  expect(await held()).toEqual(['read', 'discover']);
  const { acl } = (await ann.get(`/api/meetings/${meeting}/acl`)).body;
  expect(acl.entries).toMatchObject([
    { principal: { kind: 'group', id }, members: 1 },
    { principal: { kind: 'user', id: member.id, email: member.email }, permissions: ['read', 'discover'] },
  ]);
});

describe('H14 a name', () => {
  it.each([
    ['that is turned around', 'Interviews \u202egnirps'],
    ['with something nobody sees', 'Inter\u200bviews'],
    ['with an isolate', 'Interviews \u2066of us\u2069'],
    ['with a control', 'Interviews\u0007 of us'],
  ])('%s is refused', async (_, name) => {
    const ann = await house.person();
    const answer = await ann.post('/api/groups', { name });
    expect([answer.status, answer.problem.info.errors]).toEqual([422, [{ field: 'name', code: 'name' }]]);
  });

  it('is stored in one normal form', async () => {
    const ann = await house.person();
    const { body } = await ann.post('/api/groups', { name: 'Entretiens de\u0301mocrates' });
    expect(body.name).toBe('Entretiens démocrates');
    const again = await ann.post('/api/groups', { name: 'ENTRETIENS DÉMOCRATES' });
    expect(again.problem.info.errors).toEqual([{ field: 'name', code: 'group_taken' }]);
  });
});

it('S5 fields that the server decides are not taken from requests', async () => {
  const ann = await house.person();
  const id = await makeGroup(ann);
  const forged = { id: 'mine', role: 'member', members: [], archived: true, created: '1999-01-01T00:00:00Z' };
  expect((await ann.put(`/api/groups/${id}`, { ...forged, name: 'Interviews of mine' })).status).toBe(200);
  const [row] = await house.database.orm.select().from(groups).where(eq(groups.id, id));
  expect(row).toMatchObject({ id, name: 'Interviews of mine', archivedAt: null });
  expect(row?.createdAt.getFullYear()).not.toBe(1999);
  const made = await ann.post('/api/groups', { ...forged, name: 'Interviews of others' });
  expect(made.body).toMatchObject({ role: 'admin', members: 1, archived: false });
  expect(made.body.id).not.toBe('mine');

  const members = [{ email: 'emil@example.test', role: 'member', id: ann.id, kind: 'user', joined: true }];
  const { body } = await ann.post(`/api/groups/${id}/members`, { members });
  expect(body.members[1]).toMatchObject({ kind: 'pending', email: 'emil@example.test' });
  expect(body.members[1].id).not.toBe(ann.id);
});
