// Undoing moves and changes of folders (server/library/undo-folders.ts): what was before, by the rights of today.
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '#db/migrate.ts';
import { openDatabase } from '#db/open.ts';
import type { ActionView } from '#shared/actions.ts';
import { activeSpeakers, addSpeaker, mergeOf, mergeSpeakers, type SpeakerMerge } from '#shared/meetings/speakers.ts';
import { setSpeaker } from '#shared/meetings/transcript.ts';
import { roles } from '#shared/roles.ts';
import { emptyDatabase } from '#tests/support/database.ts';
import { makeGroup } from '#tests/support/groups.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import { migrations, migrationsBefore } from '#tests/support/migrations.ts';
import type { Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.close());

async function good(answer: ReturnType<Person['post']>) {
  const { status, text, body } = await answer;
  expect(status, text).toBeLessThan(300);
  return body;
}
const actionsOf = async (person: Person): Promise<ActionView[]> => (await good(person.get('/api/actions'))).actions;
const undo = (person: Person, action: ActionView | undefined) => person.post(`/api/actions/${action?.id}/undo`);
/** The same request twice, as where the first answer was lost. */
async function undoTwice(person: Person, action: ActionView | undefined): Promise<unknown[]> {
  const headers = { 'X-Request-ID': `undo-${action?.id}` };
  const send = () => good(person.post(`/api/actions/${action?.id}/undo`, undefined, { headers }));
  return [await send(), await send()];
}
const done = { undone: 1, failed: [], next: null };
const folders = async (person: Person): Promise<string[]> =>
  (await good(person.get('/api/folders'))).folders.map(({ path }: { path: string }) => path);
const inFolder = async (person: Person, folder: string): Promise<string[]> =>
  (await good(person.get(`/api/meetings?folder=${encodeURIComponent(folder)}`))).hits
    .map(({ id }: { id: string }) => id)
    .toSorted();

test('recordings go back to where each of them was, but those that were moved on since', async () => {
  const ann = await house.person('Ann');
  for (const path of ['/One', '/Two', '/Three']) await good(ann.post('/api/folders', { path }));
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1) ids.push(await makeMeeting(house, ann));
  const [top = '', one = '', on = ''] = ids;
  await good(ann.put(`/api/meetings/${one}/move`, { path: '/One' }));
  await good(ann.post('/api/meetings/move', { ids, path: '/Two' }));
  // A move to where they are is none.
  await good(ann.post('/api/meetings/move', { ids, path: '/Two' }));
  await good(ann.put(`/api/meetings/${on}/move`, { path: '/Three' }));
  const actions = await actionsOf(ann);
  expect(actions.map(({ kind, what }) => [kind, what])).toEqual([
    ['move', { to: 'Three', recordings: 1 }],
    ['move', { to: 'Two', recordings: 3 }],
    ['move', { to: 'One', recordings: 1 }],
  ]);
  const answer = await good(undo(ann, actions[1]));
  expect(answer).toEqual({ undone: 2, failed: [{ recording: on, places: 1, code: 'CONFLICT' }], next: null });
  expect(await inFolder(ann, '/')).toEqual([top]);
  expect(await inFolder(ann, '/One')).toEqual([one]);
  expect(await inFolder(ann, '/Three')).toEqual([on]);
  // The rest can be undone once it is as the action left it.
  expect((await actionsOf(ann))[1]).toMatchObject({ what: { recordings: 1 }, undoneAt: null });
  expect((await undo(ann, actions[1])).problem.code).toBe('CONFLICT');
  await good(undo(ann, actions[0]));
  expect(await good(undo(ann, actions[1]))).toEqual(done);
  expect(await inFolder(ann, '/')).toEqual([top, on].toSorted());
  expect((await actionsOf(ann))[1]?.undoneAt).not.toBeNull();
});

