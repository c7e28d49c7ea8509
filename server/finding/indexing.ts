import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Fragment, Sql, TransactionSql } from 'postgres';
import { indexedTranscript, indexingBeside, readBeside, type Indexed } from '#shared/finding/sources.ts';
import { passageId, placedTokens, vectorOf, type Passage } from '#shared/finding/passages.ts';
import { loudMark } from '#shared/finding/query.ts';
import { stemmerOf, tokensVersion } from '#shared/finding/tokens.ts';
import { parts, type Part } from '#shared/meetings/parts.ts';
import { roomName } from '#sync/server/rooms.ts';
import type { House } from '../context.ts';
import type { State } from '../rooms/documents.ts';
import { versionSql } from '../rooms/version.ts';
import { followRooms, type ChangedRoom, type Following } from '../rooms/watch.ts';
import {
  KnownRooms,
  naming,
  often,
  passageNamed,
  positionsKept,
  WordCounts,
  type KnownRoom,
  type Said,
  type WordChange,
} from './known-rooms.ts';
import { audienceOfLayer, audienceOfPerson } from './reader.ts';

type Reading = Pick<House, 'documents' | 'wholes' | 'db'>;

/** Version of the rules by which a part is indexed: rooms beside the transcript were indexed anew when sheets came in. */
const rulesOf = (part: Part): number => (part === 'transcript' ? tokensVersion : tokensVersion + 1);

/** A room of `rooms r` that is not indexed as it is stored now; `s` is its row of search_rooms. */
export const isBehind = (sql: Sql): Fragment =>
  sql`(s.room is null or s.version < ${sql.unsafe(versionSql)}
    or s.tokens < case r.part when 'transcript' then ${rulesOf('transcript')}::int else ${rulesOf('layer')}::int end)`;

/** Rows of one insert. */
const rowsAtOnce = 50;

function audienceOf({ part, of }: Pick<ChangedRoom, 'part' | 'of'>): string {
  if (part === 'transcript') return 't';
  if (part === 'notes') return audienceOfPerson(of ?? '');
  return part === 'layer' ? audienceOfLayer(of ?? '') : 'm';
}

/** Indexes rooms in the background, behind their edits. */
export function startIndexing(house: House): Following {
  let counting: Promise<number> | null = null;
  // The count takes its turn at the database as requests do, and runs once at a time: scrapes of a slow one do not pile up.
  house.metrics.findingBehind(() => (counting ??= house.db.ask(countBehind).finally(() => (counting = null))));
  return followRooms<BehindRoom>(house, {
    parts,
    behind: (names, after) => roomsBehind(house.db.sql, names, after),
    follow: (room) => indexRoom(house, room),
    complaints: { room: 'a room could not be read for search', all: 'search lags behind' },
  });
}

export interface BehindRoom extends ChangedRoom {
  name: string;
  createdAt: string;
}

/** Rooms `r` that are indexed, each with its row `s` of search_rooms, and that search is behind with. */
const behindRooms = (sql: Sql): Fragment => sql`
  rooms r join meetings m on m.id = r.meeting_id left join search_rooms s on s.room = r.name
  where ${isBehind(sql)} and (r.part <> 'notes' or r.owner_id is not null) and (r.part <> 'layer' or r.layer_id is not null)`;

async function countBehind(sql: Sql): Promise<number> {
  const [row] = await sql<{ rooms: number }[]>`select count(*)::int as rooms from ${behindRooms(sql)}`;
  return row?.rooms ?? 0;
}

/** Rooms that search is behind with: among these, or the next hundred of all, those of the newest recordings first. */
export async function roomsBehind(
  sql: Sql,
  names: readonly string[] | null,
  after: BehindRoom | null,
): Promise<BehindRoom[]> {
  return sql<BehindRoom[]>`
    select r.name, r.meeting_id as "meetingId", r.part, coalesce(r.owner_id, r.layer_id) as of, m.created_at::text as "createdAt"
    from ${behindRooms(sql)} and ${names ? sql`r.name = any(${[...names]})` : sql`true`}
      and ${after ? sql`(m.created_at, r.name) < (${after.createdAt}::timestamptz, ${after.name})` : sql`true`}
    order by m.created_at desc, r.name desc ${names ? sql`` : sql`limit 100`}`;
}

