// Lists follow the documents by themselves: while people edit, and also after a process was gone.
import { Readable } from 'node:stream';
import { eq, inArray } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { users } from '#db/schema/accounts.ts';
import { media, storeLeftovers } from '#db/schema/media.ts';
import { meetingProjections, meetings } from '#db/schema/meetings.ts';
import { sweepUnconfirmed } from '#server/accounts/register.ts';
import { readConfig } from '#server/config.ts';
import { startHousekeeping } from '#server/housekeeping.ts';
import { createLog } from '#server/log.ts';
import { sweepLeftovers } from '#server/meetings/leftovers.ts';
import { updateProjection } from '#server/rooms/projection.ts';
import { emptyTrash } from '#server/library/trash.ts';
import { start } from '#server/start.ts';
import { lifetimes } from '#shared/accounts.ts';
import { newId } from '#shared/ids.ts';
import type { Permission } from '#shared/roles.ts';
import type { SharedRecordingsView } from '#shared/leaving.ts';
import { trashDays, type MeetingHit } from '#shared/meetings/meeting.ts';
import { writeAbout } from '#shared/meetings/about.ts';
import { textOf } from '#shared/meetings/transcript.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';

let house: TestHouse;
let ann: Person;
beforeAll(async () => {
  house = await openHouse();
  ann = await house.person();
});
afterAll(() => house?.close());

const by = { userId: null, origin: 'test' };
const hit = async (id: string) =>
  ((await ann.get('/api/meetings?size=100')).body.hits as MeetingHit[]).find((one) => one.id === id);
const rename = (id: string, title: string, { rooms } = house.house) =>
  rooms.change(id, 'transcript', by, (doc) => writeAbout(doc, { title }, 'test'));
const patient = { timeout: 60_000, interval: 100 };

describe('a recording shared with everyone', () => {
  const titled = async (owner: Person, title: string, permissions: Permission[], at: TestHouse = house) => {
    const id = await makeMeeting(at, owner);
    await rename(id, title, at.house);
    await updateProjection(at.house, id);
    await share(at, id, 'anonymous', permissions);
    return id;
  };
  const found = async (person: Person, query: string) =>
    ((await person.get(`/api/meetings${query}`)).body.hits as MeetingHit[]).map(({ id }) => id);

  test('is found by its title by everyone who is signed in, and is in no list without a query', async () => {
    const ben = await house.person();
    const lecture = await titled(ann, 'Open lecture 12', ['read', 'discover']);
    await titled(ann, 'Open lecture by its link', ['read']);
    const locked = await titled(ann, 'Open lecture with a code', ['read', 'discover']);
    await house.database.sql`update meeting_access set code_id = 'x' where meeting_id = ${locked}`;
    const past = await titled(ann, 'Open lecture until yesterday', ['read', 'discover']);
    await house.database
      .sql`update meeting_access set expires_at = now() - interval '1 day' where meeting_id = ${past}`;
    for (const query of ['?query=open+LECTURE', '?query=lecture&folder=/'])
      expect(await found(ben, query)).toEqual([lecture]);
    for (const query of ['', '?folder=/', '?query=']) expect(await found(ben, query)).toEqual([]);
    const [hitOf] = (await ben.get('/api/meetings?query=lecture')).body.hits as MeetingHit[];
    expect(hitOf).toMatchObject({ permissions: ['read', 'discover'], folder: null, owner: { name: 'Ann Test' } });
    expect((await ben.get(`/api/meetings/${lecture}`)).status).toBe(200);
    expect((await house.stranger().get('/api/meetings?query=lecture')).status).toBe(401);
    await ben.post('/api/folders', { path: '/Mine' });
    expect(await found(ben, '?query=lecture&folder=/Mine')).toEqual([]);
  });

  test('is not found by accounts whose address is not confirmed', async () => {
    const [lecture, eve] = [await titled(ann, 'Unheard lecture', ['read', 'discover']), house.stranger()];
    eve.email = 'eve-unconfirmed@example.test';
    await eve.register();
    expect(await found(eve, '?query=unheard')).toEqual([]);
    await eve.post(`/api/confirm/${await house.tokenFor(eve.email, '/confirm')}`);
    expect(await found(eve, '?query=unheard')).toEqual([lecture]);
  });

  test('is found by nobody else where the house turned that off', async () => {
    const other = await openHouse({ env: { DISCOVER: 'off' } });
    try {
      const [eve, ben] = await other.people(2);
      if (!eve || !ben) throw new Error('nobody there');
      const id = await titled(eve, 'Closed house', ['read', 'discover'], other);
      expect(await found(ben, '?query=closed')).toEqual([]);
      expect(await found(eve, '?query=closed')).toEqual([id]);
      expect((await ben.whoami()).body.config.discover).toBe(false);
    } finally {
      await other.close();
    }
  });
});

