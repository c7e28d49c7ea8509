// Teams with centralized billing: who pays, quotas, what a team decides for its members, clones, and what is undone.
// Rows of single calls are in groups.table.ts; what teams pay is in team-costs.test.ts.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { users } from '#db/schema/accounts.ts';
import { groupLimits } from '#shared/group-rules.ts';
import type { GroupDetail, MemberView } from '#shared/groups.ts';
import { newId } from '#shared/ids.ts';
import { bringSet } from '#server/outcome-models/named.ts';
import { giveCredits, useQuota } from '#tests/support/billing.ts';
import {
  beginProcessing,
  createMeeting,
  external,
  multipart,
  processed,
  sendFile,
  tone,
} from '#tests/support/intake.ts';
import { inviteTo, makeGroup, makeTeam } from '#tests/support/groups.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeSet } from '#tests/support/outcome-models.ts';
import type { Person } from '#tests/support/people.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(() => house.close());

const three = async () => (await house.people(3)) as [Person, Person, Person];
const detail = async (by: Person, id: string) => (await by.get(`/api/groups/${id}`)).body as GroupDetail;
const me = (by: Person, body: object) => by.post('/api/principals/me', body);
const memberIn = async (by: Person, id: string, who: Person) =>
  (await detail(by, id)).members.find((one) => one.id === who.id) as MemberView;
const change = (by: Person, id: string, body: object) => by.put(`/api/groups/${id}`, body);
const setMember = (by: Person, id: string, member: string, body: object = {}) =>
  by.put(`/api/groups/${id}/members/${member}`, body);
const codes = (answer: { problem: { info: { errors: { field: string; code: string }[] } } }) =>
  Object.fromEntries(answer.problem.info.errors.map(({ field, code }) => [field, code]));

describe('the payer', () => {
  it('is who made the team; another admin is asked, and pays once they accept', async () => {
    const [ann, ben, cem] = await three();
    const id = await makeTeam(ann, [[ben, 'admin'], cem]);
    expect(await detail(ann, id)).toMatchObject({ payer: { id: ann.id }, askedPayer: null });

    const asked = await change(ann, id, { payer: ben.id });
    expect(asked.body).toMatchObject({ payer: { id: ann.id }, askedPayer: { id: ben.id } });
    expect((await house.mails(ben.email))[0]?.subject).toContain('asks you to pay for a team');
    // Asking twice sends one mail.
    await change(ann, id, { payer: ben.id });
    expect((await house.mails(ben.email)).filter(({ subject }) => subject.includes('pay for a team'))).toHaveLength(1);
    expect((await detail(cem, id)).askedPayer).toBe(null);

    expect((await change(ben, id, { payer: ben.id })).body).toMatchObject({ payer: { id: ben.id }, askedPayer: null });
    expect(await memberIn(cem, id, ben)).toMatchObject({ payer: true });
    expect(await memberIn(cem, id, ann)).toMatchObject({ payer: false });
  });

  it('is an admin: a member, a stranger and nobody are refused', async () => {
    const [ann, ben, cem] = await three();
    const id = await makeTeam(ann, [ben]);
    for (const payer of [ben.id, cem.id, newId()])
      expect(codes(await change(ann, id, { payer }))).toEqual({ payer: 'payer_admin' });
    expect(codes(await change(ann, id, { payer: null }))).toEqual({ payer: 'payer_needed' });
    const tried = await change(ben, id, { payer: ben.id });
    expect([tried.status, tried.problem.message]).toEqual([403, 'No permissions to change payer']);
  });

  it('withdraws the question by naming themselves', async () => {
    const [ann, ben] = await three();
    const id = await makeTeam(ann, [[ben, 'admin']]);
    await change(ann, id, { payer: ben.id });
    expect((await change(ann, id, { payer: ann.id })).body).toMatchObject({ payer: { id: ann.id }, askedPayer: null });
  });

  it.each<[string, (ben: Person, ann: Person, id: string) => Promise<unknown>]>([
    ['leaves', (ben, _, id) => ben.post(`/api/groups/${id}/leave`)],
    ['is removed', (ben, ann, id) => ann.delete(`/api/groups/${id}/members/${ben.id}`)],
    ['is a member only', (ben, ann, id) => setMember(ann, id, ben.id, { role: 'member' })],
    [
      'is a member only, by an invitation',
      (ben, ann, id) => ann.post(`/api/groups/${id}/members`, { members: [{ email: ben.email, role: 'member' }] }),
    ],
  ])('who %s pays no more, and is not asked any more', async (_, end) => {
    const [ann, ben] = await three();
    const id = await makeTeam(ann, [[ben, 'admin']]);
    await change(ann, id, { payer: ben.id });
    await end(ben, ann, id);
    expect(await detail(ann, id)).toMatchObject({ payer: { id: ann.id }, askedPayer: null });

    const other = await makeTeam(ben, [[ann, 'admin']]);
    await end(ben, ann, other);
    expect(await detail(ann, other)).toMatchObject({ payer: null, balance: null });
    expect((await change(ann, other, { payer: ann.id })).body.payer).toMatchObject({ id: ann.id });
  });

  it('cannot delete the account without handing over; alone in a team, they take it along', async () => {
    const [ann, ben] = await three();
    const id = await makeTeam(ann, [[ben, 'admin']], { name: 'Interviews of the spring' });
    const leave = () => ann.post('/api/principals/me/delete', { password: ann.password, reason: 'tooSlow' });
    const refused = await leave();
    expect([refused.status, refused.problem.code]).toEqual([409, 'PAYER']);
    expect(refused.problem.info['teams']).toEqual([{ id, name: 'Interviews of the spring' }]);
    expect((await ann.whoami()).body.principal.id).toBe(ann.id);
    await change(ben, id, { payer: ben.id });
    await makeTeam(ann, [], { name: 'Interviews alone' });
    expect((await leave()).status).toBe(204);
    expect((await detail(ben, id)).members).toHaveLength(1);
  });

  it('alone makes the team a plain group again, and no settings are lost by it', async () => {
    const [ann, ben] = await three();
    const id = await makeTeam(ann, [[ben, 'admin']], { maxDurationMins: 45, invitationEmail: 'Welcome to us' });
    const refused = await change(ben, id, { type: 'group' });
    expect([refused.status, refused.problem.message]).toEqual([403, 'No permissions to change payer']);
    const plain = await change(ann, id, { type: 'group' });
    expect(plain.body).toMatchObject({ type: 'group', payer: null, balance: null });
    expect(plain.body).not.toHaveProperty('maxDurationMins');
    expect((await ben.whoami()).body.teams).toEqual([]);
    expect((await change(ben, id, { type: 'team' })).body).toMatchObject({
      payer: { id: ben.id },
      maxDurationMins: 45,
    });
  });
});

