// Invitations to a group, its members and its archive, where one call is not enough to show the rule
// (shared/group-rules.ts).
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { users } from '#db/schema/accounts.ts';
import { groupMembers, groups } from '#db/schema/groups.ts';
import { groupLimits } from '#shared/group-rules.ts';
import type { GroupView } from '#shared/groups.ts';
import { newId } from '#shared/ids.ts';
import { roles, type Role } from '#shared/roles.ts';
import type { EntryInput } from '#shared/sharing.ts';
import { close } from '#sync/protocol.ts';
import { closeEditors, Editor, synced, until } from '#tests/support/editors.ts';
import { inviteTo, makeGroup } from '#tests/support/groups.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting, ticketFor } from '#tests/support/meetings.ts';
import { Person } from '#tests/support/people.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
});
afterEach(() => closeEditors());
afterAll(() => house.close());

const address = () => `dana-${newId(8).toLowerCase()}@example.test`;
const three = async () => (await house.people(3)) as [Person, Person, Person];
const groupsOf = async (person: Person): Promise<GroupView[]> => (await person.get('/api/groups')).body.groups;
const rolesIn = async (person: Person, id: string) =>
  Object.fromEntries(
    (await person.get(`/api/groups/${id}`)).body.members.map((one: { id: string; role: string }) => [one.id, one.role]),
  );
const remove = (by: Person, id: string, member: string) => by.delete(`/api/groups/${id}/members/${member}`);
const entry = (group: string, role: Role = 'canEdit'): EntryInput => ({
  principal: { id: group, kind: 'group' },
  permissions: [...roles[role]],
});
async function setAcl(by: Person, id: string, ...entries: EntryInput[]) {
  const { version } = (await by.get(`/api/meetings/${id}/acl`)).body;
  return by.post(`/api/meetings/${id}/acl`, { entries, version });
}
const statusOf = async (person: Person, id: string) => (await person.get(`/api/meetings/${id}`)).status;
const listed = async (person: Person, query = '') =>
  (await person.get(`/api/meetings${query}`)).body.hits.map(({ id }: { id: string }) => id) as string[];

