import type { Sql } from 'postgres';
import { openLink } from '#db/access.ts';
import { facetValue } from '#shared/facets.ts';
import { rootPath, type MeetingOrder } from '#shared/library.ts';
import type { MeetingHit, MeetingsAnswer, MeetingsQuery } from '#shared/meetings/meeting.ts';
import type { LibraryState } from '#shared/review-states.ts';
import { creditsText, minutesOf } from '#shared/money.ts';
import { permissionsOf, type HistoryNeeds } from '#shared/roles.ts';
import { paidFor } from '../billing/paid-for.ts';
import type { Ctx } from '../context.ts';
import { facetsOfPage } from '../finding/facets.ts';
import { behindAmong, hitsOf } from '../finding/search.ts';
import { belowPlace, type Libraries, type Place } from '../folders/libraries.ts';
import { progressOf, type Intake } from '../intake/drafts.ts';
import { rules } from '../limits.ts';
import { foldTitle, shownTitle, shownTitleKey } from '../rooms/projection.ts';
import { placesIn, viewFolders } from './folders.ts';
import { durationOf, readSelection, type Selection } from './selection.ts';

/** Row of the query; times are as the database writes them. */
interface Row {
  total: number;
  behind: number | null;
  id: string;
  writes: boolean;
  /** The transcript is readable. */
  transcript: boolean;
  whole: boolean;
  reviewId: string | null;
  reviewState: LibraryState | null;
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
  title_key: string;
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
  facets: string[] | null;
  lanes: string | null;
  opening: string | null;
  /** Micro-dollars and seconds that the person has paid for it. */
  usd: string | null;
  seconds: string | null;
}

/** Columns by order: the statement contains only these, never text of a request. */
const columns: Record<MeetingOrder, string> = {
  title: 'title_key collate "C"',
  owner: "lower(first_name || ' ' || last_name)",
  updatedAt: 'updated_at',
  date: 'created_at',
  duration: 'ms_key',
  words: 'words',
  relevance: 'rank',
};

/** Lists recordings (selection.ts), and the folders of the place; with a query, the folders that it names. */
export async function listMeetings(ctx: Ctx, asked: MeetingsQuery): Promise<MeetingsAnswer> {
  const { sort, start, size } = asked;
  const selection = await readSelection(ctx, asked, { listing: true, takes: start === 0 ? rules.find : undefined });
  const { asker, libraries, search, searched, words } = selection;
  const descending = sort.startsWith('-');
  const order = sort.replace(/^-/, '') as MeetingOrder;
  const ordered = (sql: Sql) =>
    sql`${sql.unsafe(`${columns[order]} ${descending ? 'desc' : 'asc'} nulls last${order === 'relevance' ? `, updated_at ${descending ? 'asc' : 'desc'}` : ''}`)}, id`;
  const [rows, folders] = await Promise.all([
    ctx.db.ask(
      (sql) => sql<(Row | { id: null; total: number; behind: number | null })[]>`
      ${selection.tables(sql)}, matched as materialized (
        select c.id, c.writes, c.transcript, c.whole, c.listed, v.review_id as "reviewId", v.state as "reviewState", m.owner_id, m.history_needs,
          m.closed_at is not null as closed, m.created_at, m.folder_id,
          u.first_name, u.last_name, ${shownTitle(sql)} as title, ${shownTitleKey(sql)} as title_key, p.spoken_ms,
          coalesce(case when c.transcript then p.updated_at end, m.created_at) as updated_at,
          case when c.transcript then coalesce(p.words, 0) else 0 end as words,
          case when c.transcript then coalesce(p.speakers, 0) else 0 end as speakers,
          ${order === 'relevance' ? selection.rank(sql) : sql`0`} as rank,
          ${order === 'duration' ? durationOf(sql, 'm', 'p') : sql`null::int`} as ms_key
        ${selection.rows(sql)} ${selection.filters(sql).reduce((all, { fits }) => sql`${all} and ${fits}`, sql``)}
      )
      select t.total, t.behind, page.*, n.permissions || w.permissions || g.permissions as named, a.permissions as anonymous,
        ${durationOf(sql, 'page', 'page')} as ms, i.state, coalesce(i.percentage, 0) as percentage, i.failure,
        i.agreed_ms as "agreedMs", i.measured_ms as "measuredMs", coalesce(i.model, '') as model, f.facets,
        paid.usd, paid.seconds, glance.lanes, glance.opening
      from (
        select count(*)::int as total, ${searched ? sql`(${behindAmong(sql, sql`select h.id, h.transcript, h.whole from held h`, asker, selection.most)})` : sql`null::int`} as behind
        from matched
      ) t
      left join (select * from matched order by ${ordered(sql)} limit ${size} offset ${start}) page on true
      left join meeting_access n on n.meeting_id = page.id and n.kind = 'user' and n.principal_id = ${asker.id}
      left join meeting_access w on w.meeting_id = page.id and w.kind = 'pending' and w.principal_id = ${asker.address}
      left join lateral (
        select array_agg(distinct one) as permissions from meeting_access b, unnest(b.permissions) one
        where b.meeting_id = page.id and b.kind = 'group' and b.principal_id = any(${[...asker.groups]}::text[])
      ) g on true
      left join meeting_access a on a.meeting_id = page.id and a.kind = 'anonymous'
        and ${openLink(sql, sql`${asker.id}`, sql`${asker.browser ?? ''}`)}
      left join lateral (select * from intakes where meeting_id = page.id offset 0) i on true
      left join lateral ${facetsOfPage(sql)} on true
      left join lateral ${paidFor(sql, 'page', asker.id)} on true
      left join lateral (
        select lanes, opening from meeting_projections where meeting_id = page.id and page.transcript and page.listed offset 0
      ) glance on true
      order by ${ordered(sql)}`,
    ),
    viewFolders(ctx.db.orm, libraries, foldersOf(selection)),
  ]);
  const { total = 0, behind = null } = rows[0] ?? {};
  const page = rows.flatMap((row) => (row.id === null ? [] : [row]));
  const said = search
    ? await hitsOf(
        ctx.db,
        search,
        page
          .filter(({ listed }) => listed)
          .map((row) => ({ ...row, name: row.owner_id === asker.id ? '' : `${row.first_name} ${row.last_name}` })),
        asker,
      )
    : null;
  return {
    hits: page.map((row) => {
      const { found = null, why } = said?.get(row.id) ?? {};
      const titled = words.length > 0 && words.every((word) => row.title_key.includes(word));
      const reason = titled ? 'title' : why;
      return { ...hit(row, asker.id, libraries), ...(said && { found }), ...(reason && { why: reason }) };
    }),
    total,
    folders,
    ...(behind !== null && { behind }),
  };
}

