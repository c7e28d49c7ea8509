// The log: the numbers of its rows, and damaged or missing rows and snapshots: the room is never taken for empty.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from 'postgres';
import * as Y from 'yjs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  DamagedLog,
  appendRows,
  checksum,
  loadRoom,
  loadRooms,
  makeRooms,
  readRows,
  type PendingRow,
  type StoredRoom,
} from '#db/updates.ts';
import { openDatabase, type Database } from '#db/open.ts';
import { close, packUpdates, readFrame, unpackUpdates, type Frame } from '#sync/protocol.ts';
import { noFanout } from '#sync/server/fanout.ts';
import type { Peer } from '#sync/server/session.ts';
import { Rooms } from '#sync/server/rooms.ts';
import { makeSnapshot } from '#sync/server/snapshot.ts';
import { newId } from '#shared/ids.ts';
import { freshDatabase } from '../support/database.ts';
import { makeRoom } from '../support/crash.ts';

let database: Database;
let other: Database;
let sql: Sql;
let drop: () => Promise<void>;
const opened: Rooms[] = [];
beforeAll(async () => {
  const fresh = await freshDatabase();
  ({ database, drop } = fresh);
  ({ sql } = database);
  other = openDatabase(fresh.url);
});
afterEach(async () => {
  for (const rooms of opened.splice(0)) await rooms.drain(0);
});
afterAll(async () => {
  await other.close();
  await drop();
});

const at = new Date('2030-01-01T12:00:00Z');
const rowOf = (room: string, updates: Uint8Array[], generation = 1): PendingRow => ({
  room,
  generation,
  userId: 'ann',
  clientIds: [1],
  bytes: packUpdates(updates),
  at,
});

/** A room in the tables, with nothing in it. */
async function emptyRoom(): Promise<string> {
  const { room } = await makeRoom(database, 1);
  await sql`insert into rooms (name, meeting_id, part) values (${room}, ${room.split('/')[0] ?? ''}, 'transcript')`;
  return room;
}

/** One word a row, each behind the one before it. */
function words(count: number): { updates: Uint8Array[]; text(upTo?: number): string } {
  const doc = new Y.Doc();
  const updates: Uint8Array[] = [];
  doc.on('update', (update: Uint8Array) => updates.push(update));
  const text = doc.getText('text');
  for (let i = 1; i <= count; i += 1) text.insert(text.length, `w${i} `);
  return {
    updates,
    text: (upTo = count) => Array.from({ length: upTo }, (_, i) => `w${i + 1} `).join(''),
  };
}

async function roomOf(count: number) {
  const room = await emptyRoom();
  const { updates, text } = words(count);
  await appendRows(
    sql,
    updates.map((update) => rowOf(room, [update])),
  );
  return { room, updates, text };
}

async function snapshotAt(room: string, updates: readonly Uint8Array[], seq: number): Promise<void> {
  const bytes = Buffer.from(makeSnapshot(updates.slice(0, seq)));
  await sql`insert into room_snapshots (room, generation, seq, bytes, checksum, at)
    values (${room}, 1, ${seq}, ${bytes}, ${checksum(room, 1, seq, bytes)}, now())`;
}

const flipBit = (table: 'room_updates' | 'room_snapshots', room: string, seq: number, bit: number) =>
  sql`update ${sql(table)} set bytes = set_bit(bytes, ${bit}, 1 - get_bit(bytes, ${bit}))
    where room = ${room} and seq = ${seq}`;

function textOf({ snapshot, updates }: StoredRoom): string {
  const doc = new Y.Doc();
  if (snapshot) Y.applyUpdate(doc, snapshot.bytes);
  for (const { bytes } of updates) for (const update of unpackUpdates(bytes)) Y.applyUpdate(doc, update);
  return doc.getText('text').toString();
}

/** The rooms of one process, as the server opens them. */
function openRooms(given: { sql?: Sql } = {}) {
  const events: [string, Record<string, unknown>][] = [];
  const rooms = new Rooms({
    sql: given.sql ?? sql,
    now: () => at,
    event: (name, fields) => events.push([name, fields]),
    fanout: () => noFanout,
  });
  opened.push(rooms);
  return { rooms, events, told: (name: string) => events.filter(([one]) => one === name).map(([, fields]) => fields) };
}