describe('an invitation', () => {
  it('names the group to whom it is for, and leads into it by the mail', async () => {
    const [ann, ben] = await three();
    const id = await makeGroup(ann, [], 'Interviews of the spring');
    await inviteTo(ann, id, ben.email, 'admin');
    const { invitations } = (await ben.whoami()).body;
    expect(invitations).toMatchObject([{ kind: 'team', group: { id, name: 'Interviews of the spring' } }]);
    expect((await house.mails(ben.email))[0]?.subject).toContain('invites you to a team');
    const secret = await house.tokenFor(ben.email, '/invitation');
    expect((await ben.post(`/api/invitations/${secret}`)).body).toMatchObject({ result: 'ok' });
    expect((await ben.whoami()).body).toMatchObject({
      groups: [{ id, name: 'Interviews of the spring' }],
      teams: [],
      invitations: [],
    });
    expect(await rolesIn(ann, id)).toEqual({ [ann.id]: 'admin', [ben.id]: 'admin' });
  });

  it('adds a person who registers by it', async () => {
    const [ann] = await three();
    const id = await makeGroup(ann);
    const dana = new Person(house.origin);
    dana.email = address();
    await inviteTo(ann, id, dana.email);
    const secret = await house.tokenFor(dana.email, '/invitation');
    const { email, password } = dana;
    const fields = { email, password, passwordConfirm: password, firstName: 'Dana', lastName: 'Test', terms: true };
    expect((await dana.post(`/api/invitations/${secret}/register`, fields)).status).toBe(200);
    expect((await dana.post(`/api/invitations/${secret}`)).body).toMatchObject({ result: 'ok' });
    expect(await groupsOf(dana)).toMatchObject([{ id, role: 'member' }]);
  });

  it('A20 leads nowhere once it is revoked, or its person was removed', async () => {
    const [ann, ben, cem] = await three();
    const id = await makeGroup(ann);
    const { members } = await inviteTo(ann, id, ben.email);
    const taken = await house.tokenFor(ben.email, '/invitation');
    expect((await remove(ann, id, members[1]?.id ?? '')).status).toBe(204);
    expect((await ben.post(`/api/invitations/${taken}`)).status).toBe(410);
    expect((await ben.post(`/api/groups/${id}/accept`)).status).toBe(403);

    await inviteTo(ann, id, cem.email);
    const used = await house.tokenFor(cem.email, '/invitation');
    expect((await cem.post(`/api/invitations/${used}`)).body.result).toBe('ok');
    expect((await remove(ann, id, cem.id)).status).toBe(204);
    expect((await cem.post(`/api/invitations/${used}`)).status).toBe(410);
    expect(await groupsOf(cem)).toEqual([]);
  });

  it('is not shown, and cannot be accepted, while the group is archived', async () => {
    const [ann, ben] = await three();
    const id = await makeGroup(ann);
    await inviteTo(ann, id, ben.email);
    const secret = await house.tokenFor(ben.email, '/invitation');
    await ann.post(`/api/groups/${id}/deactivate`);
    expect((await ben.whoami()).body.invitations).toEqual([]);
    expect((await ben.post(`/api/groups/${id}/accept`)).status).toBe(403);
    expect((await ben.post(`/api/invitations/${secret}`)).body.result).toBe('apply-error');
    await ann.post(`/api/groups/${id}/activate`);
    expect((await ben.whoami()).body.invitations).toMatchObject([{ group: { id } }]);
    expect((await ben.post(`/api/groups/${id}/accept`)).status).toBe(200);
  });

  it('again with another role changes the role, and sends no mail', async () => {
    const [ann, ben] = await three();
    const id = await makeGroup(ann);
    await inviteTo(ann, id, ben.email);
    await inviteTo(ann, id, ben.email, 'admin');
    expect(await house.mails(ben.email)).toHaveLength(1);
    expect((await ben.post(`/api/groups/${id}/accept`)).body.role).toBe('admin');
  });

  it('again to a person who declined invites them anew, whatever the role; a new role alone does not', async () => {
    const [ann, ben] = await three();
    const id = await makeGroup(ann);
    const invited = (await inviteTo(ann, id, ben.email)).members.find(({ email }) => email === ben.email);
    await ben.post(`/api/groups/${id}/ignore`);
    const put = await ann.put(`/api/groups/${id}/members/${invited?.id}`, { role: 'admin' });
    expect(put.body.members).toMatchObject([{ email: ann.email }, { email: ben.email, role: 'admin', declined: true }]);
    expect((await ben.whoami()).body.invitations).toEqual([]);
    const { members } = await inviteTo(ann, id, ben.email, 'member');
    expect(members).toMatchObject([{ email: ann.email }, { email: ben.email, role: 'member', declined: false }]);
    expect((await ben.whoami()).body.invitations).toMatchObject([{ group: { id } }]);
    expect(await house.mails(ben.email)).toHaveLength(2);
  });

  it('again and again sends only a few mails, and the last one still works', async () => {
    const [ann, ben] = await three();
    const id = await makeGroup(ann);
    for (let i = 0; i < 5; i += 1) await inviteTo(ann, id, ben.email);
    expect(await house.mails(ben.email)).toHaveLength(3);
    const secret = await house.tokenFor(ben.email, '/invitation');
    expect((await ben.post(`/api/invitations/${secret}`)).body.result).toBe('ok');
  });

  it('again to a person who declined, past the limit of mails, lets the last mail wait again', async () => {
    const [ann, ben] = await three();
    const id = await makeGroup(ann);
    for (let i = 0; i < 4; i += 1) {
      await inviteTo(ann, id, ben.email);
      expect((await ben.post(`/api/groups/${id}/ignore`)).status).toBe(204);
    }
    const { members } = await inviteTo(ann, id, ben.email, 'admin');
    expect(members).toMatchObject([{ email: ann.email }, { email: ben.email, role: 'admin', declined: false }]);
    expect((await ben.whoami()).body.invitations).toMatchObject([{ group: { id } }]);
    expect(await house.mails(ben.email)).toHaveLength(3);
    const secret = await house.tokenFor(ben.email, '/invitation');
    expect((await ben.post(`/api/invitations/${secret}`)).body.result).toBe('ok');
    expect(await groupsOf(ben)).toMatchObject([{ id, role: 'admin' }]);
  });
});

