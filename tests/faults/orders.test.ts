// A server that is killed while the transcript of an order enters the document: the next one finishes it, once.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '#db/open.ts';
import { freshDatabase } from '#tests/support/database.ts';
import { processed } from '#tests/support/intake.ts';
import { answer, operatorAddress, orderTranscript } from '#tests/support/orders.ts';
import { Person, signUp } from '#tests/support/people.ts';
import { endProcesses, kill, openProcess, type RunningHouse } from '#tests/support/processes.ts';

let database: Database & { url: string; drop(): Promise<void> };
let folder: string;
let house: RunningHouse;
const cookies = new Map<string, Person['cookies']>();
/** A person with an account, at the current address of the server. */
const at = (email: string) => Object.assign(new Person(house.origin), { cookies: cookies.get(email), email });

const start = () =>
  openProcess({
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    LOG_LEVEL: 'warn',
    TRANSCRIBE_HUMAN: operatorAddress,
    TRANSCRIBE_HUMAN_PRICE: '2',
  });

beforeAll(async () => {
  const fresh = await freshDatabase();
  database = Object.assign(fresh.database, { url: fresh.url, drop: fresh.drop });
  folder = await mkdtemp(join(tmpdir(), 'colloquy-orders-'));
  house = await start();
  for (const email of ['ann@example.test', operatorAddress]) {
    cookies.set(email, (await signUp(house.origin, email)).cookies);
  }
}, 120_000);
afterAll(async () => {
  endProcesses();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

/** A statement held up by the trigger of a test is running. */
const asleep = async (): Promise<boolean> =>
  (await database.sql`select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`)
    .length > 0;

test.for([
  ['its words are stored', 'before update of heard_ms on intakes for each row when (new.heard_ms > old.heard_ms)'],
  ['its end is noted', "before update of state on intakes for each row when (new.state = 'ready')"],
] as const)(
  'killed while %s: nothing of the transcript is missing or doubled',
  { timeout: 300_000 },
  async ([, when]) => {
    const { id, meetingId } = await orderTranscript({ database }, at('ann@example.test'));
    // The order itself is a row: it waits even if the server dies.
    await kill(house);
    house = await start();
    await database.sql.unsafe(`
      create or replace function test_slow() returns trigger language plpgsql as $$
        begin perform pg_sleep(3); return new; end $$;
      create trigger test_slow ${when} execute function test_slow();`);
    const sent = await at(operatorAddress).post(`/api/orders/${id}/transcript`, undefined, answer());
    expect(sent.status).toBe(200);
    while (!(await asleep())) await sleep(10);
    await kill(house);
    // The last statement of the dead process may still run, and then its change is stored.
    while (await asleep()) await sleep(10);
    await database.sql.unsafe('drop trigger test_slow on intakes');
    // Ends the lease, so that the test need not wait for it.
    await database.sql`update jobs set leased_until = now() - interval '1 second' where meeting_id = ${meetingId} and state = 'running'`;

    house = await start();
    const ann = at('ann@example.test');
    expect(await processed(ann, meetingId)).toEqual({ percentage: 100, failures_present: false, failure_messages: [] });
    const { body } = await ann.get(`/api/meetings/${meetingId}`);
    const { segments } = (body as { doc: { transcript: { segments: { text: string }[] } } }).doc.transcript;
    expect(segments.map(({ text }) => text)).toEqual([
      'Thanks for joining, shall we start?',
      'Yes.',
      'Then the goal first.',
    ]);
    const mails =
      await database.sql`select 1 from mail_outbox where dedupe_key like 'recording:%' and text like ${`%/meeting/${meetingId}%`}`;
    expect(mails).toHaveLength(1);
    // Reserved before the kill, taken once after it.
    const holds = await database.sql`
      select h.state, (select count(*)::int from ledger_postings p where p.hold_id = h.id) as postings,
        (select sum(-l.usd)::int from ledger_postings p join ledger_lines l on l.posting_id = p.id where p.hold_id = h.id) as paid
      from holds h where h.meeting_id = ${meetingId}`;
    expect(holds).toEqual([{ state: 'captured', postings: 2, paid: 233_334 }]);
    expect(await database.sql`select state, transcript from orders where id = ${id}`).toEqual([
      { state: 'delivered', transcript: null },
    ]);
  },
);
