import type { Fragment, Sql } from 'postgres';
import { openLink } from '#db/access.ts';
import type { Database } from '#db/open.ts';
import { facetValue } from '#shared/facets.ts';
import { rootPath, type MeetingOrder } from '#shared/library.ts';
import type { MeetingHit, MeetingsAnswer, MeetingsQuery } from '#shared/meetings/meeting.ts';
import type { LibraryState } from '#shared/review-states.ts';
import { creditsText, minutesOf } from '#shared/money.ts';
import { permissionsOf, type HistoryNeeds } from '#shared/roles.ts';
import { paidFor } from '../billing/paid-for.ts';
import type { Ctx } from '../context.ts';
import { facetsOfPage } from '../finding/facets.ts';
import { areMany, askSearching, askWalking, fewToWalk, hitsOf } from '../finding/search.ts';
import { belowPlace, type Libraries, type Place } from '../folders/libraries.ts';
import { progressOf, type Intake } from '../intake/drafts.ts';
import { rules } from '../limits.ts';
import { foldTitle, shownTitle, shownTitleKey } from '../rooms/projection.ts';
import { placesIn, viewFolders } from './folders.ts';
import { statesOf, type Asker } from './readable.ts';
import { countBehind, durationOf, readSelection, type Selection } from './selection.ts';

/** A recording of a page, as the person has it. */
interface Held {
  id: string;
  writes: boolean;
  /** The transcript is readable. */
  transcript: boolean;
  whole: boolean;
  /** Held by the person, not only found by its title. */
  listed: boolean;
}

