// L8: which rows of the logs are deleted, and which never.
import type { Sql } from 'postgres';
import * as Y from 'yjs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appendRows, checksum, loadRoom } from '#db/updates.ts';
import type { Database } from '#db/open.ts';
import { parts, type Part } from '#shared/meetings/parts.ts';
import { packUpdates, unpackUpdates } from '#sync/protocol.ts';
import { keepLogs, keeping } from '#sync/server/keeper.ts';
import { makeSnapshot } from '#sync/server/snapshot.ts';
import { makeRoom } from '../support/crash.ts';
import { freshDatabase } from '../support/database.ts';

let database: Database;
let sql: Sql;
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ database, drop } = await freshDatabase());
  ({ sql } = database);
});
afterAll(() => drop());

const began = new Date('2030-01-01T00:00:00Z');
const day = (n: number) => new Date(began.getTime() + n * 86_400_000);

/** Ten rows, one a day, and snapshots at the numbers given. */
async function roomWith(part: Part, snapshots: number[]): Promise<string> {
  const { room: transcript } = await makeRoom(database, 1);
  const [meeting = ''] = transcript.split('/');
  const room = `${meeting}/${part}`;
  await sql`insert into rooms (name, meeting_id, part) values (${room}, ${meeting}, ${part})`;
  const doc = new Y.Doc();
  const updates: Uint8Array[] = [];
  doc.on('update', (update: Uint8Array) => updates.push(update));
  for (let i = 1; i <= 10; i += 1) doc.getMap('outcomes').set(`${i}`, i);
  for (const [i, update] of updates.entries())
    await appendRows(sql, [
      { room, generation: 1, userId: 'ann', clientIds: [], bytes: packUpdates([update]), at: day(i + 1) },
    ]);
  for (const seq of snapshots) {
    const bytes = Buffer.from(makeSnapshot(updates.slice(0, seq)));
    await sql`insert into room_snapshots (room, generation, seq, bytes, checksum, at)
      values (${room}, 1, ${seq}, ${bytes}, ${checksum(room, 1, seq, bytes)}, ${day(seq).toISOString()}::timestamptz)`;
  }
  return room;
}

const left = async (room: string) => ({
  rows: (await sql<{ seq: string }[]>`select seq from room_updates where room = ${room} order by seq`).map((row) =>
    Number(row.seq),
  ),
  snapshots: (await sql<{ seq: string }[]>`select seq from room_snapshots where room = ${room} order by seq`).map(
    (row) => Number(row.seq),
  ),
});
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

async function expectWhole(room: string): Promise<void> {
  const stored = await loadRoom(sql, room);
  expect(stored?.damage).toBeNull();
  const doc = new Y.Doc();
  if (stored?.snapshot) Y.applyUpdate(doc, stored.snapshot.bytes);
  for (const { bytes } of stored?.updates ?? []) for (const update of unpackUpdates(bytes)) Y.applyUpdate(doc, update);
  expect(doc.getMap('outcomes').size).toBe(10);
}

interface Row {
  what: string;
  part: Part;
  snapshots: number[];
  now: Date;
  rows: number[];
  kept: number[];
}

describe('L8 after the clock has moved', () => {
  test.each<Row>([
    { what: 'no snapshot: all stays', part: 'outcomes', snapshots: [], now: day(100), rows: numbers(1, 10), kept: [] },
    {
      what: 'one snapshot: all stays',
      part: 'outcomes',
      snapshots: [9],
      now: day(100),
      rows: numbers(1, 10),
      kept: [9],
    },
    {
      what: 'two: rows behind the older go',
      part: 'outcomes',
      snapshots: [4, 9],
      now: day(100),
      rows: numbers(5, 10),
      kept: [4, 9],
    },
    {
      what: 'three: the oldest goes, too',
      part: 'comments',
      snapshots: [2, 4, 9],
      now: day(100),
      rows: numbers(5, 10),
      kept: [4, 9],
    },
    {
      what: 'rows of the last seven days stay',
      part: 'outcomes',
      snapshots: [4, 9],
      now: day(9.5),
      rows: numbers(3, 10),
      kept: [4, 9],
    },
    {
      what: 'nothing is old enough',
      part: 'notes',
      snapshots: [4, 9],
      now: day(7.5),
      rows: numbers(1, 10),
      kept: [4, 9],
    },
    {
      what: 'a transcript keeps every row',
      part: 'transcript',
      snapshots: [2, 4, 9],
      now: day(1000),
      rows: numbers(1, 10),
      kept: [4, 9],
    },
  ])('$what', async ({ part, snapshots, now, rows, kept }) => {
    const room = await roomWith(part, snapshots);
    await keepLogs(sql, now);
    expect(await left(room)).toEqual({ rows, snapshots: kept });
    await expectWhole(room);
    expect(await keepLogs(sql, now)).toMatchObject({ rows: 0 });
  });
});

test('a snapshot that is damaged does not count as one', async () => {
  const room = await roomWith('outcomes', [2, 4, 9]);
  await sql`update room_snapshots set bytes = set_bit(bytes, 9, 1 - get_bit(bytes, 9)) where room = ${room} and seq = 9`;
  await keepLogs(sql, day(100));
  expect((await left(room)).rows).toEqual(numbers(3, 10));
  await expectWhole(room);
  await sql`update room_snapshots set bytes = set_bit(bytes, 9, 1 - get_bit(bytes, 9)) where room = ${room} and seq = 4`;
  await keepLogs(sql, day(200));
  expect((await left(room)).rows).toEqual(numbers(3, 10));
  await expectWhole(room);
});

test('the caller chooses which parts keep their rows', async () => {
  const room = await roomWith('transcript', [4, 9]);
  await keepLogs(sql, day(100), { ...keeping, days: 30, parts });
  expect((await left(room)).rows).toEqual(numbers(5, 10));
  await expectWhole(room);
});
