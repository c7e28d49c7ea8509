// Words in a row of which even the rarest is in over half of one's recordings (decision 136): the list reads recordings in its
// order until the page is full, and is the list that would be counted.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FacetsView } from '#shared/filters.ts';
import type { FindsAnswer } from '#shared/finds.ts';
import type { MeetingsAnswer } from '#shared/meetings/meeting.ts';
import { roles } from '#shared/roles.ts';
import { readCsv } from '#tests/support/csv.ts';
import { insertSaid, whileHanging } from '#tests/support/finding.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import type { Answer, Person } from '#tests/support/people.ts';

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

/** Lets a person read and write all recordings of Ann’s. */
const readAllOf = (person: Person) => house.database.sql`
  insert into meeting_access (meeting_id, kind, principal_id, permissions)
  select id, 'user', ${person.id}, ${[...roles.canEdit]}::text[] from meetings where owner_id = ${ann.id}`;

beforeAll(async () => {
  house = await openHouse();
  [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const { sql } = house.database;
  await sql`
    insert into folders (id, owner_id, parent_id, name, name_key, created_at)
    values ('few', ${ann.id}, null, 'Few', 'few', now())`;
  // Words and titles have orders of their own; one title has the words.
  const each = (n: number, titled: string) => ({
    at: new Date(Date.UTC(2026, 0, 1, 0, n)),
    title: titled === 'ann-3' ? 'Red pears' : `Talk ${(n * 11) % 360}`,
    tag: n % 2 === 0 ? 'even' : 'odd',
    words: (n * 7) % 360,
  });
  await insertSaid(
    house,
    numbers.flatMap((n) => [
      {
        ...{ id: `ann-${n}`, owner: ann, said: saidBy(n), ...each(n, `ann-${n}`) },
        ...(n < inFolder && { folder: 'few' }),
      },
      { id: `ben-${n}`, owner: ben, said: 'nothing', ...each(n, `ben-${n}`) },
    ]),
  );
  await readAllOf(ben);
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
  test('has each recording once, newest first, and counts one more than its pages, or all on those far back', async () => {
    const pages = await pagesOf(ann, '"ripe red pears"');
    expect(pages.flatMap(({ shown }) => shown)).toEqual(newestFirst);
    // Over half of all would be read for them.
    const isFarBack = (nth: number) => 2 * (20 * (nth + 1) + 1) > all;
    expect(pages.map(({ total, atLeast }) => ({ total, atLeast }))).toEqual(
      pages.map((_, nth) =>
        isFarBack(nth)
          ? { total: newestFirst.length, atLeast: undefined }
          : { total: 20 * (nth + 1) + 1, atLeast: true },
      ),
    );
    expect(pages.filter(({ atLeast }) => atLeast)).toHaveLength(8);
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

const phrase = encodeURIComponent('"ripe red pears"');

test('such words are found while the index of words in a row takes too long', { timeout: 120_000 }, () =>
  whileHanging(house, 'meetings_saying_in_a_row', async () => {
    expect(numbersOf(await list(ann, '"ripe red pears"'))).toEqual(newestFirst.slice(0, 20));
    for (const call of ['aggs', 'finds']) expect((await ann.get(`/api/${call}?query=${phrase}`)).status).toBe(200);
    for (const call of ['meetings', 'finds']) {
      const { status, body } = await ann.get(`/api/${call}?query=${encodeURIComponent('"apples red"')}`);
      expect([status, body.info.errors]).toEqual([422, [{ field: 'query', code: 'too_common' }]]);
    }
    const bounds = await ann.get(`/api/aggs?query=${encodeURIComponent('"apples red"')}`);
    expect(bounds.body).toMatchObject({ atMost: true });
  }),
);

// The words are looked up in every statement, or only in those that read recordings, whose table is `possible`.
test.each([
  ['counting the words', ''],
  ['reading recordings', 'possible'],
])('such words are looked up in the index where %s takes too long', { timeout: 120_000 }, async (_, within) => {
  await house.database.sql`delete from rate_limits`;
  const { body: before } = await ann.get(`/api/finds?query=${phrase}`);
  const answers: Answer[] = [];
  await whileHanging(
    house,
    'meetings_saying',
    async () => {
      const after = encodeURIComponent((before as FindsAnswer).next ?? '');
      const calls = ['meetings?', 'aggs?', 'finds?', `finds?after=${after}&`, 'finds.csv?'];
      answers.push(...(await Promise.all(calls.map((call) => ann.get(`/api/${call}query=${phrase}`)))));
    },
    within,
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  const [meetings, aggs, finds, further, file] = answers;
  expect(meetings?.body).toMatchObject({ total: newestFirst.length });
  expect(meetings?.body).not.toHaveProperty('atLeast');
  expect(aggs?.body).not.toHaveProperty('atMost');
  expect(finds?.body).toMatchObject({ total: newestFirst.length });
  expect(finds?.body).not.toHaveProperty('atLeast');
  const shown = [before, further?.body].flatMap((page) => (page as FindsAnswer).places);
  expect(shown.map(({ recording }) => recording.replace('ann-', ''))).toEqual(newestFirst.slice(0, shown.length));
  expect(shown.length).toBeGreaterThan(50);
  expect(readCsv(file?.text ?? '').slice(1)).toHaveLength(newestFirst.length);
});

test('a later page is one more search where recordings are read for it', async () => {
  const searches = async (person: Person, address: string) => {
    await house.database.sql`delete from rate_limits`;
    expect((await person.get(address)).status).toBe(200);
    const rows = await house.database.sql`select key from rate_limits where key like 'find:%'`;
    return rows.length;
  };
  const { body } = await ann.get(`/api/finds?query=${phrase}`);
  const after = encodeURIComponent((body as FindsAnswer).next ?? '');
  for (const [person, expected] of [
    [ann, 1],
    [ben, 0],
  ] as const) {
    expect(await searches(person, `/api/meetings?start=20&query=${phrase}`)).toBe(expected);
    expect(await searches(person, `/api/finds?after=${after}&query=${phrase}`)).toBe(expected);
  }
  expect(await searches(ann, '/api/meetings?start=20&query=pears')).toBe(0);
});

test('places of words in a row that the name of an owner has are those where they are said', async () => {
  const { sql } = house.database;
  const cy = await house.person('Cy');
  await readAllOf(cy);
  const placesOf = async (person: Person, query: string) => {
    await sql`delete from rate_limits`;
    const shown: string[] = [];
    for (let after: string | null | undefined; after !== null;) {
      const asked = new URLSearchParams({ query, ...(after && { after }) });
      const { body } = await person.get(`/api/finds?${asked}`);
      shown.push(...(body as FindsAnswer).places.map(({ recording, words }) => `${recording} ${words}`));
      after = (body as FindsAnswer).next;
    }
    return shown;
  };
  const [name] = await sql<{ first_name: string; last_name: string }[]>`
    select first_name, last_name from users where id = ${ann.id}`;
  await sql`update users set first_name = 'Red', last_name = 'Pears' where id = ${ann.id}`;
  try {
    expect(await list(cy, '"red pears"')).toMatchObject({ total: 21, atLeast: true });
    for (const [query, expected] of [
      ['"red pears"', newestFirst.length],
      // All say these words, and those in the name need not be said then.
      ['"ripe red" "red pears"', all],
      ['ripe "red pears"', all],
    ] as const) {
      const walked = await placesOf(cy, query);
      expect(new Set(walked.map((one) => one.split(' ')[0])).size).toBe(expected);
      expect(walked).toEqual(await placesOf(ben, query));
    }
  } finally {
    await sql`update users set first_name = ${name?.first_name ?? ''}, last_name = ${name?.last_name ?? ''} where id = ${ann.id}`;
  }
});
