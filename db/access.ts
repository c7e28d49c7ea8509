import type { Fragment, Sql, TransactionSql } from 'postgres';
import { permissionsOf, type HistoryNeeds, type Permission } from '#shared/roles.ts';

interface WhoAsks {
  meetingId: string;
  /** Null: a person without an account, by a link. */
  userId: string | null;
  /** The hash of the browser's cookie, with which the access codes typed there are stored. */
  browser?: string | null;
}

/**
 * True if the link of a row `a` of meeting_access is open: not expired, and its code was typed in this browser.
 * `user` and `browser` are columns or values of text.
 */
export const openLink = (sql: Sql, user: Fragment, browser: Fragment): Fragment => sql`(
  (a.expires_at is null or a.expires_at > now()) and (a.code_id is null or exists (
    select 1 from link_passes p where p.meeting_id = a.meeting_id and p.code_id = a.code_id and p.expires_at > now()
      and p.holder in ('u:' || ${user}, 'b:' || ${browser}))))`;

/** Access of a person to a meeting; null when the meeting does not exist. */
export async function accessOf(
  sql: Sql,
  meetingId: string,
  userId: string | null,
  which?: 'living' | 'deleted',
  browser: string | null = null,
): Promise<ReadonlySet<Permission> | null> {
  const [held = null] = await accessesOf(sql, [{ meetingId, userId, browser }], which);
  return held;
}

/** The same for many questions at once, one answer each. */
export async function accessesOf(
  sql: Sql,
  asked: readonly WhoAsks[],
  /** A deleted meeting is visible only to people who can restore it. */
  which: 'living' | 'deleted' = 'living',
  /** `open`: the permissions as they are while the text is not closed. */
  text: 'as it is' | 'open' = 'as it is',
): Promise<(ReadonlySet<Permission> | null)[]> {
  const rows = await sql<
    {
      n: string;
      owner_id: string;
      history_needs: HistoryNeeds;
      closed: boolean;
      kind: string | null;
      permissions: string[] | null;
    }[]
  >`
    select w.n, m.owner_id, m.history_needs, m.closed_at is not null as closed, a.kind, a.permissions
    from unnest(${asked.map(({ meetingId }) => meetingId)}::text[], ${asked.map(({ userId }) => userId ?? '')}::text[],
        ${asked.map(({ browser }) => browser ?? '')}::text[]) with ordinality as w(meeting_id, user_id, browser, n)
    join meetings m on m.id = w.meeting_id and m.deleted_at is ${which === 'deleted' ? sql`not null` : sql`null`}
    left join users u on u.id = w.user_id and u.confirmed_at is not null
    left join lateral (
      select a.kind, a.permissions from meeting_access a where a.meeting_id = m.id and (
        (a.kind = 'anonymous' and ${openLink(sql, sql`w.user_id`, sql`w.browser`)})
        or (a.kind = 'user' and a.principal_id = w.user_id)
        or (a.kind = 'pending' and a.principal_id = u.email_key)
        or (a.kind = 'group' and a.principal_id in (select g.id from groups_of(w.user_id) g)))
      union all
      select 'folder', g.permissions from folder_grants(m.folder_id, w.user_id, u.email_key) g
    ) a on true`;
  const found = asked.map((): (typeof rows)[number][] => []);
  for (const row of rows) found[Number(row.n) - 1]?.push(row);
  return asked.map(({ userId }, i) => {
    const own = found[i] ?? [];
    const [first] = own;
    if (!first) return null;
    const of = (...kinds: string[]) =>
      own.flatMap((row) => (kinds.includes(row.kind ?? '') ? (row.permissions ?? []) : []));
    return permissionsOf({
      owner: userId !== null && first.owner_id === userId,
      named: of('user', 'pending', 'group', 'folder'),
      anonymous: of('anonymous'),
      signedIn: userId !== null,
      historyNeeds: first.history_needs,
      closed: first.closed && text === 'as it is',
    });
  });
}

/** The author, the session or token, and the permissions at the time of the check. `history` is no right to write. */
export interface Holder {
  meetingId: string;
  userId: string;
  browser: string | null;
  proof: { session: Buffer } | { token: string };
  held: ReadonlySet<Permission>;
}

/**
 * State of these rights inside the storing statement (`hold_rights` in the migrations): they hold until its commit, they
 * were reduced, the author is signed out, or a concurrent transaction is changing them.
 */
export type Standing = 'held' | 'less' | 'out' | 'busy';

export const standingOf = (sql: Sql | TransactionSql, { meetingId, userId, browser, proof, held }: Holder): Fragment =>
  sql`hold_rights(${meetingId}, ${userId}, ${browser}::text, ${'session' in proof ? proof.session : null}::bytea,
    ${'token' in proof ? proof.token : null}::text, ${[...held].filter((one) => one !== 'history')}::text[])`;

/** Resolves when the concurrent change is done. Each lock has a statement of its own, so that no other work waits for it. */
export async function rightsSettled(sql: Sql, { meetingId, userId, proof }: Holder): Promise<void> {
  await sql`select 1 from users where id = ${userId} for key share`;
  if ('session' in proof) await sql`select 1 from sessions where hash = ${proof.session} for key share`;
  else await sql`select 1 from api_tokens where id = ${proof.token} for key share`;
  await sql`select 1 from meetings where id = ${meetingId} for share`;
  await sql`
    select 1 from folders where id in (select a.id from meetings m, folders_above(m.folder_id) a where m.id = ${meetingId})
    for share`;
  await sql`
    select 1 from group_members m join groups g on g.id = m.group_id where m.user_id = ${userId}
    for share of g for key share of m`;
}

/** True if a meeting has a link that needs an access code. */
export async function wantsCode(sql: Sql, meetingId: string): Promise<boolean> {
  const [row] = await sql`
    select 1 from meeting_access a join meetings m on m.id = a.meeting_id and m.deleted_at is null
    where a.meeting_id = ${meetingId} and a.kind = 'anonymous' and a.code_id is not null
      and (a.expires_at is null or a.expires_at > now()) and 'read' = any(a.permissions)`;
  return row !== undefined;
}