describe('admins', () => {
  it('of two who leave at once, one is refused', async () => {
    const [ann, ben] = await three();
    const id = await makeGroup(ann, [[ben, 'admin']]);
    const both = await Promise.all([ann, ben].map((one) => one.post(`/api/groups/${id}/leave`)));
    expect(both.map(({ status }) => status).toSorted()).toEqual([204, 422]);
    const rows = await house.database.orm.select().from(groupMembers).where(eq(groupMembers.groupId, id));
    expect(rows.map(({ role }) => role)).toEqual(['admin']);
  });

  it('may hand the role over in one request', async () => {
    const [ann, ben] = await three();
    const id = await makeGroup(ann, [ben]);
    const members = [
      { email: ann.email, role: 'member' },
      { email: ben.email, role: 'admin' },
    ];
    expect((await ann.post(`/api/groups/${id}/members`, { members })).status).toBe(200);
    expect(await rolesIn(ann, id)).toEqual({ [ann.id]: 'member', [ben.id]: 'admin' });
    expect((await ann.put(`/api/groups/${id}`, { name: 'Mine once more' })).status).toBe(403);
  });

  it('whose account is deleted leave it to the member who joined first, and delete it if no member is left', async () => {
    const [ann, ben, cem] = await three();
    const shared = await makeGroup(ann, [ben, cem], 'Interviews together');
    const alone = await makeGroup(ann, [], 'Interviews alone');
    const left = await ann.post('/api/principals/me/delete', { password: ann.password, reason: 'taskCompleted' });
    expect(left.status, left.text).toBe(204);
    expect(await rolesIn(ben, shared)).toEqual({ [ben.id]: 'admin', [cem.id]: 'member' });
    expect(await house.database.orm.select().from(groups).where(eq(groups.id, alone))).toEqual([]);
  });
});

it('a request that is sent again is answered again, and does nothing', async () => {
  const [ann] = await three();
  const headers = { 'X-Request-ID': newId() };
  const both = [
    await ann.post('/api/groups', { name: 'Interviews once' }, { headers }),
    await ann.post('/api/groups', { name: 'Interviews once' }, { headers }),
  ];
  expect(both.map(({ body }) => body.id)).toEqual([both[0]?.body.id, both[0]?.body.id]);
  expect(await groupsOf(ann)).toHaveLength(1);
});

it('a person may be in a limited number of groups', async () => {
  const [ann] = await three();
  const rows = Array.from({ length: groupLimits.most }, (_, i) => ({ id: newId(), name: `Interviews ${i}` }));
  const createdAt = new Date();
  await house.database.orm.insert(groups).values(rows.map((row) => ({ ...row, type: 'group', createdAt })));
  await house.database.orm
    .insert(groupMembers)
    .values(rows.map(({ id }) => ({ groupId: id, userId: ann.id, role: 'member', joinedAt: createdAt })));
  const answer = await ann.post('/api/groups', { name: 'One more of them' });
  expect([answer.status, answer.problem.info.errors]).toEqual([422, [{ field: '', code: 'too_many' }]]);
});

