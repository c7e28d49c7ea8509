// R10: a write over REST runs alone, is judged by everything stored, and stored as the very next row.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import * as Y from 'yjs';
import { appendAnswered, type Next } from '#db/answers.ts';
import { appendRows, readRows, type PendingRow } from '#db/updates.ts';
import { newId } from '#shared/ids.ts';
import { textOf } from '#shared/meetings/transcript.ts';
import { packUpdates, unpackUpdates } from '#sync/protocol.ts';
import { inspect } from '#sync/server/inspect.ts';
import type { Room } from '#sync/server/room.ts';
import { NotTaken } from '#sync/server/server-writes.ts';
import { closeEditors, Editor, until } from '../support/editors.ts';
import { openBeside, openHouse, type TestHouse } from '../support/house.ts';
import { makeMeeting, ownerOf, ticketFor } from '../support/meetings.ts';
import type { Person } from '../support/people.ts';

let house: TestHouse;
let ann: Person;
beforeAll(async () => {
  house = await openHouse();
  ann = await house.person();
});
afterEach(closeEditors);
afterAll(() => house?.close());

const by = { userId: null, origin: 'test' };
const add = (word: string) => (doc: Y.Doc) => textOf(doc).insert(textOf(doc).length, `${word} `);

async function scene() {
  const id = await makeMeeting(house, ann);
  const name = `${id}/transcript`;
  const { sql } = house.database;
  const { room } = await house.house.rooms.enter(id, 'transcript', null);
  const answer = { status: 200, etag: null, body: null };
  const holder = await ownerOf(house, id, ann);
  const keep = async (row: PendingRow, after: number, _result?: unknown, requestId = newId()): Promise<Next> => {
    const asked = { userId: ann.id, requestId, fingerprint: Buffer.alloc(0) };
    const kept = await appendAnswered(sql, row, after, asked, answer, holder);
    if (kept === 'less' || kept === 'out' || kept === 'busy') throw new Error(`a right was lost: ${kept}`);
    return kept;
  };
  await room.change(by, add('first'));
  /** The text behind each row, read from the log: no update waits for a missing one at any of them. */
  const log = async () => {
    const doc = new Y.Doc();
    const [row] = await sql<{ seq: string }[]>`select seq from rooms where name = ${name}`;
    const texts: string[] = [];
    for (const { bytes } of await readRows(sql, name, 1, 0, Number(row?.seq))) {
      for (const update of unpackUpdates(bytes)) Y.applyUpdate(doc, update);
      expect(doc.store.pendingStructs).toBeNull();
      expect(doc.store.pendingDs).toBeNull();
      texts.push(textOf(doc).toString().trim());
    }
    return texts;
  };
  return { id, name, sql, room, keep, log };
}
const read = (room: Room) => room.read((doc) => textOf(doc).toString().trim());
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

test('it is the next row, sent to everybody who has the document open, and answered with its number', async () => {
  const { id, room, keep, log } = await scene();
  const ticket = await ticketFor(ann, `${id}/transcript`);
  const editor = new Editor({ room: `${id}/transcript`, at: () => house.origin, ticket });
  await until(() => editor.provider.synced);
  const seen: number[] = [];
  const done = await room.changeNext(
    by,
    (doc, seq) => {
      seen.push(seq);
      add('second')(doc);
      return 'result';
    },
    keep,
  );
  expect([done, seen]).toEqual([{ result: 'result', seq: 2 }, [1]]);
  await until(() => editor.text.toString() === 'first second ');
  expect(await log()).toEqual(['first', 'first second']);
  // A turn without a change makes no row.
  expect(await room.changeNext(by, () => 'nothing', keep)).toEqual({ result: 'nothing', seq: 2 });
});

test('runs again on the newer document if another process was quicker', async () => {
  const { name, sql, room, keep, log } = await scene();
  const seen: string[] = [];
  let others = 0;
  const { seq } = await room.changeNext(
    by,
    (doc) => {
      seen.push(textOf(doc).toString().trim());
      add('mine')(doc);
    },
    async (row, after) => {
      if ((others += 1) <= 2) {
        const doc = new Y.Doc();
        for (const { bytes } of await readRows(sql, name, 1, 0, after))
          for (const update of unpackUpdates(bytes)) Y.applyUpdate(doc, update);
        const before = Y.encodeStateVector(doc);
        add(`theirs${others}`)(doc);
        const bytes = packUpdates([Y.encodeStateAsUpdate(doc, before)]);
        await appendRows(sql, [{ ...row, clientIds: [doc.clientID], bytes }]);
      }
      return keep(row, after);
    },
  );
  expect(seen).toEqual(['first', 'first theirs1', 'first theirs1 theirs2']);
  expect(seq).toBe(4);
  expect((await log()).at(-1)).toBe('first theirs1 theirs2 mine');
  expect(await read(room)).toBe('first theirs1 theirs2 mine');
});