/** A peer without a socket; its document is made of what it is sent. */
class Visitor implements Peer {
  readonly id = newId();
  readonly userId: string;
  readonly canWrite = true;
  readonly history = true;
  readonly wantsSaved = true;
  readonly doc = new Y.Doc();
  readonly frames: Frame[] = [];
  closed: number | null = null;
  constructor(userId = newId()) {
    this.userId = userId;
  }
  send(bytes: Uint8Array): void {
    const frame = readFrame(bytes);
    this.frames.push(frame);
    if (frame.kind === 'state' || frame.kind === 'update') Y.applyUpdate(this.doc, frame.update);
  }
  sendShared({ frames }: { frames: readonly Uint8Array[] }, without?: ReadonlySet<number>): void {
    for (const [i, frame] of frames.entries()) if (!without?.has(i)) this.send(frame);
  }
  allows(): boolean {
    return true;
  }
  close(code: number): void {
    this.closed = code;
  }
  get text(): string {
    return this.doc.getText('text').toString();
  }
  get saved(): number {
    return this.frames.reduce((most, frame) => (frame.kind === 'saved' ? Math.max(most, frame.count) : most), 0);
  }
}

async function visit(rooms: Rooms, room: string, visitor = new Visitor()) {
  const { room: live } = await rooms.enter(room.split('/')[0] ?? '', 'transcript', visitor.userId);
  live.join(visitor);
  live.receive(visitor, { kind: 'ask', stateVector: Y.encodeStateVector(visitor.doc) });
  const type = (what: string) => {
    const updates: Uint8Array[] = [];
    const collect = (update: Uint8Array) => updates.push(update);
    visitor.doc.on('update', collect);
    visitor.doc.getText('text').insert(0, what);
    visitor.doc.off('update', collect);
    for (const update of updates) live.receive(visitor, { kind: 'update', update });
  };
  return { live, visitor, type };
}

const until = async (what: () => boolean | Promise<boolean>) => {
  while (!(await what())) await sleep(10);
};

describe('L3: two processes that append to the same rooms', () => {
  test('leave no gap, give no number twice, and keep the order of each', async () => {
    const rooms = await Promise.all([emptyRoom(), emptyRoom(), emptyRoom()]);
    const given = new Map<string, { seq: number | null; what: string }[]>(rooms.map((room) => [room, []]));
    const work = async (pool: Sql, who: number) => {
      for (let round = 0; round < 40; round += 1) {
        // In another order each time, several rows of a room in one statement.
        const mine = rooms
          .toSorted(() => Math.random() - 0.5)
          .flatMap((room) =>
            Array.from({ length: 1 + (round % 3) }, (_, n) => ({ room, what: `${who}.${round}.${n}` })),
          );
        const numbers = await appendRows(
          pool,
          mine.map(({ room, what }) => rowOf(room, [Buffer.from(what)])),
        );
        for (const [i, { room, what }] of mine.entries()) given.get(room)?.push({ seq: numbers[i] ?? null, what });
      }
    };
    await Promise.all([work(sql, 1), work(sql, 2), work(other.sql, 3), work(other.sql, 4)]);
    for (const [room, told] of given) {
      const rows = await readRows(sql, room, 1, 0, told.length);
      expect(rows.map(({ seq }) => seq)).toEqual(told.map((_, i) => i + 1));
      const stored = new Map(
        rows.map(({ seq, bytes }) => [seq, Buffer.from(unpackUpdates(bytes)[0] ?? []).toString()]),
      );
      expect(told.filter(({ seq, what }) => stored.get(seq ?? 0) !== what)).toEqual([]);
      for (const who of ['1', '2', '3', '4']) {
        const numbers = told.filter(({ what }) => what.startsWith(who)).map(({ seq }) => seq ?? 0);
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      }
      const [{ seq } = { seq: '' }] = await sql<{ seq: string }[]>`select seq from rooms where name = ${room}`;
      expect(Number(seq)).toBe(told.length);
    }
  });

  test('a statement stores all its rows or none', async () => {
    const { room, updates } = await roomOf(3);
    // The next number is taken already, by a row that was never published.
    await sql`insert into room_updates (room, generation, seq, bytes, checksum, at) values (${room}, 1, 4, '', '', now())`;
    const sound = await emptyRoom();
    await expect(appendRows(sql, [rowOf(sound, updates), rowOf(room, updates)])).rejects.toThrow(/duplicate key/);
    expect(await loadRoom(sql, sound)).toMatchObject({ seq: 0, updates: [] });
    expect(await loadRoom(sql, room)).toMatchObject({ seq: 3 });
  });
});

