// A review as the key of another one: who may name it, who may not assess beside it, and when it is told.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CalibrationAnswer } from '#shared/reviews/calibration.ts';
import type { ReviewView } from '#shared/reviews.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { share } from '#tests/support/meetings.ts';
import type { Answer, Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';
import { askFor, seenBy, setStatus } from '#tests/support/reviews.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

interface People {
  leader: Person;
  expert: Person;
  reviewer: Person;
  id: string;
  key: ReviewView;
}

const grade = async (person: Person, review: ReviewView, type: string, given: number) => {
  const { cloneId } = await seenBy(person, review);
  const { status, text } = await person.put(`/api/meetings/${cloneId}/grades/${type}`, { grade: given });
  expect(status, text).toBe(200);
};

/** An open review by one expert who has graded trust with 4. */
async function withKey(): Promise<People> {
  const [leader, expert, reviewer] = await Promise.all(['Lea', 'Ben', 'Rob'].map((name) => house.person(name)));
  if (!leader || !expert || !reviewer) throw new Error('nobody');
  const id = await makeRecording(house, leader);
  const key = await askFor(leader, id, { roles: [[expert, 'required']], outcomeModel: 'coaching' });
  await grade(expert, key, 'trust', 4);
  await setStatus(expert, key, 'complete');
  return { leader, expert, reviewer, id, key };
}

const ask = (leader: Person, id: string, body: Record<string, unknown>) =>
  leader.post(`/api/meetings/${id}/reviews`, { policy: 'strict', ...body });
const as = (person: Person, role = 'required') => ({ principal: { email: person.email }, role });
const errorsOf = ({ status, problem }: Answer) => [status, problem.info?.errors];
const calibrationOf = async (person: Person, { meetingId, id }: ReviewView) => {
  const { status, body, text } = await person.get(`/api/meetings/${meetingId}/reviews/${id}/calibration`);
  expect(status, text).toBe(200);
  return (body as CalibrationAnswer).calibration;
};

it('is an open review of the same recording that the leader reads whole, in a strict review', async () => {
  const { leader, reviewer, id, key } = await withKey();
  const refused = async (body: Record<string, unknown>) =>
    errorsOf(await ask(leader, id, { reviewers: [as(reviewer)], ...body }));
  const unknown = [422, [{ field: 'keyOf', code: 'unknown' }]];
  expect(await refused({ keyOf: 'nothing' })).toEqual(unknown);
  expect(await refused({ keyOf: key.id, policy: 'relaxed' })).toEqual([422, [{ field: 'keyOf', code: 'policy' }]]);
  const running = await askFor(leader, id, { roles: [[reviewer, 'required']] });
  expect(await refused({ keyOf: running.id })).toEqual(unknown);
  const elsewhere = await withKey();
  expect(await refused({ keyOf: elsewhere.key.id })).toEqual(unknown);
  // An owner of the recording who has no part in the key cannot hand it out.
  const owner = await house.person('Olga');
  await share(house, id, owner, ['read', 'comment', 'write', 'own']);
  expect(errorsOf(await ask(owner, id, { reviewers: [as(reviewer)], keyOf: key.id }))).toEqual(unknown);
});

it('is told to a reviewer who has completed, and to nobody before; completing is final', async () => {
  const { leader, reviewer, id, key } = await withKey();
  const other = await house.person('Cara');
  const review = await askFor(leader, id, {
    roles: [
      [reviewer, 'required'],
      [other, 'required'],
    ],
    keyOf: key.id,
  });
  // The same competencies as in the key.
  expect(review).toMatchObject({ keyed: true, outcomeModel: 'coaching' });
  for (const person of [reviewer, other, leader]) expect(await calibrationOf(person, review)).toBeNull();
  await grade(reviewer, review, 'trust', 2);
  await grade(other, review, 'trust', 4);
  await setStatus(reviewer, review, 'complete');
  const mine = await calibrationOf(reviewer, review);
  expect(mine?.people).toMatchObject([
    { units: 1, difference: -2, competencies: [{ type: 'trust', key: 4, grade: 2 }] },
  ]);
  // Neither those who still assess nor the leader, who reads no assessment yet.
  for (const person of [other, leader]) expect(await calibrationOf(person, review)).toBeNull();
  // The key itself stays closed to them.
  for (const person of [reviewer, other])
    expect((await person.get(`/api/meetings/${id}/reviews/${key.id}`)).status).toBe(403);
  const seen = await seenBy(reviewer, review);
  expect(seen.can).not.toContain('take-back');
  const path = `/api/meetings/${id}/reviews/${review.id}/reviewers/${seen.mine?.id}`;
  expect((await reviewer.post(path, { status: 'in-progress' })).status).toBe(409);
  await setStatus(other, review, 'complete');
  for (const person of [reviewer, other, leader]) expect((await calibrationOf(person, review))?.people).toHaveLength(2);
  expect((await leader.post(`/api/meetings/${id}/reviews/${review.id}/reopen`)).status).toBe(409);
  // A key that is taken back is told no more.
  expect((await leader.post(`/api/meetings/${id}/reviews/${key.id}/reopen`)).status).toBe(200);
  expect(await calibrationOf(reviewer, review)).toBeNull();
});

it('is told to who oversees as each reviewer completes', async () => {
  const { leader, reviewer, id, key } = await withKey();
  const [other, overseer] = [await house.person('Cara'), await house.person('Sue')];
  const review = await askFor(leader, id, {
    roles: [
      [reviewer, 'required'],
      [other, 'muted'],
      [overseer, 'supervisor'],
    ],
    keyOf: key.id,
  });
  await grade(reviewer, review, 'trust', 3);
  expect(await calibrationOf(overseer, review)).toBeNull();
  await setStatus(reviewer, review, 'complete');
  expect((await calibrationOf(overseer, review))?.people).toMatchObject([{ difference: -1 }]);
  await setStatus(other, review, 'complete');
  expect((await calibrationOf(overseer, review))?.people).toHaveLength(2);
});

it('is known to nobody who assesses, by whatever way they come', async () => {
  const { leader, expert, reviewer, id, key } = await withKey();
  const knows = [422, [{ field: 'reviewers', code: 'knows_key' }]];
  for (const person of [expert, leader])
    expect(errorsOf(await ask(leader, id, { reviewers: [as(reviewer), as(person)], keyOf: key.id }))).toEqual(knows);
  const review = await askFor(leader, id, {
    roles: [
      [reviewer, 'required'],
      [expert, 'watcher'],
    ],
    keyOf: key.id,
  });
  const change = (more: Record<string, unknown>) =>
    leader.post(`/api/meetings/${id}/reviews/${review.id}`, { rev: review.rev, ...more });
  const watcher = review.reviewers.find(({ role }) => role === 'watcher');
  expect(errorsOf(await change({ roles: [{ id: watcher?.id, role: 'optional' }] }))).toEqual(knows);
  expect(errorsOf(await change({ policy: 'relaxed' }))).toEqual([422, [{ field: 'policy', code: 'key' }]]);
  const join = () => leader.post(`/api/meetings/${id}/reviews/${review.id}/join`, {});
  expect(errorsOf(await join())).toEqual(knows);
  // Nor do they come to read the key while they assess.
  const { rev } = await seenBy(leader, key);
  const add = () =>
    leader.post(`/api/meetings/${id}/reviews/${key.id}`, { rev, add: [{ ...as(reviewer), role: 'watcher' }] });
  const gets = [422, [{ field: 'reviewers', code: 'gets_key' }]];
  expect(errorsOf(await add())).toEqual(gets);
  // The answer does not tell how far they are.
  await setStatus(reviewer, review, 'complete');
  expect(errorsOf(await add())).toEqual(gets);
  expect((await leader.delete(`/api/meetings/${id}/reviews/${review.id}`)).status).toBe(204);
  expect((await add()).status).toBe(200);
});

it('stays known to who has completed: they assess neither beside it again, nor in it', async () => {
  const { leader, reviewer, id, key } = await withKey();
  const other = await house.person('Cara');
  const overseer = await house.person('Sue');
  const review = await askFor(leader, id, {
    roles: [
      [reviewer, 'required'],
      [other, 'required'],
      [overseer, 'supervisor'],
    ],
    keyOf: key.id,
  });
  await setStatus(reviewer, review, 'complete');
  const knows = [422, [{ field: 'reviewers', code: 'knows_key' }]];
  for (const person of [reviewer, overseer])
    expect(errorsOf(await ask(leader, id, { reviewers: [as(person)], keyOf: key.id }))).toEqual(knows);
  const change = async (more: Record<string, unknown>) =>
    leader.post(`/api/meetings/${id}/reviews/${review.id}`, { rev: (await seenBy(leader, review)).rev, ...more });
  const mine = (await seenBy(reviewer, review)).mine?.id;
  expect((await change({ remove: [mine] })).status).toBe(200);
  expect(errorsOf(await change({ add: [as(reviewer)] }))).toEqual(knows);
  expect((await leader.delete(`/api/meetings/${id}/reviews/${review.id}`)).status).toBe(204);
  const { rev } = await seenBy(leader, key);
  const added = await leader.post(`/api/meetings/${id}/reviews/${key.id}`, { rev, add: [as(reviewer)] });
  expect(errorsOf(added)).toEqual([422, [{ field: 'reviewers', code: 'could_read' }]]);
  // Somebody who only assessed beside it without an end has learnt nothing.
  const fresh = await askFor(leader, id, { roles: [[other, 'required']], keyOf: key.id });
  expect(fresh.keyed).toBe(true);
});

it('is not told of who has not completed, nor to the person assessed; an open review does not close again', async () => {
  const { leader, reviewer, id, key } = await withKey();
  const [late, student] = [await house.person('Lou'), await house.person('Tia')];
  const review = await askFor(leader, id, {
    roles: [
      [reviewer, 'required'],
      [late, 'optional'],
    ],
    student,
    keyOf: key.id,
  });
  await grade(late, review, 'trust', 1);
  await setStatus(reviewer, review, 'complete');
  const seen = await seenBy(leader, review);
  expect(seen.phase).toBe('open');
  for (const person of [leader, late]) expect((await calibrationOf(person, review))?.people).toHaveLength(1);
  const change = async (more: Record<string, unknown>) =>
    leader.post(`/api/meetings/${id}/reviews/${review.id}`, { rev: (await seenBy(leader, review)).rev, ...more });
  const lateId = seen.reviewers.find(({ role }) => role === 'optional')?.id;
  expect((await change({ roles: [{ id: lateId, role: 'required' }] })).status).toBe(409);
  expect((await change({ roles: [{ id: lateId, role: 'muted' }] })).status).toBe(200);
  expect((await leader.post(`/api/meetings/${id}/reviews/${review.id}/publish`)).status).toBe(200);
  expect(await calibrationOf(student, review)).toBeNull();
});
