// The mail that a review is due tomorrow (server/reviews/reminders.ts): to those whose turn it is, once, when their team says.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tellReviews } from '#server/reviews/digest.ts';
import { remindOfReviews } from '#server/reviews/reminders.ts';
import { makeTeam } from '#tests/support/groups.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';
import { askFor, setStatus } from '#tests/support/reviews.ts';

const day = 86_400;

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
  // The clock stands at six in the morning, so that the digests of the day are known.
  house.clock.stop(new Date().setUTCHours(24 + 6, 0, 0, 0));
});
afterAll(() => house?.close());

const inDays = (days: number) => new Date(house.clock.now().getTime() + days * day * 1000).toISOString().slice(0, 10);
/** Days pass; twice in each the people come by, so that their sessions stay open. */
async function pass(days: number, people: readonly Person[]): Promise<void> {
  for (let half = 0; half < 2 * days; half++) {
    house.clock.forward(day / 2);
    for (const person of people) expect((await person.whoami()).status).toBe(200);
  }
}
/** Looks twice at once, as two processes would. */
const remind = () => Promise.all([remindOfReviews(house.house), remindOfReviews(house.house)]);
const told = ({ email }: Person) =>
  house
    .mails(email)
    .then((mails) => mails.filter(({ subject, text }) => `${subject}\n${text}`.includes('A review is due tomorrow')));

it('reaches those who have not completed, the day before and once', async () => {
  const [ann, ben, cara, dan] = (await house.people(4)) as [Person, Person, Person, Person];
  const review = await askFor(ann, await makeMeeting(house, ann), {
    due: inDays(3),
    roles: [
      [ben, 'required'],
      [cara, 'optional'],
      [dan, 'watcher'],
    ],
  });
  await setStatus(cara, review, 'complete');
  const counts = async () => {
    await remind();
    return Promise.all([ann, ben, cara, dan].map(async (one) => (await told(one)).length));
  };
  expect(await counts()).toEqual([0, 0, 0, 0]);
  house.clock.forward(2 * day);
  expect(await counts()).toEqual([0, 1, 0, 0]);
  expect(await counts()).toEqual([0, 1, 0, 0]);
  house.clock.forward(day);
  expect(await counts()).toEqual([0, 1, 0, 0]);
});

it('does not reach people who were asked within a day, and does once the date is moved', async () => {
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const { id, meetingId, rev } = await askFor(ann, await makeMeeting(house, ann), {
    due: inDays(1),
    roles: [[ben, 'required']],
  });
  await remind();
  expect(await told(ben)).toEqual([]);
  await pass(1, [ann]);
  const moved = await ann.post(`/api/meetings/${meetingId}/reviews/${id}`, { rev, due: inDays(1) });
  expect(moved.status, moved.text).toBe(200);
  await remind();
  expect(await told(ben)).toHaveLength(1);
});

it('follows the team of each person, and a digest tells nobody who has completed meanwhile', async () => {
  const [ann, ben, cara, dan] = (await house.people(4)) as [Person, Person, Person, Person];
  await makeTeam(cara, [ben], { assessmentMails: 'daily' });
  await makeTeam(ann, [dan], { assessmentMails: 'off' });
  const ask = async () =>
    askFor(ann, await makeMeeting(house, ann), {
      due: inDays(3),
      roles: [
        [ben, 'required'],
        [dan, 'optional'],
      ],
    });
  const [one, two] = [await ask(), await ask()];
  await tellReviews(house.house);
  await pass(1.5, [ann, ben]);
  await askFor(ann, await makeMeeting(house, ann), { roles: [[ben, 'required']] });
  await tellReviews(house.house);
  // The digest before is of the evening; this one comes a day after it.
  await pass(0.5, [ben]);
  await remind();
  await setStatus(ben, two, 'complete');
  await tellReviews(house.house);
  expect(await told(ben)).toEqual([]);
  await pass(0.5, [ben]);
  await tellReviews(house.house);
  const [digest, ...more] = await told(ben);
  expect(more).toEqual([]);
  expect(digest?.text).toContain(one.id);
  expect(digest?.text).not.toContain(two.id);
  expect(await told(dan)).toEqual([]);
});
