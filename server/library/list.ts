import type { Sql } from 'postgres';
import { openLink } from '#db/access.ts';
import { rootPath, type MeetingOrder } from '#shared/library.ts';
import type { MeetingHit, MeetingsAnswer, MeetingsQuery } from '#shared/meetings/meeting.ts';
import { Problem } from '#shared/problems.ts';
import { permissionsOf, type HistoryNeeds } from '#shared/roles.ts';
import { signedIn, type Ctx } from '../context.ts';
import { livingGroupsOf } from '../groups/members.ts';
import { progressOf, type Intake } from '../intake/drafts.ts';
import { placesIn, viewFolders } from './folders.ts';
import { belowPlace, findPlace, idOf, readLibraries, type Libraries, type Place } from '../folders/libraries.ts';
import { rules } from '../limits.ts';
import { noteVisit } from '../sharing/visits.ts';
import { foldTitle, shownTitle, shownTitleKey } from '../rooms/projection.ts';

/** Row of the query; times are as the database writes them. */
interface Row {
  id: string;
  owner_id: string;
  history_needs: HistoryNeeds;
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
const columns: Record<MeetingOrder, string> = {
  title: 'title_key collate "C"',
  owner: "lower(first_name || ' ' || last_name)",
  updatedAt: 'updated_at',
  duration: 'ms',
  words: 'words',
};

/** Meetings in these folders, each folder looked up by its key (`offset 0` keeps the planner to that). */
const inFolders = (sql: Sql, ids: readonly string[]) => sql`
  select lies.id from unnest(${[...ids]}::text[]) f (id)
  cross join lateral (select m.id from meetings m where m.folder_id = f.id offset 0) lies`;

/** All of these words are in the title, of `p` or `i`. */
const titleHas = (sql: Sql, words: readonly string[]) => sql`
  not exists (select 1 from unnest(${[...words]}::text[]) w where strpos(${shownTitleKey(sql)}, w) = 0)`;

/** Meetings with these words in the title that are shared with everyone: few enough for what is looked up of each. */
const discoverable = (sql: Sql, words: readonly string[]) => sql`
  select a.meeting_id from meeting_access a
  left join lateral (select title_key from meeting_projections where meeting_id = a.meeting_id offset 0) p on true
  left join lateral (select title from intakes where meeting_id = a.meeting_id offset 0) i on true
  where a.kind = 'anonymous' and 'discover' = any(a.permissions) and ${titleHas(sql, words)}`;

/**
 * Lists the person's own meetings and those shared with them by name, with a group, or through a folder; meetings in a
 * folder they do not see appear at the top. With a folder it lists its contents, and with a query also those of the
 * folders below. Without a folder it lists all. A query at the top also finds what others share with everyone, for people
 * whose address is confirmed; no list without a query contains that. With `shared` it lists what others share with the
 * person alone.
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
  const wanted = foldTitle(query).split(' ').filter(Boolean);
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
  const seen = idsOf(placesIn(libraries));
  const lies = (sql: Sql) =>
    top && path && !searched ? sql`not coalesce(m.folder_id = any(${seen}::text[]), false)` : sql`true`;
  // Sharing with an address applies only to the account that has confirmed the address.
  const address = person.confirmed ? person.emailKey : '';
  const mine = (sql: Sql) =>
    !top
      ? inFolders(sql, idsOf(searched ? belowPlace(here) : [here]))
      : sql`
        select id from meetings where owner_id = ${person.id}
        union select meeting_id from meeting_access where kind = 'user' and principal_id = ${person.id}
        union select meeting_id from meeting_access where kind = 'pending' and principal_id = ${address}
        union select meeting_id from meeting_access where kind = 'group' and principal_id = any(${groups}::text[])
        union ${inFolders(sql, seen)}
        ${discovers ? sql`union ${discoverable(sql, wanted)}` : sql``}`;
  // A named person without the read permission may still have it by the link: this is permissionsOf as one query. Each
  // row is looked up by its key (`offset 0` keeps the planner to that), or a long list would read everything that other
  // people have.
  const readable = (sql: Sql) => sql`
    from (${mine(sql)}) mine
    join lateral (select * from meetings where id = mine.id and deleted_at is null offset 0) m on true
    join lateral (select first_name, last_name from users where id = m.owner_id offset 0) u on true
    left join meeting_access n on n.meeting_id = m.id and n.kind = 'user' and n.principal_id = ${person.id}
    left join meeting_access w on w.meeting_id = m.id and w.kind = 'pending' and w.principal_id = ${address}
    left join lateral (
      select array_agg(distinct one) as permissions from meeting_access b, unnest(b.permissions) one
      where b.meeting_id = m.id and b.kind = 'group' and b.principal_id = any(${groups}::text[])
    ) g on true
    left join meeting_access a on a.meeting_id = m.id and a.kind = 'anonymous'
      and ${openLink(sql, sql`${person.id}`, sql`${ctx.browser ?? ''}`)}
    left join lateral (select * from meeting_projections where meeting_id = m.id offset 0) p on true
    left join lateral (select * from intakes where meeting_id = m.id offset 0) i on true
    where ${lies(sql)} and coalesce(i.state, '') <> 'created'
      ${othersOnly ? sql`and m.owner_id <> ${person.id}` : sql``}
      and (m.owner_id = ${person.id} or 'read' = any(n.permissions) or 'read' = any(w.permissions) or 'read' = any(g.permissions) or 'read' = any(a.permissions)
        or m.folder_id = any(${seen}::text[]))
      and ${titleHas(sql, wanted)}`;
  const descending = sort.startsWith('-');
  const order = sort.replace(/^-/, '') as MeetingOrder;
  const named = ({ library, folder }: Place) => foldTitle(folder?.name ?? library.name);
  const others = ({ library }: Place) => !othersOnly || library.owner.id !== person.id;
  const found = (place: Place) => wanted.every((word) => named(place).includes(word));
  const shown = searched
    ? (top ? placesIn(libraries) : belowPlace(here).slice(1)).filter(found).filter(others)
    : [
        ...here.library.tree.children(here.folder).map((folder) => ({ library: here.library, folder })),
        ...(top ? libraries.shared.map((library) => ({ library, folder: null })) : []),
      ].filter(others);
  const [rows, [counted], folders] = await Promise.all([
    ctx.db.ask(
      (sql) => sql<Row[]>`
      select * from (
        select m.id, m.owner_id, m.history_needs, m.created_at, u.first_name, u.last_name, n.permissions || w.permissions || g.permissions as named,
          a.permissions as anonymous, ${shownTitle(sql)} as title, i.state,
          m.folder_id, coalesce(i.percentage, 0) as percentage, i.failure, i.agreed_ms as "agreedMs", i.measured_ms as "measuredMs", coalesce(i.model, '') as model, ${shownTitleKey(sql)} as title_key,
          coalesce(p.updated_at, m.created_at) as updated_at, coalesce(p.words, 0) as words,
          coalesce(p.speakers, 0) as speakers, coalesce(
            (select max(duration_ms) from media where media.meeting_id = m.id and tag in ('audio', 'video')),
            nullif(p.spoken_ms, 0)) as ms
        ${readable(sql)}
      ) found
      order by ${sql.unsafe(`${columns[order]} ${descending ? 'desc' : 'asc'} nulls last`)}, id
      limit ${size} offset ${start}`,
    ),
    ctx.db.ask((sql) => sql<{ total: number }[]>`select count(*)::int as total ${readable(sql)}`),
    viewFolders(ctx.db.orm, libraries, shown),
  ]);
  return { hits: rows.map((row) => hit(row, person.id, libraries)), total: counted?.total ?? 0, folders };
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
