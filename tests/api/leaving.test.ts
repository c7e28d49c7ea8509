// Recordings that others use are not lost with their owner's account: each is given to somebody, or deleted knowingly.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { meetingAccess, meetings } from '#db/schema/meetings.ts';
import { briefly, type Legacy, type Others, type SharedRecordingsView } from '#shared/leaving.ts';
import type { MeetingHit } from '#shared/meetings/meeting.ts';
import { roles } from '#shared/roles.ts';
import { folderGrantOf } from '#shared/sharing.ts';
import { giveFolder, makeFolders, meetingIn } from '#tests/support/folders.ts';
import { makeGroup } from '#tests/support/groups.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { beginProcessing, createMeeting, external, processed, tone } from '#tests/support/intake.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';
import { beginLive, beginTake, endLive, putPiece } from '#tests/support/recorder.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.close());

const three = async () => (await house.people(3)) as [Person, Person, Person];
const listOf = async (person: Person) =>
  (await person.get('/api/principals/me/shared-recordings')).body as SharedRecordingsView;
const shared = async (person: Person) => (await listOf(person)).recordings;
const leaveWith = (person: Person, input: { recordings?: Legacy; others?: Partial<Others> | undefined }) =>
  person.post('/api/principals/me/delete', { password: person.password, reason: 'taskCompleted', ...input });
const leave = (person: Person, recordings?: Legacy) => leaveWith(person, recordings ? { recordings } : {});
const statusOf = async (person: Person, id: string) => (await person.get(`/api/meetings/${id}`)).status;
const listed = async (person: Person) => (await person.get('/api/meetings')).body.hits as MeetingHit[];
const subjects = async ({ email }: Person) => (await house.mails(email)).map(({ subject }) => subject);

test('one that others read is listed with them; without a decision the account stays, and nothing is lost', async () => {
  const [ann, ben, cara] = await three();
  const [hers, read, linked] = [
    await makeMeeting(house, ann),
    await makeMeeting(house, ann),
    await makeMeeting(house, ann),
  ];
  await share(house, read, ben, roles.canRead);
  await share(house, read, cara, roles.canEdit);
  await share(house, linked, 'anonymous', ['read']);
  const found = await shared(ann);
  expect(found.find(({ id }) => id === read)).toMatchObject({ people: 2, waiting: 0, link: false });
  expect(found.find(({ id }) => id === read)?.heirs.map(({ name }) => name)).toEqual(['Ben Test', 'Chen Test']);
  expect(found.find(({ id }) => id === linked)).toMatchObject({ people: 0, link: true, heirs: [] });
  expect(found.map(({ id }) => id)).not.toContain(hers);

  const refused = await leave(ann, [{ id: read, to: ben.id }]);
  expect([refused.status, refused.problem.info['reason']]).toEqual([409, 'SHARED_RECORDINGS']);
  expect([await statusOf(ann, read), await statusOf(ben, read)]).toEqual([200, 200]);
  expect(await subjects(ben)).toEqual([]);
});

test(
  'given, it is the new owner’s, works for the others as before, and its sound is there',
  { timeout: 300_000 },
  async () => {
    const [ann, ben, cara] = await three();
    const { id } = await createMeeting(ann, external({ file: { fileName: 'talk.wav', content: tone(2) } }));
    await beginProcessing(ann, id);
    await processed(ann, id);
    await share(house, id, ben, roles.canRead);
    await share(house, id, cara, roles.canEdit);
    expect((await leave(ann, [{ id, to: ben.id }])).status).toBe(204);

    const [hit] = await listed(ben);
    expect(hit).toMatchObject({ id, title: 'Monday', owner: { id: ben.id }, progress: { percentage: 100 } });
    expect(hit?.permissions).toContain('own');
    const { entries } = (await ben.get(`/api/meetings/${id}/acl`)).body.acl;
    expect(entries).toMatchObject([{ principal: { id: cara.id } }]);
    expect((await cara.get(`/api/meetings/${id}`)).body.permissions).toContain('write');
    const { media } = (await ben.get(`/api/meetings/${id}/about`)).body;
    expect((await ben.get(media[0].src)).bytes.length).toBeGreaterThan(1000);
    expect(await house.database.sql`select 1 from uploads where meeting_id = ${id}`).toHaveLength(1);
    expect((await subjects(ben))[0]).toBe('Ann Test gave you recordings');
    expect((await house.mails(ben.email))[0]?.text).toContain('Monday');
    expect(await subjects(cara)).toEqual([]);
  },
);

