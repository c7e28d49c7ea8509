// Sharing at a price, and recordings that free minutes paid for (money.md 4): once a recording, exactly once.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDesk } from '#server/billing/desk.ts';
import { transaction } from '#server/context.ts';
import { newId } from '#shared/ids.ts';
import { roles } from '#shared/roles.ts';
import type { EntryInput } from '#shared/sharing.ts';
import { creditsLeft, giveCredits, minutesLeft, setFreeMinutes } from '#tests/support/billing.ts';
import { makeFolders } from '#tests/support/folders.ts';
import { makeTeam } from '#tests/support/groups.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse({ env: { SHARE_PRICE: '0.5' } });
});
afterAll(() => house.close());

const outside = (email = `${newId(8).toLowerCase()}@example.test`): EntryInput => ({
  principal: { id: -1, kind: 'pending', email },
  permissions: [...roles.canRead],
});
const inside = ({ id }: Person): EntryInput => ({ principal: { id, kind: 'user' }, permissions: [...roles.canRead] });
const link: EntryInput = { principal: { id: -1, kind: 'anonymous' }, permissions: ['read'] };
const save = async (by: Person, id: string, ...entries: EntryInput[]) => {
  const { version } = (await by.get(`/api/meetings/${id}/acl`)).body;
  return by.post(`/api/meetings/${id}/acl`, { entries, version });
};
const pay = (by: Person, id: string, cost: unknown, requestId = newId()) =>
  by.post(`/api/meetings/${id}/paid-share`, { cost }, { headers: { 'X-Request-ID': requestId } });
const costOf = async (by: Person, id: string) => (await by.get(`/api/meetings/${id}/acl`)).body.sharingCost;

test('the first share outside the teams of the owner is paid once, then everybody can be added', async () => {
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const team = await makeTeam(ann, [ben]);
  await giveCredits(house, ann, '0.75');
  const id = await makeMeeting(house, ann);
  expect([await costOf(ann, id), (await ann.get(`/api/meetings/${id}`)).body.doc.sharingCost]).toEqual([0.5, 0.5]);
  const group: EntryInput = { principal: { id: team, kind: 'group' }, permissions: [...roles.canRead] };
  expect((await save(ann, id, inside(ben), group)).status).toBe(200);
  for (const entry of [outside(), link]) {
    const refused = await save(ann, id, inside(ben), group, entry);
    expect(refused.problem).toMatchObject({ code: 'FUNDS', info: { costs: [{ cost: 0.5, isEnough: true }, {}] } });
  }
  // Nothing was saved with the refusal.
  expect((await ann.get(`/api/meetings/${id}/acl`)).body.acl.entries).toHaveLength(2);
  expect((await pay(ann, id, 0.4)).problem.code).toBe('PRICE');
  const answers = await Promise.all(Array.from({ length: 8 }, () => pay(ann, id, 0.5)));
  expect(new Set(answers.map(({ status }) => status).filter((status) => status !== 503))).toEqual(new Set([200]));
  expect((await pay(ann, id, 0.5)).body).toEqual({ id, sharingCost: null });
  expect(await creditsLeft(house, ann)).toBeCloseTo(0.25);
  expect((await ann.get('/api/transactions')).body.transactions[0]).toMatchObject({ kind: 'share', balance: '-0.50' });
  expect((await save(ann, id, inside(ben), group, outside(), link)).status).toBe(200);
  expect(await costOf(ann, id)).toBeNull();
});

test('the first share of a folder outside the teams is paid once, by who may share it', async () => {
  const [ann, ben, cem] = (await house.people(3)) as [Person, Person, Person];
  await makeTeam(ann, [ben]);
  await giveCredits(house, ann, '0.75');
  const [sid = ''] = await makeFolders(ann, '/Plans');
  const at = { path: '/Plans' };
  const sharing = async () => (await ann.get('/api/folders/share?path=/Plans')).body;
  const saveFolder = async (...entries: EntryInput[]) =>
    ann.post('/api/folders/share', { ...at, entries, version: (await sharing()).version });
  const payFolder = (by: Person, cost: unknown, where: object = at) =>
    by.post('/api/folders/paid-share', { ...where, cost });
  const fellow = { ...inside(ben), permissions: [...roles.canEdit] };
  expect((await sharing()).sharingCost).toBe(0.5);
  expect((await saveFolder(fellow)).status).toBe(200);
  const refused = await saveFolder(fellow, outside());
  expect(refused.problem).toMatchObject({ code: 'FUNDS', info: { costs: [{ cost: 0.5, isEnough: true }, {}] } });
  expect((await sharing()).acl.entries).toHaveLength(1);
  expect((await payFolder(ann, 0.4)).problem.code).toBe('PRICE');
  for (const [by, code] of [
    [ben, 'NO_PERM'],
    [cem, 'NO_ACCESS'],
  ] as const)
    expect((await payFolder(by, 0.5, { path: '/', sid })).problem.code).toBe(code);
  const answers = await Promise.all(Array.from({ length: 4 }, () => payFolder(ann, 0.5)));
  expect(new Set(answers.map(({ status }) => status).filter((status) => status !== 503))).toEqual(new Set([200]));
  expect((await payFolder(ann, 0.5)).body).toEqual({ id: sid, sharingCost: null });
  expect(await creditsLeft(house, ann)).toBeCloseTo(0.25);
  expect((await saveFolder(fellow, outside())).status).toBe(200);
  expect((await sharing()).sharingCost).toBeNull();
  const line = async () => (await ann.get('/api/transactions')).body.transactions[0];
  const folder = { id: sid, name: 'Plans' };
  expect(await line()).toMatchObject({ kind: 'share', meetingId: null, folder });
  expect((await ann.get('/api/transactions.csv')).text).toContain(',"Plans",');
  expect((await ann.post('/api/folders/delete', { path: '/Plans' })).status).toBeLessThan(300);
  expect(await line()).toMatchObject({ kind: 'share', meetingId: null, folder: null });
});

