import type { Sql, TransactionSql } from 'postgres';
import { standingOf, type Holder, type Standing } from './access.ts';
import type { Orm } from './open.ts';
import { requestAnswers } from './schema/answers.ts';
import { checksum, type PendingRow } from './updates.ts';

/** The stored answer to a request that changed something; a retry with the same id gets it again. */
export interface Answer {
  status: number;
  /** The ETag of the answer, if it has one. */
  etag: string | null;
  /** Null: no body. */
  body: string | null;
}

/** The request that an answer belongs to. */
export interface Asked {
  userId: string;
  requestId: string;
  /** The hash of the request: the same id with another request is an error. */
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

/** False if an answer exists already; the caller then gives up its transaction. */
export async function keepAnswer(orm: Orm, asked: Asked, answer: Answer, at: Date): Promise<boolean> {
  const kept = await orm
    .insert(requestAnswers)
    .values({ ...asked, ...answer, at })
    .onConflictDoNothing()
    .returning({ requestId: requestAnswers.requestId });
  return kept.length > 0;
}

/** The same as plain SQL. */
export async function storeAnswer(sql: Sql | TransactionSql, asked: Asked, answer: Answer, at: Date): Promise<boolean> {
  const kept = await sql`
    insert into request_answers (user_id, request_id, fingerprint, status, etag, body, at)
    values (${asked.userId}, ${asked.requestId}, ${asked.fingerprint}, ${answer.status}, ${answer.etag}, ${answer.body},
      ${at.toISOString()}::timestamptz)
    on conflict do nothing returning 1`;
  return kept.length > 0;
}

/**
 * Result of storing a row that has to be the next one: its number; or another row came first, the room is gone or has
 * another generation, or the request was answered already.
 */
export type Next = number | 'moved' | 'gone' | 'refused';

/** The caller's rights ended, so nothing is stored. */
export type Ended = Exclude<Standing, 'held'>;

/**
 * Appends one row of a room and stores the answer for its caller: both or neither, only directly after row `after`, and
 * only while the caller has the rights of the check.
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
  // The statement can have been stored although the connection broke: then the conflicting row is its own.
  return Number(found.stood) === after || (await findAnswer(sql, asked)) ? 'refused' : 'moved';
}
