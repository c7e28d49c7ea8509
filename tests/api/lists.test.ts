// Lists refuse parameters that they do not know: a misspelled filter must not be answered with everything.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';

/** GET calls with an array in their answer that are no lists: one thing with its parts. */
const noLists = [
  '/bot-check',
  '/compare',
  '/principals/whoami',
  '/transcribe-info',
  '/sign-in-options',
  '/access-requests/{id}',
  '/groups/{id}',
  '/growth',
  '/meetings/{id}',
  '/meetings/{id}/about',
  '/meetings/{id}/acl',
  '/meetings/{id}/original',
  '/meetings/{id}/reviews/{reviewId}',
  '/meetings/{id}/reviews/{reviewId}/agreement',
  '/meetings/{id}/reviews/{reviewId}/calibration',
  '/meetings/{id}/reviews/{reviewId}/listened',
  '/meetings/{id}/reviews/{reviewId}/report',
  '/meetings/{id}/summary/own',
  '/meetings/{id}/versions/{version}',
];

let house: TestHouse;
let ann: Person;
let paths: string[];
beforeAll(async () => {
  house = await openHouse();
  ann = await house.person();
  const { body } = await house.stranger().get('/api/openapi.json');
  paths = Object.entries(body.paths as Record<string, { get?: object }>).flatMap(([path, { get }]) =>
    get && JSON.stringify(get).includes('"type":"array"') && !noLists.includes(path) ? [path] : [],
  );
});
afterAll(() => house.close());

test('every list names the parameter it does not know', async () => {
  const id = await makeMeeting(house, ann);
  expect(paths).toEqual(expect.arrayContaining(['/meetings', '/groups', '/languages', '/outbox', '/deleted']));
  const refusals = await Promise.all(
    paths.map(async (path) => {
      const at = path.replace('{id}', id).replace('{version}', '1');
      const { status, problem } = await ann.get(`/api${at}?fitlers=%7B%7D`);
      return { path, status, errors: problem.info?.errors };
    }),
  );
  expect(refusals).toEqual(
    paths.map((path) => ({ path, status: 422, errors: [{ field: 'fitlers', code: 'unknown' }] })),
  );
});

test.each([
  ['', 200],
  ['{}', 200],
  ['{"owner":["ben"]}', 200],
  ['{"ownr":["ben"]}', 422],
  ['{"owner":"ben"}', 422],
  ['owner', 422],
])('filters=%s of the library: %i', async (filters, status) => {
  expect((await ann.get(`/api/meetings?filters=${encodeURIComponent(filters)}`)).status).toBe(status);
});
