// Words in a row of which even the rarest is in over half of one's recordings (decision 136): the list reads recordings in its
// order until the page is full, and is the list that would be counted.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tokensVersion } from '#shared/finding/tokens.ts';
import type { FacetsView } from '#shared/filters.ts';
import type { FindsAnswer } from '#shared/finds.ts';
import type { MeetingsAnswer } from '#shared/meetings/meeting.ts';
import { roles } from '#shared/roles.ts';
import { readCsv } from '#tests/support/csv.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import type { Person } from '#tests/support/people.ts';

const all = 360;
/** Recordings of Ann’s that lie in the folder `Few`. */
const inFolder = 60;
let house: TestHouse;
/** Has recordings of red pears. */
let ann: Person;
/** Reads and writes the same ones, and has as many of his own in which nothing is said of pears. */
let ben: Person;

/** Words of recording `n`; all say `red`, `ripe`, `pears` and `apples`. */
const saidBy = (n: number): string => {
  const pears = n % 3 === 0 ? 'pears red ripe' : 'ripe red pears';
  return `${pears} ${n === 7 ? 'apples red' : 'red and apples'}`;
};
const hasRedPears = (n: number): boolean => n % 3 !== 0;
const numbers = Array.from({ length: all }, (_, n) => n);
const newestFirst = numbers.filter(hasRedPears).toReversed().map(String);