/** Reads a room as it is stored, and what of it is indexed. */
async function readRoom({ documents, wholes }: Reading, room: ChangedRoom): Promise<State & Indexed> {
  const { meetingId, part, of } = room;
  const long = await documents.long(meetingId, { part, of });
  if (part === 'transcript')
    return long
      ? { ...long.state, ...(await wholes.do('indexed', long.pieces)) }
      : documents.read(meetingId, (doc, state) => ({ ...state, ...indexedTranscript(doc) }));
  if (long) return { ...long.state, ...(await wholes.do('indexedBeside', long.pieces, part)) };
  const { beside, ...state } = await documents.read(
    meetingId,
    (doc, now) => ({ ...now, beside: readBeside(part, doc) }),
    { part, of },
  );
  return { ...state, ...(await toEnd(indexingBeside(beside))) };
}

/** Rooms that a process has indexed, by its documents. */
const knownRooms = new WeakMap<object, KnownRooms>();

function knownOf({ documents }: Reading): KnownRooms {
  const known = knownRooms.get(documents) ?? new KnownRooms();
  knownRooms.set(documents, known);
  return known;
}

/**
 * Brings the index of a room to its stored state, in one transaction. Where the tables are as this process left them, only
 * what has changed since is cut into words and written.
 */
export async function indexRoom(house: Reading, room: ChangedRoom): Promise<void> {
  const name = roomName(room.meetingId, room.part, room.of);
  const audience = audienceOf(room);
  const rules = rulesOf(room.part);
  const { sql } = house.db;
  const rooms = knownOf(house);
  const read = await readRoom(house, room);
  // On its own, because the reference locks the room's row, which every keystroke wants.
  await sql`
    insert into search_rooms (room, meeting_id, audience, generation, version, tokens)
    select name, meeting_id, ${audience}, ${read.generation}, -1, 0 from rooms where name = ${name}
    on conflict do nothing`;
  const where = { name, meetingId: room.meetingId, audience };
  const indexed = { generation: read.generation, version: read.version, rules, lang: read.lang };

  /** False where the tables are not as `known` has them. */
  const write = async (known: KnownRoom | null): Promise<boolean> => {
    const changes = await changesOf(read, known);
    const vectors = await withVectors(sql, read.lang, changes.changed);
    const written = await sql.begin(async (tx) => {
      const [state] = await tx<{ version: string; tokens: number; generation: number }[]>`
        select s.version, s.tokens, r.generation from search_rooms s join rooms r on r.name = s.room
        where s.room = ${name} for update of s`;
      // The document was replaced meanwhile, or another process was quicker.
      if (!state || state.generation !== read.generation) return 'over';
      if (Number(state.version) > read.version && state.tokens >= rules) return 'over';
      let counts: WordCounts | null = null;
      if (known) {
        if (Number(state.version) !== known.version || state.tokens !== rules) return 'unknown';
        counts = known.counts;
        await writeWordChanges(
          tx,
          where,
          counts.change(await replacePassages(tx, where, changes.gone, vectors), vectors),
        );
      } else {
        const changed = await writePassages(tx, where, vectors);
        if (changed || state.tokens < rules) await writeWords(tx, where);
      }
      await tx`
        update search_rooms set generation = ${read.generation}, version = ${read.version}, tokens = ${rules},
          facets = ${read.facets}::text[]
        where room = ${name}`;
      return { counts };
    });
    if (written === 'unknown') return false;
    if (written === 'over') return true;
    const counts = written.counts ?? (await countsOf(vectors));
    rooms.set(name, { ...indexed, passages: changes.passages, counts });
    return true;
  };

  const known = rooms.take(name);
  const usable =
    known?.generation === read.generation &&
    known.rules === rules &&
    known.lang === read.lang &&
    known.version <= read.version;
  if (!(usable && (await write(known)))) await write(null);
}

async function countsOf(vectors: readonly Vector[]): Promise<WordCounts> {
  const counts = new WordCounts();
  await inTurns(vectors, (one) => counts.add(one));
  return counts;
}

/** Digests of what passages are made of; a passage that is not cut anew keeps its own. */
const sourceDigests = new WeakMap<Passage, string>();

