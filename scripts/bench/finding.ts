// npm run bench -- finding [recordings] [words in each] [--quick] [--different 500] [--folder F] [--only ROW]: makes a house in which one
// person has that many recordings, 10,000 of 30,000 words (200 of 2,000 with --quick), and asks for searches, filters and
// lists, each beside bare SQL that answers the same, with the aims. Then how long a word typed there takes to be saved, beside
// one typed in turn into a house without recordings, and to be found; and a search among titles that others share with
// everyone. So many of the recordings are different; the others are copies of their rows in the index, without a document.
// Nothing is measured before the background of the house is quiet. The house is deleted at the end, or kept in a folder,
// where the next run with that folder asks again without making it. `--only` measures rows alone whose name has these words.
import { performance } from 'node:perf_hooks';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import postgres, { type Fragment, type Sql } from 'postgres';
import { startEmbedded } from '#db/embedded.ts';
import { appendRows } from '#db/updates.ts';
import { indexRoom, isBehind } from '#server/finding/indexing.ts';
import { readSearch } from '#server/finding/search.ts';
import { updateProjection } from '#server/rooms/projection.ts';
import type { FacetsView } from '#shared/filters.ts';
import { tsqueryOf } from '#shared/finding/query.ts';
import type { MeetingsAnswer } from '#shared/meetings/meeting.ts';
import { seedState, type SeedSegment } from '#shared/meetings/seed.ts';
import { packUpdates } from '#sync/protocol.ts';
import setup, { withName } from '#tests/support/cluster.ts';
import { Editor, until } from '#tests/support/editors.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { ticketFor } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';
import { figures } from '../figures.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    different: { type: 'string', default: '500' },
    folder: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});
const [count = options.quick ? 200 : 10_000, wordsEach = options.quick ? 2000 : 30_000] = positionals.map(Number);
const different = Math.min(count, Number(options.different));
const times = options.quick ? 20 : 60;
const keys = options.quick ? 50 : 300;
const shownAtOnce = 20;
const isWanted = (what: string): boolean => what.includes(options.only);

// ---- The house ----------------------------------------------------------------------------------