describe('a quota', () => {
  it('is the team’s until a member gets their own, and is theirs to see', async () => {
    const [ann, ben, cem] = await three();
    const id = await makeTeam(ann, [ben, cem], { defaultQuota: 20 });
    expect(await memberIn(ann, id, ben)).toMatchObject({ quota: 20, quotaDefault: true, used: 0 });
    expect((await setMember(ann, id, ben.id, { quota: '5,25' })).status).toBe(200);
    expect(await memberIn(ann, id, ben)).toMatchObject({ quota: 5.25, quotaDefault: false });
    await change(ann, id, { defaultQuota: 30 });
    expect(await memberIn(ann, id, ben)).toMatchObject({ quota: 5.25 });
    expect(await memberIn(ann, id, cem)).toMatchObject({ quota: 30, quotaDefault: true });
    // A member sees their own, and nobody else's.
    expect(await memberIn(ben, id, ben)).toMatchObject({ quota: 5.25 });
    expect(await memberIn(ben, id, cem)).not.toHaveProperty('quota');
    expect((await ben.whoami()).body.teams).toMatchObject([{ id, role: 'member', quota: 5.25, used: 0 }]);
    // A role alone keeps the quota, by every way to change it.
    await ann.post(`/api/groups/${id}/members`, { members: [{ email: ben.email, role: 'admin' }] });
    expect(await memberIn(ann, id, ben)).toMatchObject({ role: 'admin', quota: 5.25 });
    await setMember(ann, id, ben.id, { quota: null });
    expect(await memberIn(ann, id, ben)).toMatchObject({ quota: 30, quotaDefault: true });
  });

  it('is not below what is used, for one or for all', async () => {
    const [ann, ben, cem] = await three();
    const id = await makeTeam(ann, [ben, cem], { defaultQuota: 20 });
    await giveCredits(house, ann, '8.25');
    await useQuota(house, ben, id, 8.25);
    expect(codes(await setMember(ann, id, ben.id, { quota: 8.24 }))).toEqual({ quota: 'quota_used' });
    expect(codes(await change(ann, id, { defaultQuota: 8, name: 'Interviews once more' }))).toEqual({
      defaultQuota: 'quota_used',
    });
    expect(await detail(ann, id)).toMatchObject({ name: `Team of ${ann.id}`, defaultQuota: 20 });
    expect((await setMember(ann, id, ben.id, { quota: 8.25 })).status).toBe(200);
    expect((await change(ann, id, { defaultQuota: 8 })).status).toBe(200);
    expect(await memberIn(ann, id, cem)).toMatchObject({ quota: 8 });
  });

  it('of an invitation becomes that of the member, and what was used before is not forgotten', async () => {
    const [ann, ben] = await three();
    const id = await makeTeam(ann, [], { defaultQuota: 20 });
    await ann.post(`/api/groups/${id}/members`, { members: [{ email: ben.email, quota: 4 }] });
    await ben.post(`/api/groups/${id}/accept`);
    expect(await memberIn(ann, id, ben)).toMatchObject({ quota: 4, quotaDefault: false });
    await giveCredits(house, ann, '3');
    await useQuota(house, ben, id, 3);
    await ben.post(`/api/groups/${id}/leave`);
    await ann.post(`/api/groups/${id}/members`, { members: [{ email: ben.email, quota: 1 }] });
    await ben.post(`/api/groups/${id}/accept`);
    expect(await memberIn(ann, id, ben)).toMatchObject({ quota: 3, used: 3 });
  });
});

