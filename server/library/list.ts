import type { Sql } from 'postgres';
import { openLink } from '#db/access.ts';
import { rootPath, type MeetingOrder } from '#shared/library.ts';
import type { MeetingHit, MeetingsAnswer, MeetingsQuery } from '#shared/meetings/meeting.ts';
import { Problem } from '#shared/problems.ts';
import { permissionsOf, type HistoryNeeds } from '#shared/roles.ts';
import { plainQuery } from '#shared/finding/query.ts';
import { signedIn, type Ctx } from '../context.ts';
import { behindAmong, hitsOf, readSearch, says, saysLoudly, termTables, unsays } from '../finding/search.ts';
import { livingGroupsOf } from '../groups/members.ts';
import { progressOf, type Intake } from '../intake/drafts.ts';
import { placesIn, viewFolders } from './folders.ts';
import { belowPlace, findPlace, idOf, readLibraries, type Libraries, type Place } from '../folders/libraries.ts';
import { rules } from '../limits.ts';
import { readable, type Asker } from './readable.ts';
import { noteVisit } from '../sharing/visits.ts';
import { foldTitle, shownTitle, shownTitleKey } from '../rooms/projection.ts';

/** Row of the query; times are as the database writes them. */
interface Row {
  total: number;
  behind: number | null;
  id: string;
  writes: boolean;
  whole: boolean;
  /** Held by the person, not only found by its title. */
  listed: boolean;
  owner_id: string;
  history_needs: HistoryNeeds;
  closed: boolean;
  first_name: string;
  last_name: string;
  named: string[] | null;
  anonymous: string[] | null;
  created_at: string;
  title: string;
  updated_at: string;
  ms: number | null;
  words: number;
  speakers: number;
  state: Intake['state'] | null;
  model: string;
  percentage: number;
  failure: string | null;
  agreedMs: number | null;
  measuredMs: number | null;
  folder_id: string | null;
}

/** Columns by order: the statement contains only these, never text of a request. */
const columns: Record<MeetingOrder | 'relevance', string> = {
  title: 'title_key collate "C"',
  owner: "lower(first_name || ' ' || last_name)",
  updatedAt: 'updated_at',
  duration: 'ms_key',
  words: 'words',
  relevance: 'rank',
};

/** All of these words are in the title, of `p` or `i`. */
const titleHas = (sql: Sql, words: readonly string[]) => sql`
  not exists (select 1 from unnest(${[...words]}::text[]) w where strpos(${shownTitleKey(sql)}, w) = 0)`;

/**
 * Meetings with these words in the title that are shared with everyone and not among those held: few enough for what is
 * looked up of each. Nothing but their title is searched.
 */
const discoverable = (sql: Sql, words: readonly string[], asker: Asker) => sql`
  select a.meeting_id as id, false as writes, false as whole, false as listed from meeting_access a
  left join lateral (select title_key from meeting_projections where meeting_id = a.meeting_id offset 0) p on true
  left join lateral (select title from intakes where meeting_id = a.meeting_id offset 0) i on true
  where a.kind = 'anonymous' and 'discover' = any(a.permissions) and 'read' = any(a.permissions)
    and ${openLink(sql, sql`${asker.id}`, sql`${asker.browser ?? ''}`)} and ${titleHas(sql, words)}
    and not exists (select 1 from held h where h.id = a.meeting_id)`;

/**
 * Lists the person's own meetings and those shared with them by name, with a group, or through a folder; meetings in a
 * folder they do not see appear at the top. With a folder it lists its contents, and with a query also those of the
 * folders below. A query finds titles, and the words of what was said and written. Without a folder it lists all. A
 * query at the top also finds, by its title, what others share with everyone, for people whose address is confirmed; no
 * list without a query contains that. With `shared` it lists what others share with the person alone.
 */