/** Numbers from 0 to 1, the same for the same seed. */
function numbers(seed: number): () => number {
  let state = (seed + 1) * 2_654_435_761;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

/** Words by how often they are said: the hundredth is said a hundredth as often as the first. */
const vocabulary = 60_000;
const characters = 2500;
const syllables = [...'bdfgklmnprstvz'].flatMap((one) => [...'aeiou'].map((other) => one + other));
const word = (rank: number): string => {
  let name = '';
  for (let rest = rank; rest > 0 || name.length < 4; rest = Math.floor(rest / syllables.length))
    name = (syllables[rest % syllables.length] ?? '') + name;
  return name;
};
const character = (rank: number): string => String.fromCodePoint(0x4e00 + rank);
const ranked = (next: () => number, most: number): number => Math.floor(most ** next());

const isChinese = (nth: number): boolean => nth % 10 === 9;
const perSegment = 25;
const tags = 40;
const speakerNames = 200;

const speakersOf = (nth: number) =>
  [0, 1, 2].map((one) => ({
    id: `p${one}`,
    name: `Speaker ${(nth * 7 + one * 31) % speakerNames}`,
    color: one,
    sortId: one,
  }));

function segmentsOf(nth: number): SeedSegment[] {
  const next = numbers(nth);
  const chinese = isChinese(nth);
  // A fifteenth of the words, which are of one or two characters each.
  const most = chinese ? Math.ceil(wordsEach / 15) : wordsEach;
  return Array.from({ length: Math.ceil(most / perSegment) }, (_, s) => ({
    id: `s${s}`,
    speaker: `p${s % 3}`,
    words: Array.from({ length: Math.min(perSegment, most - s * perSegment) }, (_unused, k) => {
      const at = s * 10 + k * 0.4;
      const w = chinese ? character(ranked(next, characters)) : word(ranked(next, vocabulary));
      return { w, f: at, t: at + 0.35, ...(chinese && { p: true }) };
    }),
  }));
}

async function makeRecording({ house, database: { sql } }: TestHouse, owner: Person, nth: number): Promise<void> {
  const id = `said-${nth}`;
  const room = `${id}/transcript`;
  const seed = seedState({
    about: { title: `Recording ${nth}`, lang: isChinese(nth) ? 'zh-CN' : 'en-US' },
    tags: [0, 1, 2].map((one) => `tag ${(nth * (one + 3)) % tags}`),
    speakers: speakersOf(nth),
    segments: segmentsOf(nth),
  });
  const at = new Date(Date.now() - nth * 60_000);
  await sql`insert into meetings (id, owner_id, created_at) values (${id}, ${owner.id}, ${at.toISOString()}::timestamptz)`;
  await sql`insert into rooms (name, meeting_id, part) values (${room}, ${id}, 'transcript')`;
  await appendRows(sql, [{ room, generation: 1, userId: null, clientIds: [], bytes: packUpdates([seed]), at }]);
  await updateProjection(house, id);
  await indexRoom(house, { meetingId: id, part: 'transcript', of: null });
}

/** Indexes that cost more to keep up to date row by row than to make anew. */
const wordIndexes = ['search_words_lexemes', 'search_passages_lexemes'];

/** Puts copies of the first recordings behind them, in lists and in the index. */
async function copy({ database: { sql } }: TestHouse, began: number): Promise<void> {
  const dropped = await sql<{ indexdef: string }[]>`
    select indexdef from pg_indexes where indexname = any(${wordIndexes})`;
  for (const name of wordIndexes) await sql`drop index ${sql(name)}`;
  for (let from = different; from < count; from += different) {
    const to = Math.min(from + different, count);
    await sql.begin(async (tx) => {
      await tx`set local statement_timeout = 0`;
      await tx`
        create temporary table copies on commit drop as
        select 'said-' || n as id, 'said-' || n % ${different}::int as old, n, now() - n * interval '1 minute' as at
        from generate_series(${from}::int, ${to - 1}::int) n`;
      await tx`
        insert into meetings (id, owner_id, created_at)
        select c.id, m.owner_id, c.at from copies c join meetings m on m.id = c.old`;
      await tx`
        insert into meeting_projections (meeting_id, version, title, title_key, words, speakers, spoken_ms, lanes, opening, first_text, updated_at)
        select c.id, p.version, 'Recording ' || c.n, 'recording ' || c.n, p.words, p.speakers, p.spoken_ms, p.lanes, p.opening,
          p.first_text, c.at
        from copies c join meeting_projections p on p.meeting_id = c.old`;
      await tx`
        insert into rooms (name, meeting_id, part, generation, seq)
        select c.id || '/transcript', c.id, r.part, r.generation, r.seq
        from copies c join rooms r on r.name = c.old || '/transcript'`;
      await tx`
        insert into search_rooms (room, meeting_id, audience, generation, version, tokens, facets)
        select c.id || '/transcript', c.id, s.audience, s.generation, s.version, s.tokens, s.facets
        from copies c join search_rooms s on s.room = c.old || '/transcript'`;
      await tx`
        insert into search_words (room, braces, part, meeting_id, audience, lexemes)
        select c.id || '/transcript', w.braces, w.part, c.id, w.audience, w.lexemes
        from copies c join search_words w on w.room = c.old || '/transcript'`;
      await tx`
        insert into search_passages (room, kind, key, braces, meeting_id, audience, from_ms, body, segments, times, type, grade, lexemes, digest)
        select c.id || '/transcript', p.kind, p.key, p.braces, c.id, p.audience, p.from_ms, p.body, p.segments, p.times,
          p.type, p.grade, p.lexemes, p.digest
        from copies c join search_passages p on p.room = c.old || '/transcript'`;
    });
    console.log(`  ${to} recordings, ${seconds(performance.now() - began)}`);
  }
  await sql.begin(async (tx) => {
    await tx`set local statement_timeout = 0`;
    await tx`set local maintenance_work_mem = '1GB'`;
    for (const { indexdef } of dropped) await tx.unsafe(indexdef);
  });
}

async function vacuum({ database: { sql } }: TestHouse): Promise<void> {
  const one = await sql.reserve();
  await one`set statement_timeout = 0`;
  await one`vacuum analyze`;
  await one`reset statement_timeout`;
  one.release();
}

async function fill(house: TestHouse, owner: Person): Promise<void> {
  const { sql } = house.database;
  const began = performance.now();
  const atOnce = 6;
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < different) {
        const nth = next;
        next += 1;
        await makeRecording(house, owner, nth);
        if ((nth + 1) % 100 === 0) console.log(`  ${nth + 1} recordings, ${seconds(performance.now() - began)}`);
      }
    }),
  );
  if (different < count) await copy(house, began);
  await vacuum(house);
  const [size] = await sql<{ words: number; passages: number; all: number }[]>`
    select pg_total_relation_size('search_words')::float8 as words,
      pg_total_relation_size('search_passages')::float8 as passages, pg_database_size(current_database())::float8 as all`;
  const kilobytes = (bytes = 0) => `${Math.round(bytes / 1024 / count)} KB`;
  console.log(
    `${count} recordings of ${wordsEach} words, ${different} of them different, in ${seconds(performance.now() - began)}; ` +
      `of each ${kilobytes(size?.words)} of words and ${kilobytes(size?.passages)} of passages; ` +
      `${((size?.all ?? 0) / 1e9).toFixed(1)} GB in all`,
  );
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** Looks in a row that find the house quiet, and the longest wait for them. */
const quietLooks = 20;
const mostWaiting = 120_000;

