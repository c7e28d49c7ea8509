import type { Fragment, Sql } from 'postgres';
import { wordsFrom } from '#shared/finding/hits.ts';
import { unpackTimes } from '#shared/finding/passages.ts';
import type { OutcomeFilter } from '#shared/filters.ts';
import type { PlaceAt } from '#shared/finds.ts';
import type { Hit } from '#shared/found.ts';
import { readsOutcome } from './facets.ts';
import type { Reader } from './reader.ts';
import { hitOf, kindNth, passagesWith, type PassageRow, type Search } from './search.ts';

// Places in recordings, one after another: of the words of a search, or of outcomes. `batch` are rows (id, writes,
// transcript, whole, added_at) of recordings that readable.ts allows.

export interface PlaceRow extends PassageRow {
  meeting: string;
  whole: boolean;
  writes: boolean;
  addedAt: number;
  nth: number;
  type: string | null;
  grade: number | null;
  /** Words that are said at an outcome. */
  said: { body: string; segments: string[]; times: string } | null;
}

/** A time in whole microseconds, as the database keeps it. */
export const microseconds = (sql: Sql, column: string): Fragment =>
  sql`(extract(epoch from ${sql.unsafe(column)}) * 1000000)::float8`;
export const timeOf = (sql: Sql, at: number): Fragment =>
  sql`(timestamptz 'epoch' + ${at}::float8 * interval '1 microsecond')`;

/** Passages of `batch` from the place `at` on, in their order. */
function passagesFrom(
  sql: Sql,
  at: PlaceAt | null,
  most: number,
  { of, fit, more }: Record<'of' | 'fit' | 'more', Fragment>,
): Fragment {
  const [nth, ms, key] = at?.passage ?? [0, 0, ''];
  const later = at
    ? sql`and (r.id <> ${at.meeting}
        or (${kindNth(sql)}, coalesce(p.from_ms, -1), p.key collate "C") >= (${nth}::int, ${ms}::int, ${key}))`
    : sql``;
  return sql`
    select page.id as meeting, page.whole, page.writes, ${microseconds(sql, 'page.added_at')} as "addedAt", page.nth, p.audience, p.kind, p.key, p.body, p.segments, p.times,
      p.from_ms, p.type, p.grade, ${more}
    from (
      select r.id, r.writes, r.transcript, r.whole, r.added_at, h.* from batch r
      cross join lateral (
        select p.room, p.kind, p.key, p.braces, p.from_ms, ${kindNth(sql)} as nth from ${of}
        where ${fit} ${later}
        order by nth, coalesce(p.from_ms, -1), p.key collate "C" limit ${most}
      ) h
      order by r.added_at desc, r.id, h.nth, coalesce(h.from_ms, -1), h.key collate "C" limit ${most}
    ) page
    join search_passages p on p.room = page.room and p.kind = page.kind and p.key = page.key and p.braces = page.braces
    order by page.added_at desc, page.id, page.nth, coalesce(page.from_ms, -1), page.key collate "C"`;
}

/** How places are found. */
interface Finder {
  rows(sql: Sql, at: PlaceAt | null, most: number): Fragment;
  places(row: PlaceRow): Hit[];
}

export function placesOfWords(search: Search, reader: Reader): Finder {
  const passages = passagesWith(search, reader);
  return {
    rows: (sql, at, most) =>
      passagesFrom(sql, at, most, {
        of: passages.of(sql),
        fit: passages.fit(sql),
        more: sql`${passages.found(sql)}, null::json as said`,
      }),
    places: passages.places,
  };
}

/** Places of outcomes, with what is said there. */
export const placesOfOutcomes = (filter: OutcomeFilter, reader: Reader): Finder => ({
  rows: (sql, at, most) =>
    passagesFrom(sql, at, most, {
      of: sql`search_passages p`,
      fit: sql`p.meeting_id = r.id and ${readsOutcome(sql, filter, reader, 'p', 'r')}`,
      more: sql`'[]'::json as lexemes, (
        select json_build_object('body', w.body, 'segments', w.segments, 'times', encode(w.times, 'base64'))
        from search_passages w
        where w.meeting_id = page.id and w.audience = 't' and w.kind = 'words' and w.from_ms <= p.from_ms
          and (not w.braces or page.writes) and page.transcript
        order by w.from_ms desc, w.braces desc, w.key limit 1
      ) as said`,
    }),
  places: (row) => {
    const times = row.said ? unpackTimes(Buffer.from(row.said.times, 'base64')) : [];
    const words = row.said && row.from_ms !== null ? wordsFrom(row.said.body, times, row.from_ms) : null;
    if (!row.said || !words)
      return [hitOf(reader, row, [], { before: '', words: '', after: '', paragraph: 0, first: 0, last: 0 })];
    const said = hitOf(reader, { ...row, segments: row.said.segments }, times, words);
    return [{ ...said, start: row.from_ms === null ? null : row.from_ms / 1000 }];
  },
});