test('a folder gets its name, its place and its content back', async () => {
  const ann = await house.person('Ann');
  for (const path of ['/A', '/A/B', '/C']) await good(ann.post('/api/folders', { path }));
  const id = await makeMeeting(house, ann);
  await good(ann.put(`/api/meetings/${id}/move`, { path: '/A/B' }));
  await good(ann.post('/api/folders/rename', { path: '/A/B', name: 'New' }));
  await good(ann.post('/api/folders/move', { path: '/A/New', dest: '/C' }));
  await good(ann.post('/api/folders/delete', { path: '/C' }));
  const actions = await actionsOf(ann);
  expect(actions.map(({ kind, what }) => [kind, what])).toEqual([
    ['folder_delete', { name: 'C', recordings: 1 }],
    ['folder_move', { name: 'New' }],
    ['folder_rename', { before: 'B', after: 'New' }],
    ['move', { to: 'B', recordings: 1 }],
  ]);
  // Not before what came after it.
  const early = await undo(ann, actions[1]);
  expect([early.status, early.problem.code]).toEqual([409, 'CONFLICT']);
  expect(await undoTwice(ann, actions[0])).toEqual([done, done]);
  expect(await folders(ann)).toEqual(['/A', '/C', '/C/New']);
  expect(await inFolder(ann, '/C/New')).toEqual([id]);
  await good(undo(ann, actions[1]));
  // Its former name is taken.
  await good(ann.post('/api/folders', { path: '/A/B' }));
  const taken = await undo(ann, actions[2]);
  expect([taken.status, taken.problem.code]).toEqual([409, 'CONFLICT']);
  await good(ann.post('/api/folders/rename', { path: '/A/B', name: 'Other' }));
  await good(undo(ann, actions[2]));
  expect(await folders(ann)).toEqual(['/A', '/A/B', '/A/Other', '/C']);
  expect(await inFolder(ann, '/A/B')).toEqual([id]);
});

test('the rights of today decide, and another person’s action is none', async () => {
  const [ann, ben, cara] = [await house.person('Ann'), await house.person('Ben'), await house.person('Cara')];
  await good(ann.post('/api/folders', { path: '/Shared' }));
  await good(ann.post('/api/folders', { path: '/Shared/Inner' }));
  const shared = (await good(ann.get('/api/folders'))).folders[0].id;
  const share = (role: string) =>
    house.database.sql`
      insert into folder_access (folder_id, kind, principal_id, permissions)
      values (${shared}, 'user', ${ben.id}, ${role === 'all' ? ['read', 'comment', 'write', 'own', 'upload'] : ['read']})
      on conflict (folder_id, kind, principal_id) do update set permissions = excluded.permissions`;
  await share('all');
  await good(ben.post('/api/folders/rename', { path: '/Inner', sid: shared, name: 'Renamed' }));
  const [action] = await actionsOf(ben);
  for (const other of [ann, cara]) {
    expect(await actionsOf(other)).toEqual([]);
    expect((await undo(other, action)).problem.code).toBe('NO_ACCESS');
  }
  await share('read');
  const refused = await undo(ben, action);
  expect([refused.status, refused.problem.code]).toEqual([403, 'NO_PERM']);
  await share('all');
  await good(undo(ben, action));
  expect(await folders(ann)).toEqual(['/Shared', '/Shared/Inner']);
});

const accessOf = async (person: Person, id: string): Promise<string[]> =>
  (await good(person.get(`/api/meetings/${id}/acl`))).acl.entries
    .map((one: { principal: { kind: string; id: string; email: string | null }; permissions: string[] }) =>
      [one.principal.kind, one.principal.email ?? '', one.permissions.join('+')].join(' '),
    )
    .toSorted();