/** Waits until the background has read what was made: work of it would be measured as that of searches and of saving. */
async function untilQuiet({ database: { sql } }: TestHouse): Promise<void> {
  const began = performance.now();
  for (let looks = 0; looks < quietLooks; looks += 1) {
    if (performance.now() - began > mostWaiting) return console.log(`not quiet after ${seconds(mostWaiting)}`);
    const [busy] = await sql<{ rows: boolean; others: boolean }[]>`
      select exists (
          select 1 from rooms r left join meeting_projections p on p.meeting_id = r.meeting_id
          left join search_rooms s on s.room = r.name
          where ${isBehind(sql)}
            or (r.part = 'transcript' and (p.lanes is null or p.first_text is null or p.version < r.base + r.seq + r.mends))
        ) as rows, exists (
          select 1 from pg_stat_activity
          where datname = current_database() and state = 'active' and pid <> pg_backend_pid()
        ) as others`;
    if (busy?.rows || busy?.others) looks = -1;
    await sleep(100);
  }
  console.log(`quiet after ${seconds(performance.now() - began)}`);
}

// ---- Searches -----------------------------------------------------------------------------------

/** Queries of each kind, another one each time. */
const queries: Record<string, (nth: number) => string> = {
  'a common word': (nth) => word(5 + nth),
  'a word of some': (nth) => word(2000 + nth * 7),
  'a rare word': (nth) => word(30_000 + nth * 91),
  'two words': (nth) => `${word(200 + nth)} ${word(900 + nth * 3)} `,
  'the beginning of a word': (nth) => word(3000 + nth * 11).slice(0, 5),
  'two words in a row': (nth) => {
    const at = (nth * 10) % different;
    const [first, second] = segmentsOf(at)[nth % 5]?.words ?? [];
    return `"${first?.w} ${second?.w}"`;
  },
  'two Chinese characters': (nth) => character(20 + nth) + character(3 + (nth % 9)),
};

