import { createHash } from 'node:crypto';
import type { Sql, TransactionSql } from 'postgres';

/** One row to be appended: the work of one person on one room, as one or more updates. */
export interface PendingRow {
  room: string;
  generation: number;
  /** Null for what the server itself wrote. */
  userId: string | null;
  clientIds: readonly number[];
  bytes: Uint8Array;
  at: Date;
}

export interface StoredRow {
  seq: number;
  userId: string | null;
  bytes: Uint8Array;
  at: Date;
}

export interface StoredRoom {
  generation: number;
  /** The last number given out; with what follows, everything there is. */
  seq: number;
  snapshot: { seq: number; bytes: Uint8Array } | null;
  updates: StoredRow[];
}

/** A stored row does not hold what was written, or a row is not there: nobody may build on it. */
export class DamagedLog extends Error {
  readonly room: string;
  readonly seq: number;
  readonly kind: 'checksum' | 'gap';
  constructor(room: string, seq: number, kind: 'checksum' | 'gap') {
    super(`${kind === 'gap' ? 'a row is missing' : 'a row was changed'} in the log of ${room} at ${seq}`);
    this.name = 'DamagedLog';
    this.room = room;
    this.seq = seq;
    this.kind = kind;
  }
}

/** Bound to its place: a row that was moved is as wrong as one that was changed. */
export function checksum(room: string, generation: number, seq: number, bytes: Uint8Array): Buffer {
  return createHash('sha256').update(`${room}|${generation}|${seq}|`).update(bytes).digest();
}

/**
 * Appends rows of any number of rooms as one statement, which is one commit. The numbers are taken under the rooms'
 * row locks, in the order of the rooms' names, so that two processes can never wait for each other in a circle.
 * Answers, for each row given, its number; null where the room is gone or has another generation by now.
 */
export async function appendRows(sql: Sql, rows: readonly PendingRow[]): Promise<(number | null)[]> {
  const counts = new Map<string, { name: string; generation: number; rows: number }>();
  const nth = rows.map(({ room, generation }) => {
    const entry = counts.get(room) ?? { name: room, generation, rows: 0 };
    counts.set(room, entry);
    // Two generations of one room in one batch: the later one is told that it no longer holds.
    return entry.generation === generation ? (entry.rows += 1) : 0;
  });
  const wanted = [...counts.values()];
  const kept = rows.flatMap((row, i) => (nth[i] ? [{ ...row, n: nth[i] }] : []));
  const bumped = await sql<{ name: string; before: string }[]>`
    with wanted as (
      select * from unnest(${wanted.map((one) => one.name)}::text[], ${wanted.map((one) => one.generation)}::int[],
        ${wanted.map((one) => one.rows)}::int[]) as w(name, generation, rows)
    ), locked as (
      select r.name, r.seq, w.rows from rooms r join wanted w on w.name = r.name and w.generation = r.generation
      order by r.name for update of r
    ), bumped as (
      update rooms r set seq = l.seq + l.rows from locked l where r.name = l.name returning r.name, l.seq as before
    ), appended as (
      insert into room_updates (room, generation, seq, user_id, client_ids, bytes, checksum, at)
      select u.room, u.generation, b.before + u.n, u.user_id, string_to_array(nullif(u.client_ids, ''), ',')::bigint[], u.bytes,
        sha256(convert_to(u.room || '|' || u.generation || '|' || (b.before + u.n) || '|', 'UTF8') || u.bytes), u.at::timestamptz
      from unnest(
        ${kept.map((row) => row.room)}::text[], ${kept.map((row) => row.generation)}::int[], ${kept.map((row) => row.n)}::int[],
        ${kept.map((row) => row.userId)}::text[], ${kept.map((row) => row.clientIds.join(','))}::text[],
        ${kept.map((row) => hex(row.bytes))}::bytea[], ${kept.map((row) => row.at.toISOString())}::text[]
      ) as u(room, generation, n, user_id, client_ids, bytes, at)
      join bumped b on b.name = u.room
    )
    select name, before from bumped`;
  const before = new Map(bumped.map((row) => [row.name, Number(row.before)]));
  return rows.map(({ room }, i) => {
    const start = before.get(room);
    return start === undefined || !nth[i] ? null : start + nth[i];
  });
}

const hex = (bytes: Uint8Array): string =>
  `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;

/** Everything of a room: the newest snapshot that is whole, and the log behind it. Null when there is no such room. */
export async function loadRoom(sql: Sql, room: string): Promise<StoredRoom | null> {
  return sql.begin('isolation level repeatable read read only', async (tx) => {
    const [row] = await tx<
      { generation: number; seq: string }[]
    >`select generation, seq from rooms where name = ${room}`;
    if (!row) return null;
    const { generation } = row;
    const seq = Number(row.seq);
    const snapshots = await tx<{ seq: string; bytes: Buffer; checksum: Buffer }[]>`
      select seq, bytes, checksum from room_snapshots where room = ${room} and generation = ${generation} order by seq desc`;
    // A damaged snapshot is passed over for the one before it: the log reaches back behind both.
    const whole = snapshots.find((one) => checksum(room, generation, Number(one.seq), one.bytes).equals(one.checksum));
    const snapshot = whole ? { seq: Number(whole.seq), bytes: whole.bytes } : null;
    if (!snapshot && snapshots.length > 0 && !(await reachesBack(tx, room, generation)))
      throw new DamagedLog(room, Number(snapshots[0]?.seq ?? 0), 'checksum');
    const updates = await readRows(tx, room, generation, snapshot?.seq ?? 0, seq);
    return { generation, seq, snapshot, updates };
  });
}

async function reachesBack(sql: Sql | TransactionSql, room: string, generation: number): Promise<boolean> {
  const rows = await sql`select 1 from room_updates where room = ${room} and generation = ${generation} and seq = 1`;
  return rows.length > 0;
}

/** Rows after `from` up to `to`, each proved, none missing. */
export async function readRows(
  sql: Sql | TransactionSql,
  room: string,
  generation: number,
  from: number,
  to: number,
): Promise<StoredRow[]> {
  const rows = await sql<{ seq: string; user_id: string | null; bytes: Buffer; checksum: Buffer; at: Date }[]>`
    select seq, user_id, bytes, checksum, at from room_updates
    where room = ${room} and generation = ${generation} and seq > ${from} and seq <= ${to} order by seq`;
  let expected = from + 1;
  const result: StoredRow[] = [];
  for (const row of rows) {
    const seq = Number(row.seq);
    if (seq !== expected) throw new DamagedLog(room, expected, 'gap');
    if (!checksum(room, generation, seq, row.bytes).equals(row.checksum)) throw new DamagedLog(room, seq, 'checksum');
    result.push({ seq, userId: row.user_id, bytes: row.bytes, at: row.at });
    expected += 1;
  }
  if (expected !== to + 1) throw new DamagedLog(room, expected, 'gap');
  return result;
}
