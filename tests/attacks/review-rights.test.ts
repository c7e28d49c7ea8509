// Rows of the catalogue on reviews: an id that was seen or guessed lends no right to what it names.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ReviewView } from '#shared/reviews.ts';
import { openHouse, type TestHouse } from '../support/house.ts';
import type { Person } from '../support/people.ts';
import { makeRecording } from '../support/recording.ts';
import { askFor, seenBy, setStatus } from '../support/reviews.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

interface Scene {
  leader: Person;
  rob: Person;
  quinn: Person;
  muted: Person;
  watcher: Person;
  id: string;
  review: ReviewView;
}

/** A strict review: Rob and Quinn assess. */
async function scene(): Promise<Scene> {
  const [leader, rob, quinn, muted, watcher] = (await house.people(5)) as [Person, Person, Person, Person, Person];
  const id = await makeRecording(house, leader);
  const review = await askFor(leader, id, {
    roles: [
      [rob, 'required'],
      [quinn, 'required'],
      [muted, 'muted'],
      [watcher, 'watcher'],
    ],
  });
  return { leader, rob, quinn, muted, watcher, id, review };
}
const layerOf = async (person: Person, review: ReviewView): Promise<string> => {
  const { cloneId } = await seenBy(person, review);
  if (!cloneId) throw new Error('no layer');
  return cloneId;
};
const rowOf = async (person: Person, review: ReviewView): Promise<string> =>
  (await seenBy(person, review)).mine?.id ?? '';
const comment = { start: 10, end: 12, text: 'planted' };

test('C04 another review by its id, and another reviewer’s status', async () => {
  const { leader, rob, quinn, id, review } = await scene();
  const { leader: other, rob: stranger, id: otherId, review: theirs } = await scene();
  const quinns = await rowOf(quinn, review);
  const path = `/api/meetings/${id}/reviews/${review.id}`;
  const unknown = await rob.get(`/api/meetings/${id}/reviews/nothing`);
  // Each review through a recording that is not its own, and by people of another one.
  for (const [person, at] of [
    [rob, `/api/meetings/${otherId}/reviews/${review.id}`],
    [rob, `/api/meetings/${id}/reviews/${theirs.id}`],
    [stranger, path],
    [other, path],
  ] as const) {
    for (const answer of [
      await person.get(at),
      await person.post(`${at}/publish`),
      await person.delete(at),
      await person.post(`${at}/reviewers/${quinns}`, { status: 'complete' }),
    ]) {
      expect(answer.status).toBe(403);
      expect(answer.problem.code).toBe(unknown.problem.code);
      expect(answer.text).not.toContain(review.id);
    }
  }
  // A reviewer may neither end the review nor speak for another one.
  expect((await rob.delete(path)).status).toBe(403);
  expect((await rob.post(`${path}/publish`)).status).toBe(403);
  expect((await rob.post(`${path}/reviewers/${quinns}`, { status: 'complete' })).status).toBe(403);
  expect((await leader.post(`${path}/reviewers/${quinns}`, { status: 'complete' })).status).toBe(403);
  expect((await seenBy(quinn, review)).mine).toMatchObject({ status: 'new' });
});

test('C05 another reviewer’s layer before it is open, and writing by those who only look', async () => {
  const { leader, rob, quinn, muted, watcher, review } = await scene();
  const robs = await layerOf(rob, review);
  expect((await rob.post(`/api/meetings/${robs}/comments`, { ...comment, text: 'secret of Rob' })).status).toBe(200);
  const others = [quinn, muted, watcher, leader];
  for (const person of others) {
    for (const part of ['', '/notes']) {
      const { status, text } = await person.get(`/api/meetings/${robs}${part}`);
      expect([status, text.includes('secret of Rob')]).toEqual([403, false]);
    }
    expect((await person.post('/api/sync/tickets', { room: `${robs}/layer` })).status).toBe(403);
    expect((await person.post(`/api/meetings/${robs}/comments`, comment)).status).toBe(403);
    expect((await person.put(`/api/meetings/${robs}/grades/trust`, { grade: 2 })).status).toBe(403);
  }
  // Once both are complete they read each other's, and nobody writes into another's.
  await setStatus(rob, review, 'complete');
  await setStatus(quinn, review, 'complete');
  const opened = await quinn.get(`/api/meetings/${robs}`);
  expect([opened.status, opened.text.includes('secret of Rob')]).toEqual([200, true]);
  for (const person of others) {
    expect((await person.post(`/api/meetings/${robs}/comments`, comment)).status).toBe(403);
    expect((await person.put(`/api/meetings/${robs}/grades/trust`, { grade: 2 })).status).toBe(403);
  }
});