describe('L4 F54: one changed bit', () => {
  test('is noticed in every one of a thousand rows', async () => {
    const { room } = await roomOf(1000);
    await sql`update room_updates set bytes = set_bit(bytes, (seq * 7 % (8 * length(bytes)))::int,
      1 - get_bit(bytes, (seq * 7 % (8 * length(bytes)))::int)) where room = ${room}`;
    let unnoticed = 0;
    for (let seq = 1; seq <= 1000; seq += 1)
      await readRows(sql, room, 1, seq - 1, seq).then(
        () => (unnoticed += 1),
        (error: unknown) => expect(error).toMatchObject({ kind: 'checksum', seq }),
      );
    expect(unnoticed).toBe(0);
  });

  test('a row moved to another place, room or generation counts as damaged', async () => {
    const { room, text } = await roomOf(4);
    const twin = await roomOf(4);
    await sql`update room_updates set bytes = (select bytes from room_updates where room = ${room} and seq = 4),
      checksum = (select checksum from room_updates where room = ${room} and seq = 4) where room = ${room} and seq = 3`;
    await sql`update room_updates t set checksum = s.checksum from room_updates s
      where t.room = ${twin.room} and t.seq = 3 and s.room = ${room} and s.seq = 2`;
    for (const one of [room, twin.room]) {
      const stored = await loadRoom(sql, one);
      expect(stored?.damage).toMatchObject({ kind: 'checksum', seq: 3 });
      expect(stored && textOf(stored)).toBe(text(2));
    }
  });

  test.each([
    ['the newest', [20], 10],
    ['both', [20, 10], 0],
  ])('in %s of two snapshots: the one before it and the log behind that are the document', async (_, flipped, from) => {
    const { room, updates, text } = await roomOf(25);
    await snapshotAt(room, updates, 10);
    await snapshotAt(room, updates, 20);
    for (const seq of flipped) await flipBit('room_snapshots', room, seq, 77);
    const stored = await loadRoom(sql, room);
    expect([stored?.snapshot?.seq ?? 0, stored?.updates.length, stored?.damage]).toEqual([from, 25 - from, null]);
    expect(stored && textOf(stored)).toBe(text());
    const { rooms } = openRooms();
    const { visitor, type } = await visit(rooms, room);
    expect(visitor.text).toBe(text());
    type('and on ');
    await until(() => visitor.saved === 1);
  });

  test('in the only snapshot, with the rows behind it gone: nothing is shown and nothing written', async () => {
    const { room, updates } = await roomOf(25);
    await snapshotAt(room, updates, 20);
    await sql`delete from room_updates where room = ${room} and seq <= 20`;
    await flipBit('room_snapshots', room, 20, 77);
    const { rooms, told } = openRooms();
    await expect(visit(rooms, room)).rejects.toThrow(DamagedLog);
    expect(told('damaged log')).toHaveLength(1);
    expect(await sql`select 1 from room_updates where room = ${room}`).toHaveLength(5);
  });
});

