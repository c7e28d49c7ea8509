import { inArray } from 'drizzle-orm';
import type { Fragment, Sql } from 'postgres';
import { outcomeModels } from '#db/schema/outcome-models.ts';
import {
  facetNames,
  indexedFacets,
  lengthNames,
  lengths,
  mostValues,
  noFolder,
  type FacetName,
  type Length,
} from '#shared/facets.ts';
import type { Facet, FacetsView, GradedType } from '#shared/filters.ts';
import type { FacetsQuery } from '#shared/meetings/meeting.ts';
import { setOfType } from '#shared/meetings/own-types.ts';
import { libraryStates, type LibraryState } from '#shared/review-states.ts';
import type { Ctx } from '../context.ts';
import { countedFacets, facetsOf } from '../finding/facets.ts';
import { areMany, askSearching, askWalking, fewToWalk } from '../finding/search.ts';
import { idOf, type Libraries } from '../folders/libraries.ts';
import { rules } from '../limits.ts';
import { ownNames } from '../outcome-models/names.ts';
import { foldTitle } from '../rooms/projection.ts';
import { placesIn } from './folders.ts';
import { folderOf, ownerName, readSelection, type Selection } from './selection.ts';

interface Row {
  facet: FacetName;
  value: string;
  label: string | null;
  count: number;
  /** Number of values of the facet. */
  values: number;
  /**
   * `counts`: the count is that of the list. Otherwise it also has recordings that say the words without having them in a row;
   * `seldom`: so few have them in a row that the index is asked for the counts.
   */
  known: 'counts' | 'bounds' | 'seldom';
}

/** Bit of a facet in `misses`: set where a recording fails the facet's own filter. */
const bitOf = (name: FacetName): number => 1 << (facetNames.indexOf(name) + 1);
/** Bit of all filters that are no facet. */
const elseBit = 1;
/** All filters but the facet's own are met. */
const counts = (name: FacetName): string => `misses & ${~bitOf(name)} = 0`;

/** Pattern of a text in any case, by classes: a database whose locale is `C` folds ASCII alone. */
const anyCase = (text: string): string =>
  [...text]
    .map((one) => {
      const forms = [...new Set([one, one.toLowerCase(), one.toUpperCase()])].filter((form) => [...form].length === 1);
      return /[\p{L}\p{N}]/u.test(one) ? `[${forms.join('')}]` : `[${/[\\\]^-]/.test(one) ? '\\' : ''}${one}]`;
    })
    .join('');

const lengthOf = (sql: Sql): Fragment =>
  sql`case ${Object.entries(lengths).reduce(
    (all, [name, [, to]]) => sql`${all} when ${to === null ? sql`true` : sql`ms < ${to * 60_000}`} then ${name}`,
    sql``,
  )} end`;

/** Durations of all recordings at once, or of each by its key. */
const durations = (sql: Sql, most: boolean): Fragment =>
  most
    ? sql`(select meeting_id, max(duration_ms) as ms from media where tag in ('audio', 'video') group by meeting_id offset 0) d on d.meeting_id = c.id`
    : sql`lateral (select max(duration_ms) as ms from media where meeting_id = c.id and tag in ('audio', 'video') offset 0) d on true`;

/**
 * Words in a row that at most so many have, of the newest `fewToWalk` recordings that say all of the words, are so rare that the
 * index finds them in little time.
 */
const seldom = 2;

/** Kind of the counts: those of the list, or bounds, or bounds where the whole index is better asked. */
const knownOf = (sql: Sql, { exact, walks }: Selection): Fragment =>
  exact
    ? sql`(select case when not ${areMany(sql)} then 'counts' when count(*) <= ${seldom} then 'seldom' else 'bounds' end
        from (select * from possible order by created_at desc, id limit ${fewToWalk}) c where ${walks(sql)})`
    : sql`'counts'`;

/**
 * The recordings of a selection, each with what its facets are made of, and with the filters that it misses. Values are
 * made of those that are `alike`, which are few.
 */
