import type { Fragment, Sql } from 'postgres';
import { openLink } from '#db/access.ts';
import type { Database } from '#db/open.ts';
import { plainQuery } from '#shared/finding/query.ts';
import { indexedFacets, lengths, noFolder, type FacetName, type Length } from '#shared/facets.ts';
import type { Filters } from '#shared/filters.ts';
import { rootPath } from '#shared/library.ts';
import type { SelectionQuery } from '#shared/meetings/meeting.ts';
import { Problem } from '#shared/problems.ts';
import { signedIn, type Ctx } from '../context.ts';
import { hasFacet, hasOutcome } from '../finding/facets.ts';
import { layersReadBy, type Reader } from '../finding/reader.ts';
import { rowsFor } from '../finding/rows.ts';
import {
  behindAmong,
  readSearch,
  says,
  saysLoudly,
  termTables,
  unsays,
  walks,
  withWalks,
  type Search,
} from '../finding/search.ts';
import { belowPlace, findPlace, idOf, readLibraries, type Libraries, type Place } from '../folders/libraries.ts';
import { spellingsFor } from '../glossary/spellings.ts';
import { livingGroupsOf } from '../groups/members.ts';
import { rules, type Rule } from '../limits.ts';
import { foldTitle, shownTitleKey } from '../rooms/projection.ts';
import { noteVisit } from '../sharing/visits.ts';
import { placesIn } from './folders.ts';
import { hasMost, readable, statesOf, type Asker } from './readable.ts';

// The recordings that a person asks for: lists, facets and places are made of one selection, so that they agree, and of what
// the person may read alone.

export interface Selection {
  asker: Asker;
  libraries: Libraries;
  here: Place;
  /** The place is the top of a library. */
  top: boolean;
  /** Null without a word that is looked for in the index. */
  search: Search | null;
  /** Words of the query, as titles are compared. */
  words: readonly string[];
  searched: boolean;
  filtered: boolean;
  othersOnly: boolean;
  /** Most of the house is the person's own. */
  most: boolean;
  /** Ids of the folders that the person sees. */
  seen: readonly string[];
  /** `with` and the tables `held` (what they may read), `candidates`, `states` and those of the words. */
  tables(sql: Sql): Fragment;
  /**
   * `from` and `where`: recordings `c` with rows `p` (projection), `i` (intake) and `v` (the person's review), before
   * filters. Tens of thousands of rows pass here, so what only some of them show is read of these alone.
   */
  rows(sql: Sql): Fragment;
  /** Conditions of the filters that are set. */
  filters(sql: Sql): { name: FacetName | null; fits: Fragment }[];
  /** All conditions of the filters that are set, as one. */
  fits(sql: Sql): Fragment;
  /**
   * Selection of the same recordings that looks words in a row up in the whole index. This one then leaves them to `walks`, and
   * its `rows` has the recordings that say all of these words, in a row or not. Null where nothing is left to `walks`.
   */
  exact: Selection | null;
  /** Columns of `rows` that `walks` needs. */
  walked(sql: Sql): Fragment;
  /** Condition on such a row `c`: the words are in a row. */
  walks(sql: Sql): Fragment;
  /** 0 for words in the title, 1 for those that are said often or name something or the owner, 2 for all else. */
  rank(sql: Sql): Fragment;
}

/** All of these words are in the title, of `p` or `i`. */
const titleHas = (sql: Sql, words: readonly string[]): Fragment =>
  words.reduce((all, word) => sql`${all} and strpos(${shownTitleKey(sql)}, ${word}) > 0`, sql`true`);

/**
 * Meetings with these words in the title that are shared with everyone and not among those held: few enough for what is
 * looked up of each. Nothing but their title is searched.
 */
const discoverable = (sql: Sql, words: readonly string[], asker: Asker) => sql`
  select a.meeting_id as id, false as writes, true as transcript, false as whole, m.owner_id, m.folder_id, m.created_at,
    false as listed
  from meeting_access a
  cross join lateral (
    select owner_id, folder_id, created_at from meetings where id = a.meeting_id and deleted_at is null offset 0
  ) m
  left join lateral (select title_key from meeting_projections where meeting_id = a.meeting_id offset 0) p on true
  left join lateral (select title from intakes where meeting_id = a.meeting_id offset 0) i on true
  where a.kind = 'anonymous' and 'discover' = any(a.permissions) and 'read' = any(a.permissions)
    and ${openLink(sql, sql`${asker.id}`, sql`${asker.browser ?? ''}`)} and (${titleHas(sql, words)})
    and not exists (select 1 from held h where h.id = a.meeting_id)`;

/** Duration in milliseconds of a recording, or of what was said in it. */
export const durationOf = (sql: Sql, recording: string, spoken: string): Fragment => sql`coalesce(
  (select max(duration_ms) from media where media.meeting_id = ${sql.unsafe(recording)}.id and tag in ('audio', 'video')),
  nullif(${sql.unsafe(spoken)}.spoken_ms, 0))`;

