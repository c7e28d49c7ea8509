// The numbers of reviewers, supervisors and compared recordings are those of the configuration: as many are taken, and one
// more is not (assessment: Limits).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';

let house: TestHouse;
let ann: Person;
beforeAll(async () => {
  house = await openHouse({
    env: {
      ...{
        REVIEW_STRICT: '2',
        REVIEW_RELAXED: '4',
        REVIEW_STUDENT: '1',
        REVIEW_SUPERVISORS: '0',
        COMPARE_DOCUMENTS: '3',
      },
    },
  });
  ann = await house.person('Ann');
});
afterAll(() => house?.close());

const people = (count: number, role: string) =>
  Array.from({ length: count }, (_, i) => ({ principal: { email: `${role}${i}@nobody.test` }, role }));

it.each([
  ['strict', 2],
  ['relaxed', 4],
  ['student', 1],
] as const)('a %s review has %i reviewers at most, asked for at once or added later', async (policy, most) => {
  const asked = async (count: number) =>
    ann.post(`/api/meetings/${await makeMeeting(house, ann)}/reviews`, {
      ...{ policy, reviewers: people(count, 'optional') },
      ...(policy === 'student' && { student: { email: 'tia@nobody.test' } }),
    });
  const edge = await asked(most);
  expect(edge.status, edge.text).toBe(200);
  const beyond = await asked(most + 1);
  expect([beyond.status, beyond.problem.info?.errors]).toEqual([422, [{ field: 'reviewers', code: 'too_many' }]]);
  const { id, meetingId, rev } = edge.body.review;
  const add = people(1, 'required');
  const later = await ann.post(`/api/meetings/${meetingId}/reviews/${id}`, { rev, add });
  expect([later.status, later.problem.info?.errors]).toEqual([422, [{ field: 'reviewers', code: 'too_many' }]]);
});

it('where nobody may oversee, nobody is asked to', async () => {
  const reviewers = [...people(1, 'required'), ...people(1, 'supervisor')];
  const answer = await ann.post(`/api/meetings/${await makeMeeting(house, ann)}/reviews`, {
    policy: 'strict',
    reviewers,
  });
  expect([answer.status, answer.problem.info?.errors]).toEqual([422, [{ field: 'reviewers', code: 'too_many' }]]);
});

it('a comparison has three recordings, and says what it cuts', async () => {
  const ids = await Promise.all([1, 2, 3, 4].map(() => makeMeeting(house, ann)));
  const compared = async (given: readonly string[]) =>
    (await ann.get(`/api/compare?ids=${given.join(',')}&rows=outcomes`)).body as { most: number; cut: string[] };
  expect(await compared(ids.slice(0, 3))).toMatchObject({ most: 3, cut: [] });
  expect((await compared(ids)).cut).toEqual(ids.slice(3));
});