function counted(sql: Sql, selection: Selection): Fragment {
  const misses = selection
    .filters(sql)
    .reduce(
      (all, { name, fits }) => sql`${all} | case when ${fits} then 0 else ${name ? bitOf(name) : elseBit}::int end`,
      sql`0`,
    );
  const walks = selection.exact !== null;
  return sql`${selection.tables(sql)}, possible as ${walks ? sql`materialized` : sql`not materialized`} (
    select c.id, c.transcript, c.whole, c.folder_id, c.created_at, v.state as review,
      nullif(p.spoken_ms, 0) as spoken_ms, ${misses} as misses, ${walks ? sql`c.writes, ${selection.walked(sql)}` : sql`c.owner_id`}
    ${selection.rows(sql)} and c.listed
  ), base as materialized (
    select c.*, coalesce(d.ms, c.spoken_ms) as ms from (
      select * from possible c ${walks ? sql`where ${areMany(sql)} or (${selection.walks(sql)})` : sql``} offset 0
    ) c left join ${durations(sql, selection.most)}
  ), alike as materialized (
    select folder_id, review, owner_id, misses, date_trunc('month', created_at at time zone 'UTC') as month,
      case when ms is not null then ${lengthOf(sql)} end as length, count(*)::int as count
    from base group by 1, 2, 3, 4, 5, 6
  )`;
}

/** Values of each facet with their counts, most first; a count leaves out the choice in its own facet. */
export async function listFacets(ctx: Ctx, asked: FacetsQuery): Promise<FacetsView> {
  const selection = await readSelection(ctx, asked, { listing: false, walking: true, takes: rules.count });
  const { filters, of, like } = asked;
  const wanted = of ? [of] : facetNames;
  const { asker, libraries } = selection;
  const folders = folderLabels(libraries);
  const text = foldTitle(like);
  const inFolders = [...folders].filter(([, label]) => foldTitle(label).includes(text)).map(([id]) => id);
  const chosen = indexedFacets.flatMap((name) => (filters[name] ?? []).map((value) => `${name}:${value}`));
  const question = (from: Selection) => (sql: Sql) =>
    sql<Row[]>`
      ${counted(sql, from)}, indexed as (
        select split_part(f, ':', 1) as facet, substr(f, strpos(f, ':') + 1) as value, count
        from (${countedFacets(
          sql,
          asker,
          from.most,
          sql`c.misses = 0 or case split_part(f, ':', 1) ${indexedFacets.reduce(
            (all, name) => sql`${all} when ${name} then ${sql.unsafe(counts(name))}`,
            sql``,
          )} end`,
        )}) each
      ), named as materialized (
        ${ownNames(sql, sql`select value from indexed where facet = 'outcomeType'`)}
      ), every as (
        select facet, value, n.name as label, count, coalesce(n.name, value) as sorted
        from indexed left join named n on facet = 'outcomeType' and n.id = value
        union all
        select 'folder', folder, null, sum(count)::int, folder from (
          select ${folderOf(sql, sql`folder_id`, from.seen)} as folder, sum(count) as count from alike
          where ${sql.unsafe(counts('folder'))} group by folder_id
        ) lying group by folder
        union all
        select 'review', review, null, sum(count)::int, review from alike
        where review is not null and ${sql.unsafe(counts('review'))} group by review
        union all
        select 'owner', o.owner_id, ${ownerName(sql)}, o.count, ${ownerName(sql)} from (
          select owner_id, sum(count)::int as count from alike where ${sql.unsafe(counts('owner'))} group by owner_id
        ) o
        cross join lateral (select first_name, last_name from users where id = o.owner_id offset 0) u
        union all
        select 'date', to_char(month, 'YYYY-MM'), null, count, null from (
          select month, sum(count)::int as count from alike
          where ${sql.unsafe(counts('date'))} group by 1
        ) added
        union all
        select 'length', length, null, sum(count)::int, null from alike
        where length is not null and ${sql.unsafe(counts('length'))} group by length
      ), ranked as (
        select facet, value, label, count, count(*) over (partition by facet)::int as values,
          row_number() over (partition by facet order by facet = 'folder' and value = ${noFolder},
            case when facet = 'date' then value end desc, count desc, sorted collate "C", value collate "C") as nth
        from every
        where facet = any(${[...wanted]}::text[]) and ${
          text === ''
            ? sql`true`
            : sql`case when facet = 'folder' then value = any(${inFolders}::text[])
                else coalesce(label, value) ~ ${anyCase(like.trim())} end`
        }
      )
      select facet, value, label, count, values, ${knownOf(sql, from)} as known from ranked
      where nth <= ${mostValues} or facet || ':' || value = any(${[
        ...chosen,
        ...(['folder', 'owner', 'date'] as const).flatMap((name) =>
          (filters[name] ?? []).map((one) => `${name}:${one}`),
        ),
      ]}::text[])
      order by facet, nth`;
  const walked = selection.exact && (await askWalking(ctx.db, question(selection)));
  const first = walked ?? (await askSearching(ctx.db, selection.search, question(selection.exact ?? selection)));
  const exact = first.some(({ known }) => known === 'seldom') ? selection.exact : null;
  const rows = (exact && (await askWalking(ctx.db, question(exact)))) ?? first;
  const shown = new Set(rows.flatMap(({ facet, value }) => (facet === 'outcomeType' ? value : [])));
  const { outcome, outcomeType = [] } = filters;
  const asksTypes = wanted.includes('outcomeType');
  const named = asksTypes ? [...outcomeType, ...(outcome ? [outcome.type, outcome.child ?? outcome.type] : [])] : [];
  const types = await namesRead(
    ctx,
    selection,
    named.filter((type) => !shown.has(type)),
  );
  return {
    ...(rows.some(({ known }) => known !== 'counts') && { atMost: true as const }),
    facets: wanted.map((name) => facetOf(name, rows, { filters, folders, types })),
    types: asksTypes ? await gradedAmong(ctx, [...shown, ...types.keys()]) : [],
  };
}

