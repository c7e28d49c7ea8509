import type { Fragment, Sql } from 'postgres';
import { facetValue, type IndexedFacet } from '#shared/facets.ts';
import type { OutcomeFilter } from '#shared/filters.ts';
import { ownAudiences, type Reader } from './reader.ts';
import { rowsFor } from './rows.ts';

// Parts of queries on facets and outcomes in the index. `c` (id, transcript, whole) are the recordings that readable.ts allows.

/** Facets of recording `c` that this person reads, as rows `s (facets)`. */
export const facetsOf = (sql: Sql, reader: Reader): Fragment => sql`(
  select r.facets from search_rooms r where r.meeting_id = c.id and r.facets <> '{}'
    and ((r.audience = 't' and c.transcript) or (r.audience = 'm' and c.whole) or r.audience = any(${ownAudiences(reader)}::text[])) offset 0
) s`;

/**
 * Facets of the recordings `c` of `base`, as rows `(f, count)`, where `fits`. A recording has one transcript, which has each
 * value once, and shares none with what stands beside it (shared/finding/sources.ts): only values of that are compared.
 */
export function countedFacets(sql: Sql, reader: Reader, most: boolean, fits: Fragment): Fragment {
  const rooms = (columns: Fragment, audiences: Fragment) =>
    rowsFor(sql, most, {
      ...{ name: 's', table: 'search_rooms', key: 'meeting_id' },
      columns,
      where: sql`facets <> '{}' and ${audiences}`,
    });
  return sql`
    select f, count(*)::int as count
    from base c join ${rooms(sql`meeting_id, facets`, sql`audience = 't'`)} cross join unnest(s.facets) f
    where c.transcript and (${fits}) group by f
    union all
    select f, count(*)::int from (
      select distinct c.id, f
      from base c join ${rooms(
        sql`meeting_id, facets, audience`,
        sql`(audience = 'm' or audience = any(${ownAudiences(reader)}::text[]))`,
      )} cross join unnest(s.facets) f
      where (s.audience <> 'm' or c.whole) and (${fits})
    ) beside group by f`;
}

/** Any of these values. */
export const hasFacet = (sql: Sql, name: IndexedFacet, values: readonly string[], reader: Reader): Fragment => sql`
  exists (select 1 from ${facetsOf(sql, reader)}
    where s.facets && ${values.map((value) => facetValue(name, value))}::text[])`;

/** Facets of the transcript of `page` (id, transcript, listed), as rows `f (facets)`. */
export const facetsOfPage = (sql: Sql): Fragment => sql`(
  select facets from search_rooms where page.listed and page.transcript and meeting_id = page.id and audience = 't' offset 0
) f`;

/** Passages `o` of outcomes, and of sheets, of this type and grade that this person reads, in recording `r` (id, whole). */
export function readsOutcome(
  sql: Sql,
  { type, child, below, above, is }: OutcomeFilter,
  reader: Reader,
  o: 'o' | 'p',
  r: 'c' | 'r',
): Fragment {
  const [sign, grade] =
    below !== undefined ? ['<', below] : above !== undefined ? ['>', above] : is !== undefined ? ['=', is] : ['', null];
  const [passage, recording] = [sql.unsafe(o), sql.unsafe(r)];
  return sql`${passage}.kind in ('outcome', 'grade') and ${passage}.type is not null and ${passage}.type = ${child ?? type}
    ${grade === null ? sql`` : sql`and ${passage}.grade ${sql.unsafe(sign)} ${grade}`} and not ${passage}.braces
    and ((${passage}.audience = 'm' and ${recording}.whole) or ${passage}.audience = any(${ownAudiences(reader)}::text[]))`;
}

/** An outcome of this type and grade that this person reads. */
export const hasOutcome = (sql: Sql, filter: OutcomeFilter, reader: Reader): Fragment => sql`
  exists (select 1 from search_passages o where o.meeting_id = c.id and ${readsOutcome(sql, filter, reader, 'o', 'c')})`;
