// L13 and S5 over every route the app lists: odd values everywhere, and fields that only the server decides.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Limits } from '#server/limits.ts';
import { thinkingAssistants } from '#tests/support/assistant.ts';
import { createMeeting } from '#tests/support/intake.ts';
import { makeMeeting } from '#tests/support/meetings.ts';
import { makeOperator, operatorAddress, orderTranscript } from '#tests/support/orders.ts';
import type { Person } from '#tests/support/people.ts';
import { beginLive, beginTake, liveForm, takeForm } from '#tests/support/recorder.ts';
import { suggested } from '#tests/support/suggestions.ts';
import { sendVoice } from '#tests/support/voice.ts';
import { greeting, makeSet } from '../support/outcome-models.ts';
import { askFor, seenBy } from '../support/reviews.ts';
import { invite, newcomer } from './accounts.ts';
import { apiRoutes, writing, type Route } from './routes.ts';
import {
  cookiesOf,
  expectHeaders,
  expectProblem,
  expectSilence,
  friendly,
  newAddress,
  openWorld,
  type Sent,
  type World,
} from './run.ts';

let world: World;
let fields: Map<string, string[]>;
const failures: unknown[] = [];
const note = (failure: unknown) => failures.push(failure);
beforeAll(async () => {
  world = await openWorld({
    env: { TRANSCRIBE_HUMAN: operatorAddress, TRANSCRIBE_HUMAN_PRICE: '0' },
    house: { assistants: thinkingAssistants },
  });
  // No fault may hide behind a limit of rate.
  const unlimited: Limits = {
    take: () => Promise.resolve(),
    allow: () => Promise.resolve(true),
    check: () => Promise.resolve(),
    wait: () => Promise.resolve(0),
    giveBack: () => Promise.resolve(),
    clear: () => Promise.resolve(),
  };
  world.house.house.limits = unlimited;
  fields = await knownFields();
  process.on('unhandledRejection', note);
});
afterAll(async () => {
  process.off('unhandledRejection', note);
  await world.house.close();
});

interface Operation {
  requestBody?: { content: Record<string, { schema: Schema }> };
}

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

