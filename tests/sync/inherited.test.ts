// Permissions by a group or a folder: they open a room, and end at every open connection together with the group or
// folder access.
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { groupMembers, groups } from '#db/schema/groups.ts';
import { folderAccess, folders } from '#db/schema/library.ts';
import { meetingAccess, meetings } from '#db/schema/meetings.ts';
import { newId } from '#shared/ids.ts';
import { roles } from '#shared/roles.ts';
import { close } from '#sync/protocol.ts';
import { Editor, closeEditors, synced, until } from '../support/editors.ts';
import { openHouse, type TestHouse } from '../support/house.ts';
import { makeMeeting, ticketFor } from '../support/meetings.ts';
import type { Person } from '../support/people.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterEach(() => closeEditors());
afterAll(() => house.close());

const orm = () => house.database.orm;
const editing = [...roles.canEdit];
const reading = [...roles.canRead];

async function makeGroup(...people: Person[]): Promise<string> {
  const id = newId();
  await orm().insert(groups).values({ id, type: 'group', name: 'Interviews of the spring', createdAt: new Date() });
  for (const { id: userId } of people)
    await orm().insert(groupMembers).values({ groupId: id, userId, role: 'member', joinedAt: new Date() });
  return id;
}

async function makeFolder(owner: Person, parentId: string | null = null): Promise<string> {
  const id = newId();
  const of = { ownerId: owner.id, parentId, name: id, nameKey: id };
  await orm()
    .insert(folders)
    .values({ id, ...of, createdAt: new Date() });
  return id;
}

const lay = (meeting: string, folderId: string | null) =>
  orm().update(meetings).set({ folderId }).where(eq(meetings.id, meeting));
const onFolder = (folderId: string, kind: string, principalId: string, permissions: string[] = editing) =>
  orm().insert(folderAccess).values({ folderId, kind, principalId, permissions });

/** Ann's recording in a folder in a folder; beside them a group that Ben is in. */
async function scene() {
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const meeting = await makeMeeting(house, ann);
  const above = await makeFolder(ann);
  const folder = await makeFolder(ann, above);
  await lay(meeting, folder);
  const group = await makeGroup(ben);
  return { ann, ben, meeting, above, folder, group };
}
type Scene = Awaited<ReturnType<typeof scene>>;

const toGroup = ({ meeting, group }: Scene) =>
  orm().insert(meetingAccess).values({ meetingId: meeting, kind: 'group', principalId: group, permissions: editing });
const toFolder = ({ folder, ben }: Scene) => onFolder(folder, 'user', ben.id);
const toFolderAbove = ({ above, ben }: Scene) => onFolder(above, 'user', ben.id);
const toAddress = async ({ above, ben }: Scene) => {
  const { body } = await ben.whoami();
  await onFolder(above, 'pending', String(body.principal.email).toLowerCase());
};
const groupToFolder = ({ above, group }: Scene) => onFolder(above, 'group', group);

type Step = (scene: Scene) => unknown;
const leaves: Step = ({ group }) => orm().delete(groupMembers).where(eq(groupMembers.groupId, group));
const archived: Step = ({ group }) => orm().update(groups).set({ archivedAt: new Date() }).where(eq(groups.id, group));
const groupGone: Step = ({ group }) => orm().delete(groups).where(eq(groups.id, group));
const groupEntryGone: Step = ({ meeting }) => orm().delete(meetingAccess).where(eq(meetingAccess.meetingId, meeting));
const folderEntryGone: Step = async ({ folder, above }) => {
  await orm().delete(folderAccess).where(eq(folderAccess.folderId, folder));
  await orm().delete(folderAccess).where(eq(folderAccess.folderId, above));
};
const folderMoved: Step = ({ folder }) => orm().update(folders).set({ parentId: null }).where(eq(folders.id, folder));
const meetingMoved: Step = ({ meeting }) => lay(meeting, null);

describe('a right by a group or a folder ends with what it hangs on, at an open connection', () => {
  test.each<[string, string, Step, Step]>([
    ['a group', 'they leave it', toGroup, leaves],
    ['a group', 'it is archived', toGroup, archived],
    ['a group', 'it is deleted', toGroup, groupGone],
    ['a group', 'its entry goes', toGroup, groupEntryGone],
    ['the folder', 'its entry goes', toFolder, folderEntryGone],
    ['the folder', 'the recording is moved out of it', toFolder, meetingMoved],
    ['the folder above', 'its entry goes', toFolderAbove, folderEntryGone],
    ['the folder above', 'the folder is moved out of it', toFolderAbove, folderMoved],
    ['the folder above by an address', 'its entry goes', toAddress, folderEntryGone],
    ['the folder above by a group', 'they leave the group', groupToFolder, leaves],
    ['the folder above by a group', 'the group is archived', groupToFolder, archived],
    ['the folder above by a group', 'the group is deleted', groupToFolder, groupGone],
    ['the folder above by a group', 'the folder is moved out of it', groupToFolder, folderMoved],
  ])('by %s, and %s', async (...[, , given, taken]) => {
    const all = await scene();
    const { ann, ben, meeting } = all;
    expect((await ben.get(`/api/meetings/${meeting}`)).status).toBe(403);
    await given(all);
    const answer = await ben.get(`/api/meetings/${meeting}`);
    expect([answer.status, answer.body.permissions]).toEqual([200, expect.arrayContaining(['read', 'write'])]);
    const room = `${meeting}/transcript`;
    const a = new Editor({ room, at: () => house.origin, ticket: await ticketFor(ann, room) });
    const b = new Editor({ room, at: () => house.origin, ticket: await ticketFor(ben, room) });
    await synced([a, b]);
    const token = b.type();
    await until(() => a.text.toString().includes(token));
    await taken(all);
    await until(() => b.closes.includes(close.noAccess));
    expect((await ben.get(`/api/meetings/${meeting}`)).status).toBe(403);
    expect(a.closes).toEqual([]);
  });

  test('their other rights stay', async () => {
    const all = await scene();
    const { ben, meeting, group } = all;
    await toGroup(all);
    await onFolder(all.above, 'user', ben.id, reading);
    await orm().delete(groups).where(eq(groups.id, group));
    const { body } = await ben.get(`/api/meetings/${meeting}`);
    expect([...body.permissions].toSorted()).toEqual(reading.toSorted());
  });
});

test('a folder that is deleted opens nothing, nor does one of others that lies beside it', async () => {
  const all = await scene();
  const { ann, ben, meeting, folder } = all;
  const beside = await makeFolder(ann, all.above);
  await onFolder(beside, 'user', ben.id);
  expect((await ben.get(`/api/meetings/${meeting}`)).status).toBe(403);
  await toFolder(all);
  await orm().update(folders).set({ deletedAt: new Date() }).where(eq(folders.id, folder));
  expect((await ben.get(`/api/meetings/${meeting}`)).status).toBe(403);
});

test('the owner of a folder may do everything with recordings that others put there, until they are moved', async () => {
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const meeting = await makeMeeting(house, ben);
  await lay(meeting, await makeFolder(ann));
  const { body } = await ann.get(`/api/meetings/${meeting}`);
  expect(body.permissions).toEqual(expect.arrayContaining(['own', 'write']));
  await lay(meeting, null);
  expect((await ann.get(`/api/meetings/${meeting}`)).status).toBe(403);
});
