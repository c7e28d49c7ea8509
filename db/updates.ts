import { createHash } from 'node:crypto';
import type { Fragment, Sql, TransactionSql } from 'postgres';

/** One row to be appended: the work of one person on one room, as one or more updates. */
export interface PendingRow {
  room: string;
  generation: number;
  /** Author of the row; null for the server. */
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
  /** The number of the last row. */
  seq: number;
  snapshot: { seq: number; bytes: Uint8Array } | null;
  updates: StoredRow[];
  /** How often rows or snapshots of the room were set aside. */
  mends: number;
  /** The first missing or damaged row: the result ends before it, and the room is read-only. */
  damage: DamagedLog | null;
}

/** A stored row is changed or missing: nothing is built on it. */
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

/** Covers the position, too: a moved row is as wrong as a changed one. */
export function checksum(room: string, generation: number, seq: number, bytes: Uint8Array): Buffer {
  return createHash('sha256').update(`${room}|${generation}|${seq}|`).update(bytes).digest();
}

/**
 * Appends rows of any number of rooms as one statement, which is one commit. The numbers are taken under the rooms'
 * row locks, in the order of the rooms' names, so that two processes can never wait for each other in a circle.
 * Returns the number of each given row; null if the room is gone or has another generation.
 */
export async function appendRows(sql: Sql, rows: readonly PendingRow[]): Promise<(number | null)[]> {
  const counts = new Map<string, { name: string; generation: number; rows: number }>();
  const nth = rows.map(({ room, generation }) => {
    const entry = counts.get(room) ?? { name: room, generation, rows: 0 };
    counts.set(room, entry);
    // Two generations of one room in one batch: the row that comes later in the batch gets null.
    return entry.generation === generation ? (entry.rows += 1) : 0;
  });
  const wanted = [...counts.values()];
  const kept = rows.flatMap((row, i) => (nth[i] ? [{ ...row, n: nth[i] }] : []));
  // The planner does not look into a list that is a query of its own. Of another one it knows the length when it plans for
  // the values at hand, finds that plan cheaper than the one it keeps, and plans the statement anew for each keystroke.
  const bumped = await sql<{ name: string; before: string }[]>`
    with locked as (${lockRooms(sql, wanted)}), bumped as (
      update rooms r set seq = l.seq + l.rows from locked l where r.name = l.name returning r.name, l.seq as before
    ), appended as (
      insert into room_updates (room, generation, seq, user_id, client_ids, bytes, checksum, at)
      select u.room, u.generation, b.before + u.n, u.user_id, string_to_array(nullif(u.client_ids, ''), ',')::bigint[], u.bytes,
        sha256(convert_to(u.room || '|' || u.generation || '|' || (b.before + u.n) || '|', 'UTF8') || u.bytes), u.at::timestamptz
      from unnest(
        (select ${kept.map((row) => row.room)}::text[]), (select ${kept.map((row) => row.generation)}::int[]),
        (select ${kept.map((row) => row.n)}::int[]), (select ${kept.map((row) => row.userId)}::text[]),
        (select ${kept.map((row) => row.clientIds.join(','))}::text[]), (select ${kept.map((row) => hex(row.bytes))}::bytea[]),
        (select ${kept.map((row) => row.at.toISOString())}::text[])
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

/**
 * Locks rooms of these generations, as rows (name, seq, rows). A keystroke is of one room, which is found by its key; the
 * planner has to guess how many are in a list, and guesses worse the more rooms there are.
 */
function lockRooms(sql: Sql, wanted: readonly { name: string; generation: number; rows: number }[]): Fragment {
  const [one] = wanted;
  if (one && wanted.length === 1)
    return sql`
      select r.name, r.seq, ${one.rows}::int as rows from rooms r
      where r.name = ${one.name} and r.generation = ${one.generation}::int for update`;
  return sql`
    select r.name, r.seq, w.rows from rooms r join unnest(
      (select ${wanted.map(({ name }) => name)}::text[]), (select ${wanted.map(({ generation }) => generation)}::int[]),
      (select ${wanted.map((room) => room.rows)}::int[])
    ) as w(name, generation, rows) on w.name = r.name and w.generation = r.generation
    order by r.name for update of r`;
}

/** Appends one row only directly after row `after`. Its number; or another row came first, or the generation ended. */
export async function appendNextRow(sql: Sql, row: PendingRow, after: number): Promise<number | 'moved' | 'gone'> {
  const { room, generation, userId } = row;
  const bytes = Buffer.from(row.bytes.buffer, row.bytes.byteOffset, row.bytes.byteLength);
  const [found] = await sql<{ seq: string | null }[]>`
    with room as (
      select name, seq from rooms where name = ${room} and generation = ${generation} for update
    ), next as (
      update rooms r set seq = room.seq + 1 from room where r.name = room.name and room.seq = ${after} returning r.seq
    ), appended as (
      insert into room_updates (room, generation, seq, user_id, client_ids, bytes, checksum, at)
      select ${room}, ${generation}::int, next.seq, ${userId}::text,
        string_to_array(nullif(${row.clientIds.join(',')}, ''), ',')::bigint[], ${bytes}::bytea,
        ${checksum(room, generation, after + 1, bytes)}::bytea, ${row.at.toISOString()}::timestamptz
      from next
    )
    select (select seq from next) as seq from room`;
  if (!found) return 'gone';
  return found.seq === null ? 'moved' : Number(found.seq);
}

/**
 * True if one room can have failed the append: by a held lock or an existing row. False if the server is gone, full, or
 * short of something.
 */
export const blamesOneRoom = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(22|23|40|54|55P03|57014)/.test(String(error.code));

const hex = (bytes: Uint8Array): string =>
  `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;

interface FoundRow extends LogRow {
  room: string;
  kind: 'room' | 'snapshot' | 'row';
  generation: number | null;
  mends: number | null;
  taken: boolean;
}

export interface NewRoom {
  name: string;
  meetingId: string;
  part: string;
  ownerId: string | null;
  layerId: string | null;
}

const emptyRoom = { seq: 0, snapshot: null, updates: [], damage: null };

/** Makes a room; null if it is there already. Throws if its meeting is not. */
export async function makeRoom(
  sql: Sql,
  { name, meetingId, part, ownerId, layerId }: NewRoom,
): Promise<StoredRoom | null> {
  const [made] = await sql<{ generation: number; mends: number }[]>`
    insert into rooms (name, meeting_id, part, owner_id, layer_id)
    values (${name}, ${meetingId}, ${part}, ${ownerId}, ${layerId})
    on conflict do nothing returning generation, mends`;
  return made ? { ...made, ...emptyRoom } : null;
}

/** Makes those of these rooms that are not there and whose meeting nobody is changing; null for the others. */
export async function makeRooms(sql: Sql, rooms: readonly NewRoom[]): Promise<(StoredRoom | null)[]> {
  const made = await sql<{ name: string; generation: number; mends: number }[]>`
    insert into rooms (name, meeting_id, part, owner_id, layer_id)
    select g.name, m.id, g.part, g.owner_id, g.layer_id
    from unnest(${rooms.map(({ name }) => name)}::text[], ${rooms.map(({ meetingId }) => meetingId)}::text[], ${rooms.map(({ part }) => part)}::text[],
        ${rooms.map(({ ownerId }) => ownerId)}::text[], ${rooms.map(({ layerId }) => layerId)}::text[])
      as g(name, meeting_id, part, owner_id, layer_id)
    join meetings m on m.id = g.meeting_id
    order by g.name for key share of m skip locked
    on conflict do nothing returning name, generation, mends`;
  return rooms.map(({ name }) => {
    const found = made.find((one) => one.name === name);
    return found ? { generation: found.generation, mends: found.mends, ...emptyRoom } : null;
  });
}

/** Most bytes of rooms that are read together. */
const bytesTogether = 1024 * 1024;

/**
 * The intact part of each room: the newest whole snapshot, and the log after it up to the first missing or damaged row. Null
 * if there is no such room; an error if nothing of it can be read. `alone`: it is large, or its newest snapshot is damaged, and
 * has to be read by itself (`loadRoom`), so that others do not wait for it.
 */
export async function loadRooms(sql: Sql, names: readonly string[]): Promise<(StoredRoom | Error | 'alone' | null)[]> {
  // One statement sees one state, and a newcomer waits for one answer instead of five.
  const rows = await sql<FoundRow[]>`
    with head as (
      select r.name, r.generation, r.seq, r.mends from rooms r where r.name = any(${[...names]})
    ), newest as (
      select h.name, s.seq, s.bytes, s.checksum from head h cross join lateral (
        select s.seq, s.bytes, s.checksum from room_snapshots s
        where s.room = h.name and s.generation = h.generation and not exists (
          select 1 from room_quarantine q
          where q.room = s.room and q.generation = s.generation and q.kind = 'snapshot' and q.seq = s.seq)
        order by s.seq desc limit 1) s
    ), taken as (${
      names.length === 1
        ? sql`select h.name, h.generation, coalesce(n.seq, 0) as after, h.seq as upto from head h left join newest n using (name)`
        : sql`
      select name, generation, after, upto from (
        select *, sum(size) over (order by size, name) as sum from (
          select h.name, h.generation, coalesce(n.seq, 0) as after, h.seq as upto,
            coalesce(octet_length(n.bytes), 0) + (
              select coalesce(sum(octet_length(u.bytes)), 0) from room_updates u
              where u.room = h.name and u.generation = h.generation and u.seq > coalesce(n.seq, 0) and u.seq <= h.seq) as size
          from head h left join newest n using (name)) sized) summed
      where sum <= ${bytesTogether}`
    })
    select h.name as room, 'room' as kind, h.generation, h.mends, h.seq, null as user_id, ''::bytea as bytes, ''::bytea as checksum,
      null::timestamptz as at, false as aside, t.name is not null as taken from head h left join taken t using (name)
    union all
    select n.name, 'snapshot', null, null, n.seq, null, n.bytes, n.checksum, null, false, true from newest n join taken using (name)
    union all
    select u.room, 'row', null, null, u.seq, u.user_id, u.bytes, u.checksum, u.at, q.seq is not null, true
    from taken t cross join lateral (
      -- The order keeps this a look into the index for each room, however many rows the planner expects.
      select * from room_updates u
      where u.room = t.name and u.generation = t.generation and u.seq > t.after and u.seq <= t.upto order by u.seq) u
    left join room_quarantine q
      on q.room = u.room and q.generation = u.generation and q.kind = 'row' and q.seq = u.seq`;
  const found = new Map<string, FoundRow[]>(names.map((room) => [room, []]));
  for (const row of rows) found.get(row.room)?.push(row);
  const rooms = names.map((room) => intact(room, found.get(room) ?? []));
  if (names[0] === undefined || names.length > 1 || rooms[0] !== 'alone') return rooms;
  return [await loadRoomBehindDamage(sql, names[0]).catch((error: Error) => error)];
}

function intact(room: string, rows: readonly FoundRow[]): StoredRoom | Error | 'alone' | null {
  const head = rows.find(({ kind }) => kind === 'room');
  if (!head || head.generation === null || head.mends === null) return null;
  const { generation, mends } = head;
  const newest = rows.find(({ kind }) => kind === 'snapshot');
  if (!head.taken || (newest && !proven(room, generation, newest))) return 'alone';
  const updates = rows.filter(({ kind }) => kind === 'row').toSorted((a, b) => Number(a.seq) - Number(b.seq));
  const snapshot = newest ? { seq: Number(newest.seq), bytes: newest.bytes } : null;
  try {
    return trusted(room, { generation, mends, seq: Number(head.seq) }, snapshot, updates);
  } catch (error) {
    return error as Error;
  }
}

/** The same of one room; throws if nothing of it can be read. */
export async function loadRoom(sql: Sql, room: string): Promise<StoredRoom | null> {
  const [found = null] = await loadRooms(sql, [room]);
  if (found instanceof Error) throw found;
  return found === 'alone' ? null : found;
}

/** Skips a damaged snapshot for the one before it: the log reaches back before both. */
async function loadRoomBehindDamage(sql: Sql, room: string): Promise<StoredRoom | null> {
  return sql.begin('isolation level repeatable read read only', async (tx) => {
    const [row] = await tx<
      { generation: number; seq: string; mends: number }[]
    >`select generation, seq, mends from rooms where name = ${room}`;
    if (!row) return null;
    const head = { generation: row.generation, mends: row.mends, seq: Number(row.seq) };
    const snapshot = await newestWhole(tx, room, head.generation);
    const rows = await logRows(tx, room, head.generation, tx`u.seq > ${snapshot?.seq ?? 0} and u.seq <= ${head.seq}`);
    return trusted(room, head, snapshot, rows);
  });
}

function trusted(
  room: string,
  { generation, mends, seq }: { generation: number; mends: number; seq: number },
  snapshot: StoredRoom['snapshot'],
  rows: readonly LogRow[],
): StoredRoom {
  const { updates, damage } = sound(room, generation, snapshot?.seq ?? 0, seq, rows);
  // Without a snapshot and without a row it would look like an empty document.
  if (damage && !snapshot && updates.length === 0) throw damage;
  return { generation, seq: damage ? damage.seq - 1 : seq, snapshot, updates, mends, damage };
}

interface LogRow {
  seq: string;
  user_id: string | null;
  bytes: Buffer;
  checksum: Buffer;
  at: Date;
  /** Set aside, because no document could be built of it. */
  aside: boolean;
}

const proven = (room: string, generation: number, one: Pick<LogRow, 'seq' | 'bytes' | 'checksum'>): boolean =>
  checksum(room, generation, Number(one.seq), one.bytes).equals(one.checksum);

async function newestWhole(tx: TransactionSql, room: string, generation: number): Promise<StoredRoom['snapshot']> {
  for (let below = Number.MAX_SAFE_INTEGER; ;) {
    const [one] = await tx<{ seq: string; bytes: Buffer; checksum: Buffer }[]>`
      select seq, bytes, checksum from room_snapshots s
      where room = ${room} and generation = ${generation} and seq < ${below} and not exists (
        select 1 from room_quarantine q
        where q.room = s.room and q.generation = s.generation and q.kind = 'snapshot' and q.seq = s.seq)
      order by seq desc limit 1`;
    if (!one) return null;
    if (proven(room, generation, one)) return { seq: Number(one.seq), bytes: one.bytes };
    below = Number(one.seq);
  }
}

/** Rows after `from` up to `to`, each verified, none missing. */
export async function readRows(
  sql: Sql | TransactionSql,
  room: string,
  generation: number,
  from: number,
  to: number,
): Promise<StoredRow[]> {
  const rows = await logRows(sql, room, generation, sql`u.seq > ${from} and u.seq <= ${to}`);
  const { updates, damage } = sound(room, generation, from, to, rows);
  if (damage) throw damage;
  return updates;
}

/** The rows with these numbers, each verified, none missing. */
export async function readRowsOf(
  sql: Sql | TransactionSql,
  room: string,
  generation: number,
  numbers: readonly number[],
): Promise<StoredRow[]> {
  const rows = await logRows(sql, room, generation, sql`u.seq = any(${[...numbers]}::bigint[])`);
  const found = new Map(rows.map((row) => [Number(row.seq), row]));
  return numbers.flatMap((seq) => {
    const row = found.get(seq);
    const { updates, damage } = sound(room, generation, seq - 1, seq, row ? [row] : []);
    if (damage) throw damage;
    return updates;
  });
}

const logRows = (
  sql: Sql | TransactionSql,
  room: string,
  generation: number,
  which: Fragment,
): Promise<LogRow[]> => sql<LogRow[]>`
    select u.seq, u.user_id, u.bytes, u.checksum, u.at, q.seq is not null as aside from room_updates u
    left join room_quarantine q
      on q.room = u.room and q.generation = u.generation and q.kind = 'row' and q.seq = u.seq
    where u.room = ${room} and u.generation = ${generation} and ${which} order by u.seq`;

/** The rows before the first missing or changed one. */
function sound(
  room: string,
  generation: number,
  from: number,
  to: number,
  rows: readonly LogRow[],
): { updates: StoredRow[]; damage: DamagedLog | null } {
  const updates: StoredRow[] = [];
  let expected = from + 1;
  for (const row of rows) {
    if (Number(row.seq) !== expected) break;
    if (!row.aside && !proven(room, generation, row))
      return { updates, damage: new DamagedLog(room, expected, 'checksum') };
    // A row that was set aside keeps its number and has no update.
    updates.push({ seq: expected, userId: row.user_id, bytes: row.aside ? Buffer.alloc(0) : row.bytes, at: row.at });
    expected += 1;
  }
  return { updates, damage: expected > to ? null : new DamagedLog(room, expected, 'gap') };
}

/** A row or snapshot of which no document can be built. */
export interface Poison {
  kind: 'row' | 'snapshot';
  seq: number;
  why: string;
}

/** Loading skips these from now on; they stay in their place. */
export async function setAside(
  sql: Sql,
  room: string,
  generation: number,
  found: readonly Poison[],
  at: Date,
): Promise<void> {
  await sql.begin(async (tx) => {
    const added = await tx`
      insert into room_quarantine (room, generation, kind, seq, why, at)
      select ${room}, ${generation}, kind, seq, why, ${at.toISOString()}::timestamptz
      from unnest(${found.map(({ kind }) => kind)}::text[], ${found.map(({ seq }) => seq)}::bigint[],
        ${found.map(({ why }) => why)}::text[]) as p(kind, seq, why)
      on conflict do nothing returning seq`;
    // Processes that have the room open built it with them, and have to build it anew.
    if (added.length > 0) await tx`update rooms set mends = mends + 1 where name = ${room}`;
  });
}
