// S3 of the promises, and C01 of the attacks: what each role may do by each call is what roles.matrix.ts says, and the
// tables of permissions say the same; in each room it is what `roomRights` says.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '#server/app.ts';
import { accessRequests } from '#db/schema/meetings.ts';
import { parts } from '#shared/meetings/parts.ts';
import { newId } from '#shared/ids.ts';
import {
  groupVerbs,
  heldByLayer,
  mayCall,
  mayCallGroup,
  permissionsOf,
  roleNames,
  roles,
  roomRights,
  verbs,
  type GroupVerb,
  type Permission,
  type Verb,
} from '#shared/roles.ts';
import { thinkingAssistants } from '#tests/support/assistant.ts';
import { closeEditors, Editor, synced } from '#tests/support/editors.ts';
import { inviteTo, makeGroup } from '#tests/support/groups.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import { multipart, zoomTranscript } from '#tests/support/intake.ts';
import type { Answer, CallOptions, Person } from '#tests/support/people.ts';
import { byOtherRules, expected, groupMatrix, kinds, matrix, members, privately, type Kind } from './roles.matrix.ts';

let house: TestHouse;
let ann: Person;
let ben: Person;
beforeAll(async () => {
  house = await openHouse({ house: { assistants: thinkingAssistants } });
  [ann, ben] = (await house.people(2)) as [Person, Person];
});
afterEach(() => closeEditors());
afterAll(() => house.close());

