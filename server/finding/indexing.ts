import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Fragment, Sql, TransactionSql } from 'postgres';
import { indexedBeside, indexedTranscript, type Indexed } from '#shared/finding/sources.ts';
import { placedTokens, vectorOf, type Passage, type PassageKind } from '#shared/finding/passages.ts';
import { loudMark } from '#shared/finding/query.ts';
import { stemmerOf, tokensVersion } from '#shared/finding/tokens.ts';
import { parts, type Part } from '#shared/meetings/parts.ts';
import { roomName } from '#sync/server/rooms.ts';
import type { House } from '../context.ts';
import type { State } from '../rooms/documents.ts';
import { versionSql } from '../rooms/version.ts';
import { followRooms, type ChangedRoom, type Following } from '../rooms/watch.ts';
import { audienceOfLayer, audienceOfPerson } from './reader.ts';

type Reading = Pick<House, 'documents' | 'wholes' | 'db'>;

/** Version of the rules by which a part is indexed: rooms beside the transcript were indexed anew when sheets came in. */
const rulesOf = (part: Part): number => (part === 'transcript' ? tokensVersion : tokensVersion + 1);

/** A room of `rooms r` that is not indexed as it is stored now; `s` is its row of search_rooms. */
export const isBehind = (sql: Sql): Fragment =>
  sql`(s.room is null or s.version < ${sql.unsafe(versionSql)}
    or s.tokens < case r.part when 'transcript' then ${rulesOf('transcript')}::int else ${rulesOf('layer')}::int end)`;

/** Kinds whose words name something: a recording that has them there ranks before others. */
export const naming: readonly PassageKind[] = ['tag', 'speaker', 'chapter', 'outcome'];
/** A word is said often from so many times on, and in one of so many words. */
const often = { times: 8, in: 2500 };

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
  if (part !== 'transcript')
    return documents.read(meetingId, (doc, state) => ({ ...state, ...indexedBeside(part, doc) }), {
      part,
      of,
    });
  const long = await documents.long(meetingId);
  if (long) return { ...long.state, ...(await wholes.do('indexed', long.pieces)) };
  return documents.read(meetingId, (doc, state) => ({ ...state, ...indexedTranscript(doc) }));
}

/** Brings the index of a room to its stored state, in one transaction. */
export async function indexRoom(house: Reading, room: ChangedRoom): Promise<void> {
  const name = roomName(room.meetingId, room.part, room.of);
  const audience = audienceOf(room);
  const rules = rulesOf(room.part);
  const { sql } = house.db;
  const read = await readRoom(house, room);
  // On its own, because the reference locks the room's row, which every keystroke wants.
  await sql`
    insert into search_rooms (room, meeting_id, audience, generation, version, tokens)
    select name, meeting_id, ${audience}, ${read.generation}, -1, 0 from rooms where name = ${name}
    on conflict do nothing`;
  const vectors = await withVectors(sql, read);
  await sql.begin(async (tx) => {
    const [state] = await tx<{ version: string; tokens: number; generation: number }[]>`
      select s.version, s.tokens, r.generation from search_rooms s join rooms r on r.name = s.room
      where s.room = ${name} for update of s`;
    // The document was replaced meanwhile, or another process was quicker.
    if (!state || state.generation !== read.generation) return;
    if (Number(state.version) > read.version && state.tokens >= rules) return;
    const where = { name, meetingId: room.meetingId, audience };
    const changed = await writePassages(tx, where, vectors);
    if (changed || state.tokens < rules) await writeWords(tx, where);
    await tx`
      update search_rooms set generation = ${read.generation}, version = ${read.version}, tokens = ${rules},
        facets = ${read.facets}::text[]
      where room = ${name}`;
  });
}

interface Vector extends Passage {
  lexemes: string;
  digest: Buffer;
}

/** Milliseconds of work at a time; the event loop belongs to those who type. */
const turnMs = 10;
/** Words of one question for stems. */
const wordsAtOnce = 2_000;

/** Does some work for each of many, with turns of the event loop in between. */
async function inTurns<T>(all: Iterable<T>, work: (one: T) => void): Promise<void> {
  let since = performance.now();
  for (const one of all) {
    work(one);
    if (performance.now() - since < turnMs) continue;
    await nextTurn();
    since = performance.now();
  }
}

