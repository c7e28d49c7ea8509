// The server and its PostgreSQL are killed in the middle of a transition of a review: all of it is stored, or nothing. The
// request that was cut off is sent again, and then the transition happens once.
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '#db/open.ts';
import { newId } from '#shared/ids.ts';
import type { ReviewView } from '#shared/reviews.ts';
import { lookInto, ownCluster, signal } from '#tests/support/crash.ts';
import { beginProcessing, createMeeting, processed } from '#tests/support/intake.ts';
import { Person, signUp, type Answer } from '#tests/support/people.ts';
import { endProcesses, gone, openProcess, type RunningHouse } from '#tests/support/processes.ts';
import { askFor, seenBy, setStatus } from '#tests/support/reviews.ts';

let folder: string;
let cluster: Awaited<ReturnType<typeof ownCluster>>;
let database: Database;
let house: RunningHouse;
/** The same people, at the current address of the server. */
const known: Person[] = [];
function person(nth: number): Person {
  const { id = '', email = '', cookies = new Map() } = known[nth] ?? {};
  return Object.assign(new Person(house.origin), { id, email, cookies });
}
const [ann, ben, cem, sue] = [() => person(0), () => person(1), () => person(2), () => person(3)];

const start = () => openProcess({ DATABASE_URL: cluster.url, DATA_DIR: join(folder, 'house'), LOG_LEVEL: 'warn' });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colloquy-reviews-'));
  await chmod(folder, 0o755);
  await mkdir(join(folder, 'own'));
  cluster = await ownCluster(join(folder, 'own'));
  database = lookInto(cluster.url);
  house = await start();
  for (const name of ['ann', 'ben', 'cem', 'sue']) {
    const one = await signUp(house.origin, `${name}@example.test`);
    one.id = (await one.whoami()).body.principal.id;
    known.push(one);
  }
}, 300_000);
afterAll(async () => {
  endProcesses();
  await database?.close();
  await cluster?.stop();
  await rm(folder, { recursive: true, force: true });
});

const asleep = async (): Promise<boolean> =>
  (await database.sql`select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`)
    .length > 0;

/** Stops at a change until the server and its PostgreSQL are killed, and starts both again. */
async function killedWhile(change: string, act: () => Promise<Answer>): Promise<void> {
  await database.sql.unsafe(`
    create or replace function test_halt() returns trigger language plpgsql as $$
      begin perform pg_sleep(300); return new; end $$;
    create trigger test_halt ${change} execute function test_halt();`);
  const acted = act().catch(() => null);
  while (!(await asleep())) await sleep(10);
  const victims = [house.child.pid ?? 0, ...cluster.processes()];
  signal(victims, 'SIGKILL');
  await Promise.all(victims.map(gone));
  await cluster.up();
  await acted;
  await database.sql.unsafe(`drop trigger test_halt on ${/ on (\w+)/.exec(change)?.[1]}`);
}

const tables = [
  ...['reviews', 'reviewers', 'removed_reviewers', 'layers', 'layer_access'],
  ...['review_states', 'review_log', 'review_notices'],
];
/** All that is stored of reviews, and who was written to. */
async function stored(): Promise<Record<string, unknown>> {
  const { sql } = database;
  const found: [string, string[]][] = [];
  for (const table of tables) {
    const rows = await sql<{ row: string }[]>`select to_jsonb(t)::text as row from ${sql(table)} t order by 1`;
    found.push([table, rows.map(({ row }) => row)]);
  }
  return { ...Object.fromEntries(found), mails: await mails() };
}
const mails = async (): Promise<string[]> => {
  const rows = await database.sql<{ mail: string }[]>`
    select to_address || ': ' || subject as mail from mail_outbox order by 1`;
  return rows.map(({ mail }) => mail);
};
const eventsOf = async ({ id }: ReviewView): Promise<string[]> => {
  const rows = await database.sql<{ type: string }[]>`
    select event->>'type' as type from review_log where review_id = ${id} order by nth`;
  return rows.map(({ type }) => type);
};

