// Checks that every route has rows in a table, is in the documents of the API, and answers as they say
// (tests/api/tables.ts).
import { fixLimit, mergedLimit } from '#server/library/routes.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '#server/app.ts';
import { jsonLimit } from '#server/http/body.ts';
import { notesLimit } from '#server/annotations/routes.ts';
import { ownModelLimits } from '#shared/outcome-models.ts';
import { putLimit } from '#server/meetings/meeting-routes.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import type { Answer, CallOptions, Person } from '#tests/support/people.ts';
import { tables } from './tables.ts';

/** Statuses that any request may get; tests of the server itself show them. */
const ofTheHouse = new Set([400, 408, 500, 503, 507]);
/** Not part of the API: its documents, and what the payment service calls, whose proof is a signature. */
const beside = ['GET /api/openapi.json', 'GET /api/docs', 'GET /api/docs/:part', 'POST /api/stripe/webhook'];

/**
 * Shown by a test with a server of its own, where a table cannot: nothing is fetched from outside, and sharing costs nothing
 * (tests/api/paid-share.test.ts).
 */
const elsewhere: Readonly<Record<string, number[]>> = {
  'POST /api/engines/models/:name': [200],
  // tests/api/support-chat.test.ts
  'POST /api/feedback/chat': [200, 409, 429, 502],
  'POST /api/meetings/:id/acl': [402],
  'POST /api/access-requests/:id': [402],
  'POST /api/actions/:id/undo': [402],
  'POST /api/folders/share': [402],
  'POST /api/meetings/:id/paid-share': [402, 409],
  'POST /api/folders/paid-share': [402, 409],
  'POST /api/meetings/:id/upgrade': [402],
};

interface Operation {
  route: string;
  method: string;
  /** The path with values in place of its parameters. */
  path: string;
  statuses: number[];
  codes: string[];
  /** Accepted proofs of identity; empty if none is needed. */
  security: string[];
  takesBody: boolean;
}

let house: TestHouse;
let operations: Operation[];
const rows = new Map(Object.values(tables).flatMap((table) => Object.entries(table)));

beforeAll(async () => {
  house = await openHouse();
  operations = read((await house.stranger().get('/api/openapi.json')).body as Document);
});
afterAll(() => house.close());

describe('every route', () => {
  it('has its rows', () => {
    const app = createApp(house.house, { version: 'none', index: null, files: new Map() });
    const routes = app.routes
      .filter(({ method, path }) => method !== 'ALL' && path !== '*' && path !== '/*')
      .map(({ method, path }) => `${method} ${path}`);
    expect([...rows.keys()].toSorted()).toEqual([...new Set(routes)].toSorted());
  });

  it('of the API is in its documents', () => {
    const ofTheApi = [...rows.keys()].filter((route) => route.includes(' /api/') && !beside.includes(route));
    expect(operations.map(({ route }) => route).toSorted()).toEqual(ofTheApi.toSorted());
  });

  it('answers what its documents say, and says what it answers', () => {
    const shown = operations.map(({ route, method, security, takesBody }) => [
      route,
      statusesOf([
        ...(rows.get(route) ?? []).map((row) => row.status),
        ...(elsewhere[route] ?? []),
        // Statuses that the tests below show for all of them.
        ...(security.length > 0 ? [401] : []),
        ...(security.length === 1 || method !== 'GET' ? [403] : []),
        ...(takesBody ? [413, 415, 422] : []),
      ]),
    ]);
    expect(Object.fromEntries(shown)).toEqual(
      Object.fromEntries(operations.map(({ route, statuses }) => [route, statusesOf(statuses)])),
    );
  });

  it('fails in no way its documents do not name', () => {
    for (const { route, codes } of operations) {
      for (const { code, when } of rows.get(route) ?? []) if (code) expect(codes, `${route}: ${when}`).toContain(code);
    }
  });
});