/** Rows (meeting_id) of recordings that say all of a query, straight from the index. */
async function saying(house: TestHouse, query: string): Promise<(sql: Sql) => Fragment> {
  const search = await readSearch(house.house.db, query, async () => new Map());
  if (!search) throw new Error(`no word in ${query}`);
  return (sql) =>
    search.terms.reduce(
      (all, term, nth) => {
        const asked = tsqueryOf(term, search.stemsOf);
        const one =
          term.words.length > 1
            ? sql`select meeting_id from meetings_saying_in_a_row(${asked}::tsquery, '{t}')`
            : sql`select meeting_id from meetings_saying(${asked}::tsquery, '{t}')`;
        return nth === 0 ? one : sql`${all} intersect ${one}`;
      },
      sql``,
    );
}

interface Compared {
  what: string;
  aim: number | null;
  ours: number[];
  bare: number[];
  found: number[];
  /** Answers with bounds in place of counts. */
  bounds: number;
  /** Questions that the database did not answer in the time it has for one. */
  unanswered: number;
}

async function timed<T>(into: number[] | null, ask: () => Promise<T>): Promise<T> {
  const at = performance.now();
  const answer = await ask();
  into?.push(performance.now() - at);
  return answer;
}

function same(what: string, ours: unknown, bare: unknown): void {
  const [one, other] = [JSON.stringify(ours), JSON.stringify(bare)];
  if (one !== other) throw new Error(`${what}: answered ${one.slice(0, 300)}, and bare SQL ${other.slice(0, 300)}`);
}

/** The first page of a list: ids and the total. */
async function comparePage(house: TestHouse, ann: Person, one: Compared, query: (nth: number) => string | null) {
  const { sql } = house.database;
  for (let nth = -3; nth < times; nth += 1) {
    const asked = query(Math.abs(nth));
    await house.database.sql`delete from rate_limits`;
    const path = `/api/meetings?size=${shownAtOnce}${asked === null ? '' : `&query=${encodeURIComponent(asked)}`}`;
    const answer = await timed(nth < 0 ? null : one.ours, () => ann.get(path));
    const isTooCommon = answer.status === 422 && answer.text.includes('too_common');
    if (answer.status === 503 || isTooCommon) {
      one.ours.pop();
      one.unanswered += 1;
      if (one.unanswered === 3) return;
      continue;
    }
    if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`);
    const { hits, total, atLeast } = answer.body as MeetingsAnswer;
    const said = asked === null ? null : await saying(house, asked);
    const which = said ? sql`and m.id in (select meeting_id from (${said(sql)}) s)` : sql``;
    const rows = await timed(
      nth < 0 ? null : one.bare,
      () => sql<{ id: string; total: number }[]>`
        select m.id, count(*) over ()::int as total from meetings m join meeting_projections p on p.meeting_id = m.id
        where m.owner_id = ${ann.id} and m.deleted_at is null ${which}
        order by p.updated_at desc, m.id limit ${shownAtOnce}`,
    );
    const all = rows[0]?.total ?? 0;
    // A list that stopped where its page was full knows of one recording more.
    const counted = atLeast ? Math.min(all, shownAtOnce + 1) : all;
    same(`${one.what}, ${asked}`, [hits.map(({ id }) => id), total], [rows.map(({ id }) => id), counted]);
    one.found.push(all);
    if (atLeast) one.bounds += 1;
  }
}

/** Counts of tags. */
async function compareFacets(house: TestHouse, ann: Person, one: Compared, query: (nth: number) => string | null) {
  const { sql } = house.database;
  for (let nth = -3; nth < times; nth += 1) {
    const asked = query(Math.abs(nth));
    await sql`delete from rate_limits`;
    const path = `/api/aggs?${asked === null ? '' : `query=${encodeURIComponent(asked)}`}`;
    const answer = await timed(nth < 0 ? null : one.ours, () => ann.get(path));
    if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`);
    const { facets, atMost } = answer.body as FacetsView;
    const said = asked === null ? null : await saying(house, asked);
    const which = said ? sql`and m.id in (select meeting_id from (${said(sql)}) s)` : sql``;
    const rows = await timed(
      nth < 0 ? null : one.bare,
      () => sql<{ value: string; count: number }[]>`
        select f as value, count(*)::int as count from meetings m
        join search_rooms s on s.meeting_id = m.id and s.audience = 't' cross join unnest(s.facets) f
        where m.owner_id = ${ann.id} and m.deleted_at is null ${which} group by 1`,
    );
    const counts = (list: readonly { value: string; count: number }[]) =>
      list.map(({ value, count: many }) => `${value} ${many}`).toSorted();
    const shown = facets.flatMap(({ name, values }) => (name === 'tag' ? values : []));
    const bare = rows.flatMap((row) => (row.value.startsWith('tag:') ? { ...row, value: row.value.slice(4) } : []));
    // Counts of recordings that have the words, in a row or not, are no fewer.
    if (atMost) one.bounds += 1;
    else same(`${one.what}, ${asked}`, counts(shown), counts(bare));
    one.found.push(shown.reduce((sum, { count: many }) => sum + many, 0));
  }
}

