import type { Fragment, Sql } from 'postgres';
import type { Database } from '#db/open.ts';
import { unpackTimes, type PassageKind } from '#shared/finding/passages.ts';
import { hitsIn, type Snippet } from '#shared/finding/hits.ts';
import {
  loudMark,
  matchersOf,
  nameKeys,
  spellingsOf,
  stemmable,
  termsOf,
  tsqueryOf,
  withSpellings,
  type StemsOf,
  type Term,
} from '#shared/finding/query.ts';
import { stemmersOf } from '#shared/finding/tokens.ts';
import { mostHits, type Found, type Hit } from '#shared/found.ts';
import type { SearchReason } from '#shared/meetings/meeting.ts';
import { invalid } from '#shared/problems.ts';
import { isBehind, wordPartOf } from './indexing.ts';
import { naming } from './known-rooms.ts';
import { isNamed, namedBy, uploadersOf } from './names.ts';
import { audiencesOf, layerOf, type Reader } from './reader.ts';

// Search in words that were said. What a person may read comes from readable.ts, as rows `r (id, writes, transcript,
// whole)`; of the tables of the index nothing is read beside such rows.

/** A query, ready to ask. */
export interface Search {
  terms: readonly Term[];
  stemsOf: StemsOf;
  /** Numbers of the terms that are read in one recording after the other (`withWalks`). */
  walked: ReadonlySet<number>;
}

