import type { Sql } from 'postgres';
import { placesAtOnce, type FindsAnswer, type FindsQuery, type FoundPlace, type PlaceAt } from '#shared/finds.ts';
import type { Hit } from '#shared/found.ts';
import { setOfType } from '#shared/meetings/own-types.ts';
import { invalid } from '#shared/problems.ts';
import type { Ctx } from '../context.ts';
import { microseconds, placesOfOutcomes, placesOfWords, timeOf, type PlaceRow } from '../finding/places.ts';
import { areMany, askSearching, askWalking, says, saysSome, tooCommon, walks, walksSome } from '../finding/search.ts';
import { rules } from '../limits.ts';
import { ownNames } from '../outcome-models/names.ts';
import { shownTitle } from '../rooms/projection.ts';
import { isMe, type Asker } from './readable.ts';
import { countBehind, ownerName, readSelection, type Selection } from './selection.ts';

/** How much one page asks for. */
export interface PageSize {
  places: number;
  /** Recordings that are looked through at once. */
  batch: number;
  /** Recordings that are read at once to find those of a batch, where they say all of the words but perhaps not in a row. */
  walked: number;
  /** A later page that reads recordings is one more search; those of a file are part of its one search. */
  counted: boolean;
}

const onScreen: PageSize = { places: placesAtOnce, batch: 50, walked: 200, counted: true };
/** Batches without a place, such as those whose title alone has the words, before an empty page is answered. */
const mostBatches = 4;

interface Row extends PlaceRow {
  total: number;
  /** So many recordings may have words in a row that only those of a batch were read. */
  many: boolean;
  /** The last recording of a full batch. */
  lastId: string | null;
  lastAt: number | null;
}

/** Places for each recording read below which the index is asked: it finds words that so few have in a row in less time. */
const worthwhile = 1 / 20;

/** Lists the places of a selection, those of the newest recordings first. */
export async function listFinds(ctx: Ctx, asked: FindsQuery, size = onScreen): Promise<FindsAnswer> {
  const first = await readSelection(ctx, asked, {
    listing: false,
    walking: true,
    takes: asked.after && !size.counted ? undefined : rules.find,
    further: asked.after !== undefined,
  });
  const { search, asker, exact } = first;
  const { outcome } = asked.filters;
  const finder = search ? placesOfWords(search, asker) : outcome ? placesOfOutcomes(outcome, asker) : null;
  if (!finder) throw invalid({ field: 'query', code: 'required' });
  const most = size.places + 1;
  const placesFrom = (selection: Selection, at: PlaceAt | null) => (sql: Sql) => {
    const words = selection.search;
    const walked =
      words && selection.exact
        ? sql`${walks(sql, words, asker, sql`c`)} and ${walksSome(sql, words, asker, sql`c`)}`
        : null;
    const atOnce = walked ? size.walked : size.batch;
    const newest = sql`order by added_at desc, id`;
    return sql<Row[]>`
      ${selection.tables(sql)}, possible as ${walked ? sql`materialized` : sql`not materialized`} (
        select c.id, c.writes, c.transcript, c.whole, c.created_at as added_at ${walked ? sql`, c.listed, c.owner_id, false as titled` : sql``}
        ${selection.rows(sql)} and c.listed ${words ? sql`and ${says(sql, words, sql`c`)} and ${saysSome(sql, words, sql`c`)}` : sql``}
        and ${selection.fits(sql)}
      ), matched as materialized (
        select * from possible c ${walked ? sql`where ${areMany(sql)} or (${walked})` : sql``}
      ), part as materialized (
        select * from matched ${
          at
            ? sql`where added_at < ${timeOf(sql, at.addedAt)}
                or (added_at = ${timeOf(sql, at.addedAt)} and id >= ${at.meeting})`
            : sql``
        }
        ${newest} limit ${atOnce}
      ), batch as materialized (
        select * from (select * from part ${newest}) c
        ${walked ? sql`where not ${areMany(sql)} or (${walked})` : sql``} limit ${size.batch}
      )
      select t.*, place.* from (
        select (select count(*)::int from matched) as total, ${walked ? areMany(sql) : sql`false`} as many, ends.id as "lastId", ends.at as "lastAt"
        from (select 1) one
        left join lateral (
          select id, ${microseconds(sql, 'added_at')} as at from (
            (select * from batch ${newest} offset ${size.batch - 1}) union all (select * from part ${newest} offset ${atOnce - 1})
          ) each
          ${newest} limit 1
        ) ends on true
      ) t left join (${finder.rows(sql, at, most)}) place on true`;
  };
  const counted = countBehind(ctx.db, first);
  // Awaited behind the places, whose failure shall be the request's.
  counted.catch(() => {});
  const readPage = (rows: readonly Row[], at: PlaceAt | null) => {
    const { total = 0, many = false, lastId = null, lastAt = null } = rows[0] ?? {};
    const passages = rows.filter(({ meeting }) => meeting !== null);
    const { places, next } = cutPage(passages, at, finder.places, size.places);
    const beyond =
      lastId === null || lastAt === null ? null : { addedAt: lastAt, meeting: lastId, passage: behindAll, left: 0 };
    return { total, many, passages, places, further: next ?? beyond };
  };
  let walking = exact !== null;
  const askPage = async (at: PlaceAt | null) => {
    const rows = walking ? await askWalking(ctx.db, placesFrom(first, at)) : null;
    // Reading that took too long once would take as long for the next page.
    walking = rows !== null;
    if (!rows) return readPage(await askSearching(ctx.db, search, placesFrom(exact ?? first, at)), at);
    const page = readPage(rows, at);
    if (!exact || !page.many || page.further === null || page.places.length >= worthwhile * size.walked) return page;
    const indexed = await askWalking(ctx.db, placesFrom(exact, at));
    if (!indexed && page.places.length === 0) throw tooCommon();
    return indexed ? readPage(indexed, at) : page;
  };
  let at = asked.after ?? null;
  for (let batch = 1; ; batch += 1) {
    const { total, many, passages, places, further } = await askPage(at);
    if (places.length > 0 || further === null || batch === mostBatches) {
      const shown = new Set(places.map(({ recording }) => recording));
      return {
        places: await withLabels(ctx, places),
        recordings: await recordingsOf(
          ctx,
          asker,
          new Map(passages.flatMap((one) => (shown.has(one.meeting) ? [[one.meeting, one]] : []))),
        ),
        ...(many ? { total: shown.size, ...((asked.after || further) && { atLeast: true as const }) } : { total }),
        next: further && JSON.stringify(further),
        behind: await counted,
      };
    }
    at = further;
  }
}