/** Passages with their vectors: each word by its form, and by its stem where that is another. */
async function withVectors(sql: Sql, { passages, lang }: Indexed): Promise<Vector[]> {
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
    const positions = vectorOf(placed[vectors.length] ?? [], (word) => stems.get(word) ?? null);
    const lexemes = [...positions].map(([lexeme, at]) => `'${lexeme.replaceAll("'", "''")}':${at.join(',')}`).join(' ');
    const { body, segments, times, fromMs, type, grade } = passage;
    const digest = createHash('sha256')
      .update(JSON.stringify([body, segments, fromMs, type, grade, lexemes]))
      .update(times)
      .digest();
    vectors.push({ ...passage, lexemes, digest });
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

const idOf = ({ kind, key, braces }: Pick<Passage, 'kind' | 'key' | 'braces'>): string =>
  [kind, braces ? 1 : 0, key].join(' ');

/** Writes what differs; true if anything did. */
async function writePassages(
  tx: TransactionSql,
  { name, meetingId, audience }: Where,
  vectors: readonly Vector[],
): Promise<boolean> {
  const stored = await tx<{ kind: Passage['kind']; key: string; braces: boolean; digest: Buffer }[]>`
    select kind, key, braces, digest from search_passages where room = ${name}`;
  const known = new Map(stored.map((row) => [idOf(row), row]));
  const changed = vectors.filter((one) => known.get(idOf(one))?.digest.equals(one.digest) !== true);
  const wanted = new Set(vectors.map(idOf));
  const gone = [...stored.filter((row) => !wanted.has(idOf(row))), ...changed.filter((one) => known.has(idOf(one)))];
  if (gone.length > 0)
    await tx`
      delete from search_passages p
      using unnest(${gone.map(({ kind }) => kind)}::text[], ${gone.map(({ key }) => key)}::text[],
        ${gone.map(({ braces }) => String(braces))}::text[]) as g(kind, key, braces)
      where p.room = ${name} and p.kind = g.kind and p.key = g.key and p.braces = g.braces::boolean`;
  for (let at = 0; at < changed.length; at += rowsAtOnce) {
    const rows = changed
      .slice(at, at + rowsAtOnce)
      .map(({ kind, key, braces, fromMs, body, segments, times, ...rest }) => ({
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
        type: rest.type,
        grade: rest.grade,
        lexemes: rest.lexemes,
        digest: rest.digest,
      }));
    await tx`insert into search_passages ${tx(rows)}`;
  }
  return changed.length > 0 || gone.length > 0;
}

/** Makes the words of a room from its passages; parts that stay as they are are not written. */
const writeWords = (tx: TransactionSql, { name, meetingId, audience }: Where) => tx`
  with said as (
    select p.braces, l.lexeme, sum(cardinality(l.positions)) as times, bool_or(p.kind = any(${[...naming]})) as names
    from search_passages p cross join unnest(p.lexemes) l where p.room = ${name} group by p.braces, l.lexeme
  ), length as (
    select sum(times) as words from said where not braces
  ), parts as (
    select braces, get_byte(decode(md5(lexeme), 'hex'), 0) >> 4 as part, array_to_tsvector(array_agg(lexeme)
      || coalesce(array_agg(lexeme || ${loudMark}::text) filter (where names or times >= greatest(${often.times}, words / ${often.in})), '{}')) as lexemes
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
  const vectors = await withVectors(sql, read);
  const stored = await sql<{ kind: Passage['kind']; key: string; braces: boolean; digest: Buffer }[]>`
    select kind, key, braces, digest from search_passages where room = ${name}`;
  const known = new Map(stored.map((row) => [idOf(row), row]));
  const wrong = vectors.filter((one) => known.get(idOf(one))?.digest.equals(one.digest) !== true).length;
  const wanted = new Set(vectors.map(idOf));
  const extra = stored.filter((row) => !wanted.has(idOf(row))).length;
  const [words] = await sql<{ wrong: number }[]>`
    with said as (
      select distinct p.braces, l.lexeme from search_passages p cross join unnest(p.lexemes) l where p.room = ${name}
    ), indexed as (
      select w.braces, l.lexeme from search_words w cross join unnest(w.lexemes) l
      where w.room = ${name} and l.lexeme not like '%+'
    )
    select ((select count(*) from (select * from said except select * from indexed) a)
      + (select count(*) from (select * from indexed except select * from said) b))::int as wrong`;
  const lexemes = words?.wrong ?? 0;
  const [state] = await sql<{ same: boolean }[]>`
    select facets = ${read.facets}::text[] as same from search_rooms where room = ${name}`;
  const facets = state?.same === true ? '' : ', facets differ';
  return wrong + extra + lexemes === 0 && facets === ''
    ? null
    : `${name}: ${wrong} passages missing or outdated, ${extra} too many, ${lexemes} words differ${facets}`;
}