/** A folder as a facet has it. */
export const folderOf = (sql: Sql, folder: Fragment, seen: readonly string[]): Fragment =>
  sql`case when ${folder} = any(${[...seen]}::text[]) then ${folder} else ${noFolder} end`;
export const ownerName = (sql: Sql): Fragment => sql`trim(u.first_name || ' ' || u.last_name)`;

const lengthFits = (sql: Sql, chosen: readonly Length[]): Fragment =>
  chosen.reduce(
    (any, one) => {
      const [from, to] = lengths[one];
      return sql`${any} or (d.ms >= ${from * 60_000} and ${to === null ? sql`true` : sql`d.ms < ${to * 60_000}`})`;
    },
    sql`false`,
  );

/** Conditions on recordings `c`, `p`, `v`; only those of what this person reads fit. */
function filtersOf(sql: Sql, filters: Filters, reader: Reader, seen: readonly string[]) {
  const { review, folder, owner, date, length, from, to, outcome } = filters;
  const all: { name: FacetName | null; fits: Fragment }[] = [];
  if (review) all.push({ name: 'review', fits: sql`coalesce(v.state = any(${review}::text[]), false)` });
  if (folder)
    all.push({ name: 'folder', fits: sql`${folderOf(sql, sql`c.folder_id`, seen)} = any(${folder}::text[])` });
  if (owner) all.push({ name: 'owner', fits: sql`c.owner_id = any(${owner}::text[])` });
  if (date)
    all.push({ name: 'date', fits: sql`to_char(c.created_at at time zone 'UTC', 'YYYY-MM') = any(${date}::text[])` });
  if (from) all.push({ name: null, fits: sql`c.created_at >= ${from}::date::timestamp at time zone 'UTC'` });
  if (to) all.push({ name: null, fits: sql`c.created_at < (${to}::date + 1)::timestamp at time zone 'UTC'` });
  if (length)
    all.push({
      name: 'length',
      fits: sql`exists (select 1 from (select ${durationOf(sql, 'c', 'p')} as ms) d where ${lengthFits(sql, length)})`,
    });
  for (const name of indexedFacets) {
    const values = filters[name];
    if (values) all.push({ name, fits: hasFacet(sql, name, values, reader) });
  }
  if (outcome) all.push({ name: null, fits: hasOutcome(sql, outcome, reader) });
  return all;
}

const isFiltered = (filters: Filters): boolean => Object.values(filters).some((one) => one !== undefined);

/** Facts of a person that all selections of a request share; `most`: most of the house is theirs. */
export interface Reach {
  libraries: Libraries;
  groups: readonly string[];
  layers: Reader['layers'];
  most: boolean;
}

export async function readReach(ctx: Ctx): Promise<Reach> {
  const { person } = signedIn(ctx);
  const libraries = await readLibraries(ctx.db.orm, person);
  const [groups, layers, most] = await Promise.all([
    livingGroupsOf(ctx.db.orm, person.id),
    layersReadBy(ctx.db, person.id),
    hasMost(ctx.db, person.id),
  ]);
  return { libraries, groups: groups.map(({ id }) => id), layers, most };
}

/**
 * The person's own meetings and those shared with them by name, with a group, or through a folder; meetings in a folder
 * they do not see appear at the top. With a folder it holds its contents, and with a query or a filter also those of the
 * folders below. A query finds titles, names of other owners, and the words of what was said and written. Without a folder it
 * holds all. A query at the top also finds, by its title alone, what others share with everyone, for people whose address
 * is confirmed; no selection without a query or with a filter holds that. With `shared` it holds what others share with
 * the person alone.
 */
