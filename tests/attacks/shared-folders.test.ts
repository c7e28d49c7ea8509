// Sections 3.3 and 3.4 of the catalogue for folders: who gets at what lies in them, and that it ends when sharing does.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#shared/ids.ts';
import type { Role } from '#shared/roles.ts';
import { folderGrantOf, grantOf } from '#shared/sharing.ts';
import { close } from '#sync/protocol.ts';
import { closeEditors, Editor, synced, until } from '#tests/support/editors.ts';
import { giveFolder, makeFolders, meetingIn } from '#tests/support/folders.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { ticketFor } from '#tests/support/meetings.ts';
import type { Answer, Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterEach(() => closeEditors());
afterAll(() => house?.close());

const allow = (id: string, person: Person, role: Role) => giveFolder(house, id, person, folderGrantOf(role));
/** Stored folders and permissions, without the times at which people joined. */
const stored = async () =>
  JSON.stringify([
    await house.database.sql`select id, parent_id, name, deleted_at from folders order by id`,
    await house.database.sql`select folder_id, kind, principal_id, permissions from folder_access order by 1, 2, 3`,
    await house.database.sql`select id, folder_id from meetings order by id`,
  ]);

/** Ann's folder in a folder, with a recording that can be played; Ben has the permissions of the row, Eve none. */
async function scene(role: Role | null = null) {
  const [ann, ben, eve] = (await house.people(3)) as [Person, Person, Person];
  const [sid = '', below = ''] = await makeFolders(ann, '/Plans', '/Plans/2026');
  const recording = await makeRecording(house, ann);
  expect((await ann.put(`/api/meetings/${recording}/move`, { path: '/Plans/2026' })).status).toBe(204);
  if (role) await allow(sid, ben, role);
  return { ann, ben, eve, sid, below, recording };
}
const blind = ({ status, problem }: Answer) => JSON.stringify([status, { ...problem, requestId: '' }]);

describe('C09 a person the folder is not shared with', () => {
  it.each<[string, (eve: Person, sid: string) => Promise<Answer>, number[]]>([
    ['lists what lies in it', (eve, sid) => eve.get(`/api/meetings?shared_folder=${sid}`), [403]],
    ['searches it', (eve, sid) => eve.get(`/api/meetings?shared_folder=${sid}&query=a`), [403]],
    ['follows its path', (eve, sid) => eve.post('/api/folders/breadcrumbs', { path: '/2026', sid }), [403]],
    ['leads out of it', (eve, sid) => eve.post('/api/folders/breadcrumbs', { path: '/../Plans', sid }), [422]],
    ['adds a folder', (eve, sid) => eve.post('/api/folders', { path: '/x', sid }), [403]],
    ['renames it', (eve, sid) => eve.post('/api/folders/rename', { path: '/', sid, name: 'x' }), [422]],
    ['renames one in it', (eve, sid) => eve.post('/api/folders/rename', { path: '/2026', sid, name: 'x' }), [403]],
    ['moves one in it', (eve, sid) => eve.post('/api/folders/move', { path: '/2026', sid, dest: '/' }), [403]],
    ['deletes it', (eve, sid) => eve.post('/api/folders/delete', { path: '/', sid }), [422]],
    ['deletes one in it', (eve, sid) => eve.post('/api/folders/delete', { path: '/2026', sid }), [403]],
    ['brings it back', (eve, id) => eve.post('/api/folders/restore', { id }), [403]],
    ['looks who has it', (eve, sid) => eve.get(`/api/folders/share?sid=${sid}`), [403]],
    [
      'gives it to themselves',
      (eve, sid) =>
        eve.post('/api/folders/share', {
          path: '/',
          sid,
          entries: [{ principal: { id: eve.id, kind: 'user' }, permissions: grantOf('canRead') }],
          version: 0,
        }),
      [403],
    ],
    ['shares it with nobody', (eve, sid) => eve.post('/api/folders/unshare', { path: '/', sid }), [403]],
    ['puts something in it', (eve, sid) => eve.post('/api/meetings/move', { ids: ['x'], path: '/', sid }), [403]],
  ])('%s in vain, and learns not whether it is there', async (_, attack, statuses) => {
    const { eve, sid } = await scene();
    const before = await stored();
    const answer = await attack(eve, sid);
    expect(statuses).toContain(answer.status);
    expect(await stored()).toBe(before);
    expect(blind(answer)).toBe(blind(await attack(eve, newId())));
  });

  it('a folder is not put into what lies in it by another name for that', async () => {
    const { ben, sid } = await scene('canEditShare');
    const before = await stored();
    expect((await ben.post('/api/folders/move', { path: '/2026', sid, dest: '/2026' })).status).toBe(422);
    expect(await stored()).toBe(before);
  });
});

describe('D01 nobody gives permissions they do not hold', () => {
  it.each<Role>(['canRead', 'canComment', 'canEdit'])('%s', async (role) => {
    const { ben, eve, sid } = await scene(role);
    const before = await stored();
    const entries = [{ principal: { id: eve.id, kind: 'user' }, permissions: grantOf('canRead') }];
    const answer = await ben.post('/api/folders/share', { path: '/', sid, entries, version: 0 });
    expect([answer.status, answer.problem.message]).toEqual([403, 'No permissions to share']);
    expect(await stored()).toBe(before);
  });
});

it('C10 D11 a folder that is no longer shared cannot be played, read or written from then on', async () => {
  const { ann, ben, eve, sid, below, recording } = await scene('canEdit');
  const { body: about } = await ben.get(`/api/meetings/${recording}/about`);
  const [{ src }] = about.media;
  const room = `${recording}/transcript`;
  const ticket = await ticketFor(ben, room);
  const a = new Editor({ room, at: () => house.origin, ticket: await ticketFor(ann, room) });
  const b = new Editor({ room, at: () => house.origin, ticket });
  await synced([a, b]);
  const token = b.type();
  await until(() => a.text.toString().includes(token));
  // Ben has put one of his own there, and another one who reads there has it open.
  const his = await meetingIn(house, below, ben);
  await allow(sid, eve, 'canRead');
  const asked = (): Promise<Answer[]> =>
    Promise.all([
      ben.get(src, { headers: { Range: 'bytes=0-9' } }),
      ben.get(`/api/meetings/${recording}`),
      ben.get(`/api/meetings?shared_folder=${sid}`),
      ben.post(`/api/export/${recording}`, { format: 'REV', options: { fileType: 'txt' } }),
      ben.post('/api/sync/tickets', { room }),
      ben.post(`/api/meetings/${recording}/rename`, { title: 'x' }),
    ]);
  expect((await asked()).map(({ status }) => status)).toEqual([206, 200, 200, 200, 200, 200]);
  expect((await ann.post('/api/folders/unshare', { path: '/Plans' })).status).toBe(204);
  expect((await asked()).map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403]);
  await until(() => b.closes.includes(close.noAccess));
  // An earlier ticket does not help either.
  const late = new Editor({ room, at: () => house.origin, ticket });
  await until(() => late.closes.length > 0);
  expect(late.provider.synced).toBe(false);
  expect(a.closes).toEqual([]);
  // His own recording stays his, and Eve has no access any more.
  expect((await ben.get(`/api/meetings/${his}`)).status).toBe(200);
  expect((await eve.get(`/api/meetings/${his}`)).status).toBe(403);
});