async function recording(): Promise<string> {
  const { id } = await createMeeting(ann());
  await beginProcessing(ann(), id);
  await processed(ann(), id);
  return id;
}

/** A strict review in which Ben and Cem have annotated, and Sue oversees; both but Cem have completed. */
async function beforeOpening(): Promise<ReviewView> {
  const review = await askFor(ann(), await recording(), {
    outcomeModel: 'coaching',
    roles: [
      [ben(), 'required'],
      [cem(), 'required'],
      [sue(), 'supervisor'],
    ],
  });
  for (const one of [ben(), cem()]) {
    const { cloneId } = await seenBy(one, review);
    const outcome = { type: 'trust', start: 0, end: 2, grade: 2 };
    const answer = await one.post(`/api/meetings/${cloneId}/outcomes`, { outcome });
    expect(answer.status, answer.text).toBe(200);
  }
  await setStatus(ben(), review, 'complete');
  await setStatus(sue(), review, 'complete');
  return review;
}

/** How many assessments of others a person reads. */
const readsOthers = async (one: Person, review: ReviewView): Promise<number> =>
  (await seenBy(one, review)).reviewers.filter(({ isMe, cloneId }) => !isMe && cloneId !== null).length;

test.for([
  ['its event is stored', 'before insert on review_log for each row'],
  ['its figures are stored', 'before update of blind_figures on reviews for each row'],
  ['it is mailed', 'before insert on mail_outbox for each row'],
] as const)('an opening killed while %s happens once, or not at all', { timeout: 300_000 }, async ([, change]) => {
  const review = await beforeOpening();
  const before = await stored();
  const [events, written] = [await eventsOf(review), await mails()];
  const { mine } = await seenBy(cem(), review);
  const path = `/api/meetings/${review.meetingId}/reviews/${review.id}/reviewers/${mine?.id}`;
  const headers = { 'X-Request-ID': newId() };
  const complete = () => cem().post(path, { status: 'complete' }, { headers });
  await killedWhile(change, complete);
  expect(await stored()).toEqual(before);

  house = await start();
  expect(await seenBy(cem(), review)).toMatchObject({ phase: 'closed', mine: { status: 'in-progress' } });
  expect(await readsOthers(ben(), review)).toBe(0);
  for (let times = 0; times < 2; times += 1) {
    const answer = await complete();
    expect(answer.status, answer.text).toBe(200);
  }
  expect(await eventsOf(review)).toEqual([...events, 'complete']);
  for (const one of [ann(), ben(), cem()]) {
    expect(await seenBy(one, review)).toMatchObject({ phase: 'open', status: 'complete' });
    expect(await readsOthers(one, review)).toBeGreaterThan(0);
    const { agreement } = (await one.get(`/api/meetings/${review.meetingId}/reviews/${review.id}/agreement`)).body;
    expect(agreement).toMatchObject({ blind: { people: [expect.any(String), expect.any(String)] } });
  }
  // Everybody else is written to once.
  expect((await mails()).length - written.length).toBe(3);
});

test('asking killed before it is stored asks nobody, and then asks once', { timeout: 300_000 }, async () => {
  const id = await recording();
  const before = await stored();
  const written = await mails();
  // A person who has not been written to today.
  const body = { policy: 'strict', reviewers: [{ principal: { email: 'fay@example.test' }, role: 'required' }] };
  const headers = { 'X-Request-ID': newId() };
  const ask = () => ann().post(`/api/meetings/${id}/reviews`, body, { headers });
  await killedWhile('before insert on review_log for each row', ask);
  expect(await stored()).toEqual(before);

  house = await start();
  const first = await ask();
  expect(first.status, first.text).toBe(200);
  expect((await ask()).body).toEqual(first.body);
  expect((await ann().get(`/api/meetings/${id}/reviews`)).body.reviews).toHaveLength(1);
  expect((await mails()).length - written.length).toBe(1);
});