describe('a removed member', () => {
  it('is back as before within a minute, by who removed them alone', async () => {
    const [ann, ben, cem] = await three();
    const id = await makeTeam(
      ann,
      [
        [ben, 'admin'],
        [cem, 'admin'],
      ],
      { defaultQuota: 20 },
    );
    await setMember(ann, id, ben.id, { quota: 7 });
    await giveCredits(house, ann, '1');
    await useQuota(house, ben, id, 1);
    await ann.delete(`/api/groups/${id}/members/${ben.id}`);
    expect((await setMember(cem, id, ben.id)).status).toBe(403);
    expect((await ben.get(`/api/groups/${id}`)).status).toBe(403);
    expect((await setMember(ann, id, ben.id)).status).toBe(200);
    expect(await memberIn(ann, id, ben)).toMatchObject({ role: 'admin', quota: 7, used: 1 });
    // Nobody who left freely is brought back.
    await ben.post(`/api/groups/${id}/leave`);
    expect((await setMember(ann, id, ben.id)).status).toBe(403);
  });

  it('stays away after that minute', async () => {
    const [ann, ben] = await three();
    const id = await makeGroup(ann, [ben]);
    await ann.delete(`/api/groups/${id}/members/${ben.id}`);
    house.clock.forward(61);
    expect((await setMember(ann, id, ben.id)).status).toBe(403);
  });

  it('who was only invited is invited again, by the same mail', async () => {
    const [ann, ben] = await three();
    const id = await makeGroup(ann);
    const waiting = (await inviteTo(ann, id, ben.email)).members[1]?.id ?? '';
    await ann.delete(`/api/groups/${id}/members/${waiting}`);
    expect((await ben.whoami()).body.invitations).toEqual([]);
    expect((await setMember(ann, id, waiting)).body.members[1]).toMatchObject({ kind: 'pending' });
    expect((await ben.post(`/api/groups/${id}/accept`)).status).toBe(200);
  });
});

describe('a clone', () => {
  it('has the settings; the caller pays for it, and all others are invited', async () => {
    const [ann, ben, cem] = await three();
    const settings = { defaultQuota: 20, maxDurationMins: 45, hideBuiltinModels: true, notifyAdminOnUpload: 'daily' };
    const id = await makeTeam(ann, [[ben, 'admin'], cem], { ...settings, modelsInclude: ['coaching'] });
    await setMember(ann, id, ben.id, { quota: 3 });
    const clone = (await ben.post(`/api/groups/${id}/clone`, { name: 'Interviews again', copyMembers: false })).body;
    expect(clone).toMatchObject({ ...settings, type: 'team', payer: { id: ben.id }, models: ['coaching'], members: 1 });
    expect((await detail(ben, clone.id)).members).toMatchObject([
      { id: ben.id, role: 'admin' },
      { kind: 'pending', email: ann.email, role: 'admin', quota: 20, quotaDefault: true },
    ]);
    const whole = (await ann.post(`/api/groups/${id}/clone`, { name: 'Interviews whole', copyMembers: true })).body;
    const { members } = await detail(ann, whole.id);
    expect(Object.fromEntries(members.map((one) => [one.email, [one.kind, one.role, one.quota]]))).toEqual({
      [ann.email]: ['user', 'admin', 20],
      [ben.email]: ['pending', 'admin', 3],
      [cem.email]: ['pending', 'member', 20],
    });
    // The original stays as it was.
    expect(await detail(ann, id)).toMatchObject({ payer: { id: ann.id } });
  });
});