/** Other spellings of names, by their words. */
type Spellings = (names: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>;

/** Null for a query without a word. */
export async function readSearch(
  { ask }: Pick<Database, 'ask'>,
  query: string,
  spellings: Spellings,
): Promise<Search | null> {
  const typed = termsOf(query) ?? [];
  if (!typed.some(({ negated }) => !negated)) return null;
  const terms = withSpellings(typed, await spellings(nameKeys(typed)));
  const pairs = stemmable(terms).flatMap((word) => stemmersOf(word).map((lang) => ({ word, lang })));
  const stems = new Map<string, string[]>();
  if (pairs.length > 0) {
    const rows = await ask(
      (sql) => sql<{ word: string; stem: string }[]>`
        select word, said_stem(word, lang) as stem
        from unnest(${pairs.map(({ word }) => word)}::text[], ${pairs.map(({ lang }) => lang)}::text[]) as p (word, lang)`,
    );
    for (const { word, stem } of rows) stems.set(word, [...(stems.get(word) ?? []), stem]);
  }
  return { terms, stemsOf: (word) => stems.get(word) ?? [], walked: new Set() };
}

const mayRead = (row: 'w' | 'p', sql: Sql, r: Fragment) =>
  sql`(not ${sql.unsafe(row)}.braces or ${r}.writes) and (case ${sql.unsafe(row)}.audience when 't' then ${r}.transcript when 'm' then ${r}.whole else true end)`;

/** Recordings of one term, as rows (meeting_id, braces, audience). */
function saying(sql: Sql, query: string, inARow: boolean, reader: Reader): Fragment {
  const all = audiencesOf(reader);
  return inARow
    ? sql`select * from meetings_saying_in_a_row(${query}::tsquery, ${all}::text[])`
    : sql`select * from meetings_saying(${query}::tsquery, ${all}::text[])`;
}

/** Words of a term, each as a term of its own. */
const wordsOf = ({ words, exact, prefix }: Term): Term[] =>
  words.map(({ word }, nth) => ({
    words: [{ word, offset: 0 }],
    exact,
    prefix: prefix && nth === words.length - 1,
    negated: false,
  }));

/**
 * The search with those words in a row of which even the rarest is in over half of the recordings that the person reads (`held`).
 * The index would look them up in nearly all passages of the house; they are found in few recordings that are read one after the
 * other instead, of those that say all of the words. What others have decides nothing here. The search itself where counting
 * the words takes longer than a question may: the index may still find them in a row.
 */
export async function withWalks(
  db: Pick<Database, 'ask'>,
  search: Search,
  held: (sql: Sql) => Fragment,
  reader: Reader,
): Promise<Search> {
  const words = search.terms.flatMap((term, nth) =>
    term.words.length > 1 ? wordsOf(term).map((word) => ({ nth, word })) : [],
  );
  if (words.length === 0) return search;
  const rows = await askWalking(
    db,
    (sql) => sql<{ nth: number }[]>`
      with held as materialized (${held(sql)})
      select nth from (${words.reduce(
        (all, { nth, word }, n) => sql`${all} ${n > 0 ? sql`union all` : sql``}
          select ${nth}::int as nth, count(distinct c.id) as said
          from (${saying(sql, tsqueryOf(word, search.stemsOf), false, reader)}) w
          join held c on c.id = w.meeting_id where ${mayRead('w', sql, sql`c`)}`,
        sql``,
      )}) words
      group by nth having 2 * min(said) > (select count(*) from held)`,
  );
  return rows ? { ...search, walked: new Set(rows.map(({ nth }) => nth)) } : search;
}

/** Recordings up to which all are read that may say words in a row, and are counted exactly. */
export const fewToWalk = 100;
/** The table `possible`, of recordings that say all words of a search, has too many to read each of them. */
export const areMany = (sql: Sql): Fragment => sql`(select count(*) > ${fewToWalk} from possible)`;

const ranOut = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '57014';

export const tooCommon = () => invalid({ field: 'query', code: 'too_common' });

/** Asks a question that has another one in its place; null if it took longer than a question may. */
export async function askWalking<T>(
  { ask }: Pick<Database, 'ask'>,
  question: (sql: Sql) => Promise<T>,
): Promise<T | null> {
  try {
    return await ask(question);
  } catch (error) {
    if (ranOut(error)) return null;
    throw error;
  }
}

/**
 * Asks the database what a search selects. Words in a row that many recordings say are looked up in all of their passages,
 * which in a large library may take longer than a question may: then the query is at fault, and no service away.
 */
export async function askSearching<T>(
  { ask }: Pick<Database, 'ask'>,
  search: Search | null,
  question: (sql: Sql) => Promise<T>,
): Promise<T> {
  try {
    return await ask(question);
  } catch (error) {
    const inARow = search?.terms.some(({ words }) => words.length > 1) ?? false;
    if (inARow && ranOut(error)) throw tooCommon();
    throw error;
  }
}

/**
 * Common table expressions, a term each, that `says` and `rank` ask: each term is looked up once, because a look into them
 * for each recording would take the number of recordings squared. They are asked for rows of `candidates (id, writes,
 * transcript, whole)` alone. For who has most of a house, words of transcripts are not joined with those rows: they are
 * nearly all of them, and a recording that is no candidate is never looked up. `distinct`: a table that the planner takes for a
 * long one is gone through for each row. Of terms that are walked the tables have all recordings that say each of the words.
 */
export const termTables = (sql: Sql, { terms, stemsOf, walked }: Search, reader: Reader, most: boolean): Fragment =>
  terms.reduce(
    (list, term, nth) => {
      if (walked.has(nth) && term.negated) return list;
      const inARow = term.words.length > 1;
      // How often words are said in a row is not known.
      const neverLoud = sql`, ${sql.unsafe(`loud_${nth}`)} as materialized (
        select * from ${sql.unsafe(`said_${nth}`)} where false
      )`;
      const tables = (name: string, rows: Fragment) => {
        const [table, all] = [sql.unsafe(name), sql.unsafe(`${name}_all`)];
        const joined = sql`join candidates c on c.id = w.meeting_id where ${mayRead('w', sql, sql`c`)}`;
        return most
          ? sql`, ${all} as materialized (${rows}), ${table} as materialized (
            select w.meeting_id from ${all} w where w.audience = 't' and not w.braces
              and w.meeting_id not in (select c.id from candidates c where not c.transcript)
            union all
            select distinct w.meeting_id from (select * from ${all} a where a.audience <> 't' or a.braces offset 0) w ${joined})`
          : sql`, ${table} as materialized (select w.meeting_id from (${rows}) w ${joined})`;
      };
      if (walked.has(nth)) {
        const all = spellingsOf(term).map((one, spelling) =>
          wordsOf(one).map((word, n) => ({ name: `word_${nth}_${spelling}_${n}`, word })),
        );
        const eachWord = all
          .flat()
          .reduce(
            (each, { name, word }) =>
              sql`${each} ${tables(name, saying(sql, tsqueryOf(word, stemsOf), false, reader))}`,
            sql``,
          );
        const saidAll = (names: readonly { name: string }[]) =>
          names.reduce(
            (each, { name }, n) =>
              sql`${each} ${n > 0 ? sql`intersect` : sql``} select meeting_id from ${sql.unsafe(name)}`,
            sql``,
          );
        const said = all.reduce(
          (any, names, n) => sql`${any} ${n > 0 ? sql`union all` : sql``} (${saidAll(names)})`,
          sql``,
        );
        return sql`${list} ${eachWord}, ${sql.unsafe(`said_${nth}`)} as materialized (${said}) ${neverLoud}`;
      }
      const [said, ...also] = spellingsOf(term).map((one) =>
        saying(sql, tsqueryOf(one, stemsOf), one.words.length > 1, reader),
      );
      const rows = also.reduce((all, one) => sql`${all} union all ${one}`, said ?? sql``);
      return sql`${list} ${tables(`said_${nth}`, rows)} ${
        inARow ? neverLoud : tables(`loud_${nth}`, saying(sql, tsqueryOf(term, stemsOf, loudMark), false, reader))
      }`;
    },
    sql`, uploaders as materialized (${uploadersOf(sql, reader.id)})`,
  );

/** Looked up in a hash: without `is true` the planner may join the two, and go through the one for each row of the other. */
const inTable = (sql: Sql, name: string, r: Fragment): Fragment =>
  sql`(${r}.id in (select w.meeting_id from ${sql.unsafe(name)} w)) is true`;

/** A term is said in `r`, or stands beside it, or in the name of its owner. */
const has = (sql: Sql, term: Term, nth: number, r: Fragment): Fragment =>
  sql`(${inTable(sql, `said_${nth}`, r)} or ${namedBy(sql, term, r)})`;

/** All words are said in `r`, or stand beside it or in the name of its owner. */
export const says = (sql: Sql, { terms }: Search, r: Fragment): Fragment =>
  terms.reduce((all, term, nth) => (term.negated ? all : sql`${all} and ${has(sql, term, nth, r)}`), sql`true`);

/** None of the words with a minus does. */
export const unsays = (sql: Sql, { terms, walked }: Search, r: Fragment): Fragment =>
  terms.reduce(
    (all, term, nth) => (term.negated && !walked.has(nth) ? sql`${all} and not ${has(sql, term, nth, r)}` : all),
    sql`true`,
  );

/** A word is said in `r`, or stands beside it, so that there is a place of it. */
export const saysSome = (sql: Sql, { terms }: Search, r: Fragment): Fragment =>
  sql`(${terms.reduce(
    (any, { negated }, nth) => (negated ? any : sql`${any} or ${inTable(sql, `said_${nth}`, r)}`),
    sql`false`,
  )})`;

/** A term is said in recording `r`, by the key of its passages: for few recordings, one after the other. */
const isSaidIn = (sql: Sql, term: Term, { stemsOf }: Search, reader: Reader, r: Fragment): Fragment => sql`(exists (
  select 1 from (select * from search_passages where meeting_id = ${r}.id offset 0) p
  where p.audience = any(${audiencesOf(reader)}::text[]) and ${mayRead('p', sql, r)}
    and p.lexemes @@ ${spellingsOf(term)
      .map((one) => tsqueryOf(one, stemsOf))
      .join(' | ')}::tsquery
) is true)`;

/**
 * Rest of `says` and `unsays` where terms are walked, for a row `r (id, writes, transcript, whole, listed, owner_id,
 * titled)`; `titled`: its title has all words, which need not be said then.
 */
export const walks = (sql: Sql, search: Search, reader: Reader, r: Fragment): Fragment =>
  search.terms.reduce(
    (all, term, nth) => {
      if (!search.walked.has(nth)) return all;
      const hasIt = sql`(${namedBy(sql, term, r)} or ${isSaidIn(sql, term, search, reader, r)})`;
      return term.negated ? sql`${all} and not ${hasIt}` : sql`${all} and (${r}.titled or (${r}.listed and ${hasIt}))`;
    },
    sql`true`,
  );

/**
 * Rest of `saysSome` where terms are walked, for a row `r` that `walks` has: what it has beside its owner's name is said in it,
 * so that the recording is read again only where the name has all words.
 */
export const walksSome = (sql: Sql, search: Search, reader: Reader, r: Fragment): Fragment => {
  const { named, said } = search.terms.reduce(
    ({ named, said }, term, nth) => {
      if (term.negated) return { named, said };
      const isSaid = search.walked.has(nth) ? isSaidIn(sql, term, search, reader, r) : inTable(sql, `said_${nth}`, r);
      return { named: sql`${named} and ${namedBy(sql, term, r)}`, said: sql`${said} or ${isSaid}` };
    },
    { named: sql`true`, said: sql`false` },
  );
  return sql`(not (${named}) or ${said})`;
};

/** All words name something in `r` or its owner, or are said often. */
export const saysLoudly = (sql: Sql, { terms }: Search, r: Fragment): Fragment =>
  terms.reduce(
    (all, term, nth) =>
      term.negated ? all : sql`${all} and (${inTable(sql, `loud_${nth}`, r)} or ${namedBy(sql, term, r)})`,
    sql`true`,
  );

/**
 * Number of recordings among the rows `r` of which something is not indexed yet that this person may read. Looked up for
 * each of them or, for who has most of the house, for all at once.
 */
export function behindAmong(sql: Sql, rows: Fragment, { id, layers }: Reader, most: boolean): Fragment {
  const late = sql`r.seq > 0 and (r.part <> 'notes' or r.owner_id = ${id})
    and (r.part <> 'layer' or r.layer_id = any(${[...layers.keys()]}::text[])) and ${isBehind(sql)}`;
  const reads = (room: Fragment) =>
    sql`case when ${room}.part in ('notes', 'layer') then true when ${room}.part in ('outcomes', 'comments') then held.whole else held.transcript end`;
  if (most)
    return sql`
      select count(distinct held.id)::int as behind from (${rows}) held join (
        select r.meeting_id, r.part from rooms r left join search_rooms s on s.room = r.name where ${late} offset 0
      ) late on late.meeting_id = held.id and ${reads(sql`late`)}`;
  return sql`
    select count(*)::int as behind from (${rows}) held cross join lateral (
      select 1 from rooms r left join search_rooms s on s.room = r.name
      where r.meeting_id = held.id and ${late} and ${reads(sql`r`)}
      limit 1
    ) late`;
}

/** Parts of a passage that show the words of a query in it. */
export interface PassageRow {
  audience: string;
  kind: PassageKind;
  key: string;
  body: string;
  segments: string[];
  times: Buffer;
  from_ms: number | null;
  lexemes: [lexeme: string, positions: number[]][];
}

/** Order of the kinds in a row: what was said first. */
const kindOrder = ['words', 'outcome', 'grade', 'chapter', 'comment', 'summary', 'note', 'tag', 'speaker'];
/** Number of a passage's kind in that order. */
export const kindNth = (sql: Sql): Fragment => sql`array_position(${kindOrder}::text[], p.kind)`;

/** Conditions and columns of passages `p` in which words of a search stand, for rows `r (id, writes, transcript, whole)`. */
export function passagesWith({ terms, stemsOf }: Search, reader: Reader) {
  const wanted = terms.filter(({ negated }) => !negated);
  const queries = wanted.map((term) =>
    spellingsOf(term)
      .map((one) => tsqueryOf(one, stemsOf))
      .join(' | '),
  );
  const matchers = wanted.flatMap(spellingsOf).flatMap((term) => matchersOf(term, stemsOf));
  const lexemes = [...new Set(matchers.flatMap((one) => one.lexemes))];
  const prefixes = matchers.flatMap(({ prefix }) => prefix ?? []);
  return {
    /** Number of terms in a passage. */
    terms: (sql: Sql): Fragment =>
      sql`(select count(*) from unnest(${queries}::text[]) q where p.lexemes @@ q::tsquery)`,
    /**
     * Passages of a recording, by its key: without `offset 0` a plan that is kept for all words may look up the words in the
     * whole house for each recording.
     */
    of: (sql: Sql): Fragment => sql`(select * from search_passages where meeting_id = r.id offset 0) p`,
    fit: (sql: Sql): Fragment => sql`p.kind <> 'title' and p.audience = any(${audiencesOf(reader)}::text[])
      and ${mayRead('p', sql, sql`r`)} and p.lexemes @@ ${queries.join(' | ')}::tsquery
      and not (r.writes and not p.braces and exists (
        select 1 from search_passages b where b.room = p.room and b.kind = p.kind and b.key = p.key and b.braces))`,
    found: (sql: Sql): Fragment => sql`(
      select json_agg(json_build_array(l.lexeme, l.positions)) from unnest(p.lexemes) l
      where l.lexeme = any(${lexemes}::text[]) or l.lexeme ^@ any(${prefixes}::text[])
    ) as lexemes`,
    /** The first places of the words in a passage. */
    places: (row: PassageRow, most?: number): Hit[] => {
      const times = unpackTimes(row.times);
      return hitsIn(row.body, new Map(row.lexemes), wanted, stemsOf, most).map((snippet) =>
        hitOf(reader, row, times, snippet),
      );
    },
  };
}

export function hitOf(
  reader: Reader,
  row: Pick<PassageRow, 'audience' | 'kind' | 'key' | 'segments' | 'from_ms'>,
  times: ReturnType<typeof unpackTimes>,
  { before, words, after, paragraph, first, last }: Snippet,
): Hit {
  const at = times[first]?.from ?? row.from_ms;
  return {
    kind: row.kind,
    start: at === null ? null : at / 1000,
    end: at === null ? null : (times[last]?.to ?? at) / 1000,
    segment: row.segments[paragraph] || null,
    item: row.kind === 'words' ? null : row.key.replace(row.kind === 'grade' ? /~*(#\d+)?$/ : /#\d+$/, ''),
    layer: layerOf(reader, row.audience),
    before,
    words,
    after,
  };
}

/** Parts of `search_words` that have a word of a term, as server/finding/indexing.ts divides them. */
const wordPartsOf = (term: Term, stemsOf: StemsOf): number[] => [
  ...new Set(
    matchersOf(term, stemsOf)
      .flatMap(({ lexemes }) => lexemes)
      .map(wordPartOf),
  ),
];

/** A term names something in recording `r`, or is said often: `saysLoudly` for one recording, by its key. */
function isLoudIn(sql: Sql, term: Term, stemsOf: StemsOf, reader: Reader): Fragment {
  if (term.words.length > 1) return sql`false`;
  return sql`exists (
    select 1 from (select s.room from search_rooms s where s.meeting_id = r.id offset 0) s
    cross join lateral (
      select * from search_words where room = s.room and part = any(${wordPartsOf(term, stemsOf)}::int[]) offset 0
    ) w
    where w.audience = any(${audiencesOf(reader)}::text[]) and ${mayRead('w', sql, sql`r`)}
      and w.lexemes @@ ${tsqueryOf(term, stemsOf, loudMark)}::tsquery)`;
}

/** A passage of a recording, or none; `loud`, by term; `names`: a passage of the words names something. */
type HitRow = ((PassageRow & { total: number; names: boolean }) | { total: null }) & {
  meeting: string;
  loud: boolean[];
};

/** Places of a recording, null for none, and why it was found if its title has not all the words. */
interface Shown {
  found: Found | null;
  why: Exclude<SearchReason, 'title'>;
}

/** Places of the words in these recordings, each with whether the person writes there, and with the name of another owner. */
export async function hitsOf(
  { ask }: Pick<Database, 'ask'>,
  search: Search,
  asked: readonly { id: string; writes: boolean; transcript: boolean; whole: boolean; name: string }[],
  reader: Reader,
): Promise<Map<string, Shown>> {
  const shown = new Map<string, Shown>();
  if (asked.length === 0) return shown;
  const wanted = search.terms.filter(({ negated }) => !negated);
  const passages = passagesWith(search, reader);
  const rows = await ask(
    (sql) => sql<HitRow[]>`
      select r.id as meeting, said.loud, h.* from (
        select a.id, a.id = any(${asked.filter(({ writes }) => writes).map(({ id }) => id)}::text[]) as writes,
          a.id = any(${asked.filter(({ transcript }) => transcript).map(({ id }) => id)}::text[]) as transcript,
          a.id = any(${asked.filter(({ whole }) => whole).map(({ id }) => id)}::text[]) as whole
        from unnest(${asked.map(({ id }) => id)}::text[]) a (id)
      ) r
      cross join lateral (
        select json_build_array(${wanted.reduce(
          (list, term, nth) => sql`${list} ${nth > 0 ? sql`,` : sql``} ${isLoudIn(sql, term, search.stemsOf, reader)}`,
          sql``,
        )}) as loud offset 0
      ) said
      left join lateral (
        select p.audience, p.kind, p.key, p.body, p.segments, p.times, p.from_ms, ${passages.found(sql)}, count(*) over ()::int as total,
          bool_or(p.kind = any(${[...naming]}::text[])) over () as names
        from ${passages.of(sql)}
        where ${passages.fit(sql)}
        order by ${passages.terms(sql)} desc, ${kindNth(sql)}, p.from_ms nulls first, p.key
        limit ${mostHits}
      ) h on true`,
  );
  const names = new Map(asked.map(({ id, name }) => [id, name]));
  const whyOf = (row: HitRow): Shown['why'] => {
    const named = wanted.map((term) => isNamed(term, names.get(row.meeting) ?? ''));
    if (!named.every((one, nth) => one || row.loud[nth])) return 'said';
    return named.some(Boolean) || (row.total !== null && row.names) ? 'named' : 'often';
  };
  for (const row of rows) {
    if (row.total === null) {
      shown.set(row.meeting, { found: null, why: whyOf(row) });
      continue;
    }
    const one = shown.get(row.meeting)?.found ?? { hits: [], more: row.total };
    shown.set(row.meeting, { found: one, why: whyOf(row) });
    one.more -= 1;
    // Each passage shows a place before one shows another.
    one.hits.push(...passages.places(row, Math.min(row.total > 1 ? 1 : mostHits, mostHits - one.hits.length)));
  }
  return shown;
}