export async function readSelection(
  ctx: Ctx,
  { query, folder: path, shared_folder, shared, filters }: SelectionQuery,
  /**
   * `listing`: a list, which is a visit, and finds what is shared with everyone; `takes` limits how many searches a person
   * makes; `further`: a later page, which is one more search only where it leaves words to `walks`; `walking`: words in a row
   * may be left to `walks`.
   */
  {
    listing,
    takes,
    further = false,
    reach,
    walking = false,
  }: {
    listing: boolean;
    takes?: Rule | undefined;
    further?: boolean;
    reach?: Reach | undefined;
    walking?: boolean;
  },
): Promise<Selection> {
  const { person } = signedIn(ctx);
  const { libraries, groups, layers, most } = reach ?? (await readReach(ctx));
  const here = findPlace(libraries, { path: path ?? rootPath, sid: shared_folder });
  if (here === undefined) throw new Problem('NO_ACCESS');
  const { sid } = here.library;
  // An access row may name the shared folder, or one within it.
  if (listing)
    for (const id of new Set(sid === null ? [] : [sid, idOf(here) ?? sid]))
      await noteVisit(ctx, { kind: 'folder', id });
  const top = idOf(here) === null;
  const idsOf = (places: readonly Place[]) => places.flatMap((place) => idOf(place) ?? []);
  const places = placesIn(libraries);
  const seen = idsOf(places);
  const search = await readSearch(ctx.db, query, (names) =>
    spellingsFor(ctx.db, { id: person.id, folders: seen, groups }, names),
  );
  if (search && takes && !further) await ctx.limits.take(takes, person.id);
  const words = foldTitle(search ? plainQuery(query) : query)
    .split(' ')
    .filter(Boolean);
  const filtered = isFiltered(filters);
  const searched = words.length > 0 || filtered;
  const othersOnly = shared === 'with-me';
  // Above the limit a search finds what it would find without them.
  const discovers =
    listing &&
    !othersOnly &&
    !filtered &&
    words.length > 0 &&
    top &&
    person.confirmed &&
    ctx.config.discover &&
    (await ctx.limits.allow(rules.discover, person.id));
  const asker: Asker = {
    id: person.id,
    address: person.confirmed ? person.emailKey : '',
    browser: ctx.browser ?? null,
    groups,
    layers,
    folders: places.flatMap((place) => {
      const id = idOf(place);
      return id === null ? [] : [{ id, held: place.library.held(place.folder) }];
    }),
  };
  // Meetings in a folder they do not see appear at the top.
  const lies = (sql: Sql) => {
    if (!top) return sql`c.folder_id = any(${idsOf(searched ? belowPlace(here) : [here])}::text[])`;
    return path && !searched ? sql`not coalesce(c.folder_id = any(${seen}::text[]), false)` : sql`true`;
  };
  const selected = (search: Search | null, exact: Selection | null): Selection => ({
    asker,
    libraries,
    here,
    top,
    search,
    words,
    searched,
    filtered,
    othersOnly,
    most,
    seen,
    exact,
    tables: (sql) => sql`
      with held as materialized (${readable(sql, asker)}), states as materialized (${statesOf(sql, asker)})
      ${discovers ? sql`, discovered as materialized (${discoverable(sql, words, asker)})` : sql``}
      , candidates as not materialized (
        select h.*, true as listed from held h ${discovers ? sql`union all select * from discovered` : sql``}
      ) ${search ? termTables(sql, search, asker, most) : sql``}`,
    rows: (sql) => sql`
      from candidates c
      left join ${rowsFor(sql, most, { name: 'p', table: 'meeting_projections', key: 'meeting_id', columns: sql`meeting_id, title_key, updated_at, words, speakers, spoken_ms` })}
      left join ${rowsFor(sql, most, { name: 'i', table: 'intakes', key: 'meeting_id', columns: sql`meeting_id, title, state` })}
      left join states v on v.meeting_id = c.id
      where ${lies(sql)} and case i.state when 'created' then false else true end
        ${othersOnly ? sql`and c.owner_id <> ${person.id}` : sql``} and ${
          search
            ? sql`((c.listed and ${says(sql, search, sql`c`)}) or (${titleHas(sql, words)})) and ${unsays(sql, search, sql`c`)}`
            : sql`(${titleHas(sql, words)})`
        }`,
    filters: (sql) => filtersOf(sql, filters, asker, seen),
    fits: (sql) => filtersOf(sql, filters, asker, seen).reduce((all, { fits }) => sql`${all} and ${fits}`, sql`true`),
    walked: (sql) => sql`c.listed, c.owner_id, (${titleHas(sql, words)}) as titled`,
    walks: (sql) => (search ? walks(sql, search, asker, sql`c`) : sql`true`),
    rank: (sql) =>
      search
        ? sql`case when ${titleHas(sql, words)} then 0 when c.listed and ${saysLoudly(sql, search, sql`c`)} then 1 else 2 end`
        : sql`0`,
  });
  const looked = selected(search, null);
  if (!search || !walking) return looked;
  const walked = await withWalks(ctx.db, search, (sql) => readable(sql, asker), asker);
  if (walked.walked.size === 0) return looked;
  if (takes && further) await ctx.limits.take(takes, person.id);
  return selected(walked, looked);
}

/**
 * Number of recordings that the person reads and search is behind with. A question of its own, beside that for results:
 * both are shorter to plan, and are asked at once.
 */
export async function countBehind({ ask }: Pick<Database, 'ask'>, { asker, most }: Selection): Promise<number> {
  const [row] = await ask(
    (sql) => sql<{ behind: number }[]>`
      with held as materialized (${readable(sql, asker)})
      ${behindAmong(sql, sql`select h.id, h.transcript, h.whole from held h`, asker, most)}`,
  );
  return row?.behind ?? 0;
}