test('a person with too little pays nothing, and a team can pay', async () => {
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const id = await makeMeeting(house, ben);
  const refused = await save(ben, id, outside());
  expect(refused.problem).toMatchObject({ info: { costs: [{ cost: 0.5, recommendedBalanceTopUp: 0.5 }] } });
  expect((await pay(ben, id, 0.5)).problem.code).toBe('FUNDS');
  const team = await makeTeam(ann, [ben], { defaultQuota: 1 });
  await giveCredits(house, ann, '5');
  expect((await pay(ben, id, { cost: 0.5, groupId: team })).status).toBe(200);
  expect(await creditsLeft(house, ann)).toBe(4.5);
  expect((await save(ben, id, outside())).status).toBe(200);
});

test('giving access back by undoing costs the same, where the person is outside by now', async () => {
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const team = await makeTeam(ann, [ben]);
  const id = await makeMeeting(house, ann);
  for (const entries of [[inside(ben)], []]) expect((await save(ann, id, ...entries)).status).toBe(200);
  expect((await ben.post(`/api/groups/${team}/leave`)).status).toBe(204);
  const [action] = (await ann.get('/api/actions')).body.actions;
  const undo = () => ann.post(`/api/actions/${action.id}/undo`);
  const refused = await undo();
  expect([refused.status, refused.problem]).toMatchObject([
    402,
    { code: 'FUNDS', info: { costs: [{ cost: 0.5 }, {}] } },
  ]);
  await giveCredits(house, ann, '0.5');
  expect((await pay(ann, id, 0.5)).status).toBe(200);
  expect((await undo()).body).toEqual({ undone: 1, failed: [], next: null });
});

test('an answer to a request for access costs the same', async () => {
  const [ann, ben, cem] = (await house.people(3)) as [Person, Person, Person];
  const id = await makeMeeting(house, ann);
  // Somebody outside who has access already costs nothing more.
  await share(house, id, ben, ['read']);
  for (const who of [ben, cem]) await who.post(`/api/meetings/${id}/requestAccess`, { role: 'canEdit' });
  const { requests } = (await ann.get(`/api/meetings/${id}/acl`)).body;
  const of = ({ id: who }: Person) =>
    requests.find(({ person }: { person: { id: string } }) => person.id === who).id as string;
  const answer = (who: Person) => ann.post(`/api/access-requests/${of(who)}`, { role: 'canEdit' });
  expect((await answer(ben)).status).toBe(200);
  expect((await answer(cem)).problem.code).toBe('FUNDS');
  await giveCredits(house, ann, '0.5');
  await pay(ann, id, 0.5);
  expect((await answer(cem)).status).toBe(200);
});

test('a recording that free minutes paid for becomes a paid one, from bought minutes or credits', async () => {
  const ann = await house.person('Ann');
  const id = await makeMeeting(house, ann);
  const desk = createDesk(house.house, () => ({ speech: 150_000 }));
  const upgrade = (cost: unknown) => ann.post(`/api/meetings/${id}/upgrade`, { cost });
  const copy = () => ann.post(`/api/meetings/${id}/clone`, { title: 'Monday again' });
  const transcribe = () =>
    transaction(house.house, async (tx) => {
      const order = { meetingId: id, model: 'speech', seconds: 600 };
      const [option] = await desk.options(tx, ann, order);
      const hold = option && (await desk.hold(tx, ann, order, option));
      if (hold) await desk.capture(tx, hold);
    });
  // A recording that nobody paid for needs nothing.
  expect([(await upgrade(0)).status, (await upgrade(1.5)).problem.code]).toEqual([200, 'PRICE']);
  await transcribe();
  expect(await minutesLeft(house, ann)).toBe(80);
  // Free minutes pay for no copies.
  expect((await copy()).problem).toMatchObject({ code: 'FUNDS', info: { reason: 'FREE_TRIAL' } });
  const refused = await upgrade(1.5);
  expect(refused.problem).toMatchObject({ code: 'FUNDS', info: { costs: [{ cost: 1.5, freeMinutes: 0 }] } });
  const ways = () => ann.get(`/api/meetings/${id}/costs?purpose=upgrade`);
  expect((await ways()).body).toMatchObject([{ cost: 1.5, isEnough: false, recommendedBalanceTopUp: 1.5 }]);
  await giveCredits(house, ann, '2');
  expect((await ways()).body).toMatchObject([{ cost: 1.5, isEnough: true }]);
  expect((await upgrade(0)).problem.code).toBe('PRICE');
  expect((await Promise.all([upgrade(1.5), upgrade(1.5)])).map(({ status }) => status).toSorted()).toEqual([200, 409]);
  expect(await creditsLeft(house, ann)).toBe(0.5);
  expect([(await upgrade(0)).status, (await ways()).body]).toEqual([200, []]);
  expect((await copy()).status).toBe(200);
  await setFreeMinutes(house, ann, 0);
});
