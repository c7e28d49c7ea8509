import type { Fragment, Sql } from 'postgres';
import { openLink } from '#db/access.ts';
import { allows, type Permission } from '#shared/roles.ts';

/** A person who asks, with what is looked up of them once a request. */
export interface Asker {
  id: string;
  /** The address they have confirmed; sharing with an address applies to no other account. */
  address: string;
  /** The hash of the browser's cookie, with which the access codes of links are stored. */
  browser: string | null;
  groups: readonly string[];
  /** Folders they see, with their permissions there. */
  folders: readonly { id: string; held: ReadonlySet<Permission> }[];
}

/**
 * The recordings a person may read, each with `writes`, and with `whole`: they may also read its own annotations. Every
 * list, figure and search is made of these, and of no other rows. Each arm carries its right; a named person without the
 * permission to read may have it by the link, and so this is `permissionsOf` as one query. Lookups are by key (`offset 0`
 * keeps the planner to that), or a long list would read everything that other people have.
 */
export const readable = (sql: Sql, { id, address, browser, groups, folders }: Asker): Fragment => sql`
  with named as (
    select m.id, array['read', 'write'] as permissions from meetings m where m.owner_id = ${id}
    union all
    select a.meeting_id, a.permissions from meeting_access a where a.kind = 'user' and a.principal_id = ${id}
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
  )
  select held.id, held.writes, true as whole
  from (
    select arms.id, bool_or('read' = any(arms.permissions)) as reads, bool_or('write' = any(arms.permissions)) as writes
    from arms group by arms.id
  ) held
  cross join lateral (select 1 from meetings m where m.id = held.id and m.deleted_at is null offset 0) living
  where held.reads`;
