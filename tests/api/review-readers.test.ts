// A person who could read the assessment of another never assesses in a blind review, by either key: their account, or an
// address that the leader knows no account of.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ReviewView } from '#shared/reviews.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import type { Answer, Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';
import { askFor, seenBy } from '#tests/support/reviews.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.close());

const annotate = async (person: Person, review: ReviewView) => {
  const { cloneId } = await seenBy(person, review);
  const comment = { start: 10, end: 12, text: 'Said' };
  const { status, text } = await person.post(`/api/meetings/${cloneId}/comments`, comment);
  expect(status, text).toBe(200);
};

/** A strict review with a supervisor; the leader knows no account of the people in it. */
async function overseen() {
  const [leader, reviewer, overseer] = await Promise.all(['Lea', 'Rob', 'Sue'].map((name) => house.person(name)));
  if (!leader || !reviewer || !overseer) throw new Error('nobody');
  const review = await askFor(leader, await makeRecording(house, leader), {
    roles: [
      [reviewer, 'required'],
      [overseer, 'supervisor'],
    ],
  });
  await annotate(reviewer, review);
  return { leader, reviewer, overseer, review };
}

const change = async (leader: Person, review: ReviewView, more: Record<string, unknown>) =>
  leader.post(`/api/meetings/${review.meetingId}/reviews/${review.id}`, {
    ...{ rev: (await seenBy(leader, review)).rev, ...more },
  });

async function remove(leader: Person, review: ReviewView, role: string): Promise<void> {
  const one = review.reviewers.find((reviewer) => reviewer.role === role);
  const { status, text } = await change(leader, review, { remove: [one?.id] });
  expect(status, text).toBe(200);
}

const could = [422, [{ field: 'reviewers', code: 'could_read' }]];
const errorsOf = ({ status, problem }: Answer) => [status, problem.info?.errors];

const kindsOf = async ({ id }: ReviewView, role: string) =>
  (await house.database.sql`select kind from reviewers where review_id = ${id} and role = ${role}`).map(
    ({ kind }) => kind as string,
  );

it('a person who read as an account is refused by their address', async () => {
  const { leader, overseer, review } = await overseen();
  // By the first annotation, the address becomes the account.
  expect(await kindsOf(review, 'supervisor')).toEqual(['pending']);
  await annotate(overseer, review);
  expect(await kindsOf(review, 'supervisor')).toEqual(['user']);
  await remove(leader, review, 'supervisor');
  const add = (role: string) => change(leader, review, { add: [{ principal: { email: overseer.email }, role }] });
  for (const role of ['optional', 'required', 'muted']) expect(errorsOf(await add(role))).toEqual(could);
  // To watch, the same address may come; it gets no part in which it assesses, though nobody has begun any more.
  expect((await add('watcher')).status).toBe(200);
  expect(await kindsOf(review, 'watcher')).toEqual(['pending']);
  await remove(leader, review, 'required');
  const [watcher] = (await seenBy(leader, review)).reviewers;
  for (const role of ['optional', 'muted'])
    expect(errorsOf(await change(leader, review, { roles: [{ id: watcher?.id, role }] }))).toEqual(could);
});

it('a person who read by their address is refused as an account', async () => {
  const { leader, overseer, review } = await overseen();
  expect(await kindsOf(review, 'supervisor')).toEqual(['pending']);
  await remove(leader, review, 'supervisor');
  // Now the leader knows them, and their address is that of an account.
  await share(house, await makeMeeting(house, leader), overseer, ['read']);
  for (const principal of [{ email: overseer.email }, { id: overseer.id }]) {
    const add = [{ principal, role: 'optional' }];
    expect(errorsOf(await change(leader, review, { add }))).toEqual(could);
  }
  const other = await house.person('Tom');
  const added = await change(leader, review, { add: [{ principal: { email: other.email }, role: 'optional' }] });
  expect(added.status).toBe(200);
  // To an assessment in common they may come, and the review is not blind again with them in it.
  await remove(leader, review, 'required');
  const add = [{ principal: { id: overseer.id }, role: 'optional' }];
  const together = await change(leader, review, { policy: 'relaxed', add });
  expect(together.status, together.text).toBe(200);
  expect(errorsOf(await change(leader, review, { policy: 'strict' }))).toEqual(could);
});

it('a person who read by an address that they gave up since is refused by the new one', async () => {
  const { leader, overseer, review } = await overseen();
  await remove(leader, review, 'supervisor');
  const old = overseer.email;
  const next = `next-${old}`;
  await overseer.post('/api/principals/me/change-email/step1', { new_email: next });
  const token = await house.tokenFor(next, '/confirm-email-change');
  const { password } = overseer;
  expect((await overseer.post('/api/principals/me/change-email/step2', { token, password })).status).toBe(204);
  const add = (email: string) => change(leader, review, { add: [{ principal: { email }, role: 'optional' }] });
  const { status, problem } = await add(next);
  expect([status, problem.info?.errors]).toEqual([422, [{ field: 'reviewers', code: 'could_read' }]]);
  // The refusal stored no address of an account.
  const [row] = await house.database.sql<{ keys: string[] }[]>`
    select have_read as keys from reviews where id = ${review.id}`;
  expect(row?.keys).not.toContain(`mail:${next}`);
  expect((await add(`nobody-${old}`)).status).toBe(200);
});