describe('by one call', () => {
  it('people are included and excluded, and the whole group may be sent as it was answered', async () => {
    const [ann, ben, cem] = await three();
    const id = await makeTeam(ann, [ben], { defaultQuota: 20, invitationEmail: 'See you on Monday' });
    const include = [cem.email, { email: `dana-${newId()}@example.test`, role: 'admin', quota: 2 }];
    expect((await change(ann, id, { include, exclude: [ben.id] })).status).toBe(200);
    const after = await detail(ann, id);
    expect(after.members.map(({ kind, role, quota }) => [kind, role, quota])).toEqual(
      expect.arrayContaining([
        ['user', 'admin', 20],
        ['pending', 'member', 20],
        ['pending', 'admin', 2],
      ]),
    );
    expect(after.members).toHaveLength(3);
    expect((await house.mails(cem.email))[0]?.text).toContain('See you on Monday');
    const whole = await change(ann, id, { ...after, name: 'Interviews once more' });
    expect(whole.status, whole.text).toBe(200);
    expect(await detail(ann, id)).toEqual({ ...after, name: 'Interviews once more' });
  });

  it('a folder of the team is made, in which members edit', async () => {
    const [ann, ben] = await three();
    await ann.post('/api/folders', { path: '/Interviews of us' });
    const made = await ann.post('/api/groups', { name: 'Interviews of us', folder: true });
    expect(made.body.folder.path).toBe('/Interviews of us 2');
    await inviteTo(ann, made.body.id, ben.email);
    await ben.post(`/api/groups/${made.body.id}/accept`);
    const { entries } = (await ann.get(`/api/folders/share?${new URLSearchParams({ path: made.body.folder.path })}`))
      .body.acl;
    expect(entries).toMatchObject([{ principal: { id: made.body.id, kind: 'group' } }]);
    const folders = (await ben.get('/api/folders')).body.folders as { sid: string | null; permissions: string[] }[];
    expect(folders.find(({ sid }) => sid === made.body.folder.id)?.permissions).toContain('write');
  });
});

describe('joining', () => {
  it('is greeted by a mail, unless the team wants none', async () => {
    const [ann, ben, cem] = await three();
    const id = await makeTeam(ann, [ben]);
    expect((await house.mails(ben.email))[0]?.subject).toBe('You are in a team');
    await change(ann, id, { noWelcomeEmail: true });
    await inviteTo(ann, id, cem.email);
    await cem.post(`/api/groups/${id}/accept`);
    expect((await house.mails(cem.email)).map(({ subject }) => subject)).not.toContain('You are in a team');
  });
});

describe('what a team forces', () => {
  it('holds for its members, says whose it is, and leaves the choice when it ends', async () => {
    const [ann, ben] = await three();
    await me(ben, { accountType: 'student', outcomeModel: 'meeting' });
    const forced = { forceAccountType: 'mentor', forceOutcomeModel: 'coaching' };
    const id = await makeTeam(ann, [ben], { ...forced, name: 'Interviews of the spring' });
    const { principal, account_types, forced: shown } = (await ben.whoami()).body;
    expect([principal.accountType, principal.outcomeModel]).toEqual(['mentor', 'coaching']);
    expect(account_types.find((one: { active: boolean }) => one.active).id).toBe('mentor');
    const team = { id, name: 'Interviews of the spring' };
    expect(shown).toEqual({ team, accountType: 'mentor', outcomeModel: 'coaching' });

    for (const wanted of [{ accountType: 'student' }, { outcomeModel: 'meeting' }]) {
      const refused = await me(ben, wanted);
      expect([refused.status, refused.problem.code, refused.problem.info['team']]).toEqual([403, 'NO_PERM', team]);
    }
    expect((await me(ben, { accountType: 'mentor', preferences: { hardcorePrivacy: true } })).status).toBe(200);
    await ben.post(`/api/groups/${id}/leave`);
    expect((await ben.whoami()).body).toMatchObject({ forced: null, principal: { outcomeModel: 'coaching' } });
  });

  it('is the set of outcome types of those without an account type, too', async () => {
    const [ann] = await three();
    const dan = await house.person('Dan', {}, { accountType: null });
    await makeTeam(ann, [dan], { forceOutcomeModel: 'coaching' });
    const { principal } = (await dan.whoami()).body;
    expect([principal.accountType, principal.outcomeModel]).toEqual([null, 'coaching']);
  });

  it('is that of the team joined first', async () => {
    const [ann, ben, cem] = await three();
    const first = await makeTeam(ann, [cem], { forceAccountType: 'coach' });
    await makeTeam(ben, [cem], { forceAccountType: 'student' });
    expect((await cem.whoami()).body.principal.accountType).toBe('coach');
    await ann.post(`/api/groups/${first}/deactivate`);
    expect((await cem.whoami()).body.principal.accountType).toBe('student');
  });

  it('may be the outcome models alone: more of them, or fewer', async () => {
    const [ann, ben] = await three();
    await me(ben, { accountType: 'individual' });
    const models = async () =>
      (await ben.whoami()).body.account_types
        .find((one: { active: boolean }) => one.active)
        .models.map((one: { id: string; active: boolean }) => [one.id, one.active]);
    expect(await models()).toEqual([['meeting', true]]);
    const id = await makeTeam(ann, [ben], { modelsInclude: ['coaching'] });
    expect(await models()).toEqual([
      ['meeting', true],
      ['coaching', false],
    ]);
    expect((await me(ben, { outcomeModel: 'coaching' })).body.principal.outcomeModel).toBe('coaching');
    await me(ben, { outcomeModel: 'meeting' });
    await change(ann, id, { hideBuiltinModels: true });
    expect(await models()).toEqual([['coaching', true]]);
    expect((await me(ben, { outcomeModel: 'meeting' })).status).toBe(422);
  });
});