function sourceDigestOf(passage: Passage): string {
  const before = sourceDigests.get(passage);
  if (before !== undefined) return before;
  const { body, segments, times, fromMs, type, grade } = passage;
  const digest = createHash('sha256')
    .update(JSON.stringify([body, segments, fromMs, type, grade]))
    .update(times)
    .digest('base64');
  sourceDigests.set(passage, digest);
  return digest;
}

interface Changes {
  /** Digest of each passage's source, by its id. */
  passages: Map<string, string>;
  changed: Passage[];
  /** Ids of rows that go, as they are gone or another passage comes in their place. */
  gone: string[];
}

/** Differences of a room from what is known of it; everything where nothing is. */
async function changesOf({ passages: all }: Indexed, known: KnownRoom | null): Promise<Changes> {
  const passages = new Map<string, string>();
  const changed: Passage[] = [];
  await inTurns(all, (one) => {
    const id = passageId(one);
    const digest = sourceDigestOf(one);
    passages.set(id, digest);
    if (known?.passages.get(id) !== digest) changed.push(one);
  });
  const gone: string[] = [];
  if (known)
    await inTurns(known.passages, ([id, digest]) => {
      if (passages.get(id) !== digest) gone.push(id);
    });
  return { passages, changed, gone };
}

interface Vector extends Passage {
  vector: string;
  lexemes: (readonly [lexeme: string, times: number])[];
  digest: Buffer;
}

/** Milliseconds of work at a time; the event loop belongs to those who type. */
const turnMs = 10;
/** Words of one question for stems. */
const wordsAtOnce = 2_000;

/** Does some work for each of many, with turns of the event loop in between. */
const inTurns = <T>(all: Iterable<T>, work: (one: T) => void): Promise<void> =>
  toEnd(
    (function* each() {
      for (const one of all) {
        work(one);
        yield;
      }
    })(),
  );

/** The same for work that stops now and then. */
async function toEnd<T>(work: Generator<void, T>): Promise<T> {
  let since = performance.now();
  for (let step = work.next(); ; step = work.next()) {
    if (step.done) return step.value;
    if (performance.now() - since < turnMs) continue;
    await nextTurn();
    since = performance.now();
  }
}

/** Passages with their vectors: each word by its form, and by its stem where that is another. */
async function withVectors(sql: Sql, lang: string, passages: readonly Passage[]): Promise<Vector[]> {
  const placed: ReturnType<typeof placedTokens>[] = [];
  const stemmers = new Map<string, string>();
  await inTurns(passages, ({ body }) => {
    const tokens = placedTokens(body);
    placed.push(tokens);
    for (const { word, kind } of tokens) {
      const stemmer = kind === 'word' ? stemmerOf(word, lang) : null;
      if (stemmer) stemmers.set(word, stemmer);
    }
  });
  const stems = await stemsOf(sql, [...stemmers]);
  const vectors: Vector[] = [];
  await inTurns(passages, (passage) => {
    const positions = [...vectorOf(placed[vectors.length] ?? [], (word) => stems.get(word) ?? null)];
    const vector = positions.map(([lexeme, at]) => `'${lexeme.replaceAll("'", "''")}':${at.join(',')}`).join(' ');
    const { body, segments, times, fromMs, type, grade } = passage;
    const digest = createHash('sha256')
      .update(JSON.stringify([body, segments, fromMs, type, grade, vector]))
      .update(times)
      .digest();
    const lexemes = positions.map(([lexeme, at]) => [lexeme, positionsKept(at)] as const);
    vectors.push({ ...passage, vector, lexemes, digest });
  });
  return vectors;
}

async function stemsOf(sql: Sql, words: readonly [word: string, stemmer: string][]): Promise<Map<string, string>> {
  const stems = new Map<string, string>();
  for (let at = 0; at < words.length; at += wordsAtOnce) {
    const some = words.slice(at, at + wordsAtOnce);
    const rows = await sql<{ word: string; stem: string }[]>`
      select word, said_stem(word, lang) as stem
      from unnest(${some.map(([word]) => word)}::text[], ${some.map(([, stemmer]) => stemmer)}::text[]) as w(word, lang)`;
    for (const { word, stem } of rows) stems.set(word, stem);
  }
  return stems;
}

interface Where {
  name: string;
  meetingId: string;
  audience: string;
}

