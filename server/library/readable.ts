import type { Fragment, Sql } from 'postgres';
import type { Database } from '#db/open.ts';
import { openLink } from '#db/access.ts';
import { libraryStates } from '#shared/review-states.ts';
import { allows, type Permission } from '#shared/roles.ts';
import type { Reader } from '../finding/reader.ts';

/** A person who asks, with what is looked up of them once a request. */
export interface Asker extends Reader {
  /** The address they have confirmed; sharing with an address applies to no other account. */
  address: string;
  /** The hash of the browser's cookie, with which the access codes of links are stored. */
  browser: string | null;
  groups: readonly string[];
  /** Folders they see, with their permissions there. */
  folders: readonly { id: string; held: ReadonlySet<Permission> }[];
}

/**
 * The recordings of a person's list, each with `writes`, with `transcript`: they may read it, with `whole`: they may also
 * read its own annotations, and with its owner, folder and date. Every list, figure and search is made of these, and of no other rows.
 * Each arm carries its right; a named person without the permission to read may have it by the link, and so this is
 * `permissionsOf` as one query. A part in a review alone gives the transcript where a layer does, else the title only:
 * mentors wait for the student. Lookups are by key (`offset 0` keeps the planner to that), or a long list would read
 * everything that other people have. What is their own is theirs to read and write, and needs none.
 */
export const readable = (sql: Sql, { id, address, browser, groups, folders }: Asker): Fragment => sql`
  with named as (
    select a.meeting_id as id, a.permissions from meeting_access a where a.kind = 'user' and a.principal_id = ${id}
    union all
    select a.meeting_id, a.permissions from meeting_access a where a.kind = 'pending' and a.principal_id = ${address}
    union all
    select a.meeting_id, a.permissions from meeting_access a
    where a.kind = 'group' and a.principal_id = any(${[...groups]}::text[])
    union all
    select lies.id, case when f.writes = 'yes' then array['read', 'write'] else array['read'] end
    from unnest(${folders.map((one) => one.id)}::text[],
      ${folders.map(({ held }) => (allows('POST /api/meetings/:id/edit', held) ? 'yes' : 'no'))}::text[]) f (id, writes)
    cross join lateral (select m.id from meetings m where m.folder_id = f.id offset 0) lies
  ), arms as (
    select * from named
    union all
    select n.id, a.permissions from (select distinct named.id from named) n
    cross join lateral (
      select a.permissions from meeting_access a
      where a.meeting_id = n.id and a.kind = 'anonymous' and ${openLink(sql, sql`${id}`, sql`${browser ?? ''}`)} offset 0
    ) a
  ), rights as (
    select arms.id, bool_or('write' = any(arms.permissions)) as writes, true as transcript, true as whole
    from arms group by arms.id having bool_or('read' = any(arms.permissions))
    union all
    select a.meeting_id, false, true, false from layer_access a
    where ${isMe(sql, sql`a`, id, address)} and 'read' = any(a.permissions)
      and exists (select 1 from layers l where l.id = a.layer_id and l.deleted_at is null)
    union all
    select s.meeting_id, false, false, false from review_states s where ${isMe(sql, sql`s`, id, address)}
  )
  select m.id, true as writes, true as transcript, true as whole, m.owner_id, m.folder_id, m.created_at from meetings m
  where m.owner_id = ${id} and m.deleted_at is null
  union all
  select held.id, held.writes, held.transcript, held.whole, living.owner_id, living.folder_id, living.created_at
  from (
    select rights.id, bool_or(rights.writes) as writes, bool_or(rights.transcript) as transcript,
      bool_or(rights.whole) as whole
    from rights group by rights.id
  ) held
  cross join lateral (
    select m.owner_id, m.folder_id, m.created_at from meetings m
    where m.id = held.id and m.owner_id <> ${id} and m.deleted_at is null offset 0
  ) living`;

/** Recordings from which on what a person has is looked up all at once, and share of the house that it is then. */
const many = { recordings: 500, of: 8 };

/** Whether so much of the house is the person's own that reading whole tables costs less than a look for each. */
export async function hasMost({ ask }: Pick<Database, 'ask'>, personId: string): Promise<boolean> {
  const [count] = await ask(
    // PostgreSQL plans this list as a whole: for its first rows alone it may go through everybody's recordings.
    (sql) => sql<{ most: boolean }[]>`
      with own as materialized (select 1 from meetings where owner_id = ${personId})
      select count(*) > bound as most from (
        select greatest(${many.recordings}, reltuples / ${many.of})::int as bound from pg_class where oid = 'meetings'::regclass
      ) b cross join lateral (select 1 from own limit bound + 1) first
      group by bound`,
  );
  return count?.most ?? false;
}

/** True if a row of `layer_access` or `review_states` is the person's, by their account or their confirmed address. */
export const isMe = (sql: Sql, row: Fragment, id: string, address: string): Fragment => sql`(
  (${row}.kind = 'user' and ${row}.principal_id = ${id}) or (${row}.kind = 'pending' and ${row}.principal_id = ${address}))`;

/** A recording's review that a person waits for most, with its state: theirs to do, then others', then done ones. */
export const statesOf = (sql: Sql, { id, address }: Asker): Fragment => sql`
  select distinct on (s.meeting_id) s.meeting_id, s.review_id, s.state
  from review_states s join reviews r on r.id = s.review_id
  where ${isMe(sql, sql`s`, id, address)}
  order by s.meeting_id, array_position(${[...libraryStates]}::text[], s.state), r.created_at desc, s.review_id`;