describe('lists', () => {
  test('show what was written in a document soon after it is quiet', async () => {
    const id = await makeMeeting(house, ann);
    await house.house.rooms.change(id, 'transcript', by, (doc) => {
      writeAbout(doc, { title: 'Interview 4' }, 'test');
      textOf(doc).insert(0, 'Shall we {Tom} start?');
    });
    expect(await hit(id)).toMatchObject({ title: '', words: 0 });
    await expect.poll(() => hit(id), patient).toMatchObject({ title: 'Interview 4', words: 4, speakers: 1 });
    expect((await hit(id))?.glance).toMatchObject({ opening: 'Shall we start?' });
    const [row] = await house.database.sql<{ at: string }[]>`
      select at from room_updates where room = ${`${id}/transcript`}`;
    expect((await hit(id))?.updatedAt).toBe(new Date(row?.at ?? 0).toISOString());
  });

  test('read a recording anew that an older version read', async () => {
    const id = await makeRecording(house, ann);
    await expect.poll(() => hit(id), patient).toMatchObject({ glance: { opening: expect.stringMatching(/\S/) } });
    const before = await hit(id);
    await house.database.sql`update meeting_projections set lanes = null, opening = null where meeting_id = ${id}`;
    expect(await hit(id)).toMatchObject({ glance: null });
    await updateProjection(house.house, id);
    expect(await hit(id)).toEqual(before);
    expect(before?.glance?.lanes).toMatch(/^[0-9a-n-]{80}$/);
  });

  test('never keep an edit waiting: it is stored while they cannot be written', async () => {
    const id = await makeMeeting(house, ann);
    await house.database.sql.begin(async (tx) => {
      await tx`lock table meeting_projections in access exclusive mode`;
      await rename(id, 'first');
      // Long enough for the room to be quiet, and for the list to be tried and not written.
      await expect.poll(() => house.log(), patient).toContain('lists lag behind');
      await rename(id, 'second');
    });
    await expect.poll(() => hit(id), patient).toMatchObject({ title: 'second' });
  });

  test('show a title the database has no letters for with a mark in their place', async () => {
    const id = await makeMeeting(house, ann);
    await house.house.rooms.change(id, 'transcript', by, (doc) => doc.getMap('about').set('title', 'a\0b'));
    await updateProjection(house.house, id);
    expect(await hit(id)).toMatchObject({ title: 'a\uFFFDb' });
  });

  test('are not set back by an older update', async () => {
    const id = await makeRecording(house, ann);
    const ahead = { version: 1000, title: 'ahead' };
    const mine = eq(meetingProjections.meetingId, id);
    await house.database.orm.update(meetingProjections).set(ahead).where(mine);
    await updateProjection(house.house, id);
    const rows = await house.database.orm.select().from(meetingProjections).where(mine);
    expect(rows).toMatchObject([ahead]);
  });

  test('catch up with changes made while no process was watching', async () => {
    const root = new URL('../..', import.meta.url).pathname;
    const config = readConfig({ PORT: '0', DATABASE_URL: house.url }, root);
    const given = { log: createLog('silent'), quickPasswords: true, client: null };
    let id = '';
    // On a slow machine the list may be written before the end; then there is nothing to catch up with.
    do {
      id = await makeMeeting(house, ann);
      const short = await start(config, () => {}, given);
      await rename(id, 'at the last moment', short.house);
      await short.stop();
    } while ((await hit(id))?.title !== '');
    const next = await start(config, () => {}, given);
    await expect.poll(() => hit(id), patient).toMatchObject({ title: 'at the last moment' });
    await next.stop();
  });
});

const keysOf = async (id: string) =>
  (await house.database.orm.select().from(media).where(eq(media.meetingId, id))).map(({ storeKey }) => storeKey);
const there = async (keys: string[]) =>
  Promise.all(keys.map(async (key) => (await house.house.store.size(key)) !== null));
const leftovers = async () => (await house.database.orm.select().from(storeLeftovers)).map(({ key }) => key);