test('deleted knowingly, it is gone for everybody, and they are told', async () => {
  const [ann, ben, cara] = await three();
  const [one, other] = [await makeMeeting(house, ann), await makeMeeting(house, ann)];
  for (const id of [one, other]) await share(house, id, ben, roles.canRead);
  await share(house, other, cara, roles.canRead);
  const recordings = [
    { id: one, to: null },
    { id: other, to: cara.id },
  ];
  expect((await leave(ann, recordings)).status).toBe(204);
  expect([await statusOf(ben, one), await statusOf(ben, other), await statusOf(cara, other)]).toEqual([403, 200, 200]);
  expect([await subjects(ben), await subjects(cara)]).toEqual([
    ['Ann Test deleted recordings'],
    ['Ann Test gave you recordings'],
  ]);
});

test('access by a folder or a group of the account that goes stays with the recording', async () => {
  const [ann, ben, cara] = await three();
  const group = await makeGroup(ann, [cara]);
  const [sid = ''] = await makeFolders(ann, '/Plans');
  await giveFolder(house, sid, ben, folderGrantOf('canEdit'));
  const id = await meetingIn(house, sid, ann);
  const { version } = (await ann.get(`/api/meetings/${id}/acl`)).body;
  const entry = { principal: { id: group, kind: 'group' }, permissions: [...roles.canComment] };
  await ann.post(`/api/meetings/${id}/acl`, { entries: [entry], version });
  expect(await shared(ann)).toMatchObject([{ id, people: 2 }]);

  expect((await leave(ann, [{ id, to: cara.id }])).status).toBe(204);
  expect((await ben.get(`/api/meetings/${id}`)).body.permissions).toEqual([
    'read',
    'comment',
    'write',
    'discover',
    'history',
  ]);
  expect((await listed(cara)).map(({ owner }) => owner.id)).toEqual([cara.id]);
  const [row] = await house.database.orm.select().from(meetings).where(eq(meetings.id, id));
  expect(row).toMatchObject({ ownerId: cara.id, folderId: null });
});

test('who declined a folder of the account that goes is not named in the recording', async () => {
  const [ann, ben, dan] = await three();
  const [sid = ''] = await makeFolders(ann, '/Plans');
  await giveFolder(house, sid, ben, folderGrantOf('canEdit'));
  const id = await meetingIn(house, sid, ann);
  const { acl, version } = (await ann.get('/api/folders/share?path=/Plans')).body;
  const entries = [...acl.entries, { principal: { email: dan.email }, permissions: folderGrantOf('canEdit') }];
  expect((await ann.post('/api/folders/share', { path: '/Plans', entries, version })).status).toBe(200);
  const [waiting] = (await dan.whoami()).body.invitations;
  expect((await dan.post(`/api/invitations/${waiting.id}/decline`)).body.result).toBe('ok');
  expect((await leave(ann, [{ id, to: ben.id }])).status).toBe(204);
  expect((await ben.get(`/api/meetings/${id}/acl`)).body.acl.entries).toEqual([]);
});

test('in a folder of somebody else it stays there', async () => {
  const [ann, ben] = await three();
  const [sid = ''] = await makeFolders(ben, '/Plans');
  await giveFolder(house, sid, ann, folderGrantOf('canEdit'));
  const id = await meetingIn(house, sid, ann);
  expect(await shared(ann)).toMatchObject([{ id, people: 1, heirs: [{ id: ben.id }] }]);
  expect((await leave(ann, [{ id, to: ben.id }])).status).toBe(204);
  const [row] = await house.database.orm.select().from(meetings).where(eq(meetings.id, id));
  expect(row).toMatchObject({ ownerId: ben.id, folderId: sid });
});

test('nobody gets a recording they had no access to', async () => {
  const [ann, ben, cara] = await three();
  const id = await makeMeeting(house, ann);
  await share(house, id, ben, roles.canRead);
  const own = await makeMeeting(house, ann);
  for (const recordings of [
    [{ id, to: cara.id }],
    [
      { id, to: null },
      { id: own, to: ben.id },
    ],
  ]) {
    const refused = await leave(ann, recordings);
    expect([refused.status, refused.problem.code]).toEqual([422, 'INVALID']);
  }
  expect(await statusOf(ann, id)).toBe(200);
});