describe('a set of outcome types that people made', () => {
  const refusedBy = async (by: Person, id: string, body: object) => {
    const answer = await change(by, id, body);
    return [answer.status, answer.status === 422 && codes(answer)];
  };
  const modelsOf = async (who: Person) =>
    (await who.whoami()).body.account_types.find((one: { active: boolean }) => one.active).models;
  const addRecording = async (by: Person): Promise<string> => {
    const { id } = await createMeeting(by);
    await beginProcessing(by, id);
    await processed(by, id);
    return id;
  };

  it('is chosen by an admin whose own it is, or the team’s; no set of others', async () => {
    const [ann, ben, cem] = await three();
    const id = await makeTeam(ann, [[ben, 'admin'], cem]);
    const [anns, bens, cems] = [await makeSet(ann), await makeSet(ben), await makeSet(cem)];
    const elsewhere = await makeSet(ann, { groupId: await makeTeam(ann, [], { name: 'Another team of Ann' }) });
    const teams = await makeSet(ben, { groupId: id });
    for (const foreign of [cems.id, bens.id, elsewhere.id, `own_${newId()}`]) {
      expect(await refusedBy(ann, id, { forceOutcomeModel: foreign })).toEqual([
        422,
        { forceOutcomeModel: 'set_gone' },
      ]);
      expect(await refusedBy(ann, id, { modelsInclude: [foreign] })).toEqual([422, { modelsInclude: 'set_gone' }]);
    }
    expect((await change(cem, id, { forceOutcomeModel: cems.id })).status).toBe(403);
    expect((await change(ann, id, { forceOutcomeModel: 'own_short' })).status).toBe(422);
    const made = await ann.post('/api/groups', { name: 'Third team of Ann', type: 'team', modelsInclude: [bens.id] });
    expect([made.status, codes(made)]).toEqual([422, { modelsInclude: 'set_gone' }]);

    expect((await change(ann, id, { modelsInclude: [anns.id, teams.id] })).body.models).toEqual([anns.id, teams.id]);
    // The other admin keeps what the team offers.
    expect((await change(ben, id, { modelsInclude: [anns.id], forceOutcomeModel: bens.id })).status).toBe(200);
    expect((await change(ann, id, { forceOutcomeModel: bens.id, description: 'As before' })).status).toBe(200);
  });

  it('is offered to members by its name, and only to them', async () => {
    const [ann, ben, cem] = await three();
    await me(ben, { accountType: 'individual' });
    const set = await makeSet(ann);
    const id = await makeTeam(ann, [ben], { modelsInclude: [set.id] });
    expect(await modelsOf(ben)).toEqual([
      { id: 'meeting', active: true, own: false },
      { id: set.id, active: false, own: true, name: set.name },
    ]);
    const listed = async (who: Person) => (await who.get('/api/outcome-models')).body.models;
    expect(await listed(ben)).toMatchObject([{ id: set.id, mayChange: false, group: null, offeredIn: [{ id }] }]);
    // The owner sees where their set is offered.
    expect(await listed(ann)).toMatchObject([{ id: set.id, group: null, mayChange: true, offeredIn: [{ id }] }]);
    expect(await listed(cem)).toEqual([]);
    expect((await ben.delete(`/api/outcome-models/${set.id}`)).status).toBe(403);
    expect((await me(ben, { outcomeModel: set.id })).body.principal.outcomeModel).toBe(set.id);
    await ben.post(`/api/groups/${id}/leave`);
    expect(await listed(ben)).toEqual([]);
    expect((await me(ben, { outcomeModel: set.id })).status).toBe(422);
    expect((await ben.whoami()).body.principal.outcomeModel).toBe('meeting');
  });

  it('is in recordings that members add, which keep it; gone, it forces nothing, and nobody chooses it anew', async () => {
    const [ann, ben] = await three();
    await me(ben, { accountType: 'student' });
    const before = await addRecording(ben);
    const set = await makeSet(ann);
    const id = await makeTeam(ann, [ben], { forceOutcomeModel: set.id });
    const { principal, forced } = (await ben.whoami()).body;
    expect([principal.outcomeModel, forced.outcomeModel]).toEqual([set.id, set.id]);
    expect((await me(ben, { outcomeModel: 'meeting' })).status).toBe(403);

    const recording = await addRecording(ben);
    const modelIn = async (one: string) => {
      const { doc } = (await ben.get(`/api/meetings/${one}`)).body;
      return [doc.preferredOutcomesModel, doc.outcomesSchema[0].id];
    };
    const brought = [set.id, set.types[0]?.id];
    expect(await modelIn(recording)).toEqual(brought);
    // A recording that does not have the set stays with the built-in one.
    const [none, type] = await modelIn(before);
    expect([none, type.startsWith('own_')]).toEqual([null, false]);

    const { rev, name, language } = set;
    const retired = {
      rev,
      name,
      language,
      types: set.types.map((one) => ({ id: one.id, name: one.name })),
      retired: true,
    };
    expect((await ann.put(`/api/outcome-models/${set.id}`, retired)).status).toBe(200);
    expect((await ben.whoami()).body).toMatchObject({ forced: null, principal: { outcomeModel: 'coaching' } });
    expect(await modelIn(recording)).toEqual(brought);
    // The team can be sent as it was returned.
    const { forceOutcomeModel } = (await change(ann, id, { forceOutcomeModel: set.id, description: 'Later' })).body;
    expect(forceOutcomeModel).toBe(set.id);
    expect((await change(ann, id, { forceOutcomeModel: null })).status).toBe(200);
    expect(await refusedBy(ann, id, { forceOutcomeModel: set.id })).toEqual([422, { forceOutcomeModel: 'set_gone' }]);
    expect(await refusedBy(ann, id, { modelsInclude: [set.id] })).toEqual([422, { modelsInclude: 'set_gone' }]);
  });

  it('that cannot be brought leaves the recording as it is otherwise, and is reported', async () => {
    const [ann, ben] = await three();
    const set = await makeSet(ann);
    await makeTeam(ann, [ben], { forceOutcomeModel: set.id });
    await house.database.sql`
      create function refuse_set() returns trigger language plpgsql as 'begin raise exception ''no room for a set''; end'`;
    await house.database.sql`
      create trigger refuse_set before insert on meeting_sets for each row execute function refuse_set()`;
    try {
      const recording = await addRecording(ben);
      const { doc } = (await ben.get(`/api/meetings/${recording}`)).body;
      expect(doc.preferredOutcomesModel).toBeNull();
      expect(house.lastLine(recording, 'without the set of outcome types')).toBeDefined();
    } finally {
      await house.database.sql`drop function refuse_set cascade`;
    }
  });

  it('is the recording’s once it is there: a recording that has it is left alone', async () => {
    const [ann, ben] = await three();
    const set = await makeSet(ann);
    await makeTeam(ann, [ben], { forceOutcomeModel: set.id });
    const recording = await addRecording(ben);
    const { version } = (await ben.get(`/api/meetings/${recording}`)).body;
    const prefers = { 'doc.preferredOutcomesModel': 'meeting' };
    expect((await ben.put(`/api/meetings/${recording}`, { meeting: prefers, version })).status).toBe(200);
    await bringSet(house.house, { meetingId: recording, ownerId: ben.id });
    expect((await ben.get(`/api/meetings/${recording}`)).body.doc.preferredOutcomesModel).toBe('meeting');
  });

  it('that is deleted, or whose owner is not in the team any more, is refused and not offered', async () => {
    const [ann, ben, cem] = await three();
    await me(cem, { accountType: 'individual' });
    const [anns, bens] = [await makeSet(ann), await makeSet(ben)];
    const id = await makeTeam(ann, [[ben, 'admin'], cem], { modelsInclude: [anns.id] });
    await change(ben, id, { modelsInclude: [bens.id] });
    expect(await modelsOf(cem)).toHaveLength(3);
    expect((await ann.delete(`/api/outcome-models/${anns.id}`)).status).toBe(204);
    await ben.post(`/api/groups/${id}/leave`);
    expect(await modelsOf(cem)).toEqual([{ id: 'meeting', active: true, own: false }]);
    expect((await change(ann, id, { modelsInclude: [anns.id, bens.id] })).status).toBe(200);
    for (const gone of [anns.id, bens.id])
      expect(await refusedBy(ann, id, { forceOutcomeModel: gone })).toEqual([422, { forceOutcomeModel: 'set_gone' }]);
    expect((await change(ann, id, { modelsExclude: [anns.id, bens.id] })).body.models).toEqual([]);
    for (const gone of [anns.id, bens.id])
      expect(await refusedBy(ann, id, { modelsInclude: [gone] })).toEqual([422, { modelsInclude: 'set_gone' }]);
  });

  it('stays for the team when its owner is an admin no more, until the owner takes it back', async () => {
    const [ann, ben, cem] = await three();
    await me(cem, { accountType: 'individual' });
    const set = await makeSet(ann);
    const id = await makeTeam(ann, [[ben, 'admin'], cem], { modelsInclude: [set.id] });
    expect((await ben.put(`/api/groups/${id}/members/${ann.id}`, { role: 'member' })).status).toBe(200);
    expect((await change(ann, id, { modelsExclude: [set.id] })).status).toBe(403);
    expect((await modelsOf(cem)).map((one: { id: string }) => one.id)).toEqual(['meeting', set.id]);
    // The other admin can force it there, offers it nowhere else, and does not change it.
    expect((await change(ben, id, { forceOutcomeModel: set.id })).status).toBe(200);
    const made = await ben.post('/api/groups', { name: 'A team of Ben', type: 'team', forceOutcomeModel: set.id });
    expect([made.status, codes(made)]).toEqual([422, { forceOutcomeModel: 'set_gone' }]);
    expect((await ben.delete(`/api/outcome-models/${set.id}`)).status).toBe(403);
    expect((await ann.delete(`/api/outcome-models/${set.id}`)).status).toBe(204);
    expect(await modelsOf(cem)).toEqual([{ id: 'meeting', active: true, own: false }]);
  });

  it('is shown to nobody by a team that is archived, or after its owner’s account is deleted', async () => {
    const [ann, ben, cem] = await three();
    await me(cem, { accountType: 'individual' });
    const set = await makeSet(ann);
    const id = await makeTeam(ben, [[ann, 'admin'], cem]);
    expect((await change(ann, id, { forceOutcomeModel: set.id })).status).toBe(200);
    const recording = await addRecording(cem);
    const seen = async () => [
      (await cem.get('/api/outcome-models')).body.models.map((one: { id: string }) => one.id),
      (await cem.whoami()).body.principal.outcomeModel,
    ];
    expect(await seen()).toEqual([[set.id], set.id]);
    await ben.post(`/api/groups/${id}/deactivate`);
    expect(await seen()).toEqual([[], 'meeting']);
    await ben.post(`/api/groups/${id}/activate`);
    expect(await seen()).toEqual([[set.id], set.id]);
    const leaving = { password: ann.password, reason: 'taskCompleted' };
    expect((await ann.post('/api/principals/me/delete', leaving)).status).toBe(204);
    expect(await seen()).toEqual([[], 'meeting']);
    expect(await refusedBy(ben, id, { modelsInclude: [set.id] })).toEqual([422, { modelsInclude: 'set_gone' }]);
    // A recording that has it keeps its words.
    expect((await cem.get(`/api/meetings/${recording}`)).body.doc.outcomesSchema[0].id).toBe(set.types[0]?.id);
  });

  it('is offered by nobody once it is deleted, though an admin names it at the same time', async () => {
    const [ann, ben] = await three();
    const id = await makeTeam(ann, [ben]);
    for (let round = 0; round < 8; round += 1) {
      const set = await makeSet(ann);
      const [named, deleted] = await Promise.all([
        change(ann, id, { forceOutcomeModel: set.id }),
        ann.delete(`/api/outcome-models/${set.id}`),
      ]);
      expect(deleted.status).toBe(204);
      if (named.status !== 200) expect([named.status, codes(named)]).toEqual([422, { forceOutcomeModel: 'set_gone' }]);
      expect((await ben.whoami()).body.forced).toBeNull();
    }
  });

  it('is offered with others up to the limit of a group', async () => {
    const [ann, ben] = await three();
    const id = await makeTeam(ann, [[ben, 'admin']]);
    const many = async (by: Person, count: number) => {
      const made = [];
      for (let left = count; left > 0; left -= 7)
        made.push(...(await Promise.all(Array.from({ length: Math.min(left, 7) }, () => makeSet(by)))));
      return made.map((set) => set.id);
    };
    const [anns, [over = '']] = [await many(ann, groupLimits.models), await many(ben, 1)];
    expect((await change(ann, id, { modelsInclude: anns })).status).toBe(200);
    expect(await refusedBy(ben, id, { modelsInclude: [over] })).toEqual([422, { modelsInclude: 'too_many' }]);
    expect((await change(ben, id, { modelsInclude: [over], modelsExclude: anns.slice(0, 1) })).status).toBe(200);
  });

  it('comes along into a copy of the team if it is the caller’s', async () => {
    const [ann, ben] = await three();
    const id = await makeTeam(ann, [[ben, 'admin']]);
    const [anns, teams] = [await makeSet(ann), await makeSet(ann, { groupId: id })];
    await change(ann, id, { modelsInclude: ['coaching', anns.id, teams.id], forceOutcomeModel: teams.id });
    const copy = async (by: Person, name: string) => (await by.post(`/api/groups/${id}/clone`, { name })).body;
    expect(await copy(ann, 'A copy by Ann')).toMatchObject({ models: ['coaching', anns.id], forceOutcomeModel: null });
    expect(await copy(ben, 'A copy by Ben')).toMatchObject({ models: ['coaching'], forceOutcomeModel: null });
  });
});

