// Any earlier state of a transcript, by its version: read from the log, even if the document has changed since.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { checksum, setAside } from '#db/updates.ts';
import { Versions } from '#server/rooms/at-version.ts';
import { textOf } from '#shared/meetings/transcript.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting } from '#tests/support/meetings.ts';
import { countConflicts, tangledText } from '#tests/support/tangled.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.close());

const by = { userId: null, origin: 'test' };
const roomOf = (id: string) => `${id}/transcript`;
const meeting = async () => makeMeeting(house, await house.person());
const textAt = async (id: string, version: number, versions = house.house.versions) =>
  textOf((await versions.docAt(id, version)).doc).toString();

/** Writes, and answers which version that made. */
async function write(id: string, work: (text: Y.Text) => void): Promise<number> {
  await house.house.rooms.change(id, 'transcript', by, (doc) => work(textOf(doc)));
  return house.house.documents.read(id, (_doc, { version }) => version);
}

async function renew(id: string, text: string): Promise<number> {
  const doc = new Y.Doc();
  textOf(doc).insert(0, text);
  await house.house.rooms.renew(id, 'transcript', by, Y.encodeStateAsUpdate(doc));
  return house.house.documents.read(id, (_doc, { version }) => version);
}

/** A snapshot as the rooms make them, of the state a version had. */
async function storeSnapshot(id: string, version: number): Promise<void> {
  const { doc, generation, seq } = await house.house.versions.docAt(id, version);
  const bytes = Buffer.from(Y.encodeStateAsUpdate(doc));
  const sum = checksum(roomOf(id), generation, seq, bytes);
  await house.database.sql`
    insert into room_snapshots (room, generation, seq, bytes, checksum, at)
    values (${roomOf(id)}, ${generation}, ${seq}, ${bytes}, ${sum}, now())`;
}

/** Everything that was ever there, by its version. */
async function expectAll(id: string, states: ReadonlyMap<number, string>): Promise<void> {
  const versions = new Versions(house.database.ask, async () => null);
  const found = new Map<number, string>();
  for (const version of states.keys()) found.set(version, await textAt(id, version, versions));
  expect(found).toEqual(states);
}

