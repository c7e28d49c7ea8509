// Mails on reviews to members of teams (money.md 7, server/reviews/mails.ts, digest.ts): with the words of the team, when it
// says: at once, once a day, or never. The team joined first decides.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tellReviews } from '#server/reviews/digest.ts';
import type { MailTime } from '#shared/team-rules.ts';
import { inviteTo, makeTeam } from '#tests/support/groups.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';
import { askFor, setStatus } from '#tests/support/reviews.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.close());

const words = 'Begin with what went well.';
const day = 86_400;

/** Two people of whom the second is in a team with such settings. */
async function scene(assessmentMails: MailTime, assessmentEmail = words) {
  const [ann, ben] = await Promise.all([house.person('Ann'), house.person('Ben')]);
  const team = await makeTeam(ann, [ben], { assessmentMails, assessmentEmail });
  return { ann, ben, team };
}
const mailsTo = async ({ email }: Person) =>
  (await house.mails(email))
    .filter(({ text }) => /\/peer\//.test(text))
    .map(({ subject, text }) => ({ subject, text }));
const ask = async (leader: Person, reviewer: Person) =>
  askFor(leader, await makeMeeting(house, leader), { roles: [[reviewer, 'required']] });
/** Looks some seconds later for digests that are due, twice at once, as two processes would. */
async function look(seconds = 30): Promise<void> {
  house.clock.forward(seconds);
  await Promise.all([tellReviews(house.house), tellReviews(house.house)]);
}

test('a team whose mails come for each sends its words with them; other people get them without', async () => {
  const { ann, ben } = await scene('once');
  const review = await ask(ann, ben);
  const [mail, ...more] = await mailsTo(ben);
  expect(more).toEqual([]);
  expect(mail?.subject).toBe('Ann Test asks you to assess a recording');
  expect(mail?.text).toContain(`Your team “Team of ${ann.id}” adds:\n\n> ${words}\n`);
  const cara = await house.person('Cara');
  await ask(ann, cara);
  expect((await mailsTo(cara)).map(({ text }) => text.includes(words))).toEqual([false]);
  // The leader is in the team as well.
  await setStatus(ben, review, 'complete');
  const [opened] = await mailsTo(ann);
  expect(opened?.subject).toBe('A review is complete');
  expect(opened?.text).toContain(words);
});

test('a team without words of its own adds nothing', async () => {
  const { ann, ben } = await scene('once', '');
  await ask(ann, ben);
  expect((await mailsTo(ben)).map(({ text }) => text.includes('Your team'))).toEqual([false]);
});

test('a team that wants no mails on reviews gets none, and its members find the review all the same', async () => {
  const { ann, ben } = await scene('off');
  const { id, meetingId } = await ask(ann, ben);
  expect((await ben.get(`/api/meetings/${meetingId}/reviews/${id}`)).status).toBe(200);
  await look(2 * day);
  expect(await mailsTo(ben)).toEqual([]);
});

test('once a day: the first soon, those of the day behind it in one mail', async () => {
  const { ann, ben } = await scene('daily');
  const one = await ask(ann, ben);
  expect(await mailsTo(ben)).toEqual([]);
  await look();
  const [first] = await mailsTo(ben);
  expect(first?.subject).toBe('Your reviews');
  expect(first?.text).toContain('Ann Test asks you to assess a recording\nhttp');
  expect(first?.text).toContain(`/meeting/${one.meetingId}/peer/${one.id}\n`);
  expect(first?.text).toContain(`> ${words}`);
  const [two, three] = [await ask(ann, ben), await ask(ann, ben)];
  await look(day / 2);
  expect(await mailsTo(ben)).toHaveLength(1);
  await look(day / 2);
  const [second, ...before] = await mailsTo(ben);
  expect(before).toHaveLength(1);
  expect([...(second?.text ?? '').matchAll(/\/peer\/(.+)/g)].map(([, id]) => id)).toEqual([two.id, three.id]);
  // A day without anything new brings nothing.
  await look(2 * day);
  expect(await mailsTo(ben)).toHaveLength(2);
});

test('what is taken back before the day is over is told to nobody', async () => {
  const { ann, ben } = await scene('daily');
  await ask(ann, ben);
  await look();
  const [removed, stays] = [await ask(ann, ben), await ask(ann, ben)];
  const path = `/api/meetings/${removed.meetingId}/reviews/${removed.id}`;
  expect((await ann.delete(path)).status).toBe(204);
  await look(day);
  const [mail] = await mailsTo(ben);
  expect(mail?.text).toContain(stays.id);
  expect(mail?.text).not.toContain(removed.id);
});

test('what waits is mailed at once when the team changes its mind, and not at all when it wants none', async () => {
  const { ann, ben, team } = await scene('daily');
  const want = async (assessmentMails: MailTime) =>
    expect((await ann.put(`/api/groups/${team}`, { assessmentMails })).status).toBe(200);
  await ask(ann, ben);
  await look();
  await ask(ann, ben);
  await look();
  expect(await mailsTo(ben)).toHaveLength(1);
  await want('once');
  await look();
  expect(await mailsTo(ben)).toHaveLength(2);
  await want('daily');
  await ask(ann, ben);
  await want('off');
  await look();
  await want('once');
  await look(2 * day);
  expect(await mailsTo(ben)).toHaveLength(2);
});

test('of several teams the one joined first decides, while it is open', async () => {
  const { ann, ben, team } = await scene('off');
  const cara = await house.person('Cara');
  const other = await makeTeam(cara, [], { assessmentMails: 'once', assessmentEmail: 'Be brief.' });
  house.clock.forward(1);
  await inviteTo(cara, other, ben.email);
  expect((await ben.post(`/api/groups/${other}/accept`)).status).toBe(200);
  await ask(cara, ben);
  expect(await mailsTo(ben)).toEqual([]);
  expect((await ann.post(`/api/groups/${team}/deactivate`)).status).toBe(200);
  await ask(cara, ben);
  expect((await mailsTo(ben)).map(({ text }) => text.includes('Be brief.'))).toEqual([true]);
});