test('a list of access is again as it was, with its link, unless it was changed since or the right has ended', async () => {
  const [ann, ben, cara] = [await house.person('Ann'), await house.person('Ben'), await house.person('Cara')];
  const id = await makeMeeting(house, ann);
  const version = async (person: Person) => (await good(person.get(`/api/meetings/${id}/acl`))).version;
  const share = async (person: Person, entries: object[], more: object = {}) =>
    good(person.post(`/api/meetings/${id}/acl`, { entries, version: await version(person), ...more }));
  const named = (email: string, permissions: string[]) => ({ principal: { kind: 'pending', email }, permissions });
  const [read, all] = [['read'], ['read', 'comment', 'write', 'own']];
  const link = { principal: { kind: 'anonymous' }, permissions: read, code: 'ABCD-EFGH' };
  await share(ann, [named(ben.email, all), link]);
  const first = await accessOf(ann, id);
  const codeOf = () =>
    house.database.sql`select code_hash from meeting_access where meeting_id = ${id} and kind = 'anonymous'`;
  const [code] = await codeOf();
  await share(ann, [named(cara.email, read)], { history: 'own' });
  // A list that is sent again as it is makes no action.
  await share(ann, [named(cara.email, read)], { history: 'own' });
  const actions = await actionsOf(ann);
  expect(actions.map(({ kind, what }) => [kind, what])).toEqual([
    ['share', { of: 'meeting', name: expect.any(String) }],
    ['share', { of: 'meeting', name: expect.any(String) }],
  ]);
  expect((await undo(ann, actions[1])).problem.code).toBe('CONFLICT');
  expect(await undoTwice(ann, actions[0])).toEqual([done, done]);
  expect(await accessOf(ann, id)).toEqual(first);
  expect([...(await codeOf())]).toEqual([code]);
  expect((await good(ann.get(`/api/meetings/${id}/acl`))).history).toBe('write');
  expect((await undo(ann, actions[0])).problem.code).toBe('CONFLICT');

  // A person who shared it, and may no longer.
  await share(ben, [named(ben.email, all), link, named(cara.email, read)]);
  const [bens] = await actionsOf(ben);
  expect((await undo(ann, bens)).problem.code).toBe('NO_ACCESS');
  await share(ann, [named(ben.email, read), link, named(cara.email, read)]);
  const refused = await undo(ben, bens);
  expect([refused.status, refused.problem.code]).toEqual([403, 'NO_PERM']);
  expect((await accessOf(ann, id)).filter((one) => one.includes(cara.email))).toHaveLength(1);
});

test('an address that declined or is invited anew since does not come back beside itself', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const entry = { principal: { kind: 'pending', email: ben.email }, permissions: ['read'] };
  const decline = async () => good(ben.post(`/api/invitations/${(await ben.whoami()).body.invitations[0].id}/decline`));
  const rowsAfter = async (steps: readonly (object[] | 'decline')[]) => {
    const id = await makeMeeting(house, ann);
    let removal: ActionView | undefined;
    for (const step of steps) {
      if (step === 'decline') {
        await decline();
        continue;
      }
      const { version } = await good(ann.get(`/api/meetings/${id}/acl`));
      await good(ann.post(`/api/meetings/${id}/acl`, { entries: step, version }));
      if (step.length === 0) [removal] = await actionsOf(ann);
    }
    const { problem } = await undo(ann, removal);
    const rows = await house.database.sql`select kind from meeting_access where meeting_id = ${id}`;
    return [problem?.code, rows.map(({ kind }) => kind)];
  };
  expect(await rowsAfter([[entry], [], [entry], 'decline'])).toEqual(['CONFLICT', ['declined']]);
  expect(await rowsAfter([[entry], 'decline', [], [entry]])).toEqual(['CONFLICT', ['pending']]);
});

test('a folder is again shared with those with whom it was', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  await good(ann.post('/api/folders', { path: '/Ours' }));
  const entry = { principal: { kind: 'pending', email: ben.email }, permissions: ['read'] };
  const { version } = await good(ann.post('/api/folders/share', { path: '/Ours', entries: [entry], version: 0 }));
  await good(ann.post('/api/folders/share', { path: '/Ours', entries: [], version }));
  expect(await folders(ben)).toEqual([]);
  const [ended] = await actionsOf(ann);
  expect(ended).toMatchObject({ kind: 'share', what: { of: 'folder', name: 'Ours' } });
  await good(undo(ann, ended));
  expect(await folders(ben)).toHaveLength(1);
});