/** Writes what differs; true if anything did. */
async function writePassages(
  tx: TransactionSql,
  { name, meetingId, audience }: Where,
  vectors: readonly Vector[],
): Promise<boolean> {
  const stored = await tx<{ kind: Passage['kind']; key: string; braces: boolean; digest: Buffer }[]>`
    select kind, key, braces, digest from search_passages where room = ${name}`;
  const known = new Map(stored.map((row) => [passageId(row), row]));
  const changed = vectors.filter((one) => known.get(passageId(one))?.digest.equals(one.digest) !== true);
  const wanted = new Set(vectors.map(passageId));
  const gone = [
    ...stored.filter((row) => !wanted.has(passageId(row))),
    ...changed.filter((one) => known.has(passageId(one))),
  ];
  await dropPassages(tx, name, gone);
  await insertPassages(tx, { name, meetingId, audience }, changed);
  return changed.length > 0 || gone.length > 0;
}

async function dropPassages(
  tx: TransactionSql,
  name: string,
  gone: readonly Pick<Passage, 'kind' | 'key' | 'braces'>[],
): Promise<void> {
  if (gone.length > 0) await tx`delete from search_passages p ${whichOf(tx, name, gone)}`;
}

const whichOf = (tx: TransactionSql, name: string, some: readonly Pick<Passage, 'kind' | 'key' | 'braces'>[]) => tx`
  using unnest(${some.map(({ kind }) => kind)}::text[], ${some.map(({ key }) => key)}::text[],
    ${some.map(({ braces }) => String(braces))}::text[]) as g(kind, key, braces)
  where p.room = ${name} and p.kind = g.kind and p.key = g.key and p.braces = g.braces::boolean`;

async function insertPassages(
  tx: TransactionSql,
  { name, meetingId, audience }: Where,
  vectors: readonly Vector[],
): Promise<void> {
  for (let at = 0; at < vectors.length; at += rowsAtOnce) {
    const rows = vectors
      .slice(at, at + rowsAtOnce)
      .map(({ kind, key, braces, fromMs, body, segments, times, type, grade, vector, digest }) => ({
        room: name,
        kind,
        key,
        braces,
        meeting_id: meetingId,
        audience,
        from_ms: fromMs,
        body,
        segments,
        times: Buffer.from(times),
        type,
        grade,
        lexemes: vector,
        digest,
      }));
    await tx`insert into search_passages ${tx(rows)}`;
  }
}

/** Writes passages in the place of those that go, and returns what these said. */
async function replacePassages(
  tx: TransactionSql,
  where: Where,
  gone: readonly string[],
  vectors: readonly Vector[],
): Promise<Said[]> {
  const rows =
    gone.length === 0
      ? []
      : await tx<{ kind: Passage['kind']; braces: boolean; said: [lexeme: string, times: number][] | null }[]>`
          with gone as (
            delete from search_passages p ${whichOf(tx, where.name, gone.map(passageNamed))}
            returning p.kind, p.braces, p.lexemes
          )
          select kind, braces, (
            select json_agg(json_build_array(l.lexeme, cardinality(l.positions))) from unnest(gone.lexemes) l
          ) as said from gone`;
  await insertPassages(tx, where, vectors);
  return rows.map(({ kind, braces, said }) => ({ kind, braces, lexemes: said ?? [] }));
}

/** Part of `search_words` that has a lexeme, as `writeWords` divides them. */
export const wordPartOf = (lexeme: string): number => (createHash('md5').update(lexeme).digest()[0] ?? 0) >> 4;

/** Brings the words of a room up to date with these changes. */
async function writeWordChanges(
  tx: TransactionSql,
  { name, meetingId, audience }: Where,
  changes: readonly WordChange[],
): Promise<void> {
  const parts = new Map<string, { braces: boolean; part: number; gone: string[]; come: string[] }>();
  for (const { braces, lexeme, was, now } of changes) {
    const part = wordPartOf(lexeme);
    const row = parts.get(`${part} ${braces}`) ?? { braces, part, gone: [], come: [] };
    parts.set(`${part} ${braces}`, row);
    for (const [from, form] of [
      [1, lexeme],
      [2, lexeme + loudMark],
    ] as const) {
      if (was >= from && now < from) row.gone.push(form);
      if (was < from && now >= from) row.come.push(form);
    }
  }
  if (parts.size === 0) return;
  await tx`
    with changes as materialized (
      select * from json_to_recordset(${JSON.stringify([...parts.values()])}::text::json)
        as c(braces boolean, part smallint, gone text[], come text[])
    ), changed as (
      update search_words w set lexemes = ts_delete(w.lexemes, c.gone) || array_to_tsvector(c.come)
      from changes c where w.room = ${name} and w.braces = c.braces and w.part = c.part returning w.braces, w.part
    )
    insert into search_words (room, braces, part, meeting_id, audience, lexemes)
    select ${name}, c.braces, c.part, ${meetingId}, ${audience}, array_to_tsvector(c.come) from changes c
    where not exists (select 1 from changed d where d.braces = c.braces and d.part = c.part)`;
  if (changes.some(({ now }) => now === 0))
    await tx`delete from search_words where room = ${name} and lexemes = ''::tsvector`;
}