interface Actor {
  who: string;
  /** The column of the matrix that applies to them. */
  kind: Kind;
  owner?: boolean;
  named?: readonly Permission[];
  link?: readonly Permission[];
  signedIn: boolean;
  /** Permissions they had a moment ago, or that belong to a person they pretend to be. */
  beside?: (meetingId: string, caller: Person) => Promise<void>;
}
const actors: Actor[] = [
  { who: 'the owner', kind: 'owner', owner: true, signedIn: true },
  ...roleNames.map((role): Actor => ({ who: role, kind: role, named: roles[role], signedIn: true })),
  { who: 'a person who may only find it', kind: 'only finds it', named: ['discover'], signedIn: true },
  { who: 'a stranger', kind: 'stranger', signedIn: true },
  { who: 'a stranger with a link to edit', kind: 'canEdit', link: ['read', 'comment', 'write'], signedIn: true },
  {
    who: 'a person who was removed',
    kind: 'stranger',
    signedIn: true,
    beside: async (id, caller) => {
      await share(house, id, caller, roles.canEditShare);
      await house.database.sql`delete from meeting_access where meeting_id = ${id}`;
    },
  },
  {
    who: 'a person whose address is not confirmed',
    kind: 'stranger',
    signedIn: true,
    beside: async (id, caller) => {
      await house.database.sql`update users set confirmed_at = null where id = ${caller.id}`;
      await house.database.sql`insert into meeting_access (meeting_id, kind, principal_id, permissions)
        values (${id}, 'pending', ${caller.email}, ${[...roles.canEditShare]})`;
    },
  },
  {
    who: 'a person who owns another',
    kind: 'stranger',
    signedIn: true,
    beside: async (_, caller) => void (await makeMeeting(house, caller)),
  },
  {
    who: 'one of a group that may edit',
    kind: 'canEdit',
    named: roles.canEdit,
    signedIn: true,
    beside: (id, caller) => inGroup(id, caller, roles.canEdit),
  },
  {
    who: 'a person who has left a group that may edit',
    kind: 'stranger',
    signedIn: true,
    beside: async (id, caller) => {
      await inGroup(id, caller, roles.canEdit);
      await house.database.sql`delete from group_members where user_id = ${caller.id}`;
    },
  },
  {
    who: 'a person with whom the folder around it is shared to comment',
    kind: 'canComment',
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
  { who: 'an unknown caller', kind: 'nobody', signedIn: false },
  { who: 'an unknown caller, with a link to read', kind: 'nobody, link to read', link: ['read'], signedIn: false },
  {
    who: 'an unknown caller, with a link to edit',
    kind: 'nobody, link to edit',
    link: ['read', 'comment', 'write'],
    signedIn: false,
  },
];
const heldBy = ({ owner = false, named = [], link = [], signedIn }: Actor) =>
  permissionsOf({ owner, named, anonymous: link, signedIn, historyNeeds: 'write' });

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
/** Valid bodies for each call. */
const bodies: Record<string, unknown> = {
  'PUT /api/meetings/:id': { meeting: { 'doc.title': 'A title' }, version: 0 },
  'POST /api/meetings/:id/edit': { pos: 's1', old: 'a', new: 'b', version: 0 },
  'POST /api/meetings/:id/edits': { edits: [{ pos: 's1', old: 'a', new: 'b' }], version: 0 },
  'POST /api/meetings/:id/rename': { title: 'A title' },
  'POST /api/meetings/:id/close': { name: 'A name' },
  'POST /api/meetings/:id/clone': {},
  'POST /api/meetings/:id/process': {
    cost: 0,
    model: 'external',
    language: 'en',
    numberOfSpeakers: 2,
    title: 'A title',
  },
  'POST /api/meetings/:id/takes': { track: 'mic', type: 'audio/webm', offset: 0 },
  'POST /api/meetings/:id/chat': { content: 'What was decided?' },
  'PUT /api/meetings/:id/ai': { consent: 'none' },
  'PUT /api/meetings/:id/drafts/:kind/:draftId': { state: 'open' },
  'POST /api/meetings/:id/outcomes/autodetect': {},
  'POST /api/meetings/:id/outcomes/:itemId/accept': {},
  'POST /api/meetings/:id/outcomes/:itemId/reject': { reason: 'type' },
  'POST /api/meetings/:id/outcome-models': { id: 'own_0000000000000000000000' },
  'PUT /api/meetings/:id/versions/:version/name': { name: 'A name' },
  'POST /api/export/:id': { format: 'TRME', options: {} },
  'POST /api/meetings/:id/reviews': {
    policy: 'strict',
    reviewers: [{ principal: { email: 'rob@nobody.test' }, role: 'required' }],
  },
  'POST /api/meetings/:id/reviews/:reviewId': { rev: 1 },
  'PUT /api/meetings/:id/reviews/:reviewId/listened': { shared: true },
  'POST /api/meetings/:id/reviews/:reviewId/join': {},
  'POST /api/meetings/:id/reviews/:reviewId/reviewers/:reviewerId': { status: 'complete' },
  'POST /api/meetings/:id/invite/complete': { notesId: 'nothing' },
  'POST /api/meetings/:id/upgrade': { cost: 0 },
  'POST /api/meetings/:id/paid-share': { cost: 0 },
  'POST /api/meetings/:id/unlock': { code: 'nothing' },
  'PUT /api/meetings/:id/move': { path: '/' },
  'POST /api/access-requests/:id': { role: null },
  'POST /api/meetings/:id/acl': { entries: [], version: 0 },
  'PUT /api/meetings/:id/notes': { text: comment },
  'PUT /api/meetings/:id/summary/own': { summary: [] },
  'POST /api/meetings/:id/delete-attachment': { url: '/nothing' },
  'POST /api/meetings/:id/outcomes': { outcome: { type: 'decisions', start: 0, end: 1, text: 'It is' } },
  'POST /api/meetings/:id/outcomes/update': { edits: [{ id: 'a', field: 'text', value: 'It was' }], version: 0 },
  'POST /api/meetings/:id/outcomes/:itemId/update': { outcome: { text: 'It was' } },
  'PUT /api/meetings/:id/grades/:type': { grade: 1 },
  'PUT /api/meetings/:id/listened': { heard: [[0, 1]] },
  'POST /api/meetings/:id/comments': { start: 0, end: 1, text: comment },
  'POST /api/meetings/:id/comments/:itemId/update': { text: comment },
};
const queries: Record<string, string> = {
  'GET /api/meetings/:id/costs': '?model=external',
  'GET /api/groups/:id/activity-report': '?fromDate=2026-01-01&toDate=2026-01-31',
  'GET /api/meetings/:id/reviews/:reviewId/report/file': '?type=docx',
};
const forms: Record<string, CallOptions> = {
  'POST /api/meetings/:id/attachment': multipart({ type: 'vnote' }),
  'POST /api/meetings/:id/replace': multipart({
    transcript: { fileName: 'a.vtt', content: zoomTranscript },
    transcriptType: 'ZOOM',
  }),
};
/** Ids that do not exist: a caller without access gets the same refusal as for another person's. */
const inPlace: Record<string, string> = { type: 'nothing', version: '0', mediaId: 'nothing', itemId: 'nothing' };

const plain = { version: 'none', index: null, files: new Map() };
const named = ([method, path]: [string, string]) => `${method} ${path}`;
const rows: [string, Verb][] = Object.entries(verbs);
const groupRows: [string, GroupVerb][] = Object.entries(groupVerbs);
const isMany = (route: string) => /^POST \/api\/meetings\/(delete|restore|move)$/.test(route);

describe('the tables', () => {
  it('have a row for every call on a meeting or a group, and no other', () => {
    const app = createApp(house.house, plain);
    const routes = app.routes
      .filter(
        ({ method, path }) => method !== 'ALL' && /^\/api\/(meetings|export|access-requests|groups)\/./.test(path),
      )
      .map(({ method, path }) => named([method, path]));
    expect([...new Set(routes)].toSorted()).toEqual([...rows, ...groupRows].map(([route]) => route).toSorted());
  });

  it('stop the start if a call has no row, or a row no call', () => {
    for (const planted of [verbs, groupVerbs] as Record<string, unknown>[]) {
      const [route = '', row] = Object.entries(planted).at(-1) ?? [];
      delete planted[route];
      expect(() => createApp(house.house, plain)).toThrow(`${route} has no row`);
      planted[route] = row;
      planted['POST /api/meetings/:id/planted'] = row;
      expect(() => createApp(house.house, plain)).toThrow('POST /api/meetings/:id/planted has a row');
      delete planted['POST /api/meetings/:id/planted'];
    }
    createApp(house.house, plain);
  });

  it('stop the start if a route asks for another sign-in than its row', () => {
    const [read, write] = [verbs['GET /api/meetings/:id'], verbs['PUT /api/meetings/:id']];
    for (const row of [read, write]) {
      row.signedIn = !row.signedIn;
      expect(() => createApp(house.house, plain)).toThrow('/api/meetings/:id is ');
      row.signedIn = !row.signedIn;
    }
    createApp(house.house, plain);
  });

  it('say what the matrix says', () => {
    expect(rows.map(([route]) => route).toSorted()).toEqual(Object.keys(matrix).toSorted());
    const ofOwn = rows.filter(([, row]) => row.needsPrivately !== undefined);
    expect(ofOwn.map(([route]) => route).toSorted()).toEqual(Object.keys(privately).toSorted());
    for (const actor of actors) {
      const say = (row: Verb, alone: boolean) => mayCall(row, heldBy(actor), actor.signedIn, alone);
      for (const [route, row] of rows) {
        if (byOtherRules.some((one) => one === route)) continue;
        expect(say(row, false), `${route}: ${actor.who}`).toBe(expected(matrix[route], kinds, actor.kind));
      }
      for (const [route, row] of ofOwn)
        expect(say(row, true), `${route}: ${actor.who}`).toBe(expected(privately[route], kinds, actor.kind));
    }
  });

  it('say what the matrix of groups says', () => {
    expect(groupRows.map(([route]) => route).toSorted()).toEqual(Object.keys(groupMatrix).toSorted());
    for (const [route, row] of groupRows)
      for (const role of ['admin', 'member'] as const)
        if (row.needs !== null)
          expect(mayCallGroup(row, role), `${route}: ${role}`).toBe(expected(groupMatrix[route], members, role));
  });

  it('say which calls accept a layer’s id, and of these which annotate', () => {
    const by = (how: Verb['layer']) => rows.flatMap(([route, { layer }]) => (layer === how ? route : [])).toSorted();
    expect(by('words')).toEqual(
      [
        ...['', '/about', '/eval', '/vtt', '/media/:mediaId', '/notes', '/outcome-models'].map(
          (path) => `GET /api/meetings/:id${path}`,
        ),
        ...['/edit', '/edits'].map((path) => `POST /api/meetings/:id${path}`),
        'PUT /api/meetings/:id/notes',
        'POST /api/export/:id',
      ].toSorted(),
    );
    const annotating = rows.filter(([route]) =>
      /:id.(outcomes|comments|grades|listened|(delete-)?attachment)/.test(route),
    );
    expect(by('annotations')).toEqual(annotating.map(([route]) => route).toSorted());
    const corrects = new Set<Permission>(['read', 'write']);
    expect(mayCall(verbs['POST /api/meetings/:id/edit'], corrects, true)).toBeNull();
    const held = heldByLayer(verbs['POST /api/meetings/:id/comments'], corrects);
    expect(mayCall(verbs['POST /api/meetings/:id/comments'], held, true)).toBe('NO_PERM');
    // Suggestions of a model take another permission in a review than in a recording.
    const suggesting = rows.flatMap(([route, { needsByLayer }]) => (needsByLayer ? [[route, needsByLayer]] : []));
    expect(Object.fromEntries(suggesting)).toEqual({
      'GET /api/meetings/:id/outcomes/autodetect': 'read',
      'POST /api/meetings/:id/outcomes/autodetect': 'read',
      'POST /api/meetings/:id/outcomes/autodetect/stop': 'read',
      'POST /api/meetings/:id/outcomes/:itemId/accept': 'comment',
      'POST /api/meetings/:id/outcomes/:itemId/reject': 'comment',
      'POST /api/meetings/:id/outcomes/:itemId/reopen': 'comment',
    });
  });

  it('have room for the payer of a team', () => {
    expect(mayCallGroup({ needs: 'payer' }, 'admin')).toBe('NO_PERM');
    expect(mayCallGroup({ needs: 'payer' }, 'member', true)).toBe(null);
  });
});

/** A person's request for access; the routes under it find the meeting by its id. */
async function askedToBeLetIn(meetingId: string): Promise<string> {
  const id = newId();
  const { id: userId } = await house.person('Dana');
  await house.database.orm.insert(accessRequests).values({ id, meetingId, userId, at: new Date() });
  return id;
}

async function callRoute(caller: Person, route: string, id: string, body: unknown): Promise<Answer> {
  const [method = '', pattern = ''] = route.split(' ');
  const path = pattern.replaceAll(/:(\w+)/g, (_, name: string) => (name === 'id' ? id : (inPlace[name] ?? 'nothing')));
  const sent = isMany(route) ? { ids: [id], path: '/' } : method === 'GET' || forms[route] ? undefined : body;
  return caller.call(method, path + (queries[route] ?? ''), sent, forms[route]);
}

async function callAs(actor: Actor, route: string, body: unknown): Promise<Answer> {
  const { id, caller } = await seat(actor);
  return callRoute(caller, route, route.includes('/access-requests/') ? await askedToBeLetIn(id) : id, body);
}

/** By permissions; what else may be wrong with a call is found behind that. */
function refusalOf({ status, problem, body }: Answer, many = false): string | null {
  if (many && status === 200) return body.failed[0]?.code ?? null;
  return status === 401 || status === 403 ? problem.code : null;
}

describe.each(rows)('%s', (route, row) => {
  it.each(actors)('$who', async (actor) => {
    const answer = await callAs(actor, route, bodies[route] ?? {});
    const refused = refusalOf(answer, isMany(route));
    expect(refused).toBe(expected(matrix[route], kinds, actor.kind));
    const { status, problem } = answer;
    if (refused === 'NO_PERM' && row.refusal && !isMany(route)) expect(problem.message).toBe(row.refusal);
    // A body that is not understood would hide what is asked behind it; a place that is not there is found behind that.
    const misread = status === 422 && problem.info.errors.some((error) => error.code !== 'unknown');
    if (refused === null && bodies[route]) expect(misread).toBe(false);
  });
});

describe.each(Object.keys(privately))('%s, privately', (route) => {
  it.each(actors)('$who', async (actor) => {
    const body = structuredClone(bodies[route]) as { outcome?: object };
    Object.assign(body.outcome ?? body, { private: true });
    expect(refusalOf(await callAs(actor, route, body))).toBe(expected(privately[route], kinds, actor.kind));
  });
});

it('an id that is no meeting’s, such as that of a layer, reaches nothing by any call', async () => {
  for (const [route, { needs, layer }] of rows) {
    if (needs === null || layer) continue;
    const answer = await callRoute(ann, route, 'nothing', bodies[route] ?? {});
    expect(refusalOf(answer, isMany(route)), route).toBe('NO_ACCESS');
  }
});

const groupBodies: Record<string, unknown> = {
  'PUT /api/groups/:id': { name: 'Interviews of mine' },
  'POST /api/groups/:id/members': { members: [{ email: 'eve@example.test' }] },
  'POST /api/groups/:id/clone': { name: 'Interviews once more' },
};

it.each(groupRows)('%s', async (route, row) => {
  const [admin, member, invited] = (await house.people(3)) as [Person, Person, Person];
  const id = await makeGroup(admin, [member]);
  const waiting = (await inviteTo(admin, id, invited.email, 'admin')).members.find(({ kind }) => kind === 'pending');
  const callers = { admin, member, invited, stranger: ben, nobody: house.stranger() };
  const [method = '', pattern = ''] = route.split(' ');
  const path = pattern.replace(':id', id).replace(':member', waiting?.id ?? '') + (queries[route] ?? '');
  // The strongest role comes last, because its calls change the group.
  for (const who of members.toReversed()) {
    const sent = method === 'GET' ? undefined : (groupBodies[route] ?? {});
    const answer = await callers[who].call(method, path, sent);
    expect(refusalOf(answer), who).toBe(expected(groupMatrix[route], members, who));
    if (answer.problem?.code === 'NO_PERM' && row.refusal) expect(answer.problem.message).toBe(row.refusal);
  }
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
