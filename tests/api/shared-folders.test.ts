// Folders that are shared: their content for each person, permissions, and the end of sharing.
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { groupMembers, groups } from '#db/schema/groups.ts';
import type { FolderView } from '#shared/folders.ts';
import { newId } from '#shared/ids.ts';
import type { MeetingHit } from '#shared/meetings/meeting.ts';
import type { Role } from '#shared/roles.ts';
import { folderGrantOf, grantOf } from '#shared/sharing.ts';
import { close } from '#sync/protocol.ts';
import { closeEditors, Editor, synced, until } from '#tests/support/editors.ts';
import { giveFolder, makeFolders, meetingIn } from '#tests/support/folders.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { share, ticketFor } from '#tests/support/meetings.ts';
import type { Answer, Person } from '#tests/support/people.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterEach(() => closeEditors());
afterAll(() => house?.close());

const list = async (person: Person, query: Record<string, string>) => {
  const { status, body, text } = await person.get(`/api/meetings?${new URLSearchParams(query)}`);
  expect(status, text).toBe(200);
  return body as { hits: MeetingHit[]; total: number; folders: FolderView[] };
};
const ids = async (person: Person, query: Record<string, string>) =>
  (await list(person, query)).hits.map(({ id }) => id).toSorted();
const told = ({ status, problem }: Answer) => [status, problem?.message];
const allow = (id: string, person: Person, role: Role) => giveFolder(house, id, person, folderGrantOf(role));

/** Ann's folder with one in it, each with a recording; Ben edits there and has one of his own in it, Cara reads, Dan is a stranger. */
async function scene() {
  const [ann, ben, cara, dan] = (await house.people(4)) as [Person, Person, Person, Person];
  const [sid = '', below = ''] = await makeFolders(ann, '/Plans', '/Plans/2026');
  await allow(sid, ben, 'canEdit');
  await allow(sid, cara, 'canRead');
  const hers = await meetingIn(house, sid, ann);
  const deep = await meetingIn(house, below, ann);
  const his = await meetingIn(house, below, ben);
  return { ann, ben, cara, dan, sid, below, hers, deep, his };
}