/** The same with what a list shows of it; times are as the database writes them. */
interface Row extends Held {
  reviewId: string | null;
  reviewState: LibraryState | null;
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

/** Value by which recordings are sorted. */
function keyOf(sql: Sql, order: MeetingOrder, selection: Selection): Fragment {
  switch (order) {
    case 'title':
      return sql`${shownTitleKey(sql)} collate "C"`;
    case 'owner':
      return sql`(select lower(u.first_name || ' ' || u.last_name) from users u where u.id = c.owner_id)`;
    case 'updatedAt':
      return updatedAt(sql);
    case 'date':
      return sql`c.created_at`;
    case 'duration':
      return durationOf(sql, 'c', 'p');
    case 'words':
      return sql`case when c.transcript then coalesce(p.words, 0) else 0 end`;
    case 'relevance':
      return selection.rank(sql);
  }
}

const updatedAt = (sql: Sql): Fragment => sql`coalesce(case when c.transcript then p.updated_at end, c.created_at)`;

interface Page {
  total: number;
  /** There may be more than `total`. */
  atLeast: boolean;
  page: Held[];
}

type PageRow<Counts> = ({ id: null } | Held) & Counts;

const heldOf = <Counts>(rows: readonly PageRow<Counts>[]): Held[] =>
  rows.flatMap((row) => (row.id === null ? [] : [row]));

const byRelevance = ({ sort }: MeetingsQuery): boolean => sort.endsWith('relevance');

/** Columns by which a list is sorted, and their order. */
const keysOf = (sql: Sql, asked: MeetingsQuery, selection: Selection): Fragment =>
  sql`${keyOf(sql, asked.sort.replace(/^-/, '') as MeetingOrder, selection)} as key ${byRelevance(asked) ? sql`, ${updatedAt(sql)} as updated_at` : sql``}`;

function inOrder(sql: Sql, asked: MeetingsQuery): Fragment {
  const [way, other] = asked.sort.startsWith('-') ? ['desc', 'asc'] : ['asc', 'desc'];
  return sql`order by key ${sql.unsafe(way)} nulls last ${byRelevance(asked) ? sql`, updated_at ${sql.unsafe(other)}` : sql``}, id`;
}

/** The page of a list, in order, and the number of all recordings of it. */
async function pageOf(db: Database, selection: Selection, asked: MeetingsQuery): Promise<Page> {
  const { exact } = selection;
  if (exact) return (await walkedPageOf(db, selection, asked)) ?? pageOf(db, exact, asked);
  const rows = await askSearching(
    db,
    selection.search,
    (sql) => sql<PageRow<{ total: number }>[]>`
      ${selection.tables(sql)}, matched as materialized (
        select c.id, c.writes, c.transcript, c.whole, c.listed, ${keysOf(sql, asked, selection)}
        ${selection.rows(sql)} and ${selection.fits(sql)}
      )
      select t.total, page.id, page.writes, page.transcript, page.whole, page.listed
      from (select count(*)::int as total from matched) t
      left join (
        select *, row_number() over () as nth from (
          select * from matched ${inOrder(sql, asked)} limit ${asked.size} offset ${asked.start}
        ) sorted
      ) page on true
      order by page.nth`,
  );
  return { total: rows[0]?.total ?? 0, atLeast: false, page: heldOf(rows) };
}

/**
 * Most recordings that are read for words in a row: `perWanted` for each that the pages up to this one have, and beside them
 * `share` of those that say all of the words, or `least` if that is more. What fewer have in a row, the index finds in less time.
 */
const mostWalked = { perWanted: 2, share: 1 / 10, least: 300 };

/**
 * The page of a list that reads recordings in their order until it is full, and knows by one more whether there are others.
 * Null where the first ones, or all that it may read, have the words in a row too seldom, and for a page so far back that most of
 * the recordings that say the words would be read for it.
 */
async function walkedPageOf(db: Database, selection: Selection, asked: MeetingsQuery): Promise<Page | null> {
  const wanted = asked.start + asked.size + 1;
  const rows = await askWalking(db, (sql) => {
    const from = (offset: Fragment, limit: Fragment) => sql`
      select c.* from (select * from possible ${inOrder(sql, asked)} offset ${offset} limit ${limit}) c
      where ${selection.walks(sql)}`;
    return sql<PageRow<{ possible: number; walked: number; found: number }>[]>`
      ${selection.tables(sql)}, possible as materialized (
        select c.id, c.writes, c.transcript, c.whole, ${selection.walked(sql)}, ${keysOf(sql, asked, selection)}
        ${selection.rows(sql)} and ${selection.fits(sql)}
      ), first as materialized (
        ${from(sql`0`, sql`${fewToWalk}`)}
        limit (
          select case when not ${areMany(sql)} then ${fewToWalk}::int when ${mostWalked.perWanted * wanted}::int > count(*) then 0 else ${wanted}::int end
          from possible
        )
      ), reach as materialized (
        select p.possible, case when 2 * f.found * p.most < ${fewToWalk}::int * ${wanted}::int then ${fewToWalk}::int else p.most end as walked
        from (
          select count(*)::int as possible,
            ${mostWalked.perWanted * wanted}::int + greatest(${mostWalked.least}::int, (count(*) * ${mostWalked.share}::float8)::int) as most
          from possible
        ) p, (select count(*) as found from first) f
      ), further as materialized (
        ${from(sql`${fewToWalk}`, sql`(select walked - ${fewToWalk}::int from reach)`)}
        limit (select greatest(0, ${wanted}::int - count(*)) from first)
      ), found as materialized (
        select *, row_number() over (${inOrder(sql, asked)}) as nth
        from (select * from first union all select * from further) each
      )
      select t.*, page.id, page.writes, page.transcript, page.whole, page.listed
      from (select reach.*, (select count(*)::int from found) as found from reach) t
      left join (select * from found where nth > ${asked.start} and nth <= ${asked.start + asked.size}) page on true
      order by page.nth`;
  });
  if (!rows) return null;
  const { possible = 0, walked = 0, found = 0 } = rows[0] ?? {};
  const page = heldOf(rows);
  if (possible <= fewToWalk || (found < wanted && possible <= walked)) return { total: found, atLeast: false, page };
  return found < wanted ? null : { total: found, atLeast: true, page };
}

/** Recordings of a page with all that a list shows of them. */
async function shownOf({ ask }: Database, page: readonly Held[], asker: Asker): Promise<Row[]> {
  if (page.length === 0) return [];
  const held = new Map(page.map((one) => [one.id, one]));
  const flags = (which: 'transcript' | 'listed') => page.map((one) => String(one[which]));
  const rows = await ask(
    (sql) => sql<(Omit<Row, keyof Held> & Pick<Held, 'id'>)[]>`
      with states as materialized (${statesOf(sql, asker)}), page as materialized (
        select c.nth, c.id, c.transcript, c.listed, m.owner_id, m.history_needs, m.closed_at is not null as closed,
          m.created_at, m.folder_id, u.first_name, u.last_name, ${shownTitle(sql)} as title,
          ${shownTitleKey(sql)} as title_key, p.spoken_ms,
          coalesce(case when c.transcript then p.updated_at end, m.created_at) as updated_at,
          case when c.transcript then coalesce(p.words, 0) else 0 end as words,
          case when c.transcript then coalesce(p.speakers, 0) else 0 end as speakers,
          case when c.transcript and c.listed then p.lanes end as lanes,
          case when c.transcript and c.listed then p.opening end as opening, i.state, coalesce(i.percentage, 0) as percentage, i.failure, i.agreed_ms as "agreedMs",
          i.measured_ms as "measuredMs", coalesce(i.model, '') as model
        from (
          select a.id, a.transcript::boolean, a.listed::boolean, a.nth
          from unnest(${page.map(({ id }) => id)}::text[], ${flags('transcript')}::text[], ${flags('listed')}::text[])
            with ordinality a (id, transcript, listed, nth)
        ) c
        cross join lateral (select * from meetings where id = c.id and deleted_at is null offset 0) m
        cross join lateral (select first_name, last_name from users where id = m.owner_id offset 0) u
        left join lateral (select * from meeting_projections where meeting_id = c.id offset 0) p on true
        left join lateral (select * from intakes where meeting_id = c.id offset 0) i on true
      )
      select page.*, v.review_id as "reviewId", v.state as "reviewState",
        n.permissions || w.permissions || g.permissions as named, l.permissions as anonymous,
        ${durationOf(sql, 'page', 'page')} as ms, f.facets, paid.usd, paid.seconds
      from page
      left join states v on v.meeting_id = page.id
      left join meeting_access n on n.meeting_id = page.id and n.kind = 'user' and n.principal_id = ${asker.id}
      left join meeting_access w on w.meeting_id = page.id and w.kind = 'pending' and w.principal_id = ${asker.address}
      left join lateral (
        select array_agg(distinct one) as permissions from meeting_access b, unnest(b.permissions) one
        where b.meeting_id = page.id and b.kind = 'group' and b.principal_id = any(${[...asker.groups]}::text[])
      ) g on true
      left join lateral (
        select a.permissions from meeting_access a
        where a.meeting_id = page.id and a.kind = 'anonymous' and ${openLink(sql, sql`${asker.id}`, sql`${asker.browser ?? ''}`)}
        offset 0
      ) l on true
      left join lateral ${facetsOfPage(sql)} on true
      left join lateral ${paidFor(sql, 'page', asker.id)} on true
      order by page.nth`,
  );
  return rows.flatMap((row) => {
    const one = held.get(row.id);
    return one ? [{ ...row, ...one }] : [];
  });
}

/** Lists recordings (selection.ts), and the folders of the place; with a query, the folders that it names. */
export async function listMeetings(ctx: Ctx, asked: MeetingsQuery): Promise<MeetingsAnswer> {
  const selection = await readSelection(ctx, asked, {
    listing: true,
    walking: true,
    takes: rules.find,
    further: asked.start > 0,
  });
  const { asker, libraries, search, searched, words } = selection;
  const [{ total, atLeast, page }, folders, behind] = await Promise.all([
    pageOf(ctx.db, selection, asked),
    viewFolders(ctx.db.orm, libraries, foldersOf(selection)),
    searched ? countBehind(ctx.db, selection) : null,
  ]);
  const rows = await shownOf(ctx.db, page, asker);
  const said = search
    ? await hitsOf(
        ctx.db,
        search,
        rows
          .filter(({ listed }) => listed)
          .map((row) => ({ ...row, name: row.owner_id === asker.id ? '' : `${row.first_name} ${row.last_name}` })),
        asker,
      )
    : null;
  return {
    hits: rows.map((row) => {
      const { found = null, why } = said?.get(row.id) ?? {};
      const titled = words.length > 0 && words.every((word) => row.title_key.includes(word));
      const reason = titled ? 'title' : why;
      return { ...hit(row, asker.id, libraries), ...(said && { found }), ...(reason && { why: reason }) };
    }),
    total,
    ...(atLeast && { atLeast }),
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