test('a group gets access back only from its members, and only while it is active', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const group = await makeGroup(ann, [[ben, 'admin']]);
  const id = await makeMeeting(house, ann);
  const share = async (...groups: { id: string; role: string }[]) =>
    good(
      ann.post(`/api/meetings/${id}/acl`, {
        entries: groups.map(({ id: one, role }) => ({
          principal: { id: one, kind: 'group' },
          permissions: role === 'write' ? ['read', 'comment', 'write'] : ['read'],
        })),
        version: (await good(ann.get(`/api/meetings/${id}/acl`))).version,
      }),
    );
  const opens = async () => (await ben.get(`/api/meetings/${id}`)).status;
  await share({ id: group, role: 'read' });
  await share();
  const [ended] = await actionsOf(ann);
  const refused = async () => {
    const answer = await undo(ann, ended);
    expect([answer.status, answer.problem.code]).toEqual([403, 'NO_PERM']);
    expect((await good(ann.get(`/api/meetings/${id}/acl`))).acl.entries).toEqual([]);
  };
  await good(ben.post(`/api/groups/${group}/deactivate`));
  await refused();
  await good(ben.post(`/api/groups/${group}/activate`));
  await good(ann.post(`/api/groups/${group}/leave`));
  await refused();
  expect(await opens()).toBe(403);

  // A group that is still in the list keeps its place there, as in sharing.
  const other = await makeGroup(ann, [[ben, 'admin']], `Second group of ${ann.id}`);
  await share({ id: other, role: 'read' });
  await share({ id: other, role: 'write' });
  const [raised, named] = await actionsOf(ann);
  await good(ann.post(`/api/groups/${other}/leave`));
  expect(await good(undo(ann, raised))).toEqual(done);
  expect(await good(undo(ann, named))).toEqual(done);
  expect(await opens()).toBe(403);
});

test('the end of all sharing of a folder is undone by its owner, and leaving is no change of one’s own', async () => {
  const [ann, ben, cara] = [await house.person('Ann'), await house.person('Ben'), await house.person('Cara')];
  const { id: sid } = await good(ann.post('/api/folders', { path: '/Ours' }));
  const group = await makeGroup(ann, [cara]);
  const entries = [
    { principal: { kind: 'pending', email: ben.email }, permissions: ['read', 'comment', 'write'] },
    { principal: { kind: 'pending', email: 'dan@example.test' }, permissions: ['read'] },
    { principal: { kind: 'group', id: group }, permissions: ['read'] },
  ];
  await good(ann.post('/api/folders/share', { path: '/Ours', entries, version: 0 }));
  expect([await folders(ben), await folders(cara)]).toEqual([['/'], ['/']]);
  const sharing = () => good(ann.get('/api/folders/share?path=/Ours'));
  const first = (await sharing()).acl;
  const headers = { 'X-Request-ID': `unshare-${ann.id}` };
  await good(ann.post('/api/folders/unshare', { path: '/Ours' }, { headers }));
  // Sent again it is the same change, and of a folder that is not shared it is none.
  await good(ann.post('/api/folders/unshare', { path: '/Ours' }, { headers }));
  await good(ann.post('/api/folders/unshare', { path: '/Ours' }));
  expect([await folders(ben), await folders(cara)]).toEqual([[], []]);
  const actions = await actionsOf(ann);
  expect(actions).toMatchObject([{ what: { of: 'folder', name: 'Ours' } }, { what: { of: 'folder', name: 'Ours' } }]);
  expect(await good(undo(ann, actions[0]))).toEqual(done);
  expect((await sharing()).acl).toEqual(first);
  expect([await folders(ben), await folders(cara)]).toEqual([['/'], ['/']]);

  await good(ben.post('/api/folders/unshare', { path: '/', sid }));
  expect(await actionsOf(ben)).toEqual([]);
});

test('access that was given to somebody who asked is taken back', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const id = await makeMeeting(house, ann);
  const answer = async (asks: string, role: string | null) => {
    await good(ben.post(`/api/meetings/${id}/requestAccess`, { role: asks }));
    const [row] = await house.database.sql<{ id: string }[]>`select id from access_requests where meeting_id = ${id}`;
    await good(ann.post(`/api/access-requests/${row?.id}`, { role }));
  };
  const held = async () => (await accessOf(ann, id)).map((one) => one.split(' ')[2]);
  await answer('canRead', 'canRead');
  await answer('canEdit', 'canEdit');
  expect(await held()).toEqual(['read+comment+write+discover']);
  // A refusal changes nothing.
  await answer('canEditShare', null);
  const actions = await actionsOf(ann);
  expect(actions.map(({ kind, what }) => [kind, what])).toEqual([
    ['share', { of: 'meeting', name: expect.any(String) }],
    ['share', { of: 'meeting', name: expect.any(String) }],
  ]);
  expect((await undo(ann, actions[1])).problem.code).toBe('CONFLICT');
  await good(undo(ann, actions[0]));
  expect(await held()).toEqual(['read+discover']);
  await good(undo(ann, actions[1]));
  expect((await ben.get(`/api/meetings/${id}`)).problem.code).toBe('NO_ACCESS');
});

