// A library of two thousand recordings beside those of many others: its pages are right, and the statements for one of them
// is bounded by what is the person's own or shared with them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FolderView } from '#shared/folders.ts';
import type { MeetingHit, MeetingsAnswer } from '#shared/meetings/meeting.ts';
import { tokensVersion } from '#shared/finding/tokens.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import type { Person } from '#tests/support/people.ts';

const mine = 2000;
const shared = 100;
const folderCount = 200;
const discoverable = 40;
const others = 20_000;
/** In folders that one of the others shares with her. */
const lying = 3000;

let house: TestHouse;
let ann: Person;
beforeAll(async () => {
  house = await openHouse();
  ann = await house.person();
  const { sql } = house.database;
  await sql`
    insert into users (id, email, email_key, first_name, last_name, trial_minutes, created_at, confirmed_at)
    select 'other' || n, 'o' || n || '@example.test', 'o' || n || '@example.test', 'Other', n::text, 0, now(), now()
    from generate_series(0, ${others - 1}::int) n`;
  await sql`
    insert into folders (id, owner_id, parent_id, name, name_key, created_at)
    select p.id || '-f' || n, p.id, null, 'Folder ' || n, 'folder ' || n, now()
    from generate_series(0, ${folderCount - 1}::int) n, (select ${ann.id} as id union all select 'other' || n from generate_series(0, 99) n) p`;
  // Every second one of her recordings is in a folder.
  await sql`
    insert into meetings (id, owner_id, created_at, folder_id)
    select 'mine' || n, ${ann.id}, now(), case when n % 2 = 0 then ${ann.id} || '-f' || ((n / 2) % ${folderCount}::int) end
    from generate_series(0, ${mine - 1}::int) n`;
  await sql`
    insert into meetings (id, owner_id, created_at, folder_id)
    select 'theirs' || n, 'other' || n, now(), case when n between 51 and 99 then 'other' || n || '-f' || n end from generate_series(0, ${others - 1}::int) n`;
  await sql`
    insert into meeting_projections (meeting_id, version, title, title_key, words, speakers, spoken_ms, updated_at)
    select id, 1, 'Talk ' || id, 'talk ' || id, n, 2, 60000, timestamptz '2026-01-01' + n * interval '1 minute'
    from (select id, substring(id from '[0-9]+')::int as n from meetings) m`;
  await sql`
    insert into media (id, meeting_id, tag, name, type, bytes, store_key, duration_ms, created_at)
    select 'm-' || id, id, 'audio', 'talk.mp3', 'audio/mpeg', 1000, 'key-' || id, 1000 * n, now()
    from (select id, substring(id from '[0-9]+')::int as n from meetings) m`;
  await sql`
    insert into intakes (meeting_id, owner_id, request_id, request_digest, state, title, model, lang, speakers, vocabulary, created_at)
    select id, owner_id, 'r-' || id, ''::bytea, 'ready', '', 'external', 'en-US', 2, '', now() from meetings`;
  // Everybody shares with one other person; some with her.
  await sql`
    insert into meeting_access (meeting_id, kind, principal_id, permissions)
    select 'theirs' || n, 'user', case when n < ${shared}::int then ${ann.id} else 'other' || (n + 1) end, '{read,discover}'
    from generate_series(0, ${others - 1}::int) n`;
  // Links to all of the others' recordings; a few are shared with everyone.
  await sql`
    insert into meeting_access (meeting_id, kind, principal_id, permissions)
    select 'theirs' || n, 'anonymous', '', case when n % ${others / discoverable}::int = 1 then '{read,discover}'::text[] else '{read}' end
    from generate_series(${shared}::int, ${others - 1}::int) n`;
  // One shares folders in a folder with her, as an editor; the others share theirs with each other.
  await sql`insert into folders (id, owner_id, parent_id, name, name_key, created_at)
    values ('given', 'other0', null, 'Given', 'given', now())`;
  await sql`update folders set parent_id = 'given' where id in (select 'other0-f' || n from generate_series(0, 49) n)`;
  await sql`
    insert into folder_access (folder_id, kind, principal_id, permissions)
    select id, 'user', case when id = 'given' then ${ann.id} else 'other' || (100 + length(id)) end,
      '{read,comment,write,discover,upload}'
    from folders where owner_id like 'other%' and parent_id is null`;
  await sql`
    insert into meetings (id, owner_id, created_at, folder_id)
    select 'lying' || n, 'other0', now(), 'other0-f' || (n % 50) from generate_series(0, ${lying - 1}::int) n`;
  await sql`
    insert into meeting_projections (meeting_id, version, title, title_key, words, speakers, spoken_ms, updated_at)
    select id, 1, 'Talk ' || id, 'talk ' || id, n, 2, 60000, timestamptz '2025-01-01' + n * interval '1 minute'
    from (select id, substring(id from '[0-9]+')::int as n from meetings where id like 'lying%') m`;
  // One word is said in each of hers.
  await sql`insert into rooms (name, meeting_id, part) select id || '/transcript', id, 'transcript' from meetings where id like 'mine%'`;
  await sql`
    insert into search_rooms (room, meeting_id, audience, generation, version, tokens)
    select name, meeting_id, 't', 1, 0, ${tokensVersion}::int from rooms`;
  await sql`
    insert into search_words (room, braces, part, meeting_id, audience, lexemes)
    select name, false, 0, meeting_id, 't', 'everywhere'::tsvector from rooms`;
  // A few of them are long.
  await sql`
    insert into search_passages (room, kind, key, braces, meeting_id, audience, body, segments, times, lexemes, digest)
    select 'mine' || n % 20 || '/transcript', 'words', 'long' || n, false, 'mine' || n % 20, 't', '', '{}', ''::bytea,
      ('word' || n % 50)::tsvector, ''::bytea
    from generate_series(0, 9999) n`;
  await sql`analyze`;
}, 300_000);
afterAll(() => house?.close());

