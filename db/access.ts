import type { Fragment, Sql, TransactionSql } from 'postgres';
import { reviewerUnnamed } from '#shared/meetings/history.ts';
import type { LayerKind } from '#shared/reviews/grants.ts';
import { layerPermissionsOf, permissionsOf, type HistoryNeeds, type Permission } from '#shared/roles.ts';

interface WhoAsks {
  /** Id of a meeting; `accessesByIdOf` also takes the id of a layer. */
  meetingId: string;
  /** Account of the person; null for somebody without one, who came by a link. */
  userId: string | null;
  /** The hash of the browser's cookie, with which the access codes typed there are stored. */
  browser?: string | null;
  /** The hash of a session's secret in place of its account, for who finds out at the same time whether it still counts. */
  session?: Buffer | null;
}

/**
 * True if the link of a row `a` of meeting_access is open: not expired, and its code was typed in this browser.
 * `user` and `browser` are columns or values of text.
 */
export const openLink = (sql: Sql, user: Fragment, browser: Fragment): Fragment => sql`(
  (a.expires_at is null or a.expires_at > now()) and (a.code_id is null or exists (
    select 1 from link_passes p where p.meeting_id = a.meeting_id and p.code_id = a.code_id and p.expires_at > now()
      and p.holder in ('u:' || ${user}, 'b:' || ${browser}))))`;

/** Permissions of people on meetings, one answer each; null where there is no such meeting, or it is a layer's id. */
export async function accessesOf(
  sql: Sql,
  asked: readonly WhoAsks[],
  which?: Which,
  text?: TextState,
): Promise<(ReadonlySet<Permission> | null)[]> {
  const found = await accessesByIdOf(sql, asked, which, text);
  return found.map((one) => (one && one.layerId === null ? one.held : null));
}

/** A deleted meeting is visible only to people who can restore it. */
type Which = 'living' | 'deleted';
/** `open`: the permissions as they are while the text is not closed. */
type TextState = 'as it is' | 'open';

/** Meeting that an id stands for, alone or with a layer, and the permissions of the person by it. */
export interface AccessById {
  meetingId: string;
  layerId: string | null;
  held: ReadonlySet<Permission>;
}

export interface AccessInRooms extends AccessById {
  veil: Veil;
  /**
   * True by the id of a layer whose review is blind or anonymous: only words can be corrected, as others would read marks
   * beside them.
   */
  wordsOnly: boolean;
}

/**
 * A person's veil in the rooms of a meeting. While reviews are blind, presence shows their reviewers only to people who
 * supervise all of these reviews. In anonymous reviews this never ends. A second pass hides by its own layers alone, and there
 * also afterwards.
 */
export interface Veil {
  /** Ids of the reviews in which this person is hidden. */
  by: readonly string[];
  /** Ids of those that this person supervises. */
  oversees: readonly string[];
}