/** Behind all passages of a recording. */
const behindAll: PlaceAt['passage'] = [100, 0, ''];

const placeAt = ({ addedAt, meeting, nth, from_ms, key }: PlaceRow, left: number): PlaceAt => ({
  addedAt,
  meeting,
  passage: [nth, from_ms ?? -1, key],
  left,
});

/** The places of these passages, as many as an answer has; `next` is null if there are no further ones among them. */
function cutPage(
  passages: readonly PlaceRow[],
  at: PlaceAt | null,
  placesOf: (row: PlaceRow) => Hit[],
  size: number,
): { places: FoundPlace[]; next: PlaceAt | null } {
  const all = passages.flatMap((row, n) => {
    const hits = placesOf(row);
    const begun = n === 0 && at !== null && JSON.stringify(placeAt(row, at.left)) === JSON.stringify(at);
    return hits
      .map((hit, nth) => ({ row, hit, left: hits.length - nth }))
      .filter(({ left }) => !begun || left <= at.left);
  });
  const [rest, last] = [all[size], passages.at(-1)];
  const next = rest ? placeAt(rest.row, rest.left) : passages.length > size && last ? placeAt(last, 0) : null;
  const places = all.slice(0, size).map(({ row, hit }) => ({
    ...hit,
    recording: row.meeting,
    outcome: row.type === null ? null : { type: row.type, label: null, grade: row.grade, text: row.body },
  }));
  // Passages of one long paragraph overlap.
  const known = new Set<string>();
  const isNew = ({ recording, kind, segment, start, before, words }: FoundPlace) => {
    if (kind !== 'words') return true;
    const key = JSON.stringify([recording, segment, start, start === null ? before : '', words]);
    return !known.has(key) && known.add(key).size > 0;
  };
  return { places: places.filter(isNew), next };
}

/** Places with the names of types that people made. */
async function withLabels({ db }: Ctx, places: FoundPlace[]): Promise<FoundPlace[]> {
  const own = places.flatMap(({ outcome }) => (outcome && setOfType(outcome.type) !== null ? outcome.type : []));
  if (own.length === 0) return places;
  const rows = await db.ask(
    (sql) => sql<{ id: string; name: string }[]>`${ownNames(sql, sql`select unnest(${own}::text[])`)}`,
  );
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return places.map((place) => ({
    ...place,
    outcome: place.outcome && { ...place.outcome, label: names.get(place.outcome.type) ?? null },
  }));
}

/** View of recordings that readable.ts allowed: as a whole, or by a layer alone. */
async function recordingsOf(
  ctx: Ctx,
  { id: me, address }: Asker,
  found: ReadonlyMap<string, Pick<PlaceRow, 'whole' | 'writes'>>,
): Promise<FindsAnswer['recordings']> {
  if (found.size === 0) return [];
  const rows = await ctx.db.ask(
    (sql) => sql<
      {
        id: string;
        title: string;
        ownerId: string;
        owner: string;
        at: Date;
        sound: string | null;
        layerId: string | null;
        reviewId: string | null;
      }[]
    >`
      select m.id, ${shownTitle(sql)} as title, m.owner_id as "ownerId", ${ownerName(sql)} as owner, m.created_at as at, (
          select id from media where media.meeting_id = m.id and tag in ('audio', 'video') order by created_at, id limit 1
        ) as sound, r.layer_id as "layerId", r.review_id as "reviewId"
      from meetings m join users u on u.id = m.owner_id
      left join meeting_projections p on p.meeting_id = m.id left join intakes i on i.meeting_id = m.id
      left join lateral (
        select a.layer_id, l.review_id from layer_access a join layers l on l.id = a.layer_id and l.deleted_at is null
        where a.meeting_id = m.id and ${isMe(sql, sql`a`, me, address)} and 'read' = any(a.permissions)
        order by l.kind = 'words' desc, l.kind, a.layer_id limit 1
      ) r on true
      where m.id = any(${[...found.keys()]}::text[])`,
  );
  return rows.map(({ id, title, ownerId, owner, at, sound, layerId, reviewId }) => {
    const { whole = true, writes = false } = found.get(id) ?? {};
    const byReview = !whole;
    const document = byReview ? layerId : id;
    return {
      ...{ id, title },
      owner: { id: ownerId, name: owner },
      date: new Date(at).toISOString(),
      review: byReview && reviewId !== null ? { id: reviewId } : null,
      src: sound === null || document === null ? null : `/api/meetings/${document}/media/${sound}`,
      // By a review alone, words are corrected on the review's page.
      writes: whole && writes,
    };
  });
}