/** Words of a room by its passages, as `said`, and the number of all of them, as `length`. */
const saidIn = (sql: Sql | TransactionSql, name: string): Fragment => sql`
  said as (
    select p.braces, l.lexeme, sum(cardinality(l.positions)) as times, bool_or(p.kind = any(${[...naming]})) as names
    from search_passages p cross join unnest(p.lexemes) l where p.room = ${name} group by p.braces, l.lexeme
  ), length as (
    select sum(times) as words from said where not braces
  )`;

/** A word of `said` names something, or is said often. */
const isLoud = (sql: Sql | TransactionSql): Fragment =>
  sql`(names or times >= greatest(${often.times}, words / ${often.in}))`;

/** Makes the words of a room from its passages; parts that stay as they are are not written. */
const writeWords = (tx: TransactionSql, { name, meetingId, audience }: Where) => tx`
  with ${saidIn(tx, name)}, parts as (
    select braces, get_byte(decode(md5(lexeme), 'hex'), 0) >> 4 as part, array_to_tsvector(array_agg(lexeme)
      || coalesce(array_agg(lexeme || ${loudMark}::text) filter (where ${isLoud(tx)}), '{}')) as lexemes
    from said cross join length group by 1, 2
  ), gone as (
    delete from search_words w where w.room = ${name}
      and not exists (select 1 from parts where parts.braces = w.braces and parts.part = w.part)
  )
  insert into search_words (room, braces, part, meeting_id, audience, lexemes)
  select ${name}, braces, part, ${meetingId}, ${audience}, lexemes from parts
  on conflict (room, braces, part) do update set lexemes = excluded.lexemes
  where search_words.lexemes is distinct from excluded.lexemes`;

/** Difference of a room's index from its document; null for none. */
export async function differenceIn(house: Reading, room: ChangedRoom): Promise<string | null> {
  const name = roomName(room.meetingId, room.part, room.of);
  const { sql } = house.db;
  const read = await readRoom(house, room);
  const vectors = await withVectors(sql, read.lang, read.passages);
  const stored = await sql<{ kind: Passage['kind']; key: string; braces: boolean; digest: Buffer }[]>`
    select kind, key, braces, digest from search_passages where room = ${name}`;
  const known = new Map(stored.map((row) => [passageId(row), row]));
  const wrong = vectors.filter((one) => known.get(passageId(one))?.digest.equals(one.digest) !== true).length;
  const wanted = new Set(vectors.map(passageId));
  const extra = stored.filter((row) => !wanted.has(passageId(row))).length;
  const [words] = await sql<{ wrong: number }[]>`
    with ${saidIn(sql, name)}, words as (
      select braces, lexeme from said
      union all select braces, lexeme || ${loudMark}::text from said cross join length where ${isLoud(sql)}
    ), indexed as (
      select w.braces, l.lexeme from search_words w cross join unnest(w.lexemes) l
      where w.room = ${name}
    )
    select ((select count(*) from (select * from words except select * from indexed) a)
      + (select count(*) from (select * from indexed except select * from words) b))::int as wrong`;
  const lexemes = words?.wrong ?? 0;
  const [state] = await sql<{ same: boolean }[]>`
    select facets = ${read.facets}::text[] as same from search_rooms where room = ${name}`;
  const facets = state?.same === true ? '' : ', facets differ';
  return wrong + extra + lexemes === 0 && facets === ''
    ? null
    : `${name}: ${wrong} passages missing or outdated, ${extra} too many, ${lexemes} words differ${facets}`;
}