function report({ what, aim, ours, bare, found, bounds, unanswered }: Compared): void {
  if (unanswered > 0) console.log(`${what}: ${unanswered} were not answered in time`);
  if (bare.length === 0) return;
  if (bounds > 0) console.log(`${what}: ${bounds} of ${ours.length} without a count`);
  const [mine, other] = [figures(ours), figures(bare)];
  const held = aim === null ? '' : `; 95 % below ${aim} ms: ${mine.high < aim ? 'held' : 'missed'}`;
  const [least, most] = [Math.min(...found), Math.max(...found)];
  console.log(`${what}: ${least === most ? most : `${least} to ${most}`}; ${mine.text}${held}`);
  console.log(`  bare SQL: ${other.text}; ${(mine.median / other.median).toFixed(1)} times`);
  // The shortest time is what a busy machine delays least.
  console.log(`  shortest: ${Math.min(...ours).toFixed(1)} ms, bare SQL ${Math.min(...bare).toFixed(1)} ms`);
}

const compared = (what: string, aim: number | null): Compared => ({
  ...{ what, aim, ours: [], bare: [], found: [] },
  bounds: 0,
  unanswered: 0,
});

async function measureSearches(house: TestHouse, ann: Person): Promise<void> {
  await untilQuiet(house);
  const answers: number[] = [];
  for (let nth = 0; nth < times; nth += 1) await timed(answers, () => house.database.sql`select 1`);
  console.log(`select 1: ${figures(answers).text}`);
  const pages: [what: string, aim: number | null, query: (nth: number) => string | null][] = [
    ['the list without a query, recordings', null, () => null],
    ...Object.entries(queries).map(
      ([what, query]) => [`search for ${what}, recordings`, 100, query] satisfies (typeof pages)[number],
    ),
  ];
  for (const [what, aim, query] of pages.filter(([name]) => isWanted(name))) {
    const one = compared(what, aim);
    await comparePage(house, ann, one, query);
    report(one);
  }
  const counts: [what: string, query: (nth: number) => string | null][] = [
    ['facets of everything, tags', () => null],
    ['facets of a search for a common word, tags', queries['a common word'] ?? (() => null)],
    ['facets of a search for two words in a row, tags', queries['two words in a row'] ?? (() => null)],
  ];
  for (const [what, query] of counts.filter(([name]) => isWanted(name))) {
    const one = compared(what, 150);
    await compareFacets(house, ann, one, query);
    report(one);
  }
}

// ---- Typing -------------------------------------------------------------------------------------

interface Hand {
  editor: Editor;
  saved: number[];
}

/** Opens a recording of its own to type in. */
async function openHand(house: TestHouse, ann: Person, id: string): Promise<Hand> {
  const room = `${id}/transcript`;
  await house.database.sql`insert into meetings (id, owner_id, created_at) values (${id}, ${ann.id}, now())`;
  const editor = new Editor({ room, at: () => house.origin, ticket: await ticketFor(ann, room) });
  await until(() => editor.provider.synced);
  editor.text.insertEmbed(0, { s: 's', p: 'p0' });
  return { editor, saved: [] };
}

