// Sections 3.3, 3.4 and 3.7 of the catalogue, as far as they are about who may do what with somebody's recording.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rules } from '#server/limits.ts';
import { newId } from '#shared/ids.ts';
import { roles, type Permission } from '#shared/roles.ts';
import type { EntryInput } from '#shared/sharing.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(() => house.close());

const two = async () => (await house.people(2)) as [Person, Person];
const set = (by: Person, id: string, ...entries: unknown[]) =>
  by.post(`/api/meetings/${id}/acl`, { entries, version: 0 });
const link = (more: Partial<EntryInput> = {}) => ({
  principal: { id: -1, kind: 'anonymous' },
  permissions: ['read'],
  ...more,
});
/** What is stored of who may do what. */
const stored = async (id: string) =>
  JSON.stringify(await house.database.sql`select * from meeting_access where meeting_id = ${id} order by 1, 2, 3`);

describe('D01 whoever may not share', () => {
  it.each<[string, Permission[] | null, string]>([
    ['somebody who reads', [...roles.canRead], 'NO_PERM'],
    ['somebody who comments', [...roles.canComment], 'NO_PERM'],
    ['somebody who edits', [...roles.canEdit], 'NO_PERM'],
    ['a stranger', null, 'NO_ACCESS'],
  ])('%s gives themselves nothing', async (_, held, code) => {
    const [ann, ben] = await two();
    const id = await makeMeeting(house, ann);
    if (held) await share(house, id, ben, held);
    const before = await stored(id);
    const answer = await set(ben, id, { principal: { id: ben.id, kind: 'user' }, permissions: roles.canEditShare });
    expect([answer.status, answer.problem.code]).toEqual([403, code]);
    if (held) expect(answer.problem.message).toBe('No permissions to share');
    expect(await stored(id)).toBe(before);
  });
});

describe('D02 only the four sets exist', () => {
  it.each<[unknown[]]>([
    [['own']],
    [['write']],
    [['read', 'write']],
    [['admin']],
    [[]],
    [['read', 'read']],
    [['Read']],
    [['read', 'upload']],
    [['comment', 'write', 'own', 'discover']],
  ])('%j', async (permissions) => {
    const [ann] = await two();
    const id = await makeMeeting(house, ann);
    const answer = await set(ann, id, { principal: { email: 'x@example.test' }, permissions });
    expect([answer.status, await stored(id)]).toEqual([422, '[]']);
  });
});

it('D04 its kind decides who is meant, never an id of -1', async () => {
  const [ann] = await two();
  const id = await makeMeeting(house, ann);
  const email = `x-${newId(8).toLowerCase()}@example.test`;
  const named = await set(ann, id, { principal: { id: -1, kind: 'pending', email }, permissions: ['read', 'comment'] });
  expect(named.status).toBe(200);
  expect((await house.stranger().get(`/api/meetings/${id}`)).status).toBe(403);
  expect((await set(ann, id, { principal: { id: -1, kind: 'group' }, permissions: ['read'] })).status).toBe(422);
  expect((await set(ann, id, { principal: { id: -1 }, permissions: ['read'] })).status).toBe(422);
});

it('D08 a long list is refused, and nobody writes to more than fifty people in an hour', async () => {
  const [ann] = await two();
  const id = await makeMeeting(house, ann);
  const many = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      principal: { email: `${i}-${id.toLowerCase()}@example.test` },
      permissions: ['read'],
    }));
  expect((await set(ann, id, ...many(201))).status).toBe(422);
  const answer = await set(ann, id, ...many(rules.shareMails.most + 1));
  expect(answer.status).toBe(429);
  // All of it or nothing: neither rights nor mails.
  expect(await stored(id)).toBe('[]');
  expect(await house.mails(`0-${id.toLowerCase()}@example.test`)).toEqual([]);
});

it('D09 D10 codes cannot be guessed, and stand in no address, log or answer', async () => {
  const [ann] = await two();
  const id = await makeMeeting(house, ann);
  const code = 'WXYZ-6789';
  expect((await set(ann, id, link({ code }))).status).toBe(200);
  const eve = house.stranger();
  eve.address = '10.200.0.1';
  const statuses: number[] = [];
  for (let guess = 0; guess < 11; guess += 1)
    statuses.push((await eve.post(`/api/meetings/${id}/unlock`, { code: `WXYZ-678${'ABCDEFGHJKM'[guess]}` })).status);
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
  // Nor is the right one taken any more from there; elsewhere nobody is kept out by it.
  expect((await eve.post(`/api/meetings/${id}/unlock`, { code })).status).toBe(429);
  const dan = house.stranger();
  dan.address = '10.200.0.2';
  expect((await dan.post(`/api/meetings/${id}/unlock?code=${code}`, {})).status).toBe(422);
  expect((await dan.post(`/api/meetings/${id}/unlock`, { code })).status).toBe(204);
  // A cookie that was made up opens nothing.
  eve.cookies.set('pass', 'A'.repeat(43));
  expect((await eve.get(`/api/meetings/${id}`)).problem.info.code).toBe('IC');
  expect(house.log()).not.toMatch(/WXYZ-?6789/);
});

it('D16 every way in is listed to whoever shares it', async () => {
  const [ann, ben] = await two();
  const id = await makeMeeting(house, ann);
  await set(ann, id, link({ code: 'WXYZ-6789' }), { principal: { id: ben.id, kind: 'user' }, permissions: ['read'] });
  const { entries } = (await ann.get(`/api/meetings/${id}`)).body.doc.acl;
  const rows = await house.database.sql`select 1 from meeting_access where meeting_id = ${id}`;
  expect(entries).toHaveLength(rows.length);
});

it('C18 the search is limited to thirty a minute', async () => {
  const [ann] = await two();
  const statuses = await Promise.all(
    Array.from({ length: rules.search.most + 1 }, () => ann.post('/api/principals/search', { text: 'anybody' })),
  );
  expect(statuses.filter(({ status }) => status === 429)).toHaveLength(1);
});

it('S4 what is locked away and what does not exist are answered by the same bytes', async () => {
  const [ann, eve] = await two();
  const id = await makeMeeting(house, ann);
  const answers = await Promise.all([id, newId()].map((one) => eve.get(`/api/meetings/${one}/acl`)));
  const [there, nowhere] = answers.map(({ status, problem }) =>
    JSON.stringify([status, { ...problem, requestId: '' }]),
  );
  expect(there).toBe(nowhere);
});

it('H12 a name that is meant to be a mail of its own stays a name', async () => {
  const [ann, ben] = await two();
  await house.database.sql`update users set first_name = ${'Your bank <a href="https://evil.example">'},
    last_name = ${'\r\nBcc: all@example.test'} where id = ${ben.id}`;
  const id = await makeMeeting(house, ann);
  expect((await ben.post(`/api/meetings/${id}/requestAccess`)).status).toBe(202);
  const [mail] = await house.mails(ann.email);
  expect(mail?.subject).not.toMatch(/[\r\n]/);
  expect(mail?.html).not.toContain('<a href="https://evil.example"');
});