test('an answered row is visible to the next read or write, also while another row is being stored', async () => {
  const { id, name, sql, room, keep } = await scene();
  const flying = gate();
  const storing = gate();
  const first = room.changeNext(by, add('before'), async (row, after) => {
    const stored = await keep(row, after);
    // The row is stored, but the room does not know it yet, when another process stores the next.
    flying.open();
    await storing.opened;
    return stored;
  });
  await flying.opened;
  const doc = new Y.Doc();
  add('theirs')(doc);
  const bytes = packUpdates([Y.encodeStateAsUpdate(doc)]);
  const row = { room: name, generation: 1, userId: null, clientIds: [doc.clientID], bytes, at: new Date() };
  expect(await appendRows(sql, [row])).toEqual([3]);
  const { documents } = house.house;
  const answers = [
    documents.read(id, (now, { version }) => [version, textOf(now).toString()]),
    documents.inRoom(id, (one) =>
      one.changeNext(by, (now, seq) => [seq, textOf(now).toString()], keep).then(({ result }) => result),
    ),
  ];
  // Both have asked for the last row of the log before the room learns that its own row is stored.
  await until(() => room.lastSeq === 3);
  storing.open();
  await first;
  for (const [version, text] of await Promise.all(answers)) {
    expect(version).toBe(3);
    expect(String(text).split(' ').toSorted()).toEqual(['', 'before', 'first', 'theirs']);
  }
});

test('a turn that is not taken, or throws, changes nothing', async () => {
  const { room, keep, log } = await scene();
  await expect(room.changeNext(by, add('refused'), async () => 'refused')).rejects.toBeInstanceOf(NotTaken);
  const thrown = room.changeNext(
    by,
    (doc) => {
      add('thrown')(doc);
      throw new Error('not like this');
    },
    keep,
  );
  await expect(thrown).rejects.toThrow('not like this');
  expect(await read(room)).toBe('first');
  await room.change(by, add('next'));
  expect(await log()).toEqual(['first', 'first next']);
});

test('other writes come before it or behind it, and depend on nothing that comes later', async () => {
  const { room, keep, log } = await scene();
  const flying = gate();
  const storing = gate();
  const all = [
    room.change(by, add('before')),
    room.changeNext(by, add('turn'), async (row, after) => {
      flying.open();
      await storing.opened;
      return keep(row, after);
    }),
    // The room's own document has it at once; the row is stored behind.
    room.change(by, add('with')),
    room.changeNext(by, add('again'), keep),
  ];
  await flying.opened;
  all.push(room.change(by, add('while')));
  storing.open();
  await Promise.all(all);
  const texts = await log();
  for (const word of ['first', 'before', 'turn', 'with', 'again', 'while'])
    expect(
      texts
        .at(-1)
        ?.split(' ')
        .filter((one) => one === word),
    ).toHaveLength(1);
  expect(await read(room)).toBe(texts.at(-1));
});

test('a connection that breaks after storing does not store the row twice', async () => {
  const { room, log, keep } = await scene();
  const requestId = newId();
  let tries = 0;
  const turn = room.changeNext(by, add('once'), async (row, after) => {
    const stored = await keep(row, after, undefined, requestId);
    if ((tries += 1) === 1) throw new Error('the line broke');
    return stored;
  });
  await expect(turn).rejects.toBeInstanceOf(NotTaken);
  expect(await log()).toEqual(['first', 'first once']);
  expect(tries).toBe(2);
});

test('a change that is made apart of the stored bytes is the next row, and again where another process was quicker', async () => {
  const { room, keep, log } = await scene();
  const beside = await openBeside(house);
  try {
    const { room: other } = await beside.house.rooms.enter(room.name.split('/')[0] ?? '', 'transcript', null);
    const asked = gate();
    const go = gate();
    const seen: string[] = [];
    const made = room.changeApart(
      by,
      async (pieces) => {
        const doc = new Y.Doc();
        for (const piece of pieces) Y.applyUpdate(doc, piece);
        seen.push(textOf(doc).toString().trim());
        asked.open();
        await go.opened;
        const before = Y.encodeStateVector(doc);
        add('apart')(doc);
        const update = Y.encodeStateAsUpdate(doc, before);
        return { update, inspected: inspect(update) };
      },
      (row, after) => keep(row, after),
    );
    await asked.opened;
    // Edits wait for it, and find it in the document.
    const late = room.change(by, add('late'));
    await other.change(by, add('elsewhere'));
    go.open();
    await made;
    await late;
    expect(seen).toEqual(['first', 'first elsewhere']);
    const words = (await read(room)).split(' ');
    expect(words.toSorted()).toEqual(['apart', 'elsewhere', 'first', 'late']);
    expect((await log()).at(-1)?.split(' ').toSorted()).toEqual(words.toSorted());
    // A change that fails leaves the room as it is, and so does one that changes nothing.
    await expect(room.changeApart(by, () => Promise.reject(new Error('no')), keep)).rejects.toThrow('no');
    await room.changeApart(by, async () => null, keep);
    expect((await log()).length).toBe(4);
  } finally {
    await beside.stop();
  }
});