const list = async (query: string): Promise<MeetingsAnswer> => {
  const answer = await ann.get(`/api/meetings?${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as MeetingsAnswer;
};
const ids = (hits: readonly MeetingHit[]) => hits.map(({ id }) => id);
const hers = Array.from({ length: mine }, (_, n) => `mine${n}`);
const theirs = Array.from({ length: shared }, (_, n) => `theirs${n}`);
const given = Array.from({ length: lying }, (_, n) => `lying${n}`);
const order = (one: string, other: string) => (one < other ? -1 : 1);

describe('the pages', () => {
  test('hold everything once, in order', async () => {
    const all = [...hers, ...theirs, ...given].toSorted(order);
    const seen: string[] = [];
    for (let start = 0; start < all.length; start += 100) {
      const { hits, total } = await list(`sort=title&size=100&start=${start}`);
      expect(total).toBe(all.length);
      seen.push(...ids(hits));
    }
    expect(seen).toEqual(all);
    const { hits } = await list('sort=-words&size=20&start=0');
    expect(ids(hits)).toEqual(Array.from({ length: 20 }, (_, n) => `lying${lying - 1 - n}`));
  });

  test('of a folder, of the top and of a search contain their own recordings only', async () => {
    const inSeven = hers.filter((_, n) => n % 2 === 0 && (n / 2) % folderCount === 7);
    const seven = await list('sort=title&folder=/Folder 7&size=100&start=0');
    expect([ids(seven.hits), seven.total]).toEqual([inSeven.toSorted(order), inSeven.length]);
    const top = await list('sort=title&folder=/&size=20&start=0');
    expect([top.total, top.folders.length]).toEqual([mine / 2 + shared, folderCount + 1]);
    expect(top.folders.slice(0, -1).every(({ meetings }) => meetings === mine / 2 / folderCount)).toBe(true);
    expect(top.folders.at(-1)).toMatchObject({ sid: 'given', meetings: lying, folders: 50 });
    const found = await list('sort=title&folder=/&query=mine199&size=100&start=0');
    expect(ids(found.hits)).toEqual(hers.filter((id) => id.startsWith('mine199')).toSorted(order));
    const { folders } = (await ann.get('/api/folders')).body as { folders: FolderView[] };
    expect(folders).toHaveLength(folderCount + 51);
  });
});

test('a folder that is shared holds its own, page by page', async () => {
  const inSeven = given.filter((_, n) => n % 50 === 7).toSorted(order);
  const seven = await list('shared_folder=given&folder=/Folder 7&sort=title&size=100&start=0');
  expect([ids(seven.hits), seven.total]).toEqual([inSeven, inSeven.length]);
  const whole = await list('shared_folder=given&size=20&start=0');
  expect([whole.total, whole.folders.length]).toEqual([0, 50]);
  const found = await list('shared_folder=given&query=lying29&sort=title&size=100&start=100');
  const wanted = given.filter((id) => id.startsWith('lying29')).toSorted(order);
  expect([ids(found.hits), found.total]).toEqual([wanted.slice(100), wanted.length]);
});

test('a word that is said everywhere is found everywhere', async () => {
  const { hits, total } = await list('query=everywhere&sort=-words&size=2');
  expect([ids(hits), total]).toEqual([[`mine${mine - 1}`, `mine${mine - 2}`], mine]);
  expect((await list('query=everywhere -everywhere')).total).toBe(0);
});

interface Plan {
  'Node Type': string;
  'CTE Name'?: string;
  'Index Name'?: string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Plan[];
}
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

interface Asked {
  statement: string;
  parameters: unknown[];
}

/** Statements of a request that read. */
async function askedBy(request: () => Promise<unknown>): Promise<Asked[]> {
  const asked: Asked[] = [];
  // Hook of the driver: it gets each statement before it is sent.
  const { options } = house.house.db.sql as unknown as { options: { debug: unknown } };
  options.debug = (_: number, statement: string, parameters: unknown[]) => asked.push({ statement, parameters });
  try {
    await request();
  } finally {
    options.debug = false;
  }
  return asked.filter(({ statement }) => /^\s*(?:select|with)/i.test(statement));
}

/** Plans of the database for each statement of a request. */
async function plansOf(request: () => Promise<unknown>): Promise<{ statement: string; nodes: Plan[] }[]> {
  const plans = [];
  for (const { statement, parameters } of await askedBy(request)) {
    const [row] = await house.database.sql.unsafe<{ 'QUERY PLAN': [{ Plan: Plan }] }[]>(
      `explain (analyze, format json) ${statement}`,
      parameters as never[],
    );
    const plan = row?.['QUERY PLAN'][0].Plan;
    if (plan) plans.push({ statement, nodes: nodesOf(plan) });
  }
  return plans;
}

describe('statements read', () => {
  test.each([
    ['all there are', '/api/meetings?size=20&start=0'],
    ['the top, by title', '/api/meetings?sort=title&folder=/&size=20&start=0'],
    ['the last page, by words', '/api/meetings?sort=-words&size=20&start=2080'],
    ['by length', '/api/meetings?sort=duration&size=20&start=0'],
    ['a folder', '/api/meetings?folder=/Folder 7&size=20&start=0'],
    ['a search', '/api/meetings?folder=/&query=mine199&size=20&start=0'],
    ['a search that finds what is shared with everyone', '/api/meetings?query=theirs&size=20&start=0'],
    ['a search for a word that is said everywhere', '/api/meetings?query=everywhere&size=20&start=0'],
    ['the facets of that search', '/api/aggs?query=everywhere'],
    ['the places of that word', '/api/finds?query=everywhere'],
    ['a folder that is shared', '/api/meetings?shared_folder=given&folder=/Folder 7&size=20&start=0'],
    ['a search in it', '/api/meetings?shared_folder=given&query=lying29&size=20&start=0'],
    ['the folders', '/api/folders'],
    ['the facets', '/api/aggs'],
    [
      'the facets of a search with filters',
      `/api/aggs?query=mine19&filters=${encodeURIComponent('{"language":["en-US"],"length":["0-5"]}')}`,
    ],
    ['a graded outcome', `/api/meetings?filters=${encodeURIComponent('{"outcome":{"type":"presence","below":2}}')}`],
  ])('for %s is what is hers', async (_which, path) => {
    const plans = await plansOf(async () => expect((await ann.get(path)).status).toBe(200));
    expect(plans.some(({ statement }) => statement.includes('meetings'))).toBe(true);
    for (const { statement, nodes } of plans) {
      const scans = nodes.filter((node) => (node['Relation Name'] ?? node['CTE Name']) !== undefined);
      const read = scans.map((node) => {
        const passed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
        return {
          table: node['Relation Name'] ?? node['CTE Name'],
          how: node['Node Type'],
          rows: Math.round((node['Actual Rows'] + passed) * node['Actual Loops']),
        };
      });
      // Each of hers is looked at once by each part of the question, and none of the others'.
      for (const { table, how, rows } of read)
        expect(rows, `${how} of ${table}: ${statement}`).toBeLessThanOrEqual(2 * (mine + shared + lying));
    }
  });
});

// The database keeps one plan for all words of a statement that is asked often, and knows nothing of them then.
test.each(['/api/meetings?query=everywhere', '/api/finds?query=everywhere'])(
  'passages are read by their recording in a plan that is kept for all words: %s',
  async (path) => {
    const asked = await askedBy(async () => expect((await ann.get(path)).status).toBe(200));
    const passages = asked.filter(({ statement }) => statement.includes('search_passages'));
    expect(passages.length).toBeGreaterThan(0);
    const one = await house.database.sql.reserve();
    try {
      await one`set plan_cache_mode = force_generic_plan`;
      for (const { statement, parameters } of passages) {
        await one.unsafe(`prepare kept as ${statement}`);
        const [row] = await one.unsafe<{ 'QUERY PLAN': [{ Plan: Plan }] }[]>(
          `explain (format json) execute kept (${parameters.map(() => 'null').join(', ')})`,
        );
        await one`deallocate kept`;
        const indexes = nodesOf(
          row?.['QUERY PLAN'][0].Plan ?? { 'Node Type': '', 'Actual Rows': 0, 'Actual Loops': 0 },
        );
        expect(indexes.map((node) => node['Index Name'])).toContain('search_passages_meeting');
        expect(indexes.map((node) => node['Index Name'])).not.toContain('search_passages_lexemes');
      }
    } finally {
      await one`reset plan_cache_mode`;
      one.release();
    }
  },
);