describe('the longest recording of a team', () => {
  // Just over a minute, with few samples.
  const talk = () => tone(61.5, 1000);
  const add = async (by: Person, model = 'external') =>
    by.post(
      '/api/meetings-fast',
      undefined,
      model === 'none'
        ? multipart({ title: 'Monday', model, lang: 'en-US', uploadId: await sendFile(by, 'talk.wav', talk()) })
        : external({ uploadId: await sendFile(by, 'talk.wav', talk()) }),
    );

  it.each(['external', 'none'])('holds for the model %s when a recording is added', async (model) => {
    const [ann, ben] = await three();
    const id = await makeTeam(ann, [ben], { maxDurationMins: 1, name: 'Interviews of the spring' });
    expect((await ben.whoami()).body.teams).toMatchObject([{ maxDurationMins: 1 }]);
    const refused = await add(ben, model);
    expect([refused.status, codes(refused)]).toEqual([422, { file: 'too_long' }]);
    const team = { id, name: 'Interviews of the spring' };
    expect(refused.problem.info).toMatchObject({ maxDurationMins: 1, team });
    expect((await ben.get('/api/meetings')).body.total).toBe(0);
    await change(ann, id, { maxDurationMins: 2 });
    expect((await add(ben, model)).status).toBe(200);
  });

  it('holds when a recording that was added before is processed', async () => {
    const [ann, ben] = await three();
    const { id } = (await add(ben)).body;
    const team = await makeTeam(ann, [ben], { maxDurationMins: 1 });
    expect(codes(await beginProcessing(ben, id))).toEqual({ file: 'too_long' });
    await ann.post(`/api/groups/${team}/deactivate`);
    expect((await beginProcessing(ben, id)).status).toBe(200);
  });

  it('is that of the team in whose scope one is, else the least of all teams', async () => {
    const [ann, ben] = await three();
    const long = await makeTeam(ann, [ben], { maxDurationMins: 5 });
    await makeTeam(ben, [], { maxDurationMins: 1 });
    expect((await add(ben)).status).toBe(422);
    await ben.post('/api/principals/change', { scope: { scope_id: long, role_id: 'member' } });
    expect((await add(ben)).status).toBe(200);
  });
});