beforeAll(async () => {
  house = await openHouse();
  [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const { sql } = house.database;
  await sql`
    insert into folders (id, owner_id, parent_id, name, name_key, created_at)
    values ('few', ${ann.id}, null, 'Few', 'few', now())`;
  await sql`
    insert into meetings (id, owner_id, created_at, folder_id)
    select 'ann-' || n, ${ann.id}, timestamptz '2026-01-01' + n * interval '1 minute', case when n < ${inFolder}::int then 'few' end
    from generate_series(0, ${all - 1}::int) n
    union all
    select 'ben-' || n, ${ben.id}, timestamptz '2026-01-01' + n * interval '1 minute', null
    from generate_series(0, ${all - 1}::int) n`;
  await sql`
    insert into meeting_access (meeting_id, kind, principal_id, permissions)
    select 'ann-' || n, 'user', ${ben.id}, ${[...roles.canEdit]}::text[] from generate_series(0, ${all - 1}::int) n`;
  // Words and titles have orders of their own; one title has the words.
  await sql`
    insert into meeting_projections (meeting_id, version, title, title_key, words, speakers, spoken_ms, lanes, opening, first_text, updated_at)
    select id, 0, title, lower(title), (n * 7) % 360, 1, 60000, '', '', '', timestamptz '2026-01-01' + n * interval '1 minute'
    from (
      select id, split_part(id, '-', 2)::int as n,
        case when id = 'ann-3' then 'Red pears' else 'Talk ' || (split_part(id, '-', 2)::int * 11) % 360 end as title
      from meetings
    ) m`;
  await sql`insert into rooms (name, meeting_id, part) select id || '/transcript', id, 'transcript' from meetings`;
  await sql`
    insert into search_rooms (room, meeting_id, audience, generation, version, tokens, facets)
    select name, meeting_id, 't', 1, 0, ${tokensVersion}::int,
      array['tag:' || case when split_part(meeting_id, '-', 2)::int % 2 = 0 then 'even' else 'odd' end]
    from rooms`;
  const says = numbers.map(saidBy);
  await sql`
    insert into search_passages (room, kind, key, braces, meeting_id, audience, body, segments, times, lexemes, digest)
    select m.id || '/transcript', 'words', 's0', false, m.id, 't', said, '{s0}', ''::bytea, to_tsvector('simple', said), ''::bytea
    from (
      select id, case when id like 'ben-%' then 'nothing' else (${says}::text[])[split_part(id, '-', 2)::int + 1] end as said
      from meetings
    ) m`;
  await sql`
    insert into search_words (room, braces, part, meeting_id, audience, lexemes)
    select room, false, 0, meeting_id, 't', strip(lexemes) from search_passages`;
}, 120_000);
afterAll(() => house?.close());

async function list(person: Person, query: string, more = ''): Promise<MeetingsAnswer> {
  await house.database.sql`delete from rate_limits`;
  const { status, body, text } = await person.get(`/api/meetings?query=${encodeURIComponent(query)}${more}`);
  expect(status, text).toBe(200);
  return body as MeetingsAnswer;
}
const numbersOf = ({ hits }: MeetingsAnswer) => hits.map(({ id }) => id.replace('ann-', ''));

/** All pages of a list, each with its total. */
async function pagesOf(person: Person, query: string, more = '', size = 20) {
  const pages: { shown: string[]; total: number; atLeast: true | undefined }[] = [];
  for (let start = 0; ; start += size) {
    const answer = await list(person, query, `${more}&size=${size}&start=${start}`);
    pages.push({ shown: numbersOf(answer), total: answer.total, atLeast: answer.atLeast });
    if (answer.total <= start + size) return pages;
  }
}

describe('a list', () => {
  test('has each recording once, newest first, and counts one more than its pages until it ends', async () => {
    const pages = await pagesOf(ann, '"ripe red pears"');
    expect(pages.flatMap(({ shown }) => shown)).toEqual(newestFirst);
    expect(pages.slice(0, -1)).toEqual(
      pages.slice(0, -1).map(({ shown }, nth) => ({ shown, total: 20 * (nth + 1) + 1, atLeast: true })),
    );
    expect(pages.at(-1)).toMatchObject({ total: newestFirst.length, atLeast: undefined });
    expect(await list(ann, '"ripe red pears"', '&start=1000')).toMatchObject({ hits: [], total: newestFirst.length });
  });

  test.each(['-updatedAt', 'title', '-words', 'duration', 'date', 'relevance', '-relevance', 'owner'])(
    'is the one that is counted for who has as many others, by %s',
    async (sort) => {
      for (const query of [
        '"red pears"',
        '"red pears" ripe -"apples red"',
        'apples -"red pears"',
        '"red pears" "ripe red"',
      ]) {
        const [walked, counted] = [
          await pagesOf(ann, query, `&sort=${sort}`, 50),
          await pagesOf(ben, query, `&sort=${sort}`, 50),
        ];
        // The owner's name finds recordings for other people alone.
        expect(walked.flatMap(({ shown }) => shown)).toEqual(counted.flatMap(({ shown }) => shown));
        expect(counted.every(({ atLeast, total }) => !atLeast && total === counted[0]?.total)).toBe(true);
        expect(walked.at(-1)?.total).toBe(counted[0]?.total);
        expect(walked[0]?.atLeast).toBe(true);
      }
    },
  );

  test('of few recordings is counted, and so is what hardly any has in a row', async () => {
    const few = newestFirst.filter((n) => Number(n) < inFolder);
    // One of the folder has the words in its title alone.
    const inIt = await list(ann, '"red pears"', '&folder=/Few&size=20');
    expect([inIt.total, inIt.atLeast]).toEqual([few.length + 1, undefined]);
    expect(await list(ann, '"apples red"')).toMatchObject({ total: 1, hits: [{ id: 'ann-7' }] });
    expect(await list(ann, '"apples pears"')).toMatchObject({ total: 0, hits: [] });
    expect((await list(ann, '"apples red"')).atLeast).toBeUndefined();
  });
});

test('filters have no counts of such words, but where few have them or may have them', async () => {
  const facets = async (more: string, query = '"ripe red pears"') => {
    await house.database.sql`delete from rate_limits`;
    const { status, body, text } = await ann.get(`/api/aggs?query=${encodeURIComponent(query)}${more}`);
    expect(status, text).toBe(200);
    const { facets: shown, atMost } = body as FacetsView;
    const tags = shown.flatMap(({ name, values }) => (name === 'tag' ? values : []));
    return { atMost, tags: tags.map(({ value, count }) => `${value} ${count}`).sort() };
  };
  expect(await facets('')).toEqual({ atMost: true, tags: [`even ${all / 2}`, `odd ${all / 2}`] });
  const few = newestFirst.map(Number).filter((n) => n < inFolder);
  const even = few.filter((n) => n % 2 === 0).length;
  expect(await facets('&folder=/Few')).toEqual({ tags: [`even ${even}`, `odd ${few.length - even}`] });
  expect(await facets('', '"apples red"')).toEqual({ tags: ['odd 1'] });
  expect(await facets('', '"apples pears"')).toEqual({ tags: [] });
});

test('the places are those of all recordings that have them, page by page, and in a file', async () => {
  await house.database.sql`delete from rate_limits`;
  const shown: string[] = [];
  for (let after: string | null | undefined; after !== null;) {
    const asked = new URLSearchParams({ query: '"ripe red pears"', ...(after && { after }) });
    const { status, body, text } = await ann.get(`/api/finds?${asked}`);
    expect(status, text).toBe(200);
    const page = body as FindsAnswer;
    expect([page.total, page.atLeast]).toEqual([page.recordings.length, true]);
    expect(page.places.every(({ words }) => words === 'ripe red pears')).toBe(true);
    shown.push(...page.places.map(({ recording }) => recording.replace('ann-', '')));
    after = page.next;
  }
  expect(shown).toEqual(newestFirst);
  const { text } = await ann.get(`/api/finds.csv?query=${encodeURIComponent('"ripe red pears"')}`);
  expect(readCsv(text).slice(1)).toHaveLength(newestFirst.length);
  const few = await ann.get(`/api/finds?folder=/Few&query=${encodeURIComponent('"ripe red pears"')}`);
  expect(few.body).toMatchObject({ total: newestFirst.filter((n) => Number(n) < inFolder).length });
  expect(few.body).not.toHaveProperty('atLeast');
  const rare = await ann.get(`/api/finds?query=${encodeURIComponent('"apples red"')}`);
  expect(rare.body).toMatchObject({ total: 1, places: [{ recording: 'ann-7' }], next: null });
});

test('such words are found while the index of words in a row takes too long', { timeout: 120_000 }, async () => {
  const { sql } = house.database;
  const [stored] = await sql<{ made: string }[]>`
    select pg_get_functiondef('meetings_saying_in_a_row'::regproc) as made`;
  await sql`
    create or replace function meetings_saying_in_a_row(asked tsquery, audiences text[])
    returns table (meeting_id text, braces boolean, audience text) language sql stable
    as $$ select id, false, 't' from meetings cross join pg_sleep(60) $$`;
  try {
    expect(numbersOf(await list(ann, '"ripe red pears"'))).toEqual(newestFirst.slice(0, 20));
    for (const call of ['aggs', 'finds'])
      expect((await ann.get(`/api/${call}?query=${encodeURIComponent('"ripe red pears"')}`)).status).toBe(200);
    for (const call of ['meetings', 'finds']) {
      const { status, body } = await ann.get(`/api/${call}?query=${encodeURIComponent('"apples red"')}`);
      expect([status, body.info.errors]).toEqual([422, [{ field: 'query', code: 'too_common' }]]);
    }
    const bounds = await ann.get(`/api/aggs?query=${encodeURIComponent('"apples red"')}`);
    expect(bounds.body).toMatchObject({ atMost: true });
  } finally {
    await sql.unsafe(stored?.made ?? '');
  }
});
