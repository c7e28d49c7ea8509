import type { Fragment, Sql } from 'postgres';
import type { Next } from './answers.ts';
import { checksum, type PendingRow } from './updates.ts';

/** A piece of a recording, and the job that transcribes it. */
export interface HeardStretch {
  meetingId: string;
  jobId: string;
  lease: string;
  /** Milliseconds. */
  from: number;
  to: number;
}

/** How far a meeting is transcribed; null if the job is held no longer. */
export async function heardUntil(sql: Sql, { meetingId, jobId, lease }: HeardStretch): Promise<number | null> {
  const [row] = await sql<{ heard_ms: number }[]>`
    select i.heard_ms from intakes i join jobs j on j.meeting_id = i.meeting_id
    where i.meeting_id = ${meetingId} and i.state = 'processing'
      and j.id = ${jobId} and j.lease = ${lease} and j.state = 'running'`;
  return row?.heard_ms ?? null;
}

/** Marks a piece without speech as transcribed. False if another process has the job, or the piece was done already. */
export async function passHeard(sql: Sql, { meetingId, jobId, lease, from, to }: HeardStretch): Promise<boolean> {
  const passed = await sql`
    update intakes set heard_ms = ${to} where meeting_id = ${meetingId} and state = 'processing' and heard_ms = ${from}
      and exists (select 1 from jobs where id = ${jobId} and lease = ${lease} and state = 'running')
    returning 1`;
  return passed.length > 0;
}

/** A mark of an intake that moves in one transaction with a row of its room. */
interface Mark {
  holder: Pick<HeardStretch, 'meetingId' | 'jobId' | 'lease'>;
  set: Fragment;
  /** The position of the mark before the move. */
  before: Fragment;
  /** True while the mark is there and the caller holds the job. */
  isBefore(): Promise<boolean>;
}

/**
 * Appends a row and moves a mark of the intake: both or neither, only directly after row `after`, only from the expected
 * position of the mark, and only for the process that holds the job.
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
  // The statement can have been stored although the connection broke: then the mark and the log have moved.
  return Number(found.stood) === after || !(await mark.isBefore()) ? 'refused' : 'moved';
}

/** Appends the words of a piece, and moves the mark to its end. */
export const appendHeardRow = (sql: Sql, row: PendingRow, after: number, stretch: HeardStretch): Promise<Next> =>
  appendMarked(sql, row, after, {
    holder: stretch,
    set: sql`heard_ms = ${stretch.to}::int`,
    before: sql`i.heard_ms = ${stretch.from}`,
    isBefore: async () => (await heardUntil(sql, stretch)) === stretch.from,
  });

type Entering = Mark['holder'];

/** True if the document has the imported transcript; asked while the job is held. */
export async function isEntered(sql: Sql, { meetingId, jobId, lease }: Entering): Promise<boolean | null> {
  const [row] = await sql<{ entered: boolean }[]>`
    select i.transcript_entered as entered from intakes i join jobs j on j.meeting_id = i.meeting_id
    where i.meeting_id = ${meetingId} and i.state = 'processing'
      and j.id = ${jobId} and j.lease = ${lease} and j.state = 'running'`;
  return row?.entered ?? null;
}

/** Appends the words of an imported transcript, once. */
export const appendEnteredRow = (sql: Sql, row: PendingRow, after: number, entering: Entering): Promise<Next> =>
  appendMarked(sql, row, after, {
    holder: entering,
    set: sql`transcript_entered = true`,
    before: sql`not i.transcript_entered`,
    isBefore: async () => (await isEntered(sql, entering)) === false,
  });