describe('a folder that is shared', () => {
  test('is in the list of folders of its owner and of those it is shared with', async () => {
    const { ann, cara, dan, sid } = await scene();
    const owner = { id: ann.id, name: 'Ann Test' };
    expect((await ann.get('/api/folders')).body.folders).toMatchObject([
      { path: '/Plans', sid, owner, meetings: 3, folders: 1 },
      { path: '/Plans/2026', sid: null, owner, meetings: 2 },
    ]);
    const { folders } = (await cara.get('/api/folders')).body;
    expect(folders).toMatchObject([
      { name: 'Plans', path: '/', sid, owner, meetings: 3, folders: 1, permissions: ['read', 'discover'] },
      { name: '2026', path: '/2026', sid, owner, meetings: 2 },
    ]);
    expect((await list(cara, { folder: '/' })).folders).toMatchObject([{ name: 'Plans', sid }]);
    expect((await list(cara, { folder: '/', query: '2026' })).folders).toMatchObject([{ name: '2026', path: '/2026' }]);
    expect((await dan.get('/api/folders')).body.folders).toEqual([]);
  });

  test('opens with all that lies in it, and with what each may do there', async () => {
    const { cara, ben, ann, sid, hers, deep, his } = await scene();
    const { hits, folders } = await list(cara, { shared_folder: sid });
    expect(hits).toMatchObject([
      { id: hers, permissions: ['read', 'discover'], folder: '/', sharedFolder: { sid, name: 'Plans' } },
    ]);
    expect(folders).toMatchObject([{ name: '2026', path: '/2026', sid }]);
    expect(await ids(cara, { shared_folder: sid, folder: '/2026' })).toEqual([deep, his].toSorted());
    expect(await ids(ann, { folder: '/Plans/2026' })).toEqual([deep, his].toSorted());
    // Its owner uses the same address, too.
    expect(await ids(ann, { shared_folder: sid, folder: '/2026' })).toEqual([deep, his].toSorted());
    expect(await ids(ann, { shared_folder: sid, folder: '/Plans/2026' })).toEqual([deep, his].toSorted());
    const held = (await list(ben, { shared_folder: sid })).hits[0]?.permissions;
    expect(held).toEqual(['read', 'comment', 'write', 'discover', 'upload', 'history']);
    for (const [person, id] of [
      [cara, hers],
      [cara, his],
      [ben, deep],
      [ann, his],
    ] as const) {
      const hit = (await list(person, {})).hits.find((one) => one.id === id);
      const { body } = await person.get(`/api/meetings/${id}/about`);
      expect(hit?.permissions.toSorted()).toEqual(body.permissions.toSorted());
    }
    expect((await cara.post('/api/folders/breadcrumbs', { path: '/2026', sid })).body.breadcrumbs).toEqual([
      { name: 'Plans', path: '/', sid },
      { name: '2026', path: '/2026', sid },
    ]);
  });

  test('is where its recordings stand, and nowhere else; a search finds them from the top', async () => {
    const { ben, cara, hers, deep, his, sid } = await scene();
    const alone = await meetingIn(house, null, ben);
    expect(await ids(ben, { folder: '/' })).toEqual([alone]);
    expect(await ids(ben, {})).toEqual([alone, hers, deep, his].toSorted());
    for (const id of [hers, deep, his])
      await house.database.sql`
        insert into meeting_projections (meeting_id, version, title, title_key, words, speakers, spoken_ms, updated_at)
        values (${id}, 1, ${`Talk ${id}`}, ${`talk ${id.toLowerCase()}`}, 1, 1, 1, now())
        on conflict (meeting_id) do update set title_key = excluded.title_key`;
    expect(await ids(cara, { folder: '/', query: 'talk' })).toEqual([hers, deep, his].toSorted());
    expect(await ids(cara, { shared_folder: sid, folder: '/2026', query: 'talk' })).toEqual([deep, his].toSorted());
    expect(await ids(ben, { folder: '/', query: his })).toEqual([his]);
  });

  test('by its name and a path means what lies below it, also for its owner', async () => {
    const ann = await house.person('Ann');
    const [sid = ''] = await makeFolders(ann, '/Twin', '/Twin/Twin');
    expect((await ann.post('/api/folders/delete', { sid, path: '/Twin' })).status).toBe(200);
    expect((await ann.get('/api/folders')).body.folders).toMatchObject([{ path: '/Twin', folders: 0 }]);
  });

  test('a folder that lies in two shared ones holds what both say', async () => {
    const { ann, cara, sid, below, deep } = await scene();
    await allow(below, cara, 'canEdit');
    const [folder] = (await list(cara, { shared_folder: sid })).folders;
    expect(folder?.permissions).toContain('upload');
    expect((await list(cara, { shared_folder: sid })).hits[0]?.permissions).not.toContain('write');
    expect((await list(cara, { shared_folder: below })).hits.map(({ folder: path }) => path)).toEqual([
      '/2026',
      '/2026',
    ]);
    // Without the one above, it is at the top itself.
    await ann.post('/api/folders/unshare', { path: '/Plans' });
    expect((await cara.get('/api/folders')).body.folders).toMatchObject([{ name: '2026', path: '/', sid: below }]);
    expect((await list(cara, { shared_folder: below })).hits.map(({ id }) => id)).toContain(deep);
  });

  test('an address holds it once it is confirmed, and the owner learns who came', async () => {
    const ann = await house.person();
    await makeFolders(ann, '/Plans');
    const email = `dana-${newId(8).toLowerCase()}@example.test`;
    const entries = [{ principal: { email }, permissions: grantOf('canRead') }];
    expect((await ann.post('/api/folders/share', { path: '/Plans', entries, version: 0 })).status).toBe(200);
    const [mail] = await house.mails(email);
    expect(mail?.subject).toBe('Ann Test shares a folder with you');
    const link = /\/invitation\/([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? '';
    const dana = house.stranger();
    dana.email = email;
    expect((await dana.register({ firstName: 'Dana' })).status).toBe(200);
    expect((await dana.get('/api/folders')).body.folders).toEqual([]);
    expect((await dana.post(`/api/invitations/${link}`)).body.result).toBe('ok');
    const [folder] = (await dana.get('/api/folders')).body.folders;
    expect(folder).toMatchObject({ name: 'Plans', owner: { name: 'Ann Test' } });
    expect((await ann.get('/api/folders/share?path=/Plans')).body.acl.entries).toMatchObject([
      { principal: { kind: 'user', email, first_name: 'Dana' } },
    ]);
  });
});

test('a person who declines a folder loses it and what they have open of it; the sharer alone sees that', async () => {
  const { ann, dan, sid, hers } = await scene();
  const before = (await ann.get('/api/folders/share?path=/Plans')).body;
  const entries = [...before.acl.entries, { principal: { email: dan.email }, permissions: grantOf('canEdit') }];
  await ann.post('/api/folders/share', { path: '/Plans', entries, version: before.version });
  const room = `${hers}/transcript`;
  const open = new Editor({ room, at: () => house.origin, ticket: await ticketFor(dan, room) });
  await synced([open]);
  const [waiting] = (await dan.whoami()).body.invitations;
  expect((await dan.post(`/api/invitations/${waiting.id}/decline`)).body.result).toBe('ok');
  await until(() => open.closes.includes(close.noAccess));
  expect((await dan.get('/api/folders')).body.folders).toEqual([]);
  expect((await dan.get(`/api/meetings?shared_folder=${sid}`)).status).toBe(403);
  expect((await dan.get(`/api/meetings/${hers}`)).status).toBe(403);
  expect((await ann.get('/api/folders/share?path=/Plans')).body.acl.entries).toContainEqual(
    expect.objectContaining({ principal: expect.objectContaining({ email: dan.email }), declined: true }),
  );
  expect(JSON.stringify((await ann.get(`/api/meetings/${hers}/acl`)).body.inherited)).not.toContain(dan.email);
  expect((await dan.post(`/api/invitations/${waiting.id}/reopen`)).body.result).toBe('ok');
  expect((await dan.get('/api/folders')).body.folders).toMatchObject([{ sid }, { path: '/2026' }]);
});

test('a group a folder is shared with holds it for as long as one is in it', async () => {
  const { ann, dan, sid, hers } = await scene();
  const group = newId();
  const { orm } = house.database;
  await orm
    .insert(groups)
    .values({ id: group, type: 'group', name: 'Interviews of the spring', createdAt: new Date() });
  for (const { id: userId } of [ann, dan])
    await orm.insert(groupMembers).values({ groupId: group, userId, role: 'member', joinedAt: new Date() });
  const before = (await ann.get('/api/folders/share?path=/Plans')).body;
  const entries = [...before.acl.entries, { principal: { id: group, kind: 'group' }, permissions: grantOf('canEdit') }];
  const shared = await ann.post('/api/folders/share', { path: '/Plans', entries, version: before.version });
  expect(shared.status, shared.text).toBe(200);
  expect((await list(dan, { shared_folder: sid })).hits).toMatchObject([{ id: hers }]);
  expect((await dan.post('/api/folders', { path: '/By a group', sid })).status).toBe(200);
  const { inherited } = (await ann.get(`/api/meetings/${hers}/acl`)).body;
  expect(inherited).toContainEqual(
    expect.objectContaining({
      principal: expect.objectContaining({ kind: 'group', name: 'Interviews of the spring' }),
    }),
  );
  // Dan leaves the group, not the folder.
  expect((await dan.get('/api/folders')).body.folders[0]).toMatchObject({ id: sid, named: false });
  expect((await dan.post('/api/folders/unshare', { path: '/', sid })).problem.code).toBe('NO_PERM');
  await orm.delete(groupMembers).where(eq(groupMembers.userId, dan.id));
  expect((await dan.get(`/api/meetings?shared_folder=${sid}`)).status).toBe(403);
});

describe('changes in a shared folder', () => {
  test.each<[string, Role, number[]]>([
    ['reads', 'canRead', [403, 403, 403, 403]],
    ['comments', 'canComment', [403, 403, 403, 403]],
    ['edits', 'canEdit', [200, 200, 403, 403]],
    ['edits and shares', 'canEditShare', [200, 200, 200, 200]],
  ])('a person who %s', async (_, role, statuses) => {
    const { ann, dan, sid } = await scene();
    await makeFolders(ann, '/Plans/Old', '/Plans/Gone');
    await allow(sid, dan, role);
    const answers = [
      await dan.post('/api/folders', { path: '/New', sid }),
      await dan.post('/api/folders/rename', { path: '/Old', sid, name: 'Older' }),
      await dan.post('/api/folders/move', { path: role === 'canEditShare' ? '/Older' : '/Old', sid, dest: '/2026' }),
      await dan.post('/api/folders/delete', { path: '/Gone', sid }),
    ];
    expect(answers.map(({ status }) => status)).toEqual(statuses);
    const words = ['add folder', 'rename', 'move', 'delete'].map((what) => `No permissions to ${what}`);
    for (const [i, { status, problem }] of answers.entries())
      if (status === 403) expect(problem.message).toBe(words[i]);
    if (role === 'canEditShare') {
      const paths = (await ann.get('/api/folders')).body.folders.map(({ path }: FolderView) => path);
      expect(paths).toEqual(['/Plans', '/Plans/2026', '/Plans/2026/Older', '/Plans/New']);
      // A person who could delete it may restore it.
      expect((await dan.post('/api/folders/restore', { id: answers[3]?.body.id })).body).toMatchObject({
        path: '/Gone',
      });
    }
  });

  test('a person who may delete only the inner folder may restore it, and nobody without that permission', async () => {
    const { ann, dan, cara, sid, below } = await scene();
    await allow(sid, dan, 'canRead');
    await allow(sid, cara, 'canRead');
    await allow(below, dan, 'canEditShare');
    const gone = await dan.post('/api/folders/delete', { path: '/2026', sid });
    expect([gone.status, gone.body.id]).toEqual([200, below]);
    expect((await cara.post('/api/folders/restore', { id: below })).problem.code).toBe('NO_ACCESS');
    expect((await dan.post('/api/folders/restore', { id: below })).body).toMatchObject({ path: '/2026', sid });
    expect((await ann.get('/api/folders')).body.folders.map(({ path }: FolderView) => path)).toContain('/Plans/2026');
  });

  test('the shared folder itself is its owner’s alone to name, move and delete', async () => {
    const { ann, dan, sid } = await scene();
    await allow(sid, dan, 'canEditShare');
    for (const [verb, more] of [
      ['rename', { name: 'x' }],
      ['move', { dest: '/2026' }],
      ['delete', {}],
    ] as const)
      expect((await dan.post(`/api/folders/${verb}`, { path: '/', sid, ...more })).status).toBe(422);
    expect((await ann.post('/api/folders/rename', { path: '/Plans', sid, name: 'Later' })).status).toBe(200);
    expect((await dan.get('/api/folders')).body.folders[0]).toMatchObject({ name: 'Later', sid });
  });

  test('one’s own recording goes in where one may add, and out again; it stays one’s own', async () => {
    const { ann, ben, cara, dan, sid } = await scene();
    const [hers, his] = [await meetingIn(house, null, cara), await meetingIn(house, null, ben)];
    expect(told(await cara.put(`/api/meetings/${hers}/move`, { path: '/', sid }))).toEqual([
      403,
      'No permissions to move',
    ]);
    expect(told(await dan.put(`/api/meetings/${hers}/move`, { path: '/', sid }))[0]).toBe(403);
    expect((await ben.put(`/api/meetings/${his}/move`, { path: '/2026', sid })).status).toBe(204);
    const { body } = await cara.get(`/api/meetings/${his}`);
    expect([body.owner.id, body.permissions]).toEqual([ben.id, ['read', 'discover']]);
    expect((await ann.get(`/api/meetings/${his}`)).body.permissions).toContain('own');
    expect((await ben.put(`/api/meetings/${his}/move`, { path: '/' })).status).toBe(204);
    for (const person of [ann, cara]) expect((await person.get(`/api/meetings/${his}`)).status).toBe(403);
  });

  test('another person’s is moved within the same library only', async () => {
    const { ann, ben, dan, sid, below, hers, his } = await scene();
    // Ben has all permissions on a recording of another person, but may not put it where others get access.
    const foreign = await meetingIn(house, null, dan);
    await share(house, foreign, ben, grantOf('canEditShare'));
    expect(told(await ben.put(`/api/meetings/${foreign}/move`, { path: '/', sid }))).toEqual([
      403,
      'No permissions to move',
    ]);
    await allow(sid, ben, 'canEditShare');
    expect((await ben.put(`/api/meetings/${foreign}/move`, { path: '/', sid })).status).toBe(403);
    await makeFolders(ben, '/Own');
    expect((await ben.put(`/api/meetings/${hers}/move`, { path: '/Own' })).status).toBe(403);
    expect((await ben.put(`/api/meetings/${hers}/move`, { path: '/' })).status).toBe(403);
    expect((await ben.post('/api/meetings/move', { ids: [hers, his], path: '/2026', sid })).body.failed).toEqual([]);
    expect(await ids(ann, { folder: '/Plans/2026' })).toContain(hers);
    expect((await ann.post('/api/meetings/move', { ids: [his], path: '/' })).body.failed).toMatchObject([
      { code: 'NO_PERM' },
    ]);
    expect((await ann.post('/api/meetings/move', { ids: [his], path: '/Plans' })).body.done).toEqual([his]);
    expect(await ids(ben, { shared_folder: below })).toEqual(expect.arrayContaining([hers]));
  });

  test("depth and number are limited by the owner's folders", async () => {
    const ann = await house.person();
    const deep = Array.from(
      { length: 9 },
      (_, i) =>
        `/${Array(i + 1)
          .fill('a')
          .join('/')}`,
    );
    const sid = (await makeFolders(ann, ...deep)).at(-1) ?? '';
    const ben = await house.person();
    await allow(sid, ben, 'canEdit');
    expect((await ben.post('/api/folders', { path: '/b', sid })).status).toBe(200);
    const answer = await ben.post('/api/folders', { path: '/b/c', sid });
    expect([answer.status, answer.problem.info.errors]).toEqual([422, [{ field: 'path', code: 'too_deep' }]]);
  });

  test('a recording is added to it with its transcript, and read there', async () => {
    const { ben, cara, dan, sid } = await scene();
    const add = (person: Person) => {
      const form = new FormData();
      for (const [key, value] of Object.entries({ model: 'external', title: 'Talk', transcriptType: 'ZOOM' }))
        form.set(key, value);
      form.set('transcript', new Blob(['WEBVTT\n\n1\n00:00:01.000 --> 00:00:02.000\nBen: Hello there.\n']), 'a.vtt');
      form.set('folder', '/2026');
      form.set('shared_folder', sid);
      const Cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const headers = { 'X-Request-ID': newId(), Origin: person.origin, Cookie };
      return fetch(`${person.origin}/api/meetings-fast`, { method: 'POST', body: form, headers });
    };
    for (const person of [cara, dan]) expect((await add(person)).status).toBe(403);
    const made = await add(ben);
    expect(made.status, await made.clone().text()).toBe(200);
    const { id, costs } = (await made.json()) as { id: string; costs: { cost: number }[] };
    expect(await ids(cara, { shared_folder: sid, folder: '/2026' })).not.toContain(id);
    await ben.post(`/api/meetings/${id}/process`, { cost: costs[0]?.cost });
    expect(await ids(cara, { shared_folder: sid, folder: '/2026' })).toContain(id);
    await expect.poll(async () => (await cara.get(`/api/meetings/${id}`)).body.progress.percentage).toBe(100);
    const { body } = await cara.get(`/api/meetings/${id}`);
    expect([body.owner.id, body.doc.transcript.segments[0].text]).toEqual([ben.id, 'Hello there.']);
    expect(told(await cara.post(`/api/meetings/${id}/rename`, { title: 'x' }))[0]).toBe(403);
  });
});

describe('the end of sharing', () => {
  test('a deleted folder takes what is its owner’s along, and gives others theirs back', async () => {
    const { ann, ben, cara, below, deep, his, hers } = await scene();
    const gone = await ann.post('/api/folders/delete', { path: '/Plans/2026' });
    expect(gone.body).toMatchObject({ meetings: 1 });
    expect(await ids(ben, { folder: '/' })).toEqual([his]);
    for (const person of [ann, cara]) expect((await person.get(`/api/meetings/${his}`)).status).toBe(403);
    expect((await ben.get(`/api/meetings/${deep}`)).status).toBe(403);
    // The folder is restored without them: by then they may contain private changes.
    await ann.post('/api/folders/restore', { id: below });
    expect(await ids(ann, { folder: '/Plans/2026' })).toEqual([deep]);
    expect(await ids(ann, { folder: '/Plans' })).toEqual([hers]);
    expect(await ids(ben, { folder: '/' })).toEqual([his]);
  });

  test('a person who leaves keeps the recordings they put there, at the top of their library', async () => {
    const { ann, ben, sid, hers, his } = await scene();
    expect((await ben.post('/api/folders/unshare', { path: '/', sid })).status).toBe(204);
    expect((await ben.get('/api/folders')).body.folders).toEqual([]);
    expect((await ben.get(`/api/meetings?shared_folder=${sid}`)).problem.code).toBe('NO_ACCESS');
    expect((await ben.get(`/api/meetings/${hers}`)).status).toBe(403);
    const { hits } = await list(ben, { folder: '/' });
    // The folder still holds the recording, so the top is a place to move it to.
    expect(hits).toMatchObject([{ id: his, folder: null, sharedFolder: null }]);
    expect(await ids(ann, { folder: '/Plans/2026' })).toContain(his);
    expect((await ben.put(`/api/meetings/${his}/move`, { path: '/' })).status).toBe(204);
    expect(await ids(ann, { folder: '/Plans/2026' })).not.toContain(his);
  });

  test('with the account of its owner it goes, and what others put there stays theirs', async () => {
    const { ann, ben, hers, deep, his } = await scene();
    const recordings = [hers, deep].map((id) => ({ id, to: null }));
    await ann.post('/api/principals/me/delete', { reason: 'taskCompleted', password: ann.password, recordings });
    expect(await ids(ben, { folder: '/' })).toEqual([his]);
    expect((await ben.get('/api/folders')).body.folders).toEqual([]);
  });
});

describe('access by a folder is shown', () => {
  test('to people who share the recording, each with the folder it comes from', async () => {
    const { ann, ben, cara, sid, hers, his } = await scene();
    const { body } = await ann.get(`/api/meetings/${hers}/acl`);
    expect(body.acl.entries).toEqual([]);
    const folder = { name: 'Plans', path: '/Plans', sid: null };
    expect(body.inherited).toHaveLength(2);
    expect(body.inherited).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ principal: expect.objectContaining({ id: ben.id, email: ben.email }), folder }),
        expect.objectContaining({ principal: expect.objectContaining({ id: cara.id }), folder }),
      ]),
    );
    // Ben does not share the folder: he learns who gets in to his recording, and no address.
    const his_ = (await ben.get(`/api/meetings/${his}/acl`)).body;
    expect(his_.inherited).toMatchObject([
      { principal: { id: ann.id, email: null }, owner: true },
      { principal: { email: null }, folder: { name: 'Plans', path: '/', sid } },
      { principal: { email: null } },
    ]);
    expect(JSON.stringify(his_)).not.toContain(cara.email);
    await ben.post('/api/folders/unshare', { path: '/', sid });
    const after = (await ben.get(`/api/meetings/${his}/acl`)).body;
    expect(after.inherited).toMatchObject([
      { principal: { id: ann.id }, folder: null },
      { principal: { id: cara.id } },
    ]);
    expect(JSON.stringify(after)).not.toContain('Plans');
  });
});
