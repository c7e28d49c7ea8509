import type { Sql } from 'postgres';
import type { Next } from './answers.ts';
import { checksum, type PendingRow } from './updates.ts';

/** A stretch of a recording, and the job that holds it. */
export interface HeardStretch {
  meetingId: string;
  jobId: string;
  lease: string;
  /** Milliseconds. */
  from: number;
  to: number;
}

/** How far a meeting has been heard, while its job is still held; null where it is not. */
export async function heardUntil(sql: Sql, { meetingId, jobId, lease }: HeardStretch): Promise<number | null> {
  const [row] = await sql<{ heard_ms: number }[]>`
    select i.heard_ms from intakes i join jobs j on j.meeting_id = i.meeting_id
    where i.meeting_id = ${meetingId} and i.state = 'processing'
      and j.id = ${jobId} and j.lease = ${lease} and j.state = 'running'`;
  return row?.heard_ms ?? null;
}

/** Nothing was said in it. False where somebody else has it, or it was heard already. */
export async function passHeard(sql: Sql, { meetingId, jobId, lease, from, to }: HeardStretch): Promise<boolean> {
  const passed = await sql`
    update intakes set heard_ms = ${to} where meeting_id = ${meetingId} and state = 'processing' and heard_ms = ${from}
      and exists (select 1 from jobs where id = ${jobId} and lease = ${lease} and state = 'running')
    returning 1`;
  return passed.length > 0;
}

/**
 * Appends the words of a stretch as one row of its room, and moves the mark of how far it was heard: both or neither,
 * only behind row `after`, only where the mark stands at its beginning, and only for whoever holds the job.
 */
export async function appendHeardRow(sql: Sql, row: PendingRow, after: number, stretch: HeardStretch): Promise<Next> {
  const { room, generation, userId } = row;
  const { meetingId, jobId, lease, from, to } = stretch;
  const bytes = Buffer.from(row.bytes.buffer, row.bytes.byteOffset, row.bytes.byteLength);
  const [found] = await sql<{ stood: string; seq: string | null }[]>`
    with room as (
      select name, seq from rooms where name = ${room} and generation = ${generation} for update
    ), moved as (
      update intakes i set heard_ms = ${to}::int from room
      where room.seq = ${after} and i.meeting_id = ${meetingId} and i.state = 'processing' and i.heard_ms = ${from}
        and exists (select 1 from jobs where id = ${jobId} and lease = ${lease} and state = 'running')
      returning 1
    ), next as (
      update rooms r set seq = room.seq + 1 from room, moved where r.name = room.name returning r.seq
    ), appended as (
      insert into room_updates (room, generation, seq, user_id, client_ids, bytes, checksum, at)
      select ${room}, ${generation}::int, next.seq, ${userId}::text,
        string_to_array(nullif(${row.clientIds.join(',')}, ''), ',')::bigint[], ${bytes}::bytea,
        ${checksum(room, generation, after + 1, bytes)}::bytea, ${row.at.toISOString()}::timestamptz
      from next
    )
    select room.seq as stood, (select seq from next) as seq from room`;
  if (!found) return 'gone';
  if (found.seq !== null) return Number(found.seq);
  // A line that broke may have stored it: then the mark has moved, and so has the log.
  return Number(found.stood) === after || (await heardUntil(sql, stretch)) !== from ? 'refused' : 'moved';
}