/** The same for ids of meetings or layers. A layer's rows give permissions by its own id alone. */
export async function accessesByIdOf(
  sql: Sql,
  asked: readonly WhoAsks[],
  which: Which = 'living',
  text: TextState = 'as it is',
): Promise<(AccessInRooms | null)[]> {
  const given = sql`unnest(${asked.map(({ meetingId }) => meetingId)}::text[], ${asked.map(({ userId }) => userId ?? '')}::text[],
    ${asked.map(({ browser }) => browser ?? '')}::text[]`;
  const people = asked.some(({ session }) => session)
    ? sql`(
        select g.asked_id, coalesce(s.user_id, g.user_id) as user_id, g.browser, g.n
        from ${given}, ${asked.map(({ session = null }) => session && `\\x${session.toString('hex')}`)}::bytea[])
          with ordinality as g(asked_id, user_id, browser, session, n)
        left join sessions s on s.hash = g.session) w`
    : sql`${given}) with ordinality as w(asked_id, user_id, browser, n)`;
  const rows = await sql<
    {
      n: string;
      user_id: string;
      id: string;
      layer_id: string | null;
      owner_id: string;
      history_needs: HistoryNeeds;
      closed: boolean;
      kind: string | null;
      permissions: string[] | null;
      veiled: string[] | null;
      oversees: string[] | null;
      blind: boolean;
    }[]
  >`
    select v.veiled, v.oversees, coalesce(lr.anonymous or lr.policy in ('strict', 'student') and lr.opened_at is null, false) as blind, w.n, w.user_id, m.id, l.id as layer_id, m.owner_id, m.history_needs, m.closed_at is not null as closed, a.kind, a.permissions
    from ${people}
    left join layers l on l.id = w.asked_id and l.deleted_at is null
    left join reviews lr on lr.id = l.review_id
    join meetings m on m.id = coalesce(l.meeting_id, w.asked_id)
      and m.deleted_at is ${which === 'deleted' ? sql`not null` : sql`null`}
    left join users u on u.id = w.user_id and u.confirmed_at is not null
    left join lateral (
      select a.kind, a.permissions from meeting_access a where l.id is null and a.meeting_id = m.id and (
        (a.kind = 'anonymous' and ${openLink(sql, sql`w.user_id`, sql`w.browser`)})
        or (a.kind = 'user' and a.principal_id = w.user_id)
        or (a.kind = 'pending' and a.principal_id = u.email_key)
        or (a.kind = 'group' and a.principal_id in (select g.id from groups_of(w.user_id) g)))
      union all
      select 'folder', g.permissions from folder_grants(m.folder_id, w.user_id, u.email_key) g where l.id is null
      union all
      select case when other.id = l.id then 'layer' else 'words' end, a.permissions
      from layers other join layer_access a on a.layer_id = other.id
      where other.review_id = l.review_id and (other.id = l.id or other.kind = 'words')
        and ${isPerson(sql, sql`a`, sql`w.user_id`, sql`u.email_key`)}
    ) a on true
    left join lateral (
      select array_agg(r.id) filter (where not (r.observers and not r.anonymous and p.role in ('watcher', 'supervisor'))) as veiled,
        array_agg(r.id) filter (where p.role = 'supervisor') as oversees
      from reviews r join reviewers p on p.review_id = r.id
      where r.meeting_id = m.id and (p.role <> 'student' or r.policy = 'student')
        and case when r.second_of is not null then r.id = l.review_id
          when r.anonymous and p.role <> 'student' then true
          else r.policy in ('strict', 'student') and r.opened_at is null end
        and r.deleted_at is null and ${isPerson(sql, sql`p`, sql`w.user_id`, sql`u.email_key`)}
    ) v on true`;
  const found = asked.map((): (typeof rows)[number][] => []);
  for (const row of rows) found[Number(row.n) - 1]?.push(row);
  return asked.map((_, i) => {
    const own = found[i] ?? [];
    const [first] = own;
    if (!first) return null;
    const userId = first.user_id || null;
    const of = (...kinds: string[]) =>
      own.flatMap((row) => (kinds.includes(row.kind ?? '') ? (row.permissions ?? []) : []));
    const { id: meetingId, layer_id: layerId } = first;
    const closed = first.closed && text === 'as it is';
    const veil: Veil = { by: first.veiled ?? [], oversees: first.oversees ?? [] };
    const held =
      layerId === null
        ? permissionsOf({
            owner: userId !== null && first.owner_id === userId,
            named: of('user', 'pending', 'group', 'folder'),
            anonymous: of('anonymous'),
            signedIn: userId !== null,
            historyNeeds: first.history_needs,
            closed,
          })
        : layerPermissionsOf({ layer: of('layer'), words: of('layer', 'words'), closed });
    return { meetingId, layerId, held, veil, wordsOnly: first.blind };
  });
}

/** A time in which a person's corrections have no name for somebody; `until` is null while it lasts. */
export interface Nameless {
  userId: string;
  from: Date;
  until: Date | null;
}

/**
 * Times of a transcript whose authors this person is not told: those of the people in a review, from when they were added to
 * it until they were removed, as long as it has not opened, and of reviewers in an anonymous one for ever. Its supervisors
 * learn them, and each person their own.
 */
export async function namelessFor(sql: Sql, meetingId: string, viewerId: string | null): Promise<Nameless[]> {
  const address = sql`(select email_key from users where id = ${viewerId ?? ''} and confirmed_at is not null)`;
  const rows = await sql<{ user_id: string; from_at: Date; until_at: Date | null }[]>`
    select b.user_id, b.from_at, b.until_at
    from reviews r join lateral (${blindTimes(sql, sql`r`)}) b on true
    where r.meeting_id = ${meetingId} and b.user_id <> ${viewerId ?? ''} and not exists (
        select 1 from reviewers s where s.review_id = r.id and s.role = 'supervisor'
          and ${isPerson(sql, sql`s`, sql`${viewerId ?? ''}`, address)})
    union all
    select user_id, from_at, until_at from unnamed_corrections
    where meeting_id = ${meetingId} and user_id <> ${viewerId ?? ''}`;
  return rows.map((row) => ({
    userId: row.user_id,
    from: new Date(row.from_at),
    until: row.until_at && new Date(row.until_at),
  }));
}

