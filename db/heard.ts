import type { Fragment, Sql } from 'postgres';
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

/** A mark of an intake that moves together with a row of its room. */
interface Mark {
  holder: Pick<HeardStretch, 'meetingId' | 'jobId' | 'lease'>;
  set: Fragment;
  /** Where the mark stands before. */
  before: Fragment;
  /** Whether it still stands there, for whoever holds the job. */
  isBefore(): Promise<boolean>;
}

/**
 * Appends a row, and moves a mark of the intake: both or neither, only behind row `after`, only where the mark stands where
 * it is to begin, and only for whoever holds the job.
 */
async function appendMarked(sql: Sql, row: PendingRow, after: number, mark: Mark): Promise<Next> {
  const { room, generation, userId } = row;
  const { meetingId, jobId, lease } = mark.holder;
  const bytes = Buffer.from(row.bytes.buffer, row.bytes.byteOffset, row.bytes.byteLength);
  const [found] = await sql<{ stood: string; seq: string | null }[]>`
    with room as (
      select name, seq from rooms where name = ${room} and generation = ${generation} for update
    ), moved as (
      update intakes i set ${mark.set} from room
      where room.seq = ${after} and i.meeting_id = ${meetingId} and i.state = 'processing' and ${mark.before}
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
  return Number(found.stood) === after || !(await mark.isBefore()) ? 'refused' : 'moved';
}

/** The words of a stretch, with the mark of how far it was heard. */
export const appendHeardRow = (sql: Sql, row: PendingRow, after: number, stretch: HeardStretch): Promise<Next> =>
  appendMarked(sql, row, after, {
    holder: stretch,
    set: sql`heard_ms = ${stretch.to}::int`,
    before: sql`i.heard_ms = ${stretch.from}`,
    isBefore: async () => (await heardUntil(sql, stretch)) === stretch.from,
  });

type Entering = Mark['holder'];

/** Whether the transcript that was brought along stands in the document, as long as its job is held. */
export async function isEntered(sql: Sql, { meetingId, jobId, lease }: Entering): Promise<boolean | null> {
  const [row] = await sql<{ entered: boolean }[]>`
    select i.transcript_entered as entered from intakes i join jobs j on j.meeting_id = i.meeting_id
    where i.meeting_id = ${meetingId} and i.state = 'processing'
      and j.id = ${jobId} and j.lease = ${lease} and j.state = 'running'`;
  return row?.entered ?? null;
}

/** The words of a transcript that was brought along, once. */
export const appendEnteredRow = (sql: Sql, row: PendingRow, after: number, entering: Entering): Promise<Next> =>
  appendMarked(sql, row, after, {
    holder: entering,
    set: sql`transcript_entered = true`,
    before: sql`not i.transcript_entered`,
    isBefore: async () => (await isEntered(sql, entering)) === false,
  });