/** Folders that a list shows: those of the place, or those below it that the query names; none with a filter. */
function foldersOf({ libraries, here, top, words, filtered, othersOnly }: Selection): Place[] {
  if (filtered) return [];
  const others = ({ library }: Place) => !othersOnly || library.owner.id !== libraries.own.owner.id;
  if (words.length === 0)
    return [
      ...here.library.tree.children(here.folder).map((folder) => ({ library: here.library, folder })),
      ...(top ? libraries.shared.map((library) => ({ library, folder: null })) : []),
    ].filter(others);
  const named = ({ library, folder }: Place) => foldTitle(folder?.name ?? library.name);
  return (top ? placesIn(libraries) : belowPlace(here).slice(1))
    .filter((place) => words.every((word) => named(place).includes(word)))
    .filter(others);
}

function costOf({ usd, seconds }: Row): MeetingHit['cost'] {
  const [credits, minutes] = [Number(creditsText(BigInt(usd ?? 0))), minutesOf(BigInt(seconds ?? 0))];
  return credits === 0 && minutes === 0 ? null : { credits, minutes };
}

const tagPrefix = facetValue('tag', '');

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
    review: row.reviewId === null || row.reviewState === null ? null : { id: row.reviewId, state: row.reviewState },
    date: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
    duration: row.ms === null ? null : row.ms / 1000,
    words: row.words,
    speakers: row.speakers,
    glance: row.lanes === null ? null : { lanes: row.lanes, opening: row.opening ?? '' },
    progress: progressOf(row.state === null ? undefined : { ...row, state: row.state }),
    // A folder the person does not see is not named; the meeting can be moved out of it.
    folder: place ? (place.folder?.path ?? rootPath) : row.owner_id === personId && !row.folder_id ? rootPath : null,
    sharedFolder: sid === null ? null : { sid, name },
    cost: costOf(row),
    tags: (row.facets ?? []).flatMap((one) => (one.startsWith(tagPrefix) ? one.slice(tagPrefix.length) : [])),
  };
}