/**
 * Accounts in a review `r` that is blind or anonymous, and from when to when they were in it; none in others. Nobody corrects by
 * a second pass: authors without a name would tell that there is one.
 */
const blindTimes = (sql: Sql | TransactionSql, r: Fragment): Fragment => sql`
  select coalesce(u.id, p.principal_id) as user_id, p.from_at, least(p.until_at, ${r}.deleted_at) as until_at
  from (
    select kind, principal_id, role, added_at as from_at, null::timestamptz as until_at from reviewers where review_id = ${r}.id
    union all
    select kind, principal_id, role, added_at, removed_at from removed_reviewers where review_id = ${r}.id
  ) p
  left join users u on p.kind = 'pending' and u.email_key = p.principal_id and u.confirmed_at is not null
  where (${r}.policy in ('strict', 'student') and ${r}.opened_at is null or ${r}.anonymous and p.role <> 'student')
    and ${r}.second_of is null and (p.kind = 'user' or u.id is not null)
    and (p.role <> 'student' or ${r}.policy = 'student')
    and not (${r}.observers and not ${r}.anonymous and p.role in ('watcher', 'supervisor'))`;

/** Keeps corrections of a review without a name that is cleared away; none where nobody corrected. */
export async function keepUnnamed(sql: Sql | TransactionSql, reviewId: string): Promise<void> {
  await sql`
    insert into unnamed_corrections (meeting_id, user_id, from_at, until_at)
    select r.meeting_id, b.user_id, b.from_at, max(b.until_at)
    from reviews r join lateral (${blindTimes(sql, sql`r`)}) b on b.until_at is not null
    where r.id = ${reviewId} and exists (
      select 1 from room_updates u where u.room = r.meeting_id || '/transcript' and u.user_id = b.user_id
        and u.at >= b.from_at and u.at < b.until_at)
    group by r.meeting_id, b.user_id, b.from_at
    on conflict (meeting_id, user_id, from_at) do update
      set until_at = greatest(unnamed_corrections.until_at, excluded.until_at)`;
}

/** Author of a change as somebody learns of them. */
export function authorFor(nameless: readonly Nameless[], userId: string | null, at: Date): string | null {
  const hidden = nameless.some(
    (one) => one.userId === userId && at >= one.from && (one.until === null || at < one.until),
  );
  return hidden ? reviewerUnnamed : userId;
}

/** The same for a row `u` of room_updates in a query. */
export const authorIn = (sql: Sql, nameless: readonly Nameless[]): Fragment =>
  nameless.length === 0
    ? sql`u.user_id`
    : sql`case when exists (
        select 1 from unnest(${nameless.map(({ userId }) => userId)}::text[],
          ${nameless.map(({ from }) => from.toISOString())}::text[],
          ${nameless.map(({ until }) => until?.toISOString() ?? 'infinity')}::text[]) n(user_id, from_at, until_at)
        where n.user_id = u.user_id and u.at >= n.from_at::timestamptz and u.at < n.until_at::timestamptz)
      then ${reviewerUnnamed}::text else u.user_id end`;

/** True if a row of `layer_access` or `reviewers` is that of the person, by their account or their confirmed address. */
const isPerson = (sql: Sql, row: Fragment, user: Fragment, address: Fragment): Fragment => sql`(
  (${row}.kind = 'user' and ${row}.principal_id = ${user}) or (${row}.kind = 'pending' and ${row}.principal_id = ${address}))`;

/** Layers that a person may read, of one meeting or of all that are not deleted. Search and figures ask this alone. */
export async function readableLayers(
  sql: Sql,
  userId: string,
  meetingId: string | null = null,
): Promise<{ id: string; meetingId: string; reviewId: string; kind: LayerKind; reviewerId: string | null }[]> {
  return sql`
    select l.id, l.meeting_id as "meetingId", l.review_id as "reviewId", l.kind, l.reviewer_id as "reviewerId"
    from (
      select a.layer_id from layer_access a
      where a.kind = 'user' and a.principal_id = ${userId} and 'read' = any(a.permissions)
      union
      select a.layer_id from layer_access a join users u on u.id = ${userId} and u.confirmed_at is not null
      where a.kind = 'pending' and a.principal_id = u.email_key and 'read' = any(a.permissions)
    ) held
    join layers l on l.id = held.layer_id and l.deleted_at is null
    join reviews r on r.id = l.review_id and r.deleted_at is null
    join meetings m on m.id = l.meeting_id and m.deleted_at is null
    where ${meetingId === null ? sql`true` : sql`l.meeting_id = ${meetingId}`}
    order by l.id`;
}