describe('L4a F55: a log that breaks off', () => {
  test.each([
    ['a row is missing', (room: string) => sql`delete from room_updates where room = ${room} and seq = 6`],
    ['a row was changed', (room: string) => flipBit('room_updates', room, 6, 30)],
  ])('%s: what is before it can be read, nothing can be written, and it is told', async (_, harm) => {
    const { room, text } = await roomOf(10);
    await harm(room);
    const { rooms, told } = openRooms();
    const { live, visitor, type } = await visit(rooms, room);
    expect(visitor.text).toBe(text(5));
    expect(visitor.frames.find(({ kind }) => kind === 'hello')).toMatchObject({ hello: { canWrite: false } });
    expect(told('damaged log')).toMatchObject([{ room, why: expect.stringContaining('at 6') }]);

    type('not to be stored');
    await until(() => visitor.frames.some(({ kind }) => kind === 'auth'));
    await expect(
      live.change({ userId: null, origin: 'server' }, (doc) => doc.getText('text').insert(0, 'nor this')),
    ).rejects.toThrow(DamagedLog);
    await live.compact();
    expect(await sql`select 1 from room_snapshots where room = ${room}`).toHaveLength(0);
    expect(await sql`select max(seq)::int as last from room_updates where room = ${room}`).toEqual([{ last: 10 }]);
    // The room stays open: a look at the numbers does not close its sockets again and again.
    await live.refresh(10);
    await live.receiveRow(6, packUpdates([]));
    expect([live.dropped, visitor.closed]).toEqual([false, null]);
  });

  test('the first row is missing: the document is not taken for empty', async () => {
    const { room } = await roomOf(3);
    await sql`delete from room_updates where room = ${room} and seq = 1`;
    const { rooms } = openRooms();
    await expect(visit(rooms, room)).rejects.toThrow(DamagedLog);
  });

  test('the last row is missing: the number of the room shows it', async () => {
    const { room, text } = await roomOf(3);
    await sql`delete from room_updates where room = ${room} and seq = 3`;
    const stored = await loadRoom(sql, room);
    expect(stored?.damage).toMatchObject({ kind: 'gap', seq: 3 });
    expect(stored && textOf(stored)).toBe(text(2));
  });

  test('a snapshot behind the gap heals it', async () => {
    const { room, updates, text } = await roomOf(10);
    await sql`delete from room_updates where room = ${room} and seq = 6`;
    await snapshotAt(room, updates, 8);
    const { rooms } = openRooms();
    const { visitor, type } = await visit(rooms, room);
    expect(visitor.text).toBe(text());
    type('on ');
    await until(() => visitor.saved === 1);
  });
});

interface Statement {
  then: (answered: (answer: unknown) => unknown, failed: (why: unknown) => unknown) => unknown;
}

test.each([
  ['that is whole', 1, false],
  ['whose newest snapshot is damaged', 5, true],
])(
  'R2 D10: a load of a room %s, failing at each of its %i questions, is an error, and the next one finds everything',
  async (_, expected, damaged) => {
    const { room, updates, text } = await roomOf(12);
    await snapshotAt(room, updates, 4);
    await snapshotAt(room, updates, 7);
    if (damaged) await flipBit('room_snapshots', room, 7, 77);
    let questions = 0;
    let failing = Infinity;
    // Fails the nth statement of a load, also inside its transaction.
    const breaking = (real: Sql): Sql =>
      new Proxy(real, {
        apply: (_target, self, args) => {
          const statement: Statement = Reflect.apply(real as unknown as () => Statement, self, args);
          if (!Array.isArray(args[0]) || !('raw' in args[0])) return statement;
          // Nobody waits for a fragment of a statement, so it is no question.
          const ask = statement.then.bind(statement);
          statement.then = (answered, failed) => {
            statement.then = ask;
            questions += 1;
            if (questions === failing) return Promise.reject(new Error('the line broke')).then(answered, failed);
            return ask(answered, failed);
          };
          return statement;
        },
        get: (target, name) => {
          if (name !== 'begin') return Reflect.get(target, name) as unknown;
          return (options: string, work: (tx: Sql) => Promise<unknown>) =>
            target.begin(options, (tx) => work(breaking(tx as unknown as Sql)));
        },
      });
    const { rooms } = openRooms({ sql: breaking(sql) });
    const { live } = await visit(rooms, room);
    live.drop('to load it again', close.restart);
    const asked = questions;
    expect(asked).toBe(expected);
    for (failing = 1; failing <= asked; failing += 1) {
      questions = 0;
      const visitor = new Visitor();
      await expect(visit(rooms, room, visitor)).rejects.toThrow('the line broke');
      expect(visitor.frames).toEqual([]);
    }
    questions = 0;
    const { visitor } = await visit(rooms, room);
    expect(visitor.text).toBe(text());
    expect(await loadRoom(sql, room)).toMatchObject({ seq: 12, damage: null });
  },
);