test('a recording shared while another is shared no more is not deleted unseen', async () => {
  const [ann, ben] = await three();
  const [kept, ended, unseen] = [
    await makeMeeting(house, ann),
    await makeMeeting(house, ann),
    await makeMeeting(house, ann),
  ];
  for (const id of [kept, ended]) await share(house, id, ben, roles.canRead);
  const { recordings, digest } = await listOf(ann);
  const { others } = briefly(
    recordings.map(({ id }) => ({ id, to: null })),
    digest,
  );
  await house.database.orm.delete(meetingAccess).where(eq(meetingAccess.meetingId, ended));
  await share(house, unseen, ben, roles.canRead);

  const refused = await leaveWith(ann, { others });
  expect([refused.status, refused.problem.info['reason']]).toEqual([409, 'SHARED_RECORDINGS']);
  expect([await statusOf(ben, unseen), await statusOf(ann, ended)]).toEqual([200, 200]);
  const without = await leaveWith(ann, { others: { to: null, count: 2 } });
  expect([without.status, without.problem.info['errors']]).toEqual([
    422,
    [{ field: 'others.digest', code: 'required' }],
  ]);
  expect(refused.problem.info['digest']).toBe((await listOf(ann)).digest);
  const again = { to: null, count: 2, digest: refused.problem.info['digest'] as string };
  expect((await leaveWith(ann, { others: again })).status).toBe(204);
});

test('given while it is recorded, its sound so far stays, and its new owner ends it', async () => {
  const [ann, ben] = await three();
  const id = await beginLive(ann);
  const take = await beginTake(ann, id);
  expect((await putPiece(ann, take, 1, Buffer.from('one'))).body).toEqual({ kept: 1 });
  await share(house, id, ben, roles.canRead);
  expect((await leave(ann, [{ id, to: ben.id }])).status).toBe(204);
  expect((await ben.get(`/api/meetings/${id}/live`)).body).toMatchObject({ mine: true, takes: [{ take, kept: 1 }] });
  expect(await house.database.sql`select 1 from take_pieces where take_id = ${take}`).toHaveLength(1);
  expect((await endLive(ben, id)).status).toBe(204);
});

test('more recordings than one request can list are decided together, and as many as were shown', async () => {
  const [ann, ben, cara] = await three();
  const [known, strange] = [await makeMeeting(house, ann), await makeMeeting(house, ann)];
  await share(house, known, ben, roles.canRead);
  await share(house, strange, cara, roles.canRead);
  const many = 5500;
  await house.database.sql`
    with made as (
      insert into meetings (id, owner_id, created_at)
      select 'many-' || ${ann.id} || n, ${ann.id}, now() from generate_series(1, ${many}) n returning id
    ) insert into meeting_access (meeting_id, kind, principal_id, permissions)
    select id, 'user', ${ben.id}, '{read}' from made`;
  const { recordings: found, digest } = await listOf(ann);
  expect(found).toHaveLength(many + 2);

  const decisions = found.map(({ id }) => ({ id, to: id === known ? ben.id : null }));
  const whole = await leave(ann, decisions);
  expect(whole.status).toBe(413);
  const { recordings, others } = briefly(decisions, digest);
  expect([recordings.length, others]).toEqual([1, { to: null, count: many + 1, digest }]);
  // One more was shared meanwhile, or one less.
  for (const count of [many, many + 2]) {
    const refused = await leaveWith(ann, { recordings, others: { to: null, count, digest } });
    expect([refused.status, refused.problem.info['reason']]).toEqual([409, 'SHARED_RECORDINGS']);
  }
  const wrong = await leaveWith(ann, { recordings, others: { to: ben.id, count: many + 1, digest } });
  expect([wrong.status, wrong.problem.info['errors']]).toEqual([422, [{ field: 'others.to', code: 'unknown' }]]);
  expect((await leaveWith(ann, { recordings, others })).status).toBe(204);
  expect([await statusOf(ben, known), await statusOf(cara, strange)]).toEqual([200, 403]);
  expect((await listed(ben)).map(({ owner }) => owner.id)).toEqual([ben.id]);
});