describe('a document at a version', () => {
  test('G16: that costs too much to build is built from other bytes, to be read and to be restored', async () => {
    const owner = await house.person();
    const id = await makeMeeting(house, owner);
    await house.house.rooms.change(id, 'transcript', by, (doc) => Y.applyUpdate(doc, tangledText(1100)));
    const version = await house.house.documents.read(id, (_doc, now) => now.version);
    const text = await house.house.documents.read(id, (doc) => textOf(doc).toString());
    await write(id, (now) => now.delete(0, 900));
    (await house.house.rooms.enter(id, 'transcript', null)).room.drop('test', 1012);

    const conflicts = countConflicts();
    const { status } = await owner.get(`/api/meetings/${id}/versions/${version}`);
    const restored = await owner.post(`/api/meetings/${id}/versions/${version}/restore`);
    const after = await house.house.documents.read(id, (doc) => textOf(doc).toString());
    expect([status, restored.status, conflicts()]).toEqual([200, 200, 0]);
    expect(after).toBe(text);
  });

  test('is what it was, over deletions, generations and snapshots, and what was set aside', async () => {
    const id = await meeting();
    const states = new Map([[0, '']]);
    const live = () => house.house.documents.read(id, (doc) => textOf(doc).toString());
    for (let i = 0; i < 12; i += 1) {
      const version = await write(id, (text) =>
        i % 4 === 3 ? text.delete(1, Math.ceil(text.length / 2)) : text.insert(Math.min(i, text.length), `word ${i} `),
      );
      states.set(version, await live());
    }
    await expectAll(id, states);
    await storeSnapshot(id, 5);
    await storeSnapshot(id, 9);
    await expectAll(id, states);

    states.set(await renew(id, 'another'), 'another');
    states.set(await write(id, (text) => text.insert(0, 'yet ')), 'yet another');
    const room = roomOf(id);
    // From now on, one more version has the same text.
    await setAside(house.database.sql, room, 2, [{ kind: 'snapshot', seq: 2, why: 'test' }], new Date());
    const mended = await house.house.documents.read(id, (_doc, { version }) => version);
    expect(mended).toBe(15);
    states.set(mended, 'yet another');
    states.set(await write(id, (text) => text.insert(0, 'and ')), 'and yet another');
    states.set(await renew(id, 'a third'), 'a third');
    states.set(await write(id, (text) => text.delete(0, 2)), 'third');
    await expectAll(id, states);
    // Each takes the next number, also over generations.
    expect([...states.keys()]).toEqual([...states.keys()].map((_, i) => i));

    // A snapshot that was changed is passed over.
    await house.database.sql`update room_snapshots set bytes = ${Buffer.from([0, 0])} where room = ${room} and seq = 9`;
    await expectAll(id, states);
    // Were it not: its whole mark makes it believed.
    await house.database.sql`
      update room_snapshots set checksum = ${checksum(room, 1, 9, Buffer.from([0, 0]))} where room = ${room} and seq = 9`;
    await expect(expectAll(id, states)).rejects.toThrow();
  });

  test('has its characters under the ids they have for ever', async () => {
    const id = await meeting();
    await write(id, (text) => text.insert(0, 'one two'));
    await write(id, (text) => text.insert(3, ' and a half'));
    const then = await house.house.versions.docAt(id, 1);
    const place = Y.createRelativePositionFromTypeIndex(textOf(then.doc), 4);
    await house.house.documents.read(id, (doc) =>
      expect(Y.createAbsolutePositionFromRelativePosition(place, doc)?.index).toBe('one and a half '.length),
    );
    expect(then).toMatchObject({ version: 1, generation: 1, seq: 1 });
  });

  test('is built once for any number of requests, and only some are cached', async () => {
    const id = await meeting();
    for (let i = 0; i < 9; i += 1) await write(id, (text) => text.insert(0, 'a'));
    const versions = new Versions(house.database.ask, async () => null);
    const same = await Promise.all([1, 2, 3].map(() => versions.docAt(id, 4)));
    expect(new Set(same.map(({ doc }) => doc)).size).toBe(1);
    expect(versions.built).toBe(1);
    for (const version of [5, 6, 7, 4, 8, 9, 1]) await versions.docAt(id, version);
    expect(versions.built).toBe(7);
    await versions.docAt(id, 4);
    expect(versions.built).toBe(7);
    await versions.docAt(id, 5);
    expect(versions.built).toBe(8);
  });

  test('is built for one request at a time', async () => {
    const id = await meeting();
    for (let i = 0; i < 25; i += 1) await write(id, (text) => text.insert(0, 'a'));
    const versions = new Versions(house.database.ask, async () => null);
    let open = () => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    let [going, most] = [0, 0];
    const line = Array.from({ length: 20 }, () =>
      versions.inTurn(async () => {
        most = Math.max(most, (going += 1));
        await gate;
        going -= 1;
      }),
    );
    await expect(versions.docAt(id, 3)).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfter: 2 });
    open();
    await Promise.all(line);
    expect(most).toBe(1);
    // A later request succeeds.
    expect(await textAt(id, 25, versions)).toBe('a'.repeat(25));
  });

  test.each([
    ['one that is yet to come', () => 4],
    ['less than none', () => -1],
    ['half a one', () => 1.5],
    ['one of a generation that is yet to come', () => 2 ** 33 + 1],
    ['what a generation never was', () => 2 ** 32],
    ['too large a number', () => 2 ** 53],
    ['no number', () => Number.NaN],
  ])('%s: there is none', async (_which, version) => {
    const id = await meeting();
    await write(id, (text) => text.insert(0, 'a'));
    await write(id, (text) => text.insert(0, 'b'));
    await renew(id, 'c');
    await expect(house.house.versions.docAt(id, version())).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('of a room that was never opened is empty', async () => {
    const id = await meeting();
    expect(await textAt(id, 0)).toBe('');
    await expect(house.house.versions.docAt(id, 1)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('is refused if its row was changed; those before it, and behind a snapshot, are returned', async () => {
    const id = await meeting();
    for (const letter of 'abcdef') await write(id, (text) => text.insert(text.length, letter));
    await storeSnapshot(id, 5);
    const row = house.database
      .sql`update room_updates set bytes = ${Buffer.from([1, 0])} where room = ${roomOf(id)} and seq = 3`;
    await row;
    const versions = new Versions(house.database.ask, async () => null);
    expect(await textAt(id, 2, versions)).toBe('ab');
    expect(await textAt(id, 6, versions)).toBe('abcdef');
    for (const version of [3, 4])
      await expect(versions.docAt(id, version)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
