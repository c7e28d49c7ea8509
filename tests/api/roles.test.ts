// S3 of the promises, and C01 of the attacks: what each role may do by each call, and in each room, is what the one function says.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '#server/app.ts';
import { parts } from '#shared/meetings/parts.ts';
import { mayCall, permissionsOf, roleNames, roles, roomRights, verbs, type Permission } from '#shared/roles.ts';
import { closeEditors, Editor, synced } from '#tests/support/editors.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import { multipart, zoomTranscript } from '#tests/support/intake.ts';
import type { CallOptions, Person } from '#tests/support/people.ts';

let house: TestHouse;
let ann: Person;
let ben: Person;
beforeAll(async () => {
  house = await openHouse();
  [ann, ben] = (await house.people(2)) as [Person, Person];
});
afterEach(() => closeEditors());
afterAll(() => house.close());

/** Whose rights are not those of a meeting's people: anybody may know the code, and the trash has its own rows. */
const byOtherRules = ['POST /api/meetings/:id/unlock', 'POST /api/meetings/:id/restore', 'PUT /api/meetings/:id/move'];

interface Actor {
  who: string;
  owner?: boolean;
  named?: readonly Permission[];
  link?: readonly Permission[];
  signedIn: boolean;
  /** What they had a moment ago, or would have, were they who they say. */
  beside?: (meetingId: string, caller: Person) => Promise<void>;
}
const actors: Actor[] = [
  { who: 'the owner', owner: true, signedIn: true },
  ...roleNames.map((role): Actor => ({ who: role, named: roles[role], signedIn: true })),
  { who: 'somebody who may only find it', named: ['discover'], signedIn: true },
  { who: 'a stranger', signedIn: true },
  { who: 'a stranger with a link to edit', link: ['read', 'comment', 'write'], signedIn: true },
  {
    who: 'somebody who was put out',
    signedIn: true,
    beside: async (id, caller) => {
      await share(house, id, caller, roles.canEditShare);
      await house.database.sql`delete from meeting_access where meeting_id = ${id}`;
    },
  },
  {
    who: 'somebody whose address nobody has confirmed',
    signedIn: true,
    beside: async (id, caller) => {
      await house.database.sql`update users set confirmed_at = null where id = ${caller.id}`;
      await house.database.sql`insert into meeting_access (meeting_id, kind, principal_id, permissions)
        values (${id}, 'pending', ${caller.email}, ${[...roles.canEditShare]})`;
    },
  },
  {
    who: 'somebody who owns another',
    signedIn: true,
    beside: async (_, caller) => void (await makeMeeting(house, caller)),
  },
  {
    who: 'one of a group that may edit',
    named: roles.canEdit,
    signedIn: true,
    beside: (id, caller) => inGroup(id, caller, roles.canEdit),
  },
  {
    who: 'somebody who has left a group that may edit',
    signedIn: true,
    beside: async (id, caller) => {
      await inGroup(id, caller, roles.canEdit);
      await house.database.sql`delete from group_members where user_id = ${caller.id}`;
    },
  },
  {
    who: 'somebody with whom the folder around it is shared to comment',
    named: roles.canComment,
    signedIn: true,
    beside: async (id, caller) => {
      await house.database.sql`insert into folders (id, owner_id, name, name_key, created_at)
        values (${id}, ${ann.id}, ${id}, ${id}, now())`;
      await house.database.sql`update meetings set folder_id = ${id} where id = ${id}`;
      await house.database.sql`insert into folder_access (folder_id, kind, principal_id, permissions)
        values (${id}, 'user', ${caller.id}, ${[...roles.canComment]})`;
    },
  },
  { who: 'nobody known', signedIn: false },
  { who: 'nobody known, with a link to read', link: ['read'], signedIn: false },
  { who: 'nobody known, with a link to edit', link: ['read', 'comment', 'write'], signedIn: false },
];
const heldBy = ({ owner = false, named = [], link = [], signedIn }: Actor) =>
  permissionsOf({ owner, named, anonymous: link, signedIn });

async function inGroup(id: string, { id: userId }: Person, permissions: readonly Permission[]): Promise<void> {
  const { sql } = house.database;
  await sql`insert into groups (id, type, name, created_at) values (${id}, 'group', 'Those of the spring', now())`;
  await sql`insert into group_members (group_id, user_id, role, joined_at) values (${id}, ${userId}, 'member', now())`;
  await sql`insert into meeting_access (meeting_id, kind, principal_id, permissions)
    values (${id}, 'group', ${id}, ${[...permissions]})`;
}

