// npm run bench -- search [recordings that are shared with everyone ...] [--quick]: time of a search in the library that
// also finds what others share with everyone, beside a bare SQL query for the same titles. There are ten times as many
// recordings with a link only.
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import type { MeetingsAnswer } from '#shared/meetings/meeting.ts';
import setup from '#tests/support/cluster.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { figures } from '../figures.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
});
const sizes = positionals.length > 0 ? positionals.map(Number) : options.quick ? [100, 1000] : [100, 1000, 10_000];
const times = options.quick ? 20 : 100;
const linksOnly = 10;

/** Recordings of many owners, numbered from `from` on. */
async function fill({ database: { sql } }: TestHouse, from: number, to: number): Promise<void> {
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
    from meetings m left join meeting_projections p on p.meeting_id = m.id where p.meeting_id is null`;
  await sql`
    insert into meeting_access (meeting_id, kind, principal_id, permissions)
    select m.id, 'anonymous', '', case when m.id like '%-0' then '{read,discover}'::text[] else '{read}' end
    from meetings m left join meeting_access a on a.meeting_id = m.id where a.meeting_id is null`;
  await sql`analyze`;
}

async function timed(ask: () => Promise<unknown>): Promise<string> {
  const taken: number[] = [];
  for (let i = -3; i < times; i += 1) {
    const at = performance.now();
    await ask();
    if (i >= 0) taken.push(performance.now() - at);
  }
  return figures(taken).text;
}

const stop = await setup();
const house = await openHouse();
try {
  const ann = await house.person();
  let filled = 0;
  for (const size of sizes) {
    await fill(house, filled, size);
    filled = size;
    const word = `talk${size - 1}-`;
    const search = async () => {
      // The limit of searches an hour is not what is measured.
      await house.database.sql`delete from rate_limits`;
      const answer = await ann.get(`/api/meetings?query=${word}`);
      const { total } = answer.body as MeetingsAnswer;
      if (answer.status !== 200 || total !== 1) throw new Error(`${answer.status}: ${total} found`);
    };
    const bare = async () => {
      const rows = await house.database.sql`
        select p.meeting_id from meeting_access a join meeting_projections p on p.meeting_id = a.meeting_id
        where a.kind = 'anonymous' and 'discover' = any(a.permissions) and strpos(p.title_key, ${word}) > 0`;
      if (rows.length !== 1) throw new Error(`${rows.length} found`);
    };
    console.log(`${size} shared with everyone, ${size * linksOnly} by a link only`);
    console.log(`  search:   ${await timed(search)}`);
    console.log(`  bare SQL: ${await timed(bare)}`);
  }
} finally {
  await house.close();
  await stop();
}