test('generations are separate: rows of an older one are neither read nor accepted', async () => {
  const { room, updates } = await roomOf(5);
  await snapshotAt(room, updates, 4);
  await sql`update rooms set generation = 2, seq = 0 where name = ${room}`;
  expect(await loadRoom(sql, room)).toMatchObject({ generation: 2, seq: 0, snapshot: null, updates: [], damage: null });
  const fresh = words(2);
  const numbers = await appendRows(sql, [
    rowOf(room, [updates[0] ?? new Uint8Array()], 1),
    rowOf(room, [fresh.updates[0] ?? new Uint8Array()], 2),
  ]);
  // The first generation of a statement counts: rows of the other are refused, and nothing is mixed.
  expect(numbers).toEqual([null, null]);
  const second = await appendRows(sql, [rowOf(room, fresh.updates, 2)]);
  expect(second).toEqual([1]);
  const stored = await loadRoom(sql, room);
  expect(stored && textOf(stored)).toBe(fresh.text());
  // The older one is still there, to be restored.
  expect(await readRows(sql, room, 1, 0, 5)).toHaveLength(5);
});

test('R2a rooms that are opened at once are read together, and each is as if it were alone', async () => {
  const [small, damaged, fresh, empty] = [
    await roomOf(12),
    await roomOf(3),
    await makeRoom(database, 1),
    await emptyRoom(),
  ];
  await snapshotAt(small.room, small.updates, 5);
  await sql`delete from room_updates where room = ${damaged.room} and seq = 1`;
  const large = await roomOf(4);
  await sql`update rooms set seq = 5 where name = ${large.room}`;
  const filling = new Y.Doc();
  filling.getText('text').insert(0, 'x'.repeat(1024 * 1024));
  const bytes = Buffer.from(packUpdates([Y.encodeStateAsUpdate(filling)]));
  await sql`insert into room_updates (room, generation, seq, bytes, checksum, at)
    values (${large.room}, 1, 5, ${bytes}, ${checksum(large.room, 1, 5, bytes)}, now())`;
  const flipped = await roomOf(6);
  await snapshotAt(flipped.room, flipped.updates, 4);
  await flipBit('room_snapshots', flipped.room, 4, 77);
  const names = [small.room, damaged.room, fresh.room, empty, large.room, flipped.room];

  const found = await loadRooms(sql, names);
  expect(found[0]).toMatchObject({ seq: 12, snapshot: { seq: 5 }, damage: null });
  expect(found[0]).toEqual(await loadRoom(sql, small.room));
  expect(found[1]).toBeInstanceOf(DamagedLog);
  expect(found[2]).toBe(null);
  expect(found[3]).toMatchObject({ seq: 0, snapshot: null, updates: [] });
  expect(found.slice(4)).toEqual(['alone', 'alone']);

  const { rooms } = openRooms();
  const visits = await Promise.allSettled(names.map((room) => visit(rooms, room)));
  const texts = visits.map((one) => (one.status === 'fulfilled' ? one.value.visitor.text.length : one.reason));
  expect(texts).toEqual([
    small.text().length,
    expect.any(DamagedLog),
    0,
    0,
    large.text().length + 1024 * 1024,
    flipped.text().length,
  ]);
});

test('R2a rooms of a crowd are made by one statement, which passes over those that have to wait or have no meeting', async () => {
  const [one, two, held] = await Promise.all([1, 1, 1].map((people) => makeRoom(database, people)));
  const there = await emptyRoom();
  const rooms = [one?.room, two?.room, held?.room, there, 'nowhere/transcript'].map((name = '') => {
    const meetingId = name.split('/')[0] ?? '';
    return { name, meetingId, part: 'transcript', ownerId: null, layerId: null };
  });
  await sql.begin(async (tx) => {
    await tx`select 1 from meetings where id = ${rooms[2]?.meetingId ?? ''} for update`;
    const made = await makeRooms(sql, rooms);
    expect(made.map((room) => room?.seq)).toEqual([0, 0, undefined, undefined, undefined]);
  });
  expect(await makeRooms(sql, rooms)).toEqual([null, null, made(1), null, null]);
  expect(
    await loadRooms(
      sql,
      rooms.map(({ name }) => name),
    ),
  ).toEqual([made(1), made(1), made(1), made(1), null]);
});
const made = (generation: number) => ({ generation, mends: 0, seq: 0, snapshot: null, updates: [], damage: null });