/** Types with grades that people made, where one of these is such a type or one below it. */
async function gradedAmong({ db }: Pick<Ctx, 'db'>, types: readonly string[]): Promise<GradedType[]> {
  const sets = [...new Set(types.flatMap((type) => setOfType(type) ?? []))];
  if (sets.length === 0) return [];
  const read = new Set(types);
  const found = await db.orm
    .select({ types: outcomeModels.types })
    .from(outcomeModels)
    .where(inArray(outcomeModels.id, sets))
    .orderBy(outcomeModels.name, outcomeModels.id);
  return found
    .flatMap((set) => set.types)
    .filter(
      ({ id, grades, children }) =>
        grades.length > 0 && [id, ...children.map((one) => one.id)].some((one) => read.has(one)),
    )
    .map(({ id, name, grades, children }) => ({
      ...{ id, name },
      grades: grades.map((one) => ({ value: one.value, name: one.name })).toSorted((a, b) => a.value - b.value),
      children: children.map((one) => ({ id: one.id, name: one.name })),
    }));
}

/** Names of types that people made, of those among these that the caller reads an outcome of in any recording. */
async function namesRead(
  ctx: Ctx,
  selection: Selection,
  types: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const own = types.filter((type) => setOfType(type) !== null);
  if (own.length === 0) return new Map();
  const rows = await ctx.db.ask(
    (sql) => sql<{ id: string; name: string }[]>`
      ${selection.tables(sql)}, reads as materialized (
        select o.id from unnest(${own}::text[]) o (id) where exists (
          select 1 from held c
          cross join lateral ${facetsOf(sql, selection.asker)} where s.facets @> array['outcomeType:' || o.id])
      )
      select n.id, n.name from (${ownNames(sql, sql`select id from reads`)}) n join reads on reads.id = n.id`,
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Names of the folders that a person sees, by id. */
const folderLabels = (libraries: Libraries): ReadonlyMap<string, string> =>
  new Map(
    placesIn(libraries).flatMap((place) => {
      const { library, folder } = place;
      const id = idOf(place);
      const path = [...(library.sid === null ? [] : [library.name]), ...(folder?.segments ?? [])].join('/');
      return id === null ? [] : [[id, path] as const];
    }),
  );

function facetOf(
  name: FacetName,
  rows: readonly Row[],
  { filters, folders, types }: Pick<FacetsQuery, 'filters'> & Record<'folders' | 'types', ReadonlyMap<string, string>>,
): Facet {
  const own = rows.filter(({ facet }) => facet === name);
  const labelled = (value: string, label: string | null) =>
    name === 'folder' && value !== noFolder ? (folders.get(value) ?? null) : label;
  const values = own.map(({ value, label, count }) => ({ value, label: labelled(value, label), count }));
  // A chosen value can be taken back, also where nothing has it any more.
  for (const value of filters[name] ?? [])
    if (!values.some((one) => one.value === value))
      values.push({ value, label: labelled(value, types.get(value) ?? null), count: 0 });
  if (name === 'review')
    values.sort(
      (a, b) => libraryStates.indexOf(a.value as LibraryState) - libraryStates.indexOf(b.value as LibraryState),
    );
  if (name === 'length')
    values.sort((a, b) => lengthNames.indexOf(a.value as Length) - lengthNames.indexOf(b.value as Length));
  return { name, values, more: Math.max(0, (own[0]?.values ?? 0) - own.length) };
}
