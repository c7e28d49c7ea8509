// Mails to the admins of a team (money.md 7, server/groups/team-mails.ts): a low balance once a crossing, recordings soon
// after they were added or once a day.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tellLowBalances, tellUploads } from '#server/groups/team-mails.ts';
import { transaction } from '#server/context.ts';
import { giveCredits, holdForTeam, useQuota } from '#tests/support/billing.ts';
import { makeTeam } from '#tests/support/groups.ts';
import { beginProcessing, createMeeting, external, processed, tone } from '#tests/support/intake.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import type { Person } from '#tests/support/people.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const mailsTo = async (who: Person) =>
  (await house.mails(who.email)).filter(({ subject }) => !/^You are in a team|invites/.test(subject));
/** Runs both checks some seconds later, each twice at once, as two processes would. */
async function look(seconds = 30): Promise<void> {
  house.clock.forward(seconds);
  await Promise.all([tellLowBalances(house.house), tellLowBalances(house.house)]);
  await Promise.all([tellUploads(house.house), tellUploads(house.house)]);
}

test('admins are told once that the payer’s credits fell below the threshold, and again after they were above it', async () => {
  const [ann, ben, cem] = (await house.people(3)) as [Person, Person, Person];
  const id = await makeTeam(ann, [[ben, 'admin'], cem], { balanceThreshold: 5 });
  const count = async () => (await Promise.all([ann, ben, cem].map(mailsTo))).map(({ length }) => length);
  // A team that begins without credits is no news.
  await look();
  expect(await count()).toEqual([0, 0, 0]);
  await giveCredits(house, ann, '5.01');
  await look();
  await useQuota(house, cem, id, 0.01);
  await look();
  expect(await count()).toEqual([0, 0, 0]);
  await useQuota(house, cem, id, 0.5);
  await look();
  await look();
  expect(await count()).toEqual([1, 1, 0]);
  const [mail] = await mailsTo(ben);
  expect(mail?.text).toContain('Its payer has 4.50 credits left, less than the 5.00');
  expect(mail?.text).toContain(`/teams/${id}`);
  await giveCredits(house, ann, '1');
  await look();
  await useQuota(house, cem, id, 2);
  await look();
  expect(await count()).toEqual([2, 2, 0]);
  // Without a threshold there is no mail.
  await ann.put(`/api/groups/${id}`, { balanceThreshold: null });
  await look();
  await useQuota(house, cem, id, 1);
  await look();
  expect(await count()).toEqual([2, 2, 0]);
});

test('recordings that the team pays for are told of soon, in one mail, and nobody is told of their own', async () => {
  const [ann, ben, cem] = (await house.people(3)) as [Person, Person, Person];
  const id = await makeTeam(ann, [[ben, 'admin'], cem], { balanceThreshold: null });
  await giveCredits(house, ann, '20');
  await useQuota(house, cem, id, 1);
  await look();
  expect(await mailsTo(ann)).toEqual([]);
  await ann.put(`/api/groups/${id}`, { notifyAdminOnUpload: true });
  for (const who of [cem, cem, ben]) await useQuota(house, who, id, 1);
  const failing = await holdForTeam(house, ben, id, 1);
  await transaction(house.house, (tx) => house.house.costs.release(tx, failing ?? ''));
  // Reservations that may not be committed yet wait for the next look.
  await look(5);
  expect(await mailsTo(ann)).toEqual([]);
  await look();
  await look();
  const [toAnn, toBen, toCem] = await Promise.all([ann, ben, cem].map(mailsTo));
  expect([toAnn?.length, toBen?.length, toCem?.length]).toEqual([1, 1, 0]);
  expect(toAnn?.[0]?.text).toContain('Ben Test (2)');
  expect(toAnn?.[0]?.text).toContain('Chen Test (2)');
  expect(toBen?.[0]?.text).not.toContain('Ben Test (');
});

test('free recordings of the team’s scope are told of, and stand in the report; personal ones stay personal', async () => {
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const id = await makeTeam(ann, [ben], { balanceThreshold: null, notifyAdminOnUpload: true });
  const add = async () => {
    const file = { fileName: 'talk.wav', content: tone(61.5, 1000) };
    const made = await createMeeting(ben, external({ file }));
    expect(made.costs).toMatchObject([{ cost: 0, groupId: null }]);
    await beginProcessing(ben, made.id);
    expect(await processed(ben, made.id)).toMatchObject({ percentage: 100, failures_present: false });
    return made.id;
  };
  const today = () => house.clock.now().toISOString().slice(0, 10);
  const day = today();
  const rowOf = async (who: Person) => {
    const { text } = await ann.get(`/api/groups/${id}/activity-report?fromDate=${day}&toDate=${today()}`);
    return text.split('\r\n').find((line) => line.includes(who.email));
  };
  await add();
  await look();
  expect(await mailsTo(ann)).toEqual([]);
  expect(await rowOf(ben)).toContain(',0,0,0,');

  await ben.post('/api/principals/change', { scope: { scope_id: id, role_id: 'member' } });
  const [one] = [await add(), await add()];
  await look();
  await look();
  expect((await mailsTo(ann)).map(({ text }) => /Ben Test \((\d)\)/.exec(text)?.[1])).toEqual(['2']);
  // A recording that is deleted was added all the same.
  expect((await ben.delete(`/api/meetings/${one}`)).status).toBe(204);
  expect(await rowOf(ben)).toMatch(/,2,2\.07,0,"","20\d\d-\d\d-\d\d"$/);
});

test('a digest comes once a day, where anything was added', async () => {
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const id = await makeTeam(ann, [ben], { balanceThreshold: null, notifyAdminOnUpload: 'daily' });
  await giveCredits(house, ann, '20');
  const day = 86_400;
  await useQuota(house, ben, id, 1);
  await look(day / 2);
  expect(await mailsTo(ann)).toEqual([]);
  await useQuota(house, ben, id, 1);
  await look(day / 2);
  expect((await mailsTo(ann)).map(({ text }) => /Ben Test \((\d)\)/.exec(text)?.[1])).toEqual(['2']);
  await look(day);
  await useQuota(house, ben, id, 1);
  await look(60);
  expect(await mailsTo(ann)).toHaveLength(1);
  await look(day);
  expect(await mailsTo(ann)).toHaveLength(2);
  // Her session ended meanwhile.
  await ann.login();
  expect((await ann.put(`/api/groups/${id}`, { notifyAdminOnUpload: false })).status).toBe(200);
  await useQuota(house, ben, id, 1);
  await look(2 * day);
  expect(await mailsTo(ann)).toHaveLength(2);
});