test('a deleted recording is deleted for good after thirty days, with its files, and not before', async () => {
  const [gone, kept] = [await makeRecording(house, ann), await makeRecording(house, ann)];
  const [goneKeys, keptKeys] = [await keysOf(gone), await keysOf(kept)];
  expect(goneKeys).toHaveLength(2);
  await ann.delete(`/api/meetings/${gone}?force=1`);
  await emptyTrash(house.house);
  expect((await ann.post(`/api/meetings/${gone}/restore`)).status).toBe(204);
  await ann.delete(`/api/meetings/${gone}`);
  const deletedAt = new Date(house.clock.now().getTime() - (trashDays + 1) * 86_400_000);
  await house.database.orm.update(meetings).set({ deletedAt }).where(eq(meetings.id, gone));
  // After thirty days it cannot be restored, even if it is not deleted yet.
  expect((await ann.post(`/api/meetings/${gone}/restore`)).problem).toMatchObject({ code: 'NO_ACCESS' });
  await emptyTrash(house.house);
  await sweepLeftovers(house.house);
  expect(await there(goneKeys)).toEqual([false, false]);
  expect(await there(keptKeys)).toEqual([true, true]);
  expect((await house.database.orm.select().from(meetings).where(eq(meetings.id, gone))).length).toBe(0);
});

test('a meeting that cannot be cleared away keeps its recordings, and stops no other', async () => {
  const [stuck, gone] = (await Promise.all([makeRecording(house, ann), makeRecording(house, ann)])).toSorted();
  const [stuckKeys, goneKeys] = [await keysOf(stuck ?? ''), await keysOf(gone ?? '')];
  const deletedAt = new Date(house.clock.now().getTime() - (trashDays + 1) * 86_400_000);
  await house.database.orm
    .update(meetings)
    .set({ deletedAt })
    .where(inArray(meetings.id, [stuck ?? '', gone ?? '']));
  const guard = (text: string) => house.database.sql.unsafe(text);
  await guard(`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
    create trigger refuse before delete on meetings for each row when (old.id = '${stuck}') execute function refuse()`);
  try {
    await emptyTrash(house.house);
    await sweepLeftovers(house.house);
  } finally {
    await guard('drop trigger refuse on meetings; drop function refuse()');
  }
  expect(await there(stuckKeys)).toEqual([true, true]);
  expect(await there(goneKeys)).toEqual([false, false]);
});

describe('files whose rows are gone leave the store', () => {
  test.each<{ when: string; leave: (person: Person) => Promise<unknown> }>([
    {
      when: 'with an account that is deleted',
      leave: async (person) => {
        const shared = (await person.get('/api/principals/me/shared-recordings')).body as SharedRecordingsView;
        const recordings = shared.recordings.map(({ id }) => ({ id, to: null }));
        const { password } = person;
        await person.post('/api/principals/me/delete', { reason: 'taskCompleted', password, recordings });
      },
    },
    {
      when: 'with an unconfirmed account',
      leave: async ({ id }) => {
        const createdAt = new Date(house.clock.now().getTime() - (lifetimes.unconfirmedAccount + 1) * 1000);
        await house.database.orm.update(users).set({ confirmedAt: null, createdAt }).where(eq(users.id, id));
        await sweepUnconfirmed(house.house);
      },
    },
  ])('$when', async ({ leave }) => {
    const [ben, dana] = [await house.person('Ben'), await house.person('Dana')];
    const [bens, danas] = [
      await keysOf(await makeRecording(house, ben, [dana])),
      await keysOf(await makeRecording(house, dana, [ben])),
    ];
    expect(await there(bens)).toEqual([true, true]);
    await leave(ben);
    expect(await leftovers()).toEqual(expect.arrayContaining(bens));
    await sweepLeftovers(house.house);
    expect(await there(bens)).toEqual([false, false]);
    expect(await there(danas)).toEqual([true, true]);
    expect(await leftovers()).toEqual([]);
  });

  test('one that cannot be removed stops no other, and is tried again', async () => {
    const key = newId();
    await house.house.store.put(key, Readable.from([Buffer.from('left')]));
    // The first is not a valid key of the store.
    await house.database.orm.insert(storeLeftovers).values([{ key: '!' }, { key }]);
    await sweepLeftovers(house.house);
    expect(await there([key])).toEqual([false]);
    expect(await leftovers()).toEqual(['!']);
    await sweepLeftovers({ ...house.house, store: { ...house.house.store, remove: async () => {} } });
    expect(await leftovers()).toEqual([]);
  });

  test('by itself: it is part of the housekeeping', async () => {
    const key = newId();
    await house.house.store.put(key, Readable.from([Buffer.from('left')]));
    await house.database.orm.insert(storeLeftovers).values({ key });
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const jobs = startHousekeeping(house.house, { sweepLimits: async () => {} });
    vi.advanceTimersByTime(600_000);
    vi.useRealTimers();
    await jobs.stop();
    expect(await there([key])).toEqual([false]);
  });
});
