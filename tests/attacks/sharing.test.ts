// Sections 3.3, 3.4 and 3.7 of the catalogue, as far as they are about permissions on a person's recording.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { rules } from '#server/limits.ts';
import { newId } from '#shared/ids.ts';
import { roles, type Permission } from '#shared/roles.ts';
import type { EntryInput } from '#shared/sharing.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { closeEditors, Editor, synced, until } from '#tests/support/editors.ts';
import { makeMeeting, share, ticketFor } from '#tests/support/meetings.ts';
import { makeRecording } from '#tests/support/recording.ts';
import { close } from '#sync/protocol.ts';
import type { Person } from '#tests/support/people.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
});
afterEach(() => closeEditors());
afterAll(() => house.close());

const two = async () => (await house.people(2)) as [Person, Person];
const set = (by: Person, id: string, ...entries: unknown[]) =>
  by.post(`/api/meetings/${id}/acl`, { entries, version: 0 });
const link = (more: Partial<EntryInput> = {}) => ({
  principal: { id: -1, kind: 'anonymous' },
  permissions: ['read'],
  ...more,
});
/** Stored permissions. */
const stored = async (id: string) =>
  JSON.stringify(await house.database.sql`select * from meeting_access where meeting_id = ${id} order by 1, 2, 3`);