describe('a report', () => {
  it('has a row a member, former ones too, and formulas stay texts', async () => {
    const [ann, ben, cem] = await three();
    await house.database.orm.update(users).set({ firstName: '=HYPERLINK("x")' }).where(eq(users.id, ben.id));
    const id = await makeTeam(ann, [ben, cem], { defaultQuota: 20 });
    await cem.post(`/api/groups/${id}/leave`);
    const report = await ann.get(`/api/groups/${id}/activity-report?fromDate=2026-01-01&toDate=2026-01-31`);
    // The mark by which spreadsheet programs know UTF-8.
    expect([...report.bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    expect(report.text.trim().split('\r\n')).toEqual([
      '"Name","Email","Role","Member","Recordings","Minutes","Credits","Quota","Last day"',
      `"Ann Test","${ann.email}","Admin","yes",0,0,0,20,""`,
      `"'=HYPERLINK(""x"") Test","${ben.email}","Member","yes",0,0,0,20,""`,
      `"Chen Test","${cem.email}","Member","former",0,0,0,20,""`,
    ]);
  });
});

describe('a scope', () => {
  it('is each team, by its name and the role in it, while one is in it', async () => {
    const [ann, ben] = await three();
    const id = await makeTeam(ann, [ben], { name: 'Interviews of the spring' });
    await makeGroup(ann, [ben]);
    const team = { scope_id: id, scope_name: 'Interviews of the spring', role_id: 'member', role_name: 'Member' };
    expect((await ben.whoami()).body.scopes).toMatchObject([{ scope_id: 'personal' }, team]);
    expect((await ann.whoami()).body.scopes[1]).toMatchObject({ role_id: 'admin', role_name: 'Admin' });
    const go = (role_id: string) => ben.post('/api/principals/change', { scope: { scope_id: id, role_id } });
    expect((await go('admin')).status).toBe(403);
    expect((await go('member')).body.principal.scope).toEqual({ scope_id: id, role_id: 'member' });
    await setMember(ann, id, ben.id, { role: 'admin' });
    expect((await ben.whoami()).body.principal.scope.scope_id).toBe('personal');
  });
});
