// Parts of a recording that others listened to, and who sees them (assessment: section 2 and Heard): nobody without their word,
// with it those who read their assessment, and nothing of it outlives the word, the part in the review, or the account.
import type { TransactionSql } from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { annotationsContent } from '#shared/archive-content.ts';
import type { ListenedPartsAnswer } from '#shared/reviews/listened.ts';
import type { Policy, ReviewerRole } from '#shared/reviews/review.ts';
import type { ReviewView } from '#shared/reviews.ts';
import { archived, inArchive } from '#tests/support/archives.ts';
import { until } from '#tests/support/editors.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { share } from '#tests/support/meetings.ts';
import type { Answer, Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';
import { askFor, seenBy, setStatus } from '#tests/support/reviews.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.close());

const good = async (asked: Promise<Answer>): Promise<Answer> => {
  const answer = await asked;
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer;
};
const pathOf = ({ meetingId, id }: ReviewView) => `/api/meetings/${meetingId}/reviews/${id}/listened`;
const partsFor = async (person: Person, review: ReviewView): Promise<ListenedPartsAnswer> =>
  (await good(person.get(pathOf(review)))).body;
const show = (person: Person, review: ReviewView, shared = true) => good(person.put(pathOf(review), { shared }));
const listen = async (person: Person, review: ReviewView, ...heard: [number, number][]) => {
  const { cloneId } = await seenBy(person, review);
  return good(person.put(`/api/meetings/${cloneId}/listened`, { heard }));
};
/** People whose parts a person gets. */
const seen = async (by: Person, review: ReviewView): Promise<string[]> =>
  (await partsFor(by, review)).people.map(({ id }) => id).toSorted();
const rowOf = async (person: Person, review: ReviewView): Promise<string> =>
  (await seenBy(person, review)).mine?.id ?? '';
const kept = async (person: Person): Promise<number> =>
  (await house.database.sql`select 1 from listened where user_id = ${person.id}`).length;

async function reviewed(policy: Policy, more: Record<string, unknown> = {}) {
  const [leader, one, other, overseer, watcher] = await Promise.all(
    ['Lea', 'Rob', 'Ola', 'Sue', 'Wim'].map((name) => house.person(name)),
  );
  if (!leader || !one || !other || !overseer || !watcher) throw new Error('nobody');
  const roles: [Person, ReviewerRole][] = [
    ...([
      [one, 'required'],
      [other, 'optional'],
      [overseer, 'supervisor'],
      [watcher, 'watcher'],
    ] satisfies [Person, ReviewerRole][]),
  ];
  const review = await askFor(leader, await makeRecording(house, leader), { policy, roles, ...more });
  return { leader, one, other, overseer, watcher, review };
}

it('in a strict review supervisors see what is shown, and the others once it is open, until somebody takes back', async () => {
  const { leader, one, other, overseer, watcher, review } = await reviewed('strict');
  await show(one, review);
  await listen(one, review, [0, 1000], [1000, 1500], [2000, 2500]);
  await listen(other, review, [0, 1000]);
  expect((await partsFor(one, review)).mine).toEqual({
    ...{ shared: true },
    heard: [
      [0, 1500],
      [2000, 2500],
    ],
  });
  expect((await partsFor(other, review)).mine).toEqual({ shared: false, heard: [] });
  const row = await rowOf(one, review);
  expect(await seen(overseer, review)).toEqual([row]);
  for (const person of [leader, other, watcher]) expect(await seen(person, review)).toEqual([]);
  // Nobody who only watches has parts.
  expect((await partsFor(watcher, review)).mine).toBeNull();
  expect((await watcher.put(pathOf(review), { shared: true })).status).toBe(403);

  for (const person of [one, overseer]) await setStatus(person, review, 'complete');
  for (const person of [leader, other, watcher, overseer]) expect(await seen(person, review)).toEqual([row]);
  // Their word can be taken back when nothing is annotated any more.
  await show(one, review, false);
  expect(await seen(leader, review)).toEqual([]);
  expect(await kept(one)).toBe(0);
  await show(one, review);
  expect(await seen(watcher, review)).toEqual([row]);
  await setStatus(one, review, 'in-progress');
  for (const person of [leader, other, watcher]) expect(await seen(person, review)).toEqual([]);
});

it('where all work in one assessment, those who read it see what is shown at once', async () => {
  const { leader, one, other, overseer, watcher, review } = await reviewed('relaxed');
  for (const person of [one, other]) await show(person, review);
  await listen(one, review, [0, 1000]);
  await listen(other, review, [500, 1500]);
  const rows = [await rowOf(one, review), await rowOf(other, review)].toSorted();
  for (const person of [overseer, watcher]) expect(await seen(person, review)).toEqual(rows);
  expect(await partsFor(one, review)).toMatchObject({
    mine: { heard: [[0, 1000]] },
    people: [{ id: await rowOf(other, review), heard: [[500, 1500]] }],
  });
  // A supervisor has an assessment of their own beside the joint one, which others read later.
  await show(overseer, review);
  await listen(overseer, review, [0, 700]);
  expect(await seen(watcher, review)).toEqual(rows);
  expect(await seen(leader, review)).toEqual([]);
});

it('where the student begins, mentors see what they show once both have completed', async () => {
  const [leader, student, mentor] = await Promise.all(['Lea', 'Tia', 'Rob'].map((name) => house.person(name)));
  if (!leader || !student || !mentor) throw new Error('nobody');
  const id = await makeRecording(house, leader);
  const review = await askFor(leader, id, { policy: 'student', student, roles: [[mentor, 'required']] });
  await show(student, review);
  await listen(student, review, [0, 1000]);
  await setStatus(student, review, 'complete');
  expect(await seen(mentor, review)).toEqual([]);
  await show(mentor, review);
  await listen(mentor, review, [0, 500]);
  expect(await seen(student, review)).toEqual([]);
  const row = await rowOf(student, review);
  await setStatus(mentor, review, 'complete');
  expect(await seen(mentor, review)).toEqual([row]);
  expect(await seen(student, review)).toEqual([await rowOf(mentor, review)]);
});

it('in an anonymous review the answer names nobody', async () => {
  const { leader, one, other, overseer, review } = await reviewed('strict', { anonymous: true });
  await show(one, review);
  await listen(one, review, [0, 1000]);
  for (const person of [one, overseer]) await setStatus(person, review, 'complete');
  const { text } = await good(other.get(pathOf(review)));
  expect(text).toContain(await rowOf(one, review));
  for (const word of [one.id, one.email, 'Rob']) expect(text).not.toContain(word);
  expect(await seen(leader, review)).toHaveLength(1);
});

it('what a review asks for no more is deleted, but for those who show it', async () => {
  const { leader, one, other, review } = await reviewed('strict', { coverage: 50 });
  await show(one, review);
  for (const person of [one, other]) await listen(person, review, [0, 1000]);
  expect([await kept(one), await kept(other)]).toEqual([1, 1]);
  const { rev } = await seenBy(leader, review);
  await good(leader.post(`/api/meetings/${review.meetingId}/reviews/${review.id}`, { rev, coverage: null }));
  expect([await kept(one), await kept(other)]).toEqual([1, 0]);
});

/** Tries to keep parts while a change of the review, which is given the transaction, is on its way. */
async function meanwhile(person: Person, review: ReviewView, change: (tx: TransactionSql) => Promise<unknown>) {
  const { sql } = house.database;
  const { cloneId } = await seenBy(person, review);
  let answer: Answer | undefined;
  let asked: Promise<Answer> | undefined;
  await sql.begin(async (tx) => {
    await tx`select 1 from reviews where id = ${review.id} for update`;
    asked = person.put(`/api/meetings/${cloneId}/listened`, { heard: [[0, 1000]] });
    asked.then(
      (one) => (answer = one),
      () => {},
    );
    const waiting = () =>
      sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    await until(async () => answer !== undefined || (await waiting()).length > 0);
    await change(tx);
    await tx`delete from listened where user_id = ${person.id}`;
  });
  return good(asked ?? Promise.reject(new Error('not asked')));
}

it('what comes in while a review ceases to ask, or somebody is taken out of it, is not kept', async () => {
  const { one, other, review } = await reviewed('strict', { coverage: 50 });
  const { body } = await meanwhile(
    other,
    review,
    (tx) => tx`delete from layer_access where principal_id in (${other.id}, ${other.email})`,
  );
  expect([body, await kept(other)]).toEqual([{ heard: null }, 0]);
  await meanwhile(one, review, (tx) => tx`update reviews set coverage = null where id = ${review.id}`);
  expect(await kept(one)).toBe(0);
});

it('with a part in the review, an account or a recording goes what was listened to', async () => {
  const { leader, one, other, review } = await reviewed('relaxed');
  for (const person of [one, other]) {
    await show(person, review);
    await listen(person, review, [0, 1000]);
  }
  const { rev } = await seenBy(leader, review);
  const path = `/api/meetings/${review.meetingId}/reviews/${review.id}`;
  await good(leader.post(path, { rev, remove: [await rowOf(other, review)] }));
  expect([await kept(one), await kept(other)]).toEqual([1, 0]);
  expect((await other.get(pathOf(review))).status).toBe(403);
  await good(one.post('/api/principals/me/delete', { password: one.password, reason: 'taskCompleted' }));
  expect(await kept(one)).toBe(0);

  const again = await reviewed('relaxed');
  await show(again.one, again.review);
  await listen(again.one, again.review, [0, 1000]);
  await house.database.sql`delete from meetings where id = ${again.review.meetingId}`;
  expect(await kept(again.one)).toBe(0);
});

it('an archive has what its maker listened to, and nothing of others', async () => {
  const { one, other, review } = await reviewed('relaxed');
  await share(house, review.meetingId, one, ['read']);
  await show(one, review);
  await listen(one, review, [0, 1234]);
  await show(other, review);
  await listen(other, review, [0, 4321]);
  const view = await archived(one, { ids: [review.meetingId] });
  const { bytes } = await one.get(`/api/archives/${view.id}`);
  await inArchive(bytes, async (zip) => {
    const name = `recordings/${review.meetingId}/annotations.json`;
    const text = (await zip.readWhole(name, 1e8)).toString();
    const { layers } = annotationsContent.parse(JSON.parse(text));
    expect(layers.find(({ kind }) => kind === 'shared')?.listened).toEqual({ shared: true, heard: [[0, 1234]] });
    expect(text).not.toContain('4321');
  });
});