describe('every route', () => {
  it('asks strangers to sign in, before anything else is looked at', async () => {
    await each(({ security }) => security.length > 0, house.stranger(), { raw: 'not even JSON' }, 401, 'UNAUTH');
  });

  it('takes no token where a sign-in is needed', async () => {
    const ann = await house.person();
    ann.token = (await ann.post('/api/tokens', { name: 'a script' })).body.token as string;
    await each(({ security }) => security.length === 1, ann, { raw: 'not even JSON' }, 403, 'NO_PERM');
  });

  it('does nothing for a page of another site', async () => {
    const ann = await house.person();
    const changing = ({ method }: Operation) => method !== 'GET';
    for (const headers of [
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
    ]) {
      await each(changing, ann, { headers: { ...json, ...headers }, raw: '{}' }, 403, 'CSRF');
    }
    // Requests that a form on any page can send: without our header, and of a type it may choose.
    for (const type of ['text/plain', 'multipart/form-data', 'application/x-www-form-urlencoded', '']) {
      await each(changing, ann, { bare: true, headers: { 'Content-Type': type }, raw: '{}' }, 403, 'CSRF');
    }
  });

  it('may send JSON only, and only so much of it, and only an object', async () => {
    const ann = await house.person();
    const takesBody = (operation: Operation) => operation.takesBody;
    await each(takesBody, ann, { headers: { 'Content-Type': 'text/xml' }, raw: '<a/>' }, 415, 'TYPE');
    // A whole transcript is longer than anything else, and a person's notes may be.
    const longer: Record<string, number> = {
      'PUT /api/meetings/:id': putLimit,
      'POST /api/finds/fix': fixLimit,
      'POST /api/actions/speakers': mergedLimit,
      'PUT /api/meetings/:id/notes': notesLimit,
      'POST /api/outcome-models': ownModelLimits.bytes,
      'PUT /api/outcome-models/:id': ownModelLimits.bytes,
      'PUT /api/meetings/:id/summary/own': notesLimit,
    };
    const usual = (operation: Operation) => takesBody(operation) && !Object.hasOwn(longer, operation.route);
    await each(usual, ann, { headers: json, raw: `"${'x'.repeat(jsonLimit)}"` }, 413, 'BIG');
    for (const [route, most] of Object.entries(longer)) {
      const raw = `"${'x'.repeat(most)}"`;
      await each((operation) => operation.route === route, ann, { headers: json, raw }, 413, 'BIG', 1);
    }
    await each(takesBody, ann, { headers: json, raw: '{"unfinished":' }, 422, 'INVALID');
    await each(takesBody, ann, { headers: json, raw: '"text"' }, 422, 'INVALID');
    await each(takesBody, ann, { headers: json, raw: '[]' }, 422, 'INVALID');
    await each(takesBody, ann, { headers: json, raw: 'null' }, 422, 'INVALID');
  });
});

const json = { 'Content-Type': 'application/json' };

/** The same call to every operation of a kind, and the one answer all of them must give. */
async function each(
  kind: (operation: Operation) => boolean,
  caller: Person,
  options: CallOptions,
  status: number,
  code: string,
  least = 4,
): Promise<void> {
  const asked = operations.filter(kind);
  expect(asked.length).toBeGreaterThanOrEqual(least);
  for (const { route, method, path } of asked) {
    const sent = method === 'GET' ? { ...options, raw: undefined as never } : options;
    const answer: Answer = await caller.call(method, path, undefined, sent);
    expect([route, answer.status, answer.problem?.code]).toEqual([route, status, code]);
  }
}

const statusesOf = (given: number[]): number[] =>
  [...new Set(given)].filter((status) => !ofTheHouse.has(status)).toSorted((a, b) => a - b);

interface Document {
  paths: Record<string, Record<string, DocumentedOperation>>;
}
interface DocumentedOperation {
  responses: Record<string, { description: string; content?: Record<string, unknown> }>;
  security?: Record<string, unknown>[];
  requestBody?: { content: Record<string, unknown> };
}

function read({ paths }: Document): Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { responses, security = [], requestBody }]) => ({
      route: `${method.toUpperCase()} /api${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      method: method.toUpperCase(),
      path: `/api${path.replaceAll(/\{\w+\}/g, 'nothing')}`,
      statuses: Object.keys(responses).map(Number),
      codes: Object.values(responses).flatMap(({ description }) => description.split(', ')),
      security: security.flatMap((way) => Object.keys(way)),
      // Forms with files are read as they arrive, each by its own rules: their rows show them.
      takesBody: requestBody?.content['application/json'] !== undefined,
    })),
  );
}