describe('shared with a group', () => {
  it('its members find, open and edit it, and who shares it sees its name and how many they are', async () => {
    const [ann, ben, cem] = await three();
    const id = await makeMeeting(house, ann);
    const group = await makeGroup(ann, [ben], 'Interviews of the spring');
    const answer = await setAcl(ann, id, entry(group));
    expect(answer.body.acl.entries).toEqual([
      {
        principal: {
          id: group,
          kind: 'group',
          email: null,
          first_name: '',
          last_name: '',
          name: 'Interviews of the spring',
        },
        permissions: [...roles.canEdit],
        members: 2,
        archived: false,
      },
    ]);
    expect(answer.text).not.toContain(ben.email);
    expect((await ben.get(`/api/meetings/${id}`)).body.permissions).toEqual([
      'read',
      'comment',
      'write',
      'discover',
      'history',
    ]);
    expect((await ben.get('/api/meetings')).body.hits).toMatchObject([
      { id, permissions: ['read', 'comment', 'write', 'discover', 'history'] },
    ]);
    expect(await listed(ben, '?folder=/')).toEqual([id]);
    expect([await statusOf(cem, id), await listed(cem)]).toEqual([403, []]);
    // A person who joins later finds it, too.
    await inviteTo(ann, group, cem.email);
    await cem.post(`/api/groups/${group}/accept`);
    expect([await statusOf(cem, id), await listed(cem)]).toEqual([200, [id]]);
  });

  it('shared with two groups and by name gives a person all their permissions, and is listed once', async () => {
    const [ann, ben] = await three();
    const id = await makeMeeting(house, ann);
    const [one, two] = [
      await makeGroup(ann, [ben], 'Interviews to read'),
      await makeGroup(ann, [ben], 'Interviews to edit'),
    ];
    const named = { principal: { id: ben.id, kind: 'user' as const }, permissions: [...roles.canComment] };
    await setAcl(ann, id, entry(one, 'canRead'), entry(two, 'canEdit'), named);
    const { hits, total } = (await ben.get('/api/meetings')).body;
    expect([total, hits.map((hit: { permissions: string[] }) => hit.permissions)]).toEqual([
      1,
      [['read', 'comment', 'write', 'discover', 'history']],
    ]);
  });

  it.each<[string, (by: Person, group: string, member: Person) => Promise<unknown>]>([
    ['they leave', (_, group, member) => member.post(`/api/groups/${group}/leave`)],
    ['they are removed', (by, group, member) => remove(by, group, member.id)],
    ['it is archived', (by, group) => by.post(`/api/groups/${group}/deactivate`)],
    ['it is deleted', (by, group) => by.delete(`/api/groups/${group}`)],
  ])('S2 %s: the line ends, the list forgets it, and no mail of it comes any more', async (_, end) => {
    const [ann, ben] = await three();
    const [id, other] = [await makeMeeting(house, ann), await makeMeeting(house, ann)];
    const group = await makeGroup(ann, [ben]);
    await setAcl(ann, id, entry(group));
    const room = `${id}/transcript`;
    const editor = new Editor({ room, at: () => house.origin, ticket: await ticketFor(ben, room) });
    await synced([editor]);
    expect(await listed(ben)).toEqual([id]);
    const mails = (await house.mails(ben.email)).length;

    await end(ann, group, ben);
    await until(() => editor.closes.includes(close.noAccess));
    expect([await statusOf(ben, id), await listed(ben)]).toEqual([403, []]);
    await setAcl(ann, other, entry(group));
    expect(await house.mails(ben.email)).toHaveLength(mails);
  });

  it('an archived group keeps its entry, which works again with it', async () => {
    const [ann, ben] = await three();
    const id = await makeMeeting(house, ann);
    const group = await makeGroup(ann, [ben]);
    await setAcl(ann, id, entry(group));
    await ann.post(`/api/groups/${group}/deactivate`);
    const { entries } = (await ann.get(`/api/meetings/${id}/acl`)).body.acl;
    expect(entries).toMatchObject([{ principal: { id: group }, archived: true }]);
    // The list as it was answered can be sent again.
    expect((await setAcl(ann, id, ...entries)).body.acl.entries).toEqual(entries);
    await ann.post(`/api/groups/${group}/activate`);
    expect(await statusOf(ben, id)).toBe(200);
  });

  it('mails its members, each once, but not those who are named besides or share it', async () => {
    const [ann, ben, cem] = await three();
    const id = await makeMeeting(house, ann);
    const group = await makeGroup(ann, [ben, cem]);
    const shared = async (person: Person) =>
      (await house.mails(person.email)).filter(({ subject }) => subject.includes('shares a recording with you')).length;
    const named = { principal: { id: cem.id, kind: 'user' as const }, permissions: [...roles.canRead] };
    await setAcl(ann, id, named);
    await setAcl(ann, id, named, entry(group));
    await setAcl(ann, id, named, entry(group, 'canRead'));
    expect([await shared(ann), await shared(ben), await shared(cem)]).toEqual([0, 1, 1]);
  });

  it('writes to no more of a large group than it may', async () => {
    const [ann] = await three();
    const id = await makeMeeting(house, ann);
    const group = await makeGroup(ann);
    const [row] = await house.database.orm.select().from(users).where(eq(users.id, ann.id));
    if (!row) throw new Error('nobody is there');
    const many = Array.from({ length: groupLimits.told + 5 }, () => {
      const email = address();
      return { ...row, id: newId(), email, emailKey: email };
    });
    await house.database.orm.insert(users).values(many);
    await house.database.orm
      .insert(groupMembers)
      .values(many.map((one) => ({ groupId: group, userId: one.id, role: 'member', joinedAt: new Date() })));
    expect((await setAcl(ann, id, entry(group))).status).toBe(200);
    const written = await Promise.all(many.map(async ({ email }) => (await house.mails(email)).length));
    expect(written.reduce((sum, one) => sum + one, 0)).toBe(groupLimits.told);
  });

  it('is offered to members of the group, and to nobody else', async () => {
    const [ann, ben, eve] = await three();
    const id = await makeMeeting(house, eve);
    const group = await makeGroup(ann, [ben]);
    const answer = await setAcl(eve, id, entry(group));
    expect([answer.status, answer.problem.info.errors]).toEqual([
      422,
      [{ field: 'entries.0.principal', code: 'unknown' }],
    ]);
    expect((await eve.post('/api/principals/search', { text: 'Interviews' })).body.principals).toEqual([]);
  });

  it('may be changed and removed by others who may share it, without being in the group', async () => {
    const [ann, ben, cem] = await three();
    const id = await makeMeeting(house, ann);
    const group = await makeGroup(ann, [ben]);
    const second = { principal: { id: cem.id, kind: 'user' as const }, permissions: [...roles.canEditShare] };
    await setAcl(ann, id, second, entry(group));
    const changed = await setAcl(cem, id, second, entry(group, 'canRead'));
    expect(changed.status, changed.text).toBe(200);
    expect((await ben.get(`/api/meetings/${id}`)).body.permissions).toEqual(['read', 'discover']);
    expect(changed.text).not.toContain(ben.email);
    expect((await setAcl(cem, id, second)).status).toBe(200);
    expect((await setAcl(cem, id, second, entry(group))).status).toBe(422);
  });

  it('can be shared on by a member whose role allows it', async () => {
    const [ann, ben, cem] = await three();
    const id = await makeMeeting(house, ann);
    const group = await makeGroup(ann, [ben]);
    await setAcl(ann, id, entry(group, 'canEditShare'));
    const { entries } = (await ben.get(`/api/meetings/${id}/acl`)).body.acl;
    const added = await setAcl(ben, id, ...entries, {
      principal: { email: cem.email },
      permissions: [...roles.canRead],
    });
    expect(added.status, added.text).toBe(200);
    expect(await statusOf(cem, id)).toBe(200);
  });
});

describe('a search', () => {
  it('finds one’s groups and their current members', async () => {
    const [ann, ben] = await three();
    const found = async (by: Person, text: string) =>
      (await by.post('/api/principals/search', { text })).body.principals;
    const group = await makeGroup(ann, [ben], 'Interviews of the spring');
    for (const by of [ann, ben]) {
      expect(await found(by, 'of the SPRING')).toEqual([
        { id: group, kind: 'group', name: 'Interviews of the spring', members: 2 },
      ]);
    }
    expect(await found(ann, ben.email)).toMatchObject([{ kind: 'user', id: ben.id }]);
    await ann.post(`/api/groups/${group}/deactivate`);
    expect(await found(ann, 'of the spring')).toEqual([]);
    expect(await found(ann, ben.email)).toMatchObject([{ kind: 'pending', id: -1 }]);
  });
});