/** Those among layers whose annotations are this person's own. */
export async function ownLayers(sql: Sql, userId: string, layerIds: readonly string[]): Promise<ReadonlySet<string>> {
  const address = sql`(select email_key from users where id = ${userId} and confirmed_at is not null)`;
  const rows = await sql<{ id: string }[]>`
    select l.id from layers l join reviewers p on p.id = l.reviewer_id
    where l.id = any(${layerIds as string[]}::text[]) and ${isPerson(sql, sql`p`, sql`${userId}`, address)}`;
  return new Set(rows.map(({ id }) => id));
}

/** Row by which a person writes in a layer of an anonymous review; null where they write by their account. */
export async function anonymousAuthor(sql: Sql, layerId: string, userId: string): Promise<string | null> {
  const address = sql`(select email_key from users where id = ${userId} and confirmed_at is not null)`;
  const [row] = await sql<{ id: string }[]>`
    select p.id from layers l join reviews r on r.id = l.review_id and r.anonymous
      join reviewers p on p.review_id = r.id and p.role <> 'student'
    where l.id = ${layerId} and ${isPerson(sql, sql`p`, sql`${userId}`, address)}`;
  return row?.id ?? null;
}

/** Whether a row by which somebody wrote in an anonymous review is, or was before they were removed, this person's. */
export async function isAuthorsRow(sql: Sql, rowId: string, userId: string): Promise<boolean> {
  const address = sql`(select email_key from users where id = ${userId} and confirmed_at is not null)`;
  const [row] = await sql<{ is: boolean }[]>`
    select exists(
      select 1 from (
        select id, kind, principal_id from reviewers union all select id, kind, principal_id from removed_reviewers
      ) p where p.id = ${rowId} and ${isPerson(sql, sql`p`, sql`${userId}`, address)}
    ) as is`;
  return row?.is ?? false;
}

/** Accounts among these that may read one of the layers, by layer; but for who annotates a layer alone. */
export async function readersOfLayers(
  sql: Sql,
  layerIds: readonly string[],
  userIds: readonly string[],
): Promise<{ meetingId: string; reviewId: string; userId: string }[]> {
  return sql`
    select distinct l.meeting_id as "meetingId", l.review_id as "reviewId", u.id as "userId"
    from layers l
    join layer_access a on a.layer_id = l.id and 'read' = any(a.permissions)
      and not (l.kind = 'own' and 'comment' = any(a.permissions))
    join reviews r on r.id = l.review_id and r.deleted_at is null
    join meetings m on m.id = l.meeting_id and m.deleted_at is null
    join users u on (a.kind = 'user' and u.id = a.principal_id)
      or (a.kind = 'pending' and u.email_key = a.principal_id and u.confirmed_at is not null)
    where l.id = any(${layerIds as string[]}::text[]) and l.deleted_at is null and l.kind in ('own', 'shared', 'machine')
      and u.id = any(${userIds as string[]}::text[])`;
}

/** The author, the session or token, and the permissions at the time of the check. `history` is no right to write. */
export interface Holder {
  meetingId: string;
  /** The layer by whose id the call came. */
  layerId?: string | null;
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

export const standingOf = (
  sql: Sql | TransactionSql,
  { meetingId, layerId = null, userId, browser, proof, held }: Holder,
): Fragment =>
  sql`hold_rights(${meetingId}, ${userId}, ${browser}::text, ${'session' in proof ? proof.session : null}::bytea,
    ${'token' in proof ? proof.token : null}::text, ${[...held].filter((one) => one !== 'history')}::text[], ${layerId}::text)`;

/** Resolves when the concurrent change is done. Each lock has a statement of its own, so that no other work waits for it. */
export async function rightsSettled(sql: Sql, { meetingId, layerId = null, userId, proof }: Holder): Promise<void> {
  await sql`select 1 from users where id = ${userId} for key share`;
  if ('session' in proof) await sql`select 1 from sessions where hash = ${proof.session} for key share`;
  else await sql`select 1 from api_tokens where id = ${proof.token} for key share`;
  await sql`select 1 from meetings where id = ${meetingId} for share`;
  if (layerId !== null)
    return void (await sql`
      select 1 from layers where review_id = (select review_id from layers where id = ${layerId})
        and (id = ${layerId} or kind = 'words') order by id for share`);
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
