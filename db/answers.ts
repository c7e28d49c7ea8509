import type { Fragment, Sql, TransactionSql } from 'postgres';
import type { ActionKind } from '#shared/actions.ts';
import { standingOf, type Holder, type Standing } from './access.ts';
import type { Orm } from './open.ts';
import type { aiDecisions } from './schema/ai.ts';
import { requestAnswers } from './schema/answers.ts';
import type { NewMail } from './schema/house.ts';
import { checksum, type PendingRow } from './updates.ts';

/** The stored answer to a request that changed something; a retry with the same id gets it again. */
export interface Answer {
  status: number;
  /** The ETag of the answer, if it has one. */
  etag: string | null;
  /** Text of the answer; null for one without a body. */
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

/** Effects of a stored row: mails in the outbox, and a notification to every process on commit. */
export interface Effects {
  mails?: readonly NewMail[];
  notice?: { channel: string; payload: string };
  action?: ActionEffect;
  chatModel?: ChatModelEffect;
  accepted?: AcceptedEffect;
}

type DecisionBefore = Pick<typeof aiDecisions.$inferSelect, 'state' | 'outcomeId'>;

/** A suggestion becomes the outcome of this row, only if its decision still is what the caller read. */
interface AcceptedEffect {
  suggestionId: string;
  outcomeId: string;
  userId: string;
  before: DecisionBefore;
  /** The layer of a review for which its person decides; null: for all who write in the recording. */
  layer: { id: string; userId: string } | null;
}

/** The assistant of a recording, chosen with the row of version `version` by a caller who has read version `since`. */
interface ChatModelEffect {
  meetingId: string;
  model: string | null;
  since: number;
  version: number;
}

/**
 * Part that a row adds to an action that its person can undo: the first row makes the action. Or what it takes from
 * one, as it is undone, and what is left of that part.
 */
export type ActionEffect =
  | { id: string; kind: ActionKind; what: object; change: { meeting: string } }
  | { id: string; undoes: { meeting: string; left: object | null } };

/**
 * Appends one row of a room, and stores the answer for its caller and the effects: all or nothing, only directly after row
 * `after`, and only while the caller has the rights of the check.
 */
export async function appendAnswered(
  sql: Sql,
  row: PendingRow,
  after: number,
  asked: Asked,
  answer: Answer,
  holder: Holder,
  effects: Effects | null = null,
): Promise<Next | Ended> {
  const { room, generation, userId } = row;
  const at = row.at.toISOString();
  const bytes = Buffer.from(row.bytes.buffer, row.bytes.byteOffset, row.bytes.byteLength);
  const [found] = await sql<{ stood: string; seq: string | null; standing: Standing | null }[]>`
    with ${effects?.chatModel ? ofMeeting(sql, effects.chatModel) : sql``}room as (
      select name, seq from rooms where name = ${room} and generation = ${generation}
        ${effects?.chatModel ? sql`and exists (select 1 from meeting)` : sql``} for update
    ), rights as (
      select ${standingOf(sql, holder)} as standing from room where room.seq = ${after}${effects?.chatModel ? sql` and ${notChosenSince(sql, effects.chatModel)}` : sql``}
    ), ${effects?.accepted ? accepting(sql, effects.accepted) : sql``}answered as (
      insert into request_answers (user_id, request_id, fingerprint, status, etag, body, at)
      select ${asked.userId}, ${asked.requestId}, ${asked.fingerprint}::bytea, ${answer.status}::int, ${answer.etag}::text,
        ${answer.body}::text, ${at}::timestamptz
      from rights${effects?.accepted ? sql`, accepted` : sql``} where rights.standing = 'held'
      on conflict do nothing returning 1
    ), next as (
      update rooms r set seq = room.seq + 1 from room, answered where r.name = room.name returning r.seq
    ), appended as (
      insert into room_updates (room, generation, seq, user_id, client_ids, bytes, checksum, at)
      select ${room}, ${generation}::int, next.seq, ${userId}::text,
        string_to_array(nullif(${row.clientIds.join(',')}, ''), ',')::bigint[], ${bytes}::bytea,
        ${checksum(room, generation, after + 1, bytes)}::bytea, ${at}::timestamptz
      from next
    )${effects?.mails ? mailed(sql, effects.mails) : sql``}${effects?.action ? acted(sql, effects.action, userId, at) : sql``}${effects?.chatModel ? chosen(sql, effects.chatModel) : sql``}
    select room.seq as stood, (select standing from rights) as standing, (select seq from next) as seq
      ${effects?.notice ? noticed(sql, effects.notice) : sql``} from room`;
  if (!found) return 'gone';
  if (found.seq !== null) return Number(found.seq);
  if (found.standing && found.standing !== 'held') return found.standing;
  // The statement can have been stored although the connection broke: then the conflicting row is its own.
  return Number(found.stood) === after || (await findAnswer(sql, asked)) ? 'refused' : 'moved';
}

/** Part of the statement above: a mail with a known key is not stored again. */
const mailed = (sql: Sql, mails: readonly NewMail[]): Fragment => {
  const time = (at: Date) => at.toISOString();
  return sql`, mailed as (
      insert into mail_outbox (id, dedupe_key, message_id, to_address, subject, text, html, created_at, expires_at, next_at)
      select m.id, m.dedupe_key, m.message_id, m.to_address, m.subject, m.text, m.html, m.created_at::timestamptz,
        m.expires_at::timestamptz, m.next_at::timestamptz
      from next, unnest(
        ${mails.map((mail) => mail.id)}::text[], ${mails.map((mail) => mail.dedupeKey ?? null)}::text[],
        ${mails.map((mail) => mail.messageId)}::text[], ${mails.map((mail) => mail.toAddress)}::text[],
        ${mails.map((mail) => mail.subject)}::text[], ${mails.map((mail) => mail.text)}::text[],
        ${mails.map((mail) => mail.html)}::text[], ${mails.map((mail) => time(mail.createdAt))}::text[],
        ${mails.map((mail) => time(mail.expiresAt))}::text[], ${mails.map((mail) => time(mail.nextAt))}::text[]
      ) as m(id, dedupe_key, message_id, to_address, subject, text, html, created_at, expires_at, next_at)
      on conflict do nothing
    )`;
};

/** Part of the statement above. */
const acted = (sql: Sql, action: ActionEffect, userId: string | null, at: string): Fragment => {
  if ('undoes' in action) {
    const { meeting, left } = action.undoes;
    const named = sql`p.action_id = ${action.id} and p.about = ${meeting}`;
    const part = left
      ? sql`update action_parts p set change = ${JSON.stringify(left)}::text::jsonb from next where ${named} returning 0 as gone`
      : sql`delete from action_parts p using next where ${named} returning 1 as gone`;
    // Counted in the locked row, for two requests that undo it at once.
    return sql`, part as (
      ${part}
    ), acted as (
      update undoable_actions a
      set parts = a.parts - part.gone, undone_at = case when a.parts = part.gone then ${at}::timestamptz end
      from part where a.id = ${action.id}
    )`;
  }
  // A part that is changed again counts once. Places of a recording that two requests changed at once are undone together.
  const change =
    action.kind === 'fix'
      ? sql`jsonb_set(excluded.change, '{places}', (action_parts.change -> 'places') || (excluded.change -> 'places'))`
      : sql`excluded.change`;
  return sql`, part as (
      insert into action_parts (action_id, about, change)
      select ${action.id}, ${action.change.meeting}, ${JSON.stringify(action.change)}::text::jsonb from next
      on conflict (action_id, about) do update set change = ${change}
      returning (xmax = 0)::int as added
    ), acted as (
      insert into undoable_actions as a (id, user_id, kind, what, parts, at)
      select ${action.id}, ${userId}::text, ${action.kind}, ${JSON.stringify(action.what)}::text::jsonb, part.added,
        ${at}::timestamptz
      from part
      on conflict (id) do update set parts = a.parts + excluded.parts
    )`;
};

/** Part of the statement above: a recording is locked before its log, as everywhere. */
const ofMeeting = (sql: Sql, { meetingId }: ChatModelEffect): Fragment => sql`meeting as materialized (
      select id from meetings where id = ${meetingId} for no key update
    ), `;

/** Nobody has made another choice that the caller has not read; one who has is asked to look again. */
const notChosenSince = (sql: Sql, { meetingId, model, since }: ChatModelEffect): Fragment => sql`not exists (
        select 1 from meetings m where m.id = ${meetingId} and m.chat_model_version > ${since}::bigint
          and m.chat_model_id is distinct from ${model}::text)`;

/** Part of the statement above. */
const chosen = (sql: Sql, { meetingId, model, version }: ChatModelEffect): Fragment => sql`, chosen as (
      update meetings m set chat_model_id = ${model}::text, chat_model_version = ${version}::bigint from next
      where m.id = ${meetingId} and m.chat_model_id is distinct from ${model}::text
    )`;

/** Part of the statement above: without a row where somebody else decided meanwhile. */
const accepting = (sql: Sql, { suggestionId, outcomeId, userId, before, layer }: AcceptedEffect): Fragment => {
  const asRead = (from: Fragment) =>
    sql`${from}.state = ${before.state} and ${from}.outcome_id is not distinct from ${before.outcomeId}::text`;
  if (layer === null)
    return sql`accepted as (
      update ai_suggestions s set state = 'accepted', outcome_id = ${outcomeId}, reject_reason = null, decided_by = ${userId}
      from rights where rights.standing = 'held' and s.id = ${suggestionId} and ${asRead(sql`s`)} returning 1
    ), `;
  return sql`accepted as (
      insert into ai_decisions as d (suggestion_id, layer_id, user_id, state, outcome_id)
      select ${suggestionId}, ${layer.id}, ${layer.userId}, 'accepted', ${outcomeId} from rights where rights.standing = 'held'
      on conflict (suggestion_id, layer_id, user_id)
        do update set state = 'accepted', outcome_id = excluded.outcome_id, reject_reason = null
        where ${asRead(sql`d`)} returning 1
    ), `;
};

/** A column of its result, because a query in WITH that nobody reads is not run. */
const noticed = (sql: Sql, { channel, payload }: NonNullable<Effects['notice']>): Fragment =>
  sql`, (select pg_notify(${channel}, ${payload}) from next) as noticed`;