async function seat({ owner, named, link, signedIn, beside }: Actor): Promise<{ id: string; caller: Person }> {
  const id = await makeMeeting(house, owner ? ben : ann);
  if (beside) {
    const caller = await house.person('Cara');
    await beside(id, caller);
    return { id, caller };
  }
  if (named) await share(house, id, ben, named);
  if (link) await share(house, id, 'anonymous', link);
  return { id, caller: signedIn ? ben : house.stranger() };
}

const comment = JSON.stringify({
  type: 'doc',
  content: [{ type: 'paragraph', content: [{ type: 'text', text: 'Is this so?' }] }],
});
/** What each call needs to be understood at all. */
const bodies: Record<string, unknown> = {
  'PUT /api/meetings/:id': { meeting: { 'doc.title': 'A title' }, version: 0 },
  'POST /api/meetings/:id/edit': { pos: 's1', old: 'a', new: 'b', version: 0 },
  'POST /api/meetings/:id/edits': { edits: [{ pos: 's1', old: 'a', new: 'b' }], version: 0 },
  'POST /api/meetings/:id/rename': { title: 'A title' },
  'POST /api/meetings/:id/process': {
    cost: 0,
    model: 'external',
    language: 'en',
    numberOfSpeakers: 2,
    title: 'A title',
  },
  'PUT /api/meetings/:id/versions/:version/name': { name: 'A name' },
  'POST /api/export/:id': { format: 'TRME', options: {} },
  'POST /api/meetings/:id/upgrade': { cost: 0 },
  'POST /api/meetings/:id/acl': { entries: [], version: 0 },
  'PUT /api/meetings/:id/notes': { text: comment },
  'PUT /api/meetings/:id/summary/own': { summary: [] },
  'POST /api/meetings/:id/delete-attachment': { url: '/nothing' },
  'POST /api/meetings/:id/outcomes': { outcome: { type: 'decisions', start: 0, end: 1, text: 'It is' } },
  'POST /api/meetings/:id/outcomes/update': { edits: [{ id: 'a', field: 'text', value: 'It was' }], version: 0 },
  'POST /api/meetings/:id/outcomes/:itemId/update': { outcome: { text: 'It was' } },
  'POST /api/meetings/:id/comments': { start: 0, end: 1, text: comment },
  'POST /api/meetings/:id/comments/:itemId/update': { text: comment },
};
const forms: Record<string, CallOptions> = {
  'POST /api/meetings/:id/attachment': multipart({ type: 'vnote' }),
  'POST /api/meetings/:id/replace': multipart({
    transcript: { fileName: 'a.vtt', content: zoomTranscript },
    transcriptType: 'ZOOM',
  }),
};
/** Of things that are not there: who may not be told whose one is, is refused as if it were somebody else's. */
const inPlace: Record<string, string> = { type: 'nothing', version: '0', mediaId: 'nothing', itemId: 'nothing' };

describe('the table', () => {
  it('has a row for every call on a meeting, and no other', () => {
    const app = createApp(house.house, { version: 'none', index: null, files: new Map() });
    const routes = app.routes
      .filter(({ method, path }) => method !== 'ALL' && /^\/api\/(meetings|export)\/:id/.test(path))
      .map(({ method, path }) => `${method} ${path}`);
    expect([...new Set(routes)].toSorted()).toEqual([...Object.keys(verbs), ...byOtherRules].toSorted());
  });
});

describe.each(Object.entries(verbs))('%s', (route, verb) => {
  it.each(actors)('$who', async (actor) => {
    const { id, caller } = await seat(actor);
    const [method = '', pattern = ''] = route.split(' ');
    const path = pattern.replaceAll(/:(\w+)/g, (_, name: string) =>
      name === 'id' ? id : (inPlace[name] ?? 'nothing'),
    );
    const sent = method === 'GET' || forms[route] ? undefined : (bodies[route] ?? {});
    const { status, problem } = await caller.call(method, path, sent, forms[route]);
    const refused = status === 401 || status === 403 ? problem.code : null;
    expect(refused).toBe(mayCall(verb, heldBy(actor), actor.signedIn));
    // A body that is not understood would hide what is asked behind it; a place that is not there is found behind that.
    const misread = status === 422 && problem.info.errors.some((error) => error.code !== 'unknown');
    if (refused === null && bodies[route]) expect(misread).toBe(false);
  });
});

describe.each(parts)('the room of %s', (part) => {
  it.each(actors)('$who', async (actor) => {
    const { id, caller } = await seat(actor);
    const rights = roomRights(part, heldBy(actor), actor.signedIn);
    const room = `${id}/${part}`;
    const answer = await caller.post('/api/sync/tickets', { room });
    expect(answer.status).toBe(rights.read ? 200 : 403);
    if (!rights.read) return;
    const editor = new Editor({ room, at: () => house.origin, ticket: answer.body.ticket });
    await synced([editor]);
    expect(editor.provider.canWrite).toBe(rights.write);
  });
});