async function typeWord({ editor, saved }: Hand, typed: string): Promise<void> {
  const at = performance.now();
  editor.text.insert(editor.text.length, ` ${typed}`);
  while (editor.provider.pending > 0) await setImmediate();
  saved.push(performance.now() - at);
}

/**
 * Types words into both houses by turns, first into the one and then into the other; each pair of times until they are saved
 * is of one moment of the machine.
 */
async function typeBeside(hands: readonly Hand[], last: string): Promise<void> {
  for (let nth = -10; nth < keys; nth += 1) {
    if (nth === 0) for (const { saved } of hands) saved.length = 0;
    for (const hand of nth % 2 === 0 ? hands : hands.toReversed()) {
      await typeWord(hand, nth === keys - 1 ? last : word(Math.abs(nth)));
      await sleep(20);
    }
  }
}

async function untilFound(house: TestHouse, ann: Person, typed: string): Promise<number> {
  const at = performance.now();
  await until(async () => {
    await house.database.sql`delete from rate_limits`;
    const answer = await ann.get(`/api/meetings?query=${typed}`);
    if (answer.status !== 200 || performance.now() - at > 60_000) throw new Error(`not found: ${answer.text}`);
    return (answer.body as MeetingsAnswer).total > 0;
  });
  return performance.now() - at;
}

/** How long a word typed into this house takes to be saved, beside one without recordings, and to be found. */
async function measureTyping(house: TestHouse, ann: Person, empty: TestHouse): Promise<void> {
  if (!isWanted('a typed word saved')) return;
  const [ben] = await empty.people(1);
  if (!ben) throw new Error('nobody there');
  const [none, all] = [await openHand(empty, ben, 'typed-none'), await openHand(house, ann, 'typed-all')];
  for (const one of [empty, house]) await untilQuiet(one);
  await typeBeside([none, all], 'zzlast');
  const found = await untilFound(house, ann, 'zzlast');
  for (const { editor } of [none, all]) editor.close();
  const ratios = all.saved.map((ms, nth) => ms / (none.saved[nth] ?? ms));
  const ratio = figures(ratios).median;
  console.log(`a typed word saved, in a house where nothing is indexed: ${figures(none.saved).text}`);
  console.log(`  with everything indexed: ${figures(all.saved).text}`);
  console.log(`  ${ratio.toFixed(3)} times at the median of pairs; at most 1.05: ${ratio <= 1.05 ? 'held' : 'missed'}`);
  console.log(
    `the last typed word found after ${seconds(found)}; within 4 s of the last key: ${found < 4000 ? 'held' : 'missed'}`,
  );
  await house.database.sql`delete from meetings where id = 'typed-all'`;
}

// ---- Titles that others share with everyone -----------------------------------------------------

const linksOnly = 10;

/** Recordings of many owners, numbered from `from` on, each with ten more that are shared by a link only. */
async function shareTitles({ database: { sql } }: TestHouse, from: number, to: number): Promise<void> {
  await sql`
    insert into users (id, email, email_key, first_name, last_name, trial_minutes, created_at, confirmed_at)
    select 'other' || n, 'o' || n || '@example.test', 'o' || n || '@example.test', 'Other', n::text, 0, now(), now()
    from generate_series(${from}::int, ${to - 1}::int) n`;
  await sql`
    insert into meetings (id, owner_id, created_at)
    select 'talk' || n || '-' || k, 'other' || n, now()
    from generate_series(${from}::int, ${to - 1}::int) n, generate_series(0, ${linksOnly}::int) k`;
  await sql`
    insert into meeting_projections (meeting_id, version, title, title_key, words, speakers, spoken_ms, updated_at)
    select m.id, 1, 'Talk ' || m.id, 'talk ' || m.id, 1000, 2, 60000, now()
    from meetings m left join meeting_projections p on p.meeting_id = m.id
    where p.meeting_id is null and m.id like 'talk%'`;
  await sql`
    insert into meeting_access (meeting_id, kind, principal_id, permissions)
    select m.id, 'anonymous', '', case when m.id like '%-0' then '{read,discover}'::text[] else '{read}' end
    from meetings m left join meeting_access a on a.meeting_id = m.id
    where a.meeting_id is null and m.id like 'talk%'`;
}