export async function listMeetings(
  ctx: Ctx,
  { query, sort, start, size, folder: path, shared_folder, shared }: MeetingsQuery,
): Promise<MeetingsAnswer> {
  const { person } = signedIn(ctx);
  const libraries = await readLibraries(ctx.db.orm, person);
  const groups = (await livingGroupsOf(ctx.db.orm, person.id)).map(({ id }) => id);
  const here = findPlace(libraries, { path: path ?? rootPath, sid: shared_folder });
  if (here === undefined) throw new Problem('NO_ACCESS');
  const { sid } = here.library;
  // An access row may name the shared folder, or one within it.
  for (const id of new Set(sid === null ? [] : [sid, idOf(here) ?? sid])) await noteVisit(ctx, { kind: 'folder', id });
  const top = idOf(here) === null;
  const search = await readSearch(ctx.db, query);
  if (search && start === 0) await ctx.limits.take(rules.find, person.id);
  const wanted = foldTitle(search ? plainQuery(query) : query)
    .split(' ')
    .filter(Boolean);
  const searched = wanted.length > 0;
  const othersOnly = shared === 'with-me';
  // Above the limit a search finds what it would find without them.
  const discovers =
    !othersOnly &&
    searched &&
    top &&
    person.confirmed &&
    ctx.config.discover &&
    (await ctx.limits.allow(rules.discover, person.id));
  const idsOf = (places: readonly Place[]) => places.flatMap((place) => idOf(place) ?? []);
  const places = placesIn(libraries);
  const seen = idsOf(places);
  const asker: Asker = {
    id: person.id,
    address: person.confirmed ? person.emailKey : '',
    browser: ctx.browser ?? null,
    groups,
    folders: places.flatMap((place) => {
      const id = idOf(place);
      return id === null ? [] : [{ id, held: place.library.held(place.folder) }];
    }),
  };
  // Meetings in a folder they do not see appear at the top.
  const lies = (sql: Sql) => {
    if (!top) return sql`m.folder_id = any(${idsOf(searched ? belowPlace(here) : [here])}::text[])`;
    return path && !searched ? sql`not coalesce(m.folder_id = any(${seen}::text[]), false)` : sql`true`;
  };
  const fits = (sql: Sql) =>
    search
      ? sql`(${titleHas(sql, wanted)} or (c.listed and ${says(sql, search, sql`c`)})) and ${unsays(sql, search, sql`c`)}`
      : titleHas(sql, wanted);
  const rank = (sql: Sql) =>
    search
      ? sql`case when ${titleHas(sql, wanted)} then 0 when c.listed and ${saysLoudly(sql, search, sql`c`)} then 1 else 2 end`
      : sql`0`;
  const descending = sort.startsWith('-');
  const order = sort.replace(/^-/, '') as keyof typeof columns;
  const named = ({ library, folder }: Place) => foldTitle(folder?.name ?? library.name);
  const others = ({ library }: Place) => !othersOnly || library.owner.id !== person.id;
  const found = (place: Place) => wanted.every((word) => named(place).includes(word));
  const shown = searched
    ? (top ? placesIn(libraries) : belowPlace(here).slice(1)).filter(found).filter(others)
    : [
        ...here.library.tree.children(here.folder).map((folder) => ({ library: here.library, folder })),
        ...(top ? libraries.shared.map((library) => ({ library, folder: null })) : []),
      ].filter(others);
  const duration = (sql: Sql, m: string, spoken: string) => sql`coalesce(
    (select max(duration_ms) from media where media.meeting_id = ${sql.unsafe(m)}.id and tag in ('audio', 'video')),
    nullif(${sql.unsafe(spoken)}.spoken_ms, 0))`;
  const ordered = (sql: Sql) =>
    sql`${sql.unsafe(`${columns[order]} ${descending ? 'desc' : 'asc'} nulls last${order === 'relevance' ? `, updated_at ${descending ? 'asc' : 'desc'}` : ''}`)}, id`;
  const [rows, folders] = await Promise.all([
    ctx.db.ask(
      (sql) => sql<(Row | { id: null; total: number; behind: number | null })[]>`
      with held as materialized (${readable(sql, asker)}), candidates as (
        select h.*, true as listed from held h ${discovers ? sql`union all ${discoverable(sql, wanted, asker)}` : sql``}
      ) ${search ? termTables(sql, search, person.id) : sql``}, matched as materialized (
        select c.id, c.writes, c.whole, c.listed, m.owner_id, m.history_needs,
          m.closed_at is not null as closed, m.created_at, m.folder_id,
          u.first_name, u.last_name, ${shownTitle(sql)} as title, ${shownTitleKey(sql)} as title_key, p.spoken_ms,
          coalesce(p.updated_at, m.created_at) as updated_at, coalesce(p.words, 0) as words,
          coalesce(p.speakers, 0) as speakers, ${rank(sql)} as rank,
          ${order === 'duration' ? duration(sql, 'm', 'p') : sql`null::int`} as ms_key
        from candidates c
        join lateral (select * from meetings where id = c.id and deleted_at is null offset 0) m on true
        join lateral (select first_name, last_name from users where id = m.owner_id offset 0) u on true
        left join lateral (select * from meeting_projections where meeting_id = c.id offset 0) p on true
        left join lateral (select title, state from intakes where meeting_id = c.id offset 0) i on true
        where ${lies(sql)} and coalesce(i.state, '') <> 'created'
          ${othersOnly ? sql`and m.owner_id <> ${person.id}` : sql``} and ${fits(sql)}
      )
      select t.total, t.behind, page.*, n.permissions || w.permissions || g.permissions as named, a.permissions as anonymous,
        ${duration(sql, 'page', 'page')} as ms, i.state, coalesce(i.percentage, 0) as percentage, i.failure,
        i.agreed_ms as "agreedMs", i.measured_ms as "measuredMs", coalesce(i.model, '') as model
      from (
        select count(*)::int as total, ${searched ? sql`(${behindAmong(sql, sql`select h.id, h.whole from held h`, person.id)})` : sql`null::int`} as behind
        from matched
      ) t
      left join (select * from matched order by ${ordered(sql)} limit ${size} offset ${start}) page on true
      left join meeting_access n on n.meeting_id = page.id and n.kind = 'user' and n.principal_id = ${person.id}
      left join meeting_access w on w.meeting_id = page.id and w.kind = 'pending' and w.principal_id = ${asker.address}
      left join lateral (
        select array_agg(distinct one) as permissions from meeting_access b, unnest(b.permissions) one
        where b.meeting_id = page.id and b.kind = 'group' and b.principal_id = any(${groups}::text[])
      ) g on true
      left join meeting_access a on a.meeting_id = page.id and a.kind = 'anonymous'
        and ${openLink(sql, sql`${person.id}`, sql`${ctx.browser ?? ''}`)}
      left join lateral (select * from intakes where meeting_id = page.id offset 0) i on true
      order by ${ordered(sql)}`,
    ),
    viewFolders(ctx.db.orm, libraries, shown),
  ]);
  const { total = 0, behind = null } = rows[0] ?? {};
  const page = rows.flatMap((row) => (row.id === null ? [] : [row]));
  const said = search
    ? await hitsOf(
        ctx.db,
        search,
        page.filter(({ listed }) => listed),
        person.id,
      )
    : null;
  return {
    hits: page.map((row) => ({
      ...hit(row, person.id, libraries),
      ...(said && { found: said.get(row.id) ?? null }),
    })),
    total,
    folders,
    ...(behind !== null && { behind }),
  };
}

function hit(row: Row, personId: string, libraries: Libraries): MeetingHit {
  const place = row.folder_id === null ? undefined : libraries.byId(row.folder_id);
  const { sid, name } = place?.library ?? { sid: null, name: '' };
  const held = permissionsOf({
    owner: row.owner_id === personId,
    named: [...(row.named ?? []), ...(place?.library.held(place.folder) ?? [])],
    anonymous: row.anonymous ?? [],
    signedIn: true,
    historyNeeds: row.history_needs,
    closed: row.closed,
  });
  return {
    id: row.id,
    title: row.title,
    owner: { id: row.owner_id, name: `${row.first_name} ${row.last_name}`.trim() },
    permissions: [...held],
    date: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
    duration: row.ms === null ? null : row.ms / 1000,
    words: row.words,
    speakers: row.speakers,
    progress: progressOf(row.state === null ? undefined : { ...row, state: row.state }),
    // A folder the person does not see is not named; the meeting can be moved out of it.
    folder: place ? (place.folder?.path ?? rootPath) : row.owner_id === personId && !row.folder_id ? rootPath : null,
    sharedFolder: sid === null ? null : { sid, name },
  };
}