it('D07 of two lists that were read at one version one counts, whole', async () => {
  const { ann, ben, sid } = await scene('canEditShare');
  const { body } = await ann.get('/api/folders/share?path=/Plans');
  const list = (name: string) => ({
    entries: [
      ...body.acl.entries,
      { principal: { email: `${name}-${sid.toLowerCase()}@example.test` }, permissions: ['read'] },
    ],
    version: body.version,
  });
  const answers = await Promise.all([
    ann.post('/api/folders/share', { path: '/Plans', ...list('one') }),
    ben.post('/api/folders/share', { path: '/', sid, ...list('other') }),
  ]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const after = (await ann.get('/api/folders/share?path=/Plans')).body;
  const won = answers.find(({ status }) => status === 200)?.body;
  expect([after.acl, after.version]).toEqual([won.acl, won.version]);
  expect(after.acl.entries).toHaveLength(2);
});

it('D16 every access through a folder is listed for people who share the recording, and can be ended', async () => {
  const { ann, ben, eve, sid, below, recording } = await scene('canRead');
  await allow(below, eve, 'canComment');
  const pending = [{ principal: { email: `x-${sid.toLowerCase()}@example.test` }, permissions: ['read'] }];
  const kept = (await ann.get('/api/folders/share?path=/Plans')).body.acl.entries;
  await ann.post('/api/folders/share', { path: '/Plans', entries: [...kept, ...pending], version: 0 });
  const rows = await house.database.sql`
    select 1 from folder_access where folder_id in (select id from folders_above(${below}))`;
  expect(rows).toHaveLength(3);
  const { inherited } = (await ann.get(`/api/meetings/${recording}/acl`)).body;
  expect(inherited).toHaveLength(rows.length);
  for (const path of ['/Plans', '/Plans/2026'])
    expect((await ann.post('/api/folders/unshare', { path })).status).toBe(204);
  expect((await ann.get(`/api/meetings/${recording}/acl`)).body.inherited).toEqual([]);
  for (const person of [ben, eve]) expect((await person.get(`/api/meetings/${recording}`)).status).toBe(403);
});