async function measureTitles(house: TestHouse, ben: Person): Promise<void> {
  const { sql } = house.database;
  let filled = 0;
  for (const size of options.quick ? [100, 1000] : [100, 1000, 10_000]) {
    for (; filled < size; filled = Math.min(size, filled + 500))
      await shareTitles(house, filled, Math.min(size, filled + 500));
    await sql`analyze`;
    const title = `talk${size - 1}-`;
    const one = compared(`search for a title of ${size} shared with everyone, recordings`, null);
    for (let nth = -3; nth < times; nth += 1) {
      await sql`delete from rate_limits`;
      const answer = await timed(nth < 0 ? null : one.ours, () => ben.get(`/api/meetings?query=${title}`));
      const { hits, total } = answer.body as MeetingsAnswer;
      const rows = await timed(
        nth < 0 ? null : one.bare,
        () => sql<{ id: string }[]>`
          select p.meeting_id as id from meeting_access a join meeting_projections p on p.meeting_id = a.meeting_id
          where a.kind = 'anonymous' and 'discover' = any(a.permissions) and strpos(p.title_key, ${title}) > 0`,
      );
      same(one.what, [hits.map(({ id }) => id), total], [rows.map(({ id }) => id), 1]);
      one.found.push(total);
    }
    report(one);
  }
}

// ---- A house that is kept -----------------------------------------------------------------------

/** The kept database of a folder, which is made anew where it is of another size. */
async function keptCluster(
  folder: string,
): Promise<{ url: string; empty: string; made: boolean; stop(): Promise<void> }> {
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  const cluster = await startEmbedded({ dataDir: folder, settings, say: console.log });
  const sql = postgres(cluster.url, { max: 1, onnotice: () => {} });
  const name = `finding_${count}_${wordsEach}_${different}`;
  const rows =
    await sql`select from pg_database where datname = ${name} and shobj_description(oid, 'pg_database') = 'made'`;
  const made = rows.length > 0;
  if (!made) {
    await sql`drop database if exists ${sql(name)} with (force)`;
    await sql`create database ${sql(name)}`;
  }
  const empty = 'finding_empty';
  await sql`drop database if exists ${sql(empty)} with (force)`;
  await sql`create database ${sql(empty)}`;
  await sql.end();
  return { url: withName(cluster.url, name), empty: withName(cluster.url, empty), made, stop: () => cluster.stop() };
}

/** The person whose recordings are kept there. */
async function ownerOf(house: TestHouse): Promise<Person> {
  const [owner] = await house.database.sql<{ id: string; email: string }[]>`
    select id, email from users where id = (select owner_id from meetings limit 1)`;
  const person = Object.assign(house.stranger(), owner);
  await person.login();
  return person;
}

const noteMade = ({ database: { sql } }: TestHouse) =>
  sql.unsafe(`comment on database finding_${count}_${wordsEach}_${different} is 'made'`);

const kept = options.folder === undefined ? null : await keptCluster(options.folder);
const stop = kept?.stop ?? (await setup());
const house = await openHouse(kept ? { on: kept.url } : {});
const empty = await openHouse(kept ? { on: kept.empty } : {});
try {
  if (kept?.made) {
    const ann = await ownerOf(house);
    await measureSearches(house, ann);
    await measureTyping(house, ann, empty);
  } else {
    const [ann, ben] = await house.people(2);
    if (!ann || !ben) throw new Error('nobody there');
    await fill(house, ann);
    if (kept) await noteMade(house);
    await measureSearches(house, ann);
    await measureTyping(house, ann, empty);
    if (!kept && isWanted('search for a title')) await measureTitles(house, ben);
  }
  console.log(`load ${loadavg()[0]?.toFixed(1)}`);
} finally {
  await empty.close();
  await house.close();
  await stop();
}