test('merged speakers are two again, with the paragraphs that are still of the one who stayed', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const id = await makeRecording(house, ann);
  await share(house, id, ben, roles.canEdit);
  const spoken = async () => {
    const { speakers, segments } = (await good(ann.get(`/api/meetings/${id}`))).doc.transcript;
    return {
      names: speakers.map(({ name }: { name: string }) => name),
      of: segments.map(({ speaker }: { speaker: string }) => speaker),
    };
  };
  const before = await spoken();
  const by = { userId: ben.id, origin: 'test' };
  const merge = async () => {
    const made: SpeakerMerge[] = [];
    await house.house.rooms.change(id, 'transcript', by, (doc) => {
      const [gone = '', into = ''] = [...activeSpeakers(doc).keys()];
      const one = mergeOf(doc, gone, into);
      if (one) made.push(one);
      expect(mergeSpeakers(doc, gone, into, 'test')).toBeNull();
    });
    const [merged] = made;
    if (!merged) throw new Error('nobody was merged');
    const { speaker, into, segments } = merged;
    await good(
      ben.post('/api/actions/speakers', { meeting: id, speaker, into: { id: into, name: 'Other' }, segments }),
    );
    return { speaker, segments };
  };
  const { speaker, segments } = await merge();
  const [action] = await actionsOf(ben);
  expect(action).toMatchObject({ kind: 'speakers', what: { name: speaker.name, into: 'Other' }, undoneAt: null });
  expect((await spoken()).names).not.toContain(speaker.name);
  expect(await good(undo(ben, action))).toEqual(done);
  expect(await spoken()).toEqual(before);
  expect((await undo(ben, action)).problem.code).toBe('CONFLICT');

  // Once more; meanwhile one of the paragraphs is given to somebody else, which stays.
  await merge();
  await house.house.rooms.change(id, 'transcript', by, (doc) => {
    addSpeaker(doc, 'new', 'Newcomer', 'test');
    setSpeaker(doc, segments[0] ?? '', 'one', 'new', 'test');
  });
  const [again] = await actionsOf(ben);
  await share(house, id, ben, roles.canRead);
  expect((await undo(ben, again)).problem.code).toBe('NO_PERM');
  await share(house, id, ben, roles.canEdit);
  await good(undo(ben, again));
  const after = await spoken();
  expect(after.of.filter((one: string) => one === speaker.id)).toHaveLength(segments.length - 1);
  expect(after.of.filter((one: string) => one === 'new')).toHaveLength(1);
});

test('actions from before their parts were rows keep what is not undone', async () => {
  const { url, drop } = await emptyDatabase();
  const older = await migrationsBefore('action_parts');
  await migrate(url, older);
  const database = openDatabase(url);
  const { sql } = database;
  try {
    await sql`
      insert into users (id, email, email_key, first_name, last_name)
      values ('ann', 'ann@example.test', 'ann@example.test', 'Ann', 'Test')`;
    const changes = [{ meeting: 'two', nth: 1 }, { meeting: 'one' }, { meeting: 'two', nth: 2 }];
    for (const [id, kind, left] of [
      ['tags', 'tags', changes],
      ['named', 'folder_rename', [{ folder: 'f' }]],
      ['gone', 'move', []],
    ] as const)
      await sql`
        insert into undoable_actions (id, user_id, kind, what, changes, at)
        values (${id}, 'ann', ${kind}, '{}', ${JSON.stringify(left)}::text::jsonb, now())`;
    await migrate(url, migrations);
    expect(await sql`select id, parts from undoable_actions order by id`).toEqual([
      { id: 'gone', parts: 0 },
      { id: 'named', parts: 1 },
      { id: 'tags', parts: 2 },
    ]);
    expect(await sql`select about, change from action_parts order by action_id, about`).toEqual([
      { about: 'f', change: { folder: 'f' } },
      { about: 'one', change: { meeting: 'one' } },
      { about: 'two', change: { meeting: 'two', nth: 2 } },
    ]);
  } finally {
    await database.close();
    await drop();
    await rm(older, { recursive: true, force: true });
  }
});
