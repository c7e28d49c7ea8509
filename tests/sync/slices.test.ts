// G16: a document of many structures is built slice by slice, with turns for everybody else in between, and has all that
// was stored when it is read.
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Y from 'yjs';
import { textOf } from '#shared/meetings/transcript.ts';
import { openHouse, type TestHouse } from '../support/house.ts';
import { makeMeeting } from '../support/meetings.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.close());

const by = { userId: null, origin: 'test' };
const letters = 25_000;

/** A room that nobody has written to since it was opened, whose document has many structures. */
async function coldRoom() {
  const id = await makeMeeting(house, await house.person());
  const { rooms } = house.house;
  const made = new Y.Doc();
  made.transact(() => {
    for (let i = 0; i < letters; i += 1) textOf(made).insert(0, 'ab'[i % 2] ?? '');
    textOf(made).delete(letters / 2, 10);
  });
  const state = Y.encodeStateAsUpdate(made);
  await rooms.change(id, 'transcript', by, (doc) => Y.applyUpdate(doc, state));
  (await rooms.enter(id, 'transcript', null)).room.drop('test', 1012);
  const { room } = await rooms.enter(id, 'transcript', null);
  return { room, text: textOf(made).toString() };
}

test('a cold document is built in several turns, and what is written meanwhile is in it', async () => {
  const { room, text } = await coldRoom();
  const { soon } = room.world;
  let turns = 0;
  let written: Promise<unknown> | null = null;
  room.world.soon = (work) => {
    turns += 1;
    soon(() => {
      written ??= room.change(by, (doc) => textOf(doc).insert(textOf(doc).length, ' meanwhile'));
      work();
    });
  };
  const [first, isBuilt] = [room.read((doc) => textOf(doc).toString()), () => room.isBuilt];
  expect(isBuilt()).toBe(false);
  expect(await first).toBe(text);
  expect(turns).toBeGreaterThanOrEqual(3);
  await written;
  expect(await room.read((doc) => textOf(doc).toString())).toBe(`${text} meanwhile`);
});

test('a snapshot that takes the place of rows meanwhile loses nothing', async () => {
  const { room, text } = await coldRoom();
  const { soon } = room.world;
  let compacted: Promise<void> | null = null;
  room.world.soon = (work) => {
    compacted ??= room.compact();
    // The slices are of rows that the snapshot has swallowed by then.
    void compacted.then(() => soon(work));
  };
  expect(await room.read((doc) => textOf(doc).toString())).toBe(text);
  room.world.soon = soon;
  await room.change(by, (doc) => textOf(doc).insert(0, 'more '));
  expect(await room.read((doc) => textOf(doc).toString())).toBe(`more ${text}`);
});