describe('L7 F56: rows that make no document', () => {
  /** A structure of length 0: Yjs applies it without an error, and the document stored with it never loads again. */
  const poisonous = Buffer.from('01010900000000', 'hex');
  const insert = async (room: string, seq: number, updates: Uint8Array[]) => {
    const bytes = Buffer.from(packUpdates(updates));
    await sql`insert into room_updates (room, generation, seq, user_id, bytes, checksum, at)
      values (${room}, 1, ${seq}, 'eve', ${bytes}, ${checksum(room, 1, seq, bytes)}, now())`;
    await sql`update rooms set seq = ${seq} where name = ${room}`;
  };

  test('the vector cannot be loaded', () => {
    const doc = new Y.Doc();
    Y.applyUpdate(doc, poisonous);
    expect(() => makeSnapshot([poisonous])).toThrow();
  });

  test('the rows are found, set aside and logged, and people continue', async () => {
    const { room, updates, text } = await roomOf(20);
    await insert(room, 21, [poisonous]);
    const more = new Y.Doc();
    for (const update of updates) Y.applyUpdate(more, update);
    const before = Y.encodeStateVector(more);
    more.getText('text').insert(0, 'more ');
    await insert(room, 22, [Y.encodeStateAsUpdate(more, before)]);
    await insert(room, 23, [poisonous]);

    const { rooms, told } = openRooms();
    const { visitor, type } = await visit(rooms, room);
    expect(visitor.text).toBe(`more ${text()}`);
    expect(told('poison set aside')).toMatchObject([
      { room, kind: 'row', seq: 21 },
      { room, kind: 'row', seq: 23 },
    ]);
    type('on ');
    await until(() => visitor.saved === 1);
    // The rows stay in place; later loads pass them over without examining them.
    expect(await sql`select 1 from room_updates where room = ${room}`).toHaveLength(24);
    const again = openRooms();
    const second = await visit(again.rooms, room);
    expect(second.visitor.text).toBe(`on more ${text()}`);
    expect(again.told('poison set aside')).toEqual([]);
  });

  test('rows that hang on it are set aside, too, and come back with their author', async () => {
    const { room, updates, text } = await roomOf(3);
    const author = new Visitor('ann');
    for (const update of updates) Y.applyUpdate(author.doc, update);
    const steps: Uint8Array[] = [];
    author.doc.on('update', (update: Uint8Array) => steps.push(update));
    author.doc.getText('text').insert(0, 'one ');
    author.doc.getText('text').insert(4, 'two ');
    await insert(room, 4, [steps[0] ?? poisonous, poisonous]);
    await insert(room, 5, [steps[1] ?? poisonous]);
    const { rooms, told } = openRooms();
    const reader = await visit(rooms, room);
    expect(reader.visitor.text).toBe(text());
    expect(told('poison set aside').map(({ seq }) => seq)).toEqual([4, 5]);

    const { live } = await visit(rooms, room, author);
    const lacks = author.frames.findLast((frame) => frame.kind === 'ask');
    const vector = lacks?.kind === 'ask' ? lacks.stateVector : undefined;
    live.receive(author, { kind: 'state', update: Y.encodeStateAsUpdate(author.doc, vector) });
    await until(() => reader.visitor.text === `one two ${text()}`);
  });

  test('a snapshot that cannot be built: the one before it and the log are the document', async () => {
    const { room, updates, text } = await roomOf(10);
    await snapshotAt(room, updates, 5);
    const bytes = Buffer.from(poisonous);
    await sql`insert into room_snapshots (room, generation, seq, bytes, checksum, at)
      values (${room}, 1, 8, ${bytes}, ${checksum(room, 1, 8, bytes)}, now())`;
    const { rooms, told } = openRooms();
    // Only building shows that it is no snapshot.
    const first = await visit(rooms, room);
    first.type('x');
    await until(() => first.visitor.closed !== null);
    const { visitor, type } = await visit(rooms, room);
    expect(visitor.text).toBe(text());
    expect(told('poison set aside')).toMatchObject([{ kind: 'snapshot', seq: 8 }]);
    type('on ');
    await until(() => visitor.saved === 1);
  });

  test('a process that has the room open rebuilds it', async () => {
    const { room } = await roomOf(3);
    const one = openRooms();
    const { visitor } = await visit(one.rooms, room);
    await insert(room, 4, [poisonous]);
    await visit(openRooms().rooms, room);
    await until(() => visitor.closed === close.restart);
  });
});
