import type { Sql, TransactionSql } from 'postgres';
import { standingOf, type Holder, type Standing } from './access.ts';
import type { Orm } from './open.ts';
import { requestAnswers } from './schema/answers.ts';
import { checksum, type PendingRow } from './updates.ts';

/** What a changing request was answered. Who sends it again, under the same id, is told the same. */
export interface Answer {
  status: number;
  /** The mark of what the answer speaks of, where it has one. */
  etag: string | null;
  /** Null where there is no body. */
  body: string | null;
}

/** The request an answer is kept for. */
export interface Asked {
  userId: string;
  requestId: string;
  /** Of what was asked: the same id for something else is a mistake. */
  fingerprint: Buffer;
}

export async function findAnswer(
  sql: Sql,
  { userId, requestId }: Asked,
): Promise<(Answer & Pick<Asked, 'fingerprint'>) | null> {
  const [row] = await sql<(Answer & { fingerprint: Buffer })[]>`
    select fingerprint, status, etag, body from request_answers where user_id = ${userId} and request_id = ${requestId}`;
  return row ?? null;
}

/** False where there is one already: then whoever is in a transaction gives it up. */
export async function keepAnswer(orm: Orm, asked: Asked, answer: Answer, at: Date): Promise<boolean> {
  const kept = await orm
    .insert(requestAnswers)
    .values({ ...asked, ...answer, at })
    .onConflictDoNothing()
    .returning({ requestId: requestAnswers.requestId });
  return kept.length > 0;
}

/** The same for those who speak SQL. */
export async function storeAnswer(sql: Sql | TransactionSql, asked: Asked, answer: Answer, at: Date): Promise<boolean> {
  const kept = await sql`
    insert into request_answers (user_id, request_id, fingerprint, status, etag, body, at)
    values (${asked.userId}, ${asked.requestId}, ${asked.fingerprint}, ${answer.status}, ${answer.etag}, ${answer.body},
      ${at.toISOString()}::timestamptz)
    on conflict do nothing returning 1`;
  return kept.length > 0;
}

/**
 * What became of a row that is to be stored only as the very next one: its number; or something else was stored before
 * it, its room is gone or has another generation, or its request has been answered already.
 */
export type Next = number | 'moved' | 'gone' | 'refused';

/** What may have ended of the rights of whoever asked for it; nothing is stored then. */
export type Ended = Exclude<Standing, 'held'>;

/**
 * Appends one row of a room and the answer to whoever asked for it: both or neither, only behind row `after`, and only
 * while whoever asks holds what they held when it was judged.
 */
export async function appendAnswered(
  sql: Sql,
  row: PendingRow,
  after: number,
  asked: Asked,
  answer: Answer,
  holder: Holder,
): Promise<Next | Ended> {
  const { room, generation, userId } = row;
  const at = row.at.toISOString();
  const bytes = Buffer.from(row.bytes.buffer, row.bytes.byteOffset, row.bytes.byteLength);
  const [found] = await sql<{ stood: string; seq: string | null; standing: Standing | null }[]>`
    with room as (
      select name, seq from rooms where name = ${room} and generation = ${generation} for update
    ), rights as (
      select ${standingOf(sql, holder)} as standing from room where room.seq = ${after}
    ), answered as (
      insert into request_answers (user_id, request_id, fingerprint, status, etag, body, at)
      select ${asked.userId}, ${asked.requestId}, ${asked.fingerprint}::bytea, ${answer.status}::int, ${answer.etag}::text,
        ${answer.body}::text, ${at}::timestamptz
      from rights where rights.standing = 'held'
      on conflict do nothing returning 1
    ), next as (
      update rooms r set seq = room.seq + 1 from room, answered where r.name = room.name returning r.seq
    ), appended as (
      insert into room_updates (room, generation, seq, user_id, client_ids, bytes, checksum, at)
      select ${room}, ${generation}::int, next.seq, ${userId}::text,
        string_to_array(nullif(${row.clientIds.join(',')}, ''), ',')::bigint[], ${bytes}::bytea,
        ${checksum(room, generation, after + 1, bytes)}::bytea, ${at}::timestamptz
      from next
    )
    select room.seq as stood, (select standing from rights) as standing, (select seq from next) as seq from room`;
  if (!found) return 'gone';
  if (found.seq !== null) return Number(found.seq);
  if (found.standing && found.standing !== 'held') return found.standing;
  // A line that broke may have stored it: then it is its own row that stands in the way.
  return Number(found.stood) === after || (await findAnswer(sql, asked)) ? 'refused' : 'moved';
}