/** The fields each route takes, with those inside of others as `a.b`. */
async function knownFields(): Promise<Map<string, string[]>> {
  const { text } = await world.send({ path: '/api/openapi.json' });
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, Operation>> };
  const found = new Map<string, string[]>();
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, { requestBody }] of Object.entries(item)) {
      const schema = requestBody?.content['application/json']?.schema;
      const route = `${method.toUpperCase()} /api${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
      found.set(route, schema ? namesIn(schema) : []);
    }
  }
  return found;
}

function namesIn(schema: Schema): string[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => [
    name,
    ...namesIn(inner).map((rest) => `${name}.${rest}`),
  ]);
  return [...own, ...(schema.anyOf ?? []).flatMap(namesIn)];
}

const odd: unknown[] = [
  null,
  true,
  -1,
  1e308,
  '',
  'x'.repeat(5000),
  [],
  [null],
  {},
  { $ne: null },
  '\u202E\uFFFF\u{1F600}',
  "'; drop table users; --",
  '${7*7}{{7*7}}%s%n',
  '../../etc/passwd',
  'javascript:alert(1)',
  '2026-13-45T99:99:99Z',
  [[[[]]]],
  0,
  1.5,
  Number.MAX_SAFE_INTEGER,
  ' ',
  { toString: 'no function', length: -1, then: 'nothing' },
];
const oddSegments = [
  '0',
  '-1',
  "'",
  '%25s',
  'null',
  'a'.repeat(3000),
  '%F0%9F%98%80',
  '%E0%A4%A',
  '..%2f..%2f',
  '%2e%2e',
  'constructor',
  '__proto__',
  '{}',
  '%0d%0aX:%20y',
  ';',
  '%ff',
];
const oddQueries = [
  '?',
  '?a',
  '?=',
  '?to=&to=',
  '?to[]=1',
  '?to[$ne]=1',
  '?action=__proto__',
  '?next_url=%ff',
  `?q=${'x'.repeat(5000)}`,
  '?%F0%9F=1',
  '?a=b#c',
];

/** `{a: {b: value}}` for `a.b`. */
const holding = (path: string, value: unknown): unknown =>
  path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);

/** Every odd request that can be sent to a route; most of those of a signed-out person are refused for that alone. */
function probes(route: Route, signedIn: boolean): Sent[] {
  const { method, pattern, path } = route;
  const headers = friendly();
  const names = signedIn ? (fields.get(`${method} ${pattern}`) ?? []) : [];
  const bodies = [
    ...odd,
    ...names.flatMap((name) => odd.slice(0, 14).map((value) => holding(name, value))),
    ...odd.map((value) => Object.fromEntries(names.filter((name) => !name.includes('.')).map((name) => [name, value]))),
  ];
  const places = pattern.includes(':') ? oddSegments.map((segment) => pattern.replaceAll(/:\w+/g, segment)) : [path];
  if (writing(route)) {
    return [
      ...bodies.map((json) => ({ method, path, headers, json })),
      ...places.map((place) => ({ method, path: place, headers, json: {} })),
    ];
  }
  return [
    ...places.map((place) => ({ method, path: place })),
    ...oddQueries.map((query) => ({ method, path: path + query })),
  ];
}

async function probe(sent: Sent, who: Person | null): Promise<void> {
  const identity: Record<string, string> = who ? { Cookie: cookiesOf(who) } : {};
  const answer = await world.send({
    ...sent,
    headers: { 'X-Forwarded-For': newAddress(), ...identity, ...sent.headers },
  });
  const about = `${sent.method} ${sent.path.slice(0, 100)} ${JSON.stringify(sent.json)?.slice(0, 200)}: ${answer.text.slice(0, 300)}`;
  expect(answer.status, about).toBeLessThan(500);
  expectHeaders(answer, sent);
  if (answer.status < 400) return;
  expectProblem(answer);
  expectSilence(answer, sent);
}

describe('L13 nothing odd makes a route fail', () => {
  test('for anybody, with and without a session', async () => {
    const routes = apiRoutes(world);
    let sent = 0;
    for (const route of routes) {
      for (const signedIn of [true, false]) {
        // A route may end the session, or the account.
        const who = signedIn ? await world.house.person('Fay') : null;
        const all = probes(route, signedIn);
        for (let i = 0; i < all.length; i += 8) await Promise.all(all.slice(i, i + 8).map((one) => probe(one, who)));
        sent += all.length;
      }
    }
    expect(sent).toBeGreaterThan(routes.length * 10);
    expect(failures).toEqual([]);
    expect(world.house.log()).not.toContain('"level":"error"');
    expect((await world.send({ path: '/readyz' })).status).toBe(200);
  }, 900_000);
});

/** Valid calls of each route that takes a body; a new route is reported as missing here, and has to be added. */
async function folderOf(person: Person, path = '/Work'): Promise<string> {
  expect((await person.post('/api/folders', { path })).status).toBeLessThan(300);
  return path;
}

async function groupOf(person: Person): Promise<string> {
  const { status, body, text } = await person.post('/api/groups', { name: 'Those of the spring', type: 'group' });
  expect(status, text).toBe(200);
  return body.id;
}

/** The path of a review that the caller leads. */
async function reviewOf(person: Person): Promise<string> {
  const id = await makeMeeting(world.house, person);
  const review = await askFor(person, id, {
    policy: 'relaxed',
    roles: [[await world.house.person('Rob'), 'optional']],
  });
  return `/api/meetings/${id}/reviews/${review.id}`;
}

/** The layer of a review in which the caller assesses. */
async function ownLayer(person: Person): Promise<string> {
  const lead = await world.house.person('Lea');
  const review = await askFor(lead, await makeMeeting(world.house, lead), { roles: [[person, 'required']] });
  return (await seenBy(person, review)).cloneId ?? '';
}

/** The path for changing an annotation of the caller. */
async function said(person: Person, what: 'outcomes' | 'comments', json: object): Promise<string> {
  const id = await makeMeeting(world.house, person);
  const { body } = await person.post(`/api/meetings/${id}/${what}`, json);
  return `/api/meetings/${id}/${what}/${(body.outcome ?? body.comment).id}/update`;
}

const calls: Record<
  string,
  (person: Person) => Promise<{ path?: string; json: object }> | { path?: string; json: object }
> = {
  'POST /api/login': ({ email, password }) => ({ json: { email, password } }),
  'POST /api/register': () => ({ json: newcomer() }),
  'POST /api/confirm': ({ email }) => ({ json: { email } }),
  'POST /api/reset': ({ email }) => ({ json: { email } }),
  'POST /api/reset/:token': async ({ email }) => {
    await world.send({ method: 'POST', path: '/api/reset', headers: friendly(), json: { email } });
    const passwords = { password: 'another horse battery', passwordConfirm: 'another horse battery' };
    return { path: `/api/reset/${await world.house.tokenFor(email, '/reset')}`, json: passwords };
  },
  'POST /api/principals/me': () => ({ json: { language: 'ru' } }),
  'POST /api/principals/search': () => ({ json: { text: 'ann' } }),
  'POST /api/principals/change': () => ({ json: { scope: { scope_id: 'personal', role_id: 'owner' } } }),
  'POST /api/principals/me/change-email/step1': () => ({ json: { newEmail: newcomer().email } }),
  'POST /api/principals/me/change-email/step2': async (person) => {
    const newEmail = newcomer().email;
    await person.post('/api/principals/me/change-email/step1', { newEmail });
    const token = await world.house.tokenFor(newEmail, '/confirm-email-change');
    return { json: { token, password: person.password } };
  },
  'POST /api/principals/me/delete': ({ password }) => ({ json: { password, reason: 'tooSlow' } }),
  'POST /api/tokens': () => ({ json: { name: 'a program' } }),
  'POST /api/feedback/chat': () => ({ json: { messages: [{ role: 'user', content: 'How does it work?' }] } }),
  'POST /api/feedback': () => ({ json: { text: 'It works well.' } }),
  'POST /api/logs': () => ({ json: { message: 'It does not work.' } }),
  'POST /api/invitations': () => ({ json: { email: newcomer().email } }),
  'POST /api/invitations/:id/register': async () => {
    const person = newcomer();
    return { path: `/api/invitations/${(await invite(world, person.email)).secret}/register`, json: person };
  },
  'POST /api/folders/share': async (person) => ({
    json: { path: await folderOf(person), entries: [], version: 0 },
  }),
  'POST /api/folders/paid-share': async (person) => ({ json: { path: await folderOf(person), cost: 0 } }),
  'POST /api/folders/unshare': async (person) => ({ json: { path: await folderOf(person) } }),
  'POST /api/groups': () => ({ json: { name: 'Those of the spring', type: 'group' } }),
  'POST /api/groups/:id/members': async (person) => ({
    path: `/api/groups/${await groupOf(person)}/members`,
    json: { members: [{ email: newcomer().email, role: 'member' }] },
  }),
  'PUT /api/groups/:id': async (person) => ({
    path: `/api/groups/${await groupOf(person)}`,
    json: { name: 'Those of the autumn' },
  }),
  'POST /api/groups/:id/clone': async (person) => ({
    path: `/api/groups/${await groupOf(person)}/clone`,
    json: { name: 'Those of the winter' },
  }),
  'PUT /api/groups/:id/members/:member': async (person) => ({
    path: `/api/groups/${await groupOf(person)}/members/${person.id}`,
    json: { role: 'admin' },
  }),
  'PUT /api/billing/profile': () => ({ json: { name: 'Those of the spring', address: {}, tax_id_data: [] } }),
  'POST /api/credits/purchase': () => ({ json: { balance: 5 } }),
  'POST /api/gift': () => ({ json: { recipient: 'ben@nobody.test', balance: '0.01' } }),
  'POST /api/credits/promo': () => ({ json: { code: 'SPRING', balance: 5 } }),
  'POST /api/plans/purchase': () => ({ json: { planName: 'professional' } }),
  'POST /api/plans/cancel': () => ({ json: { planName: 'professional' } }),
  'POST /api/plan': () => ({ json: { plan: 'bundle300', balance: 36 } }),
  'POST /api/meetings/:id/delete-attachment': async (person) => {
    const id = await makeMeeting(world.house, person);
    return { path: `/api/meetings/${id}/delete-attachment`, json: { url: await sendVoice(person, id) } };
  },
  'POST /api/meetings/:id/close': async (person) => ({
    path: `/api/meetings/${await makeMeeting(world.house, person)}/close`,
    json: { name: 'Final' },
  }),
  'POST /api/outcome-models': () => ({ json: greeting }),
  'PUT /api/outcome-models/:id': async (person) => ({
    path: `/api/outcome-models/${(await makeSet(person)).id}`,
    json: { ...greeting, rev: 1 },
  }),
  'POST /api/meetings/:id/outcome-models': async (person) => ({
    path: `/api/meetings/${await makeMeeting(world.house, person)}/outcome-models`,
    json: { id: (await makeSet(person)).id },
  }),
  'POST /api/meetings/:id/reviews': async (person) => ({
    path: `/api/meetings/${await makeMeeting(world.house, person)}/reviews`,
    json: { policy: 'relaxed', reviewers: [{ principal: { email: newcomer().email }, role: 'optional' }] },
  }),
  'POST /api/meetings/:id/reviews/:reviewId': async (person) => ({
    path: await reviewOf(person),
    json: { rev: 1, due: '2030-01-31' },
  }),
  'PUT /api/meetings/:id/reviews/:reviewId/listened': async (person) => {
    const path = await reviewOf(person);
    await person.post(`${path}/join`, { role: 'required' });
    return { path: `${path}/listened`, json: { shared: true, by: canary, layerId: canary, heard: [[0, 1]] } };
  },
  'POST /api/meetings/:id/reviews/:reviewId/join': async (person) => ({
    path: `${await reviewOf(person)}/join`,
    json: { role: 'optional' },
  }),
  'POST /api/meetings/:id/reviews/:reviewId/reviewers/:reviewerId': async (person) => {
    const path = await reviewOf(person);
    await person.post(`${path}/join`, { role: 'required' });
    const { mine } = (await person.get(path)).body.review;
    return { path: `${path}/reviewers/${mine.id}`, json: { comment: 'Fine' } };
  },
  'POST /api/meetings/:id/invite/complete': async (person) => {
    const path = await reviewOf(person);
    await person.post(`${path}/join`, { role: 'required' });
    const { meetingId, cloneId } = (await person.get(path)).body.review;
    return { path: `/api/meetings/${meetingId}/invite/complete`, json: { notesId: cloneId } };
  },
  'POST /api/meetings/:id/rename': async (person) => ({
    path: `/api/meetings/${await makeMeeting(world.house, person)}/rename`,
    json: { title: 'Another title' },
  }),
  'POST /api/meetings/:id/clone': async (person) => ({
    path: `/api/meetings/${await makeMeeting(world.house, person)}/clone`,
    json: { isBackup: false, removeMarkup: false, clearCommentAuthors: true, title: 'A copy' },
  }),
  'POST /api/multipart-uploads': () => ({ json: { fileName: 'talk.wav', contentLength: 1000 } }),
  'POST /api/multipart-uploads/:id/next': async (person) => {
    const begun = await person.post('/api/multipart-uploads', { fileName: 'talk.wav', contentLength: 1000 });
    const { uploadId } = begun.body as { uploadId: string };
    return { path: `/api/multipart-uploads/${uploadId}/next`, json: { multipartUploadId: uploadId } };
  },
  'POST /api/uploads': () => ({ json: { fileName: 'talk.wav', contentLength: 1000 } }),
  'POST /api/meetings/:id/process': async (person) => ({
    path: `/api/meetings/${(await createMeeting(person)).id}/process`,
    json: { cost: 0 },
  }),
  'POST /api/meetings/:id/upgrade': async (person) => ({
    path: `/api/meetings/${(await createMeeting(person)).id}/upgrade`,
    json: { cost: 0 },
  }),
  'POST /api/meetings/:id/paid-share': async (person) => ({
    path: `/api/meetings/${await makeMeeting(world.house, person)}/paid-share`,
    json: { cost: 0 },
  }),
  'POST /api/export/:id': async (person) => ({
    path: `/api/export/${await makeMeeting(world.house, person)}`,
    json: { format: 'RAE' },
  }),
  'POST /api/meetings/:id/acl': async (person) => ({
    path: `/api/meetings/${await makeMeeting(world.house, person)}/acl`,
    json: { entries: [], version: 0 },
  }),
  'POST /api/meetings/:id/unlock': async (person) => {
    const id = await makeMeeting(world.house, person);
    const code = 'ABCD-2345';
    const link = { principal: { id: -1, kind: 'anonymous' }, permissions: ['read'], code };
    await person.post(`/api/meetings/${id}/acl`, { entries: [link], version: 0 });
    return { path: `/api/meetings/${id}/unlock`, json: { code } };
  },
  'POST /api/meetings/:id/requestAccess': async () => {
    const id = await makeMeeting(world.house, await world.house.person('Cara'));
    return { path: `/api/meetings/${id}/requestAccess`, json: { role: 'canEdit' } };
  },
  'POST /api/access-requests/:id': async (person) => {
    const id = await makeMeeting(world.house, person);
    await (await world.house.person('Ben')).post(`/api/meetings/${id}/requestAccess`);
    const { body } = await person.get(`/api/meetings/${id}/acl`);
    return { path: `/api/access-requests/${body.requests[0].id}`, json: { role: null } };
  },
  'POST /api/orders/:id/refuse': async (person) => {
    await makeOperator(world.house, person);
    const { id } = await orderTranscript(world.house, await world.house.person('Ann', { address: newAddress() }));
    return { path: `/api/orders/${id}/refuse`, json: { reason: 'undone' } };
  },
  'PUT /api/meetings/:id': async (person) => ({
    path: `/api/meetings/${await makeMeeting(world.house, person)}`,
    json: {
      meeting: {
        'doc.title': 'Another title',
        'doc.summary': [
          { text: 'In short', author: canary, private: canary, userId: canary, createdAt: canary, anything: canary },
        ],
      },
      version: 0,
    },
  }),
  'POST /api/meetings/:id/edit': async (person) => ({
    path: `/api/meetings/${await makeMeeting(world.house, person)}/edit`,
    json: { pos: 0, old: '', new: 'a', version: 0 },
  }),
  'POST /api/meetings/:id/edits': async (person) => ({
    path: `/api/meetings/${await makeMeeting(world.house, person)}/edits`,
    json: { edits: [{ pos: 0, old: '', new: 'a', author: canary }], version: 0 },
  }),
  'PUT /api/meetings/:id/summary/own': async (person) => ({
    path: `/api/meetings/${await makeMeeting(world.house, person)}/summary/own`,
    json: { summary: [{ text: 'In short', author: canary, private: canary, userId: canary, createdAt: canary }] },
  }),
  'PUT /api/meetings/:id/notes': async (person) => ({
    path: `/api/meetings/${await makeMeeting(world.house, person)}/notes`,
    json: { text: '{"type":"doc","content":[]}' },
  }),
  'POST /api/meetings/:id/outcomes': async (person) => ({
    path: `/api/meetings/${await makeMeeting(world.house, person)}/outcomes`,
    json: { outcome: { type: 'decisions', start: 1, end: 2, author: canary, createdAt: canary, automatic: canary } },
  }),
  'POST /api/meetings/:id/outcomes/update': async (person) => {
    const path = await said(person, 'outcomes', { outcome: { type: 'decisions', start: 1, end: 2 } });
    const [id = ''] = path.split('/').slice(-2);
    return {
      path: path.replace(`/${id}/`, '/'),
      json: { edits: [{ id, field: 'text', value: 'We go', author: canary, private: canary }], version: 0 },
    };
  },
  'POST /api/meetings/:id/outcomes/:itemId/update': async (person) => ({
    path: await said(person, 'outcomes', { outcome: { type: 'decisions', start: 1, end: 2 } }),
    json: { outcome: { text: 'We go', author: canary, private: canary, rev: canary } },
  }),
  'PUT /api/meetings/:id/grades/:type': async (person) => ({
    path: `/api/meetings/${await ownLayer(person)}/grades/listening`,
    json: { grade: 3, words: 'So it is', by: canary, rev: canary, key: canary },
  }),
  'POST /api/meetings/:id/grades/:type/explanation': async (person) => ({
    path: `/api/meetings/${await ownLayer(person)}/grades/listening/explanation`,
    json: { model: 'thinking', cost: 0 },
  }),
  'PUT /api/meetings/:id/listened': async (person) => ({
    path: `/api/meetings/${await ownLayer(person)}/listened`,
    json: { heard: [[0, 1000]], by: canary, layerId: canary },
  }),
  'POST /api/meetings/:id/comments': async (person) => ({
    path: `/api/meetings/${await makeMeeting(world.house, person)}/comments`,
    json: { start: 1, end: 2, text: 'So it is' },
  }),
  'POST /api/meetings/:id/comments/:itemId/update': async (person) => ({
    path: await said(person, 'comments', { start: 1, end: 2, text: 'So it is' }),
    json: { text: 'So it was' },
  }),
  'PUT /api/meetings/:id/versions/:version/name': async (person) => ({
    path: `/api/meetings/${await makeMeeting(world.house, person)}/versions/0/name`,
    json: { name: 'At first' },
  }),
  'POST /api/meetings/:id/chat': async (person) => ({
    path: `/api/meetings/${await makeMeeting(world.house, person)}/chat`,
    json: { content: 'What was decided?' },
  }),
  'POST /api/meetings/:id/drafts/:kind': async (person) => ({
    path: `/api/meetings/${await makeMeeting(world.house, person)}/drafts/summary`,
    json: { cost: 0 },
  }),
  'PUT /api/meetings/:id/drafts/:kind/:draftId': async (person) => ({
    path: `/api/meetings/${await makeMeeting(world.house, person)}/drafts/summary/nothing`,
    json: { state: 'open' },
  }),
  'POST /api/meetings/:id/analysis': async (person) => ({
    path: `/api/meetings/${await makeMeeting(world.house, person)}/analysis`,
    json: { cost: 0 },
  }),
  'POST /api/meetings/:id/outcomes/autodetect': async (person) => ({
    path: `/api/meetings/${await makeMeeting(world.house, person)}/outcomes/autodetect`,
    json: { cost: 0 },
  }),
  'POST /api/meetings/:id/outcomes/:itemId/accept': async (person) => ({
    path: await suggested(world.house, person, 'accept'),
    json: { author: canary, private: canary, automatic: canary },
  }),
  'POST /api/meetings/:id/outcomes/:itemId/reject': async (person) => ({
    path: await suggested(world.house, person, 'reject'),
    json: { reason: 'type' },
  }),
  'PUT /api/meetings/:id/ai': async (person) => ({
    path: `/api/meetings/${await makeMeeting(world.house, person)}/ai`,
    json: { consent: 'none' },
  }),
  'POST /api/archives': async (person) => ({ json: { ids: [await makeMeeting(world.house, person)] } }),
  'POST /api/finds/fix': async (person) => ({
    json: {
      query: 'plans',
      replacement: 'plan',
      places: [
        {
          recording: await makeMeeting(world.house, person),
          ...{ segment: 's0', start: null, before: '', words: 'plans', after: '' },
        },
      ],
    },
  }),
  'POST /api/actions/speakers': async (person) => ({
    json: {
      meeting: await makeMeeting(world.house, person),
      speaker: { id: 'p1', name: 'Coach', color: 0, sortId: 1 },
      into: { id: 'p2', name: 'Client' },
      segments: ['s0'],
    },
  }),
  'POST /api/actions/:id/undo': () => ({ path: '/api/actions/none/undo', json: { after: 'a' } }),
  'POST /api/tags/replace': () => ({ json: { tags: ['idea'], to: 'plan' } }),
  'PUT /api/glossaries/:kind/:id': (person) => ({
    path: `/api/glossaries/person/${person.id}`,
    json: { add: [{ term: 'Colloquy', heard: ['colic key'] }] },
  }),
  'POST /api/searches': () => ({ json: { name: 'Plans', query: 'plans' } }),
  'PUT /api/searches/:id': async (person) => {
    const { body } = await person.post('/api/searches', { name: 'Plans', query: 'plans' });
    return { path: `/api/searches/${(body as { id: string }).id}`, json: { name: 'Ideas' } };
  },
  'POST /api/folders': () => ({ json: { path: '/Work' } }),
  'POST /api/folders/breadcrumbs': async (person) => ({ json: { path: await folderOf(person) } }),
  'POST /api/folders/rename': async (person) => ({ json: { path: await folderOf(person), name: 'Another' } }),
  'POST /api/folders/move': async (person) => ({
    json: { path: await folderOf(person, '/Other'), dest: await folderOf(person) },
  }),
  'POST /api/folders/delete': async (person) => ({ json: { path: await folderOf(person) } }),
  'POST /api/folders/restore': async (person) => {
    const { id } = (await person.post('/api/folders/delete', { path: await folderOf(person) })).body as { id: string };
    return { json: { id } };
  },
  'PUT /api/meetings/:id/move': async (person) => ({
    path: `/api/meetings/${await makeMeeting(world.house, person)}/move`,
    json: { path: await folderOf(person) },
  }),
  'POST /api/meetings/move': async (person) => ({
    json: { ids: [await makeMeeting(world.house, person)], path: await folderOf(person) },
  }),
  'POST /api/meetings/delete': async (person) => ({ json: { ids: [await makeMeeting(world.house, person)] } }),
  'POST /api/deleted/remove': async (person) => {
    const ids = [await makeMeeting(world.house, person)];
    await person.post('/api/meetings/delete', { ids });
    return { json: { ids } };
  },
  'POST /api/meetings/restore': async (person) => {
    const ids = [await makeMeeting(world.house, person)];
    await person.post('/api/meetings/delete', { ids });
    return { json: { ids } };
  },
  'POST /api/sync/tickets': () => ({ json: { room: 'nothing/transcript' } }),
  'POST /api/meetings/live': () => ({ json: liveForm() }),
  'POST /api/meetings/:id/takes': async (person) => ({
    path: `/api/meetings/${await beginLive(person)}/takes`,
    json: takeForm(),
  }),
  'POST /api/takes/:take/end': async (person) => ({
    path: `/api/takes/${await beginTake(person, await beginLive(person))}/end`,
    json: { pieces: 0 },
  }),
};

/** Each with a value that is found again wherever it may end up. */
const forbidden = [
  'id user_id userId owner owner_id author role roles kind type scope scope_id group team balance credits free_minutes',
  'trial_minutes trialMinutes price cost quota plan version status email_verified emailKey email_key password_hash',
  'passwordHash confirmed confirmed_at confirmedAt created_at createdAt expires expiresAt hash secret session sessionId',
  'is_admin isAdmin admin permissions address ip requestId language_forced accepted_at acceptedBy sentAt',
]
  .join(' ')
  .split(' ');
const canary = 'forbidden-value-7f3a';

describe('S5 what only the server decides is never taken from a request', () => {
  test('on every route', async () => {
    const taking = apiRoutes(world).filter(
      (route) => (fields.get(`${route.method} ${route.pattern}`) ?? []).length > 0,
    );
    expect(taking.map(({ method, pattern }) => `${method} ${pattern}`).toSorted()).toEqual(
      Object.keys(calls).toSorted(),
    );
    for (const { method, pattern } of taking) {
      const person = await world.house.person('Ben', { address: newAddress() });
      const call = await calls[`${method} ${pattern}`]?.(person);
      const own = fields.get(`${method} ${pattern}`) ?? [];
      const more = Object.fromEntries(forbidden.filter((name) => !own.includes(name)).map((name) => [name, canary]));
      const headers = { ...friendly(), Cookie: cookiesOf(person), 'X-Forwarded-For': newAddress() };
      const answer = await world.send({
        method,
        path: call?.path ?? pattern,
        headers,
        json: { ...more, ...call?.json },
      });
      expect(answer.status, `${pattern}: ${answer.text.slice(0, 300)}`).toBeLessThan(500);
      expect(answer.text).not.toContain(canary);
    }
    expect(await everythingStored()).not.toContain(canary);
  });
});

async function everythingStored(): Promise<string> {
  const { sql } = world.house.database;
  const tables = await sql<{ name: string }[]>`select tablename as name from pg_tables where schemaname = 'public'`;
  const rows = await Promise.all(tables.map(({ name }) => sql.unsafe(`select t::text from "${name}" t`)));
  return JSON.stringify(rows);
}