describe('D01 a person who may not share', () => {
  it.each<[string, Permission[] | null, string]>([
    ['a person who reads', [...roles.canRead], 'NO_PERM'],
    ['a person who comments', [...roles.canComment], 'NO_PERM'],
    ['a person who edits', [...roles.canEdit], 'NO_PERM'],
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

describe('D02 a list that is no role is refused', () => {
  it.each<[unknown[]]>([
    [['own']],
    [['write']],
    [['admin']],
    [[]],
    [['Read']],
    [['read', 'comment', 'write', 'history']],
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

it('D08 a long list is refused, and nobody mails more than fifty people in an hour', async () => {
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
  // All entries or none: neither permissions nor mails.
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
  // The right code is refused from that address, too; other addresses are not affected.
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

it('D07 of two lists made of the same version one is taken, and nothing of the other', async () => {
  const [ann, ben] = await two();
  const id = await makeMeeting(house, ann);
  await share(house, id, ben, [...roles.canEditShare]);
  const [mine, theirs] = ['a', 'b'].map((name) => `${name}-${newId(8).toLowerCase()}@example.test`);
  const { version } = (await ann.get(`/api/meetings/${id}/acl`)).body;
  const both = await Promise.all(
    [[ann, mine] as const, [ben, theirs] as const].map(([by, email]) =>
      by.post(`/api/meetings/${id}/acl`, {
        entries: [
          { principal: { id: ben.id, kind: 'user' }, permissions: roles.canEditShare },
          { principal: { email }, permissions: roles.canRead },
        ],
        version,
      }),
    ),
  );
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const refused = both.find(({ status }) => status === 409);
  expect(refused?.problem.info).toMatchObject({ code: 'CONFLICT', version: expect.any(Number) });
  const taken = both[0]?.status === 200 ? mine : theirs;
  const list = (await ann.get(`/api/meetings/${id}/acl`)).body.acl.entries as { principal: { email: string } }[];
  expect(list.map(({ principal }) => principal.email).filter((email) => email !== ben.email)).toEqual([taken]);
});

describe('D11 a link that is turned off', () => {
  it('is dead for a person who has the page, the sound, the subtitles, an export and a socket', async () => {
    const [ann] = await two();
    const id = await makeRecording(house, ann);
    expect((await set(ann, id, link())).status).toBe(200);
    const eve = house.stranger();
    const { media, vtt } = (await eve.get(`/api/meetings/${id}`)).body as { media: { src: string }[]; vtt: string };
    const ways = [
      ...media.map(
        ({ src }) =>
          () =>
            eve.get(src),
      ),
      ...[vtt, `/api/meetings/${id}`, `/api/meetings/${id}/about`].map((path) => () => eve.get(path)),
      () => eve.post(`/api/export/${id}`, { format: 'TRME', options: {} }),
      () => eve.post('/api/sync/tickets', { room: `${id}/transcript` }),
    ];
    const statuses = async () => (await Promise.all(ways.map((way) => way()))).map(({ status }) => status);
    expect(new Set(await statuses())).toEqual(new Set([200]));
    const room = `${id}/transcript`;
    const ticket = await ticketFor(eve, room);
    const reader = new Editor({ room, at: () => house.origin, ticket });
    await synced([reader]);
    const { version } = (await ann.get(`/api/meetings/${id}/acl`)).body;
    expect((await ann.post(`/api/meetings/${id}/acl`, { entries: [], version })).status).toBe(200);
    await until(() => reader.closes.includes(close.noAccess));
    expect(new Set(await statuses())).toEqual(new Set([403]));
    // The ticket had been given while the link was open.
    const again = new Editor({ room, at: () => house.origin, ticket });
    await until(() => again.closes.length > 0);
    expect(again.text.toString()).toBe('');
  });
});

it('D12 a recording that everyone may find is found by its title alone, by people who are signed in', async () => {
  const [ann, eve] = await two();
  const id = await makeRecording(house, ann);
  const everyone = link({ permissions: ['read', 'discover'] });
  expect((await set(ann, id, everyone)).status).toBe(200);
  const { title } = (await ann.get(`/api/meetings/${id}`)).body.doc;
  const byTitle = `?query=${encodeURIComponent(title)}`;
  for (const query of ['', byTitle, `?query=${id}`]) {
    expect((await house.stranger().get(`/api/meetings${query}`)).status).toBe(401);
    const { status, text } = await eve.get(`/api/meetings${query}`);
    expect([status, text.includes(id)]).toEqual([200, query === byTitle]);
  }
  // A link that is not for everyone never gets the right to be found by what is beside it.
  expect((await set(ann, id, link({ permissions: ['discover'] }))).status).toBe(422);
});

it('D14 asked a hundred times, for what is one’s own or is not there: one mail, and text alone in it', async () => {
  const [ann, ben] = await two();
  const id = await makeMeeting(house, ann);
  const own = await makeMeeting(house, ben);
  const evil = { message: '<a href="https://evil.example">look</a>', text: 'https://evil.example' };
  const statuses = new Set<number>();
  for (let tries = 0; tries < 100; tries += 1)
    for (const one of tries < 5 ? [id, own, newId()] : [id])
      statuses.add((await ben.post(`/api/meetings/${one}/requestAccess`, evil)).status);
  expect([...statuses]).toEqual([202]);
  const mails = (await house.mails(ann.email)).filter(({ subject }) => subject.includes('would like to see'));
  expect(mails).toHaveLength(1);
  expect(`${mails[0]?.text} ${mails[0]?.html}`).not.toContain('evil.example');
  expect((await house.mails(ben.email)).filter(({ subject }) => subject.includes('would like to see'))).toEqual([]);
  // The next day once more.
  house.clock.forward(25 * 3600);
  await ben.login();
  expect((await ben.post(`/api/meetings/${id}/requestAccess`)).status).toBe(202);
  const later = (await house.mails(ann.email)).filter(({ subject }) => subject.includes('would like to see'));
  expect(later).toHaveLength(2);
});

it('D16 every access is listed for people who share it', async () => {
  const [ann, ben] = await two();
  const id = await makeMeeting(house, ann);
  await set(ann, id, link({ code: 'WXYZ-6789' }), { principal: { id: ben.id, kind: 'user' }, permissions: ['read'] });
  const { entries } = (await ann.get(`/api/meetings/${id}`)).body.doc.acl;
  const rows = await house.database.sql`select 1 from meeting_access where meeting_id = ${id}`;
  expect(entries).toHaveLength(rows.length);
});

it('C18 the search is limited to thirty a minute', async () => {
  const [ann] = await two();
  const search = async () => (await ann.post('/api/principals/search', { text: 'anybody' })).status;
  // One after another: where thirty at once overload the database, this rule lets through what it cannot count.
  for (let count = 0; count < rules.search.most; count += 1) expect(await search()).toBe(200);
  expect(await search()).toBe(429);
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
