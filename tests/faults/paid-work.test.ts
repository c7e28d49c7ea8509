// The server and its PostgreSQL are killed at once, at each step of work that a team or a person pays for: between
// reserving and taking nothing is paid twice, nothing is used up for nothing, and nothing stays reserved.
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pino } from 'pino';
import type { Database } from '#db/open.ts';
import { differencesIn } from '#server/billing/books.ts';
import { createDesk, sweepHolds } from '#server/billing/desk.ts';
import { systemClock } from '#server/clock.ts';
import { newId } from '#shared/ids.ts';
import { draftsView } from '#shared/ai/drafts.ts';
import { openAssistant, type StandIn } from '#tests/support/assistant.ts';
import { creditsLeft, giveCredits } from '#tests/support/billing.ts';
import { lookInto, ownCluster, signal } from '#tests/support/crash.ts';
import { inviteTo, makeTeam } from '#tests/support/groups.ts';
import { beginProcessing, createMeeting, external, multipart, processed, tone } from '#tests/support/intake.ts';
import { Person, signUp } from '#tests/support/people.ts';
import { endProcesses, gone, openProcess, type RunningHouse } from '#tests/support/processes.ts';
import { noFfmpeg, openRecogniser, type Recogniser } from '#tests/support/speech.ts';

let folder: string;
let cluster: Awaited<ReturnType<typeof ownCluster>>;
let database: Database;
let house: RunningHouse;
let engine: Recogniser;
let there: StandIn;
/** The same people, at the current address of the server. */
const known: Person[] = [];
function person(nth: number): Person {
  const { id = '', email = '', cookies = new Map() } = known[nth] ?? {};
  return Object.assign(new Person(house.origin), { id, email, cookies });
}
const [ann, ben, cem] = [() => person(0), () => person(1), () => person(2)];

const start = () =>
  openProcess({
    DATABASE_URL: cluster.url,
    DATA_DIR: join(folder, 'house'),
    LOG_LEVEL: 'warn',
    TRANSCRIBE_URL: engine.url,
    TRANSCRIBE_PRICE: '6',
    AI_URL: there.url,
    QUESTION_PRICE: '0.5',
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colloquy-paid-work-'));
  await chmod(folder, 0o755);
  await mkdir(join(folder, 'own'));
  engine = await openRecogniser();
  there = await openAssistant('openai', { context: 16_000 });
  cluster = await ownCluster(join(folder, 'own'));
  database = lookInto(cluster.url);
  house = await start();
  for (const name of ['ann', 'ben', 'cem']) {
    const one = await signUp(house.origin, `${name}@example.test`);
    one.id = (await one.whoami()).body.principal.id;
    known.push(one);
  }
}, 300_000);
afterAll(async () => {
  endProcesses();
  await database?.close();
  await cluster?.stop();
  await engine?.close();
  await there?.close();
  await rm(folder, { recursive: true, force: true });
});

const asleep = async (): Promise<boolean> =>
  (await database.sql`select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`)
    .length > 0;

/** Kills the server and its PostgreSQL, and starts both again. */
async function killBoth(): Promise<void> {
  const victims = [house.child.pid ?? 0, ...cluster.processes()];
  signal(victims, 'SIGKILL');
  await Promise.all(victims.map(gone));
  await cluster.up();
}

/** Stops whatever makes this change until everything is killed. */
async function killedWhile(change: string, act: () => Promise<unknown>): Promise<void> {
  await database.sql.unsafe(`
    create or replace function test_halt() returns trigger language plpgsql as $$
      begin perform pg_sleep(300); return new; end $$;
    create trigger test_halt ${change} execute function test_halt();`);
  const acted = act().catch(() => null);
  while (!(await asleep())) await sleep(10);
  await killBoth();
  await acted;
  await database.sql.unsafe(`drop trigger test_halt on ${/ on (\w+)/.exec(change)?.[1]}`);
}

/** Steps of its beginning, of which nothing is left when one is cut short. */
const beginnings: Record<string, string> = {
  'its quota is used': 'before update of used on allowances for each row',
  'its hold is stored': 'before insert on holds for each row',
  'its payment is reserved': "before insert on ledger_postings for each row when (new.kind = 'hold')",
  'its job is queued': 'before insert on jobs for each row',
};

test.for<[string, string | null]>([
  ...Object.entries(beginnings),
  ['the engine listens', null],
  ['it is paid', "before update of state on holds for each row when (new.state = 'captured')"],
  ['it is ready', "before update of state on intakes for each row when (new.state = 'ready')"],
  ['it is returned', "before update of state on holds for each row when (new.state = 'released')"],
])('killed while %s', { timeout: 300_000 }, async ([when, change], { skip }) => {
  const without = noFfmpeg();
  if (without) return skip(without);
  const fails = when === 'it is returned';
  let listens = () => {};
  const listening = new Promise<void>((resolve) => (listens = resolve));
  engine.answers = () => {
    listens();
    if (change === null) return 'hang';
    if (fails) return { status: 400, body: { error: { message: 'nothing can be heard' } } };
    return { body: { segments: [{ start: 0, end: 1, text: ' Hello.' }] } };
  };
  // Ann pays, for Ben; nobody has anything else, and Cem takes over.
  const team = await makeTeam(ann(), [ben()], { name: `Interviews ${newId()}`, defaultQuota: 1 });
  await inviteTo(ann(), team, cem().email, 'admin');
  expect((await cem().post(`/api/groups/${team}/accept`)).status).toBe(200);
  await giveCredits({ database }, ann(), '10');
  const before = await creditsLeft({ database }, ann());
  const file = { fileName: 'talk.wav', content: tone(2) };
  const { id, costs } = await createMeeting(ben(), multipart({ title: when, model: 'speech', file }));
  const cost = costs.find(({ groupId }) => groupId === team);
  expect(cost).toMatchObject({ cost: 0.2, isEnough: true, isEnoughQuota: true });
  const request = newId();
  const begin = () => ben().post(`/api/meetings/${id}/process`, { cost }, { headers: { 'X-Request-ID': request } });

  const isBeginning = when in beginnings;
  if (isBeginning) {
    await killedWhile(change ?? '', begin);
    expect(await spent(team)).toEqual({ used: 0, reserved: 0, paid: 0 });
    house = await start();
    expect((await begin()).status).toBe(200);
  } else if (change === null) {
    expect((await begin()).status).toBe(200);
    await listening;
    // The payer of work is settled when it begins.
    expect((await cem().put(`/api/groups/${team}`, { payer: cem().id })).status).toBe(200);
    expect((await ben().post(`/api/groups/${team}/leave`)).status).toBe(204);
    await killBoth();
    expect(await spent(team)).toEqual({ used: 0.2, reserved: 0.2, paid: 0 });
    engine.answers = () => ({ body: { segments: [{ start: 0, end: 1, text: ' Hello.' }] } });
  } else {
    await killedWhile(change, begin);
    expect(await spent(team)).toEqual({ used: 0.2, reserved: 0.2, paid: 0 });
  }
  if (!isBeginning) {
    // Ends the lease, so that the test need not wait for it.
    await database.sql`update jobs set leased_until = now() - interval '1 second' where meeting_id = ${id} and state = 'running'`;
    house = await start();
  }
  // The repeated request begins nothing anew.
  if (change !== null) expect((await begin()).status).toBe(200);
  expect(await processed(ben(), id)).toMatchObject({ failures_present: fails });
  const taken = fails ? 0 : 0.2;
  expect(await spent(team)).toEqual({ used: taken, reserved: 0, paid: taken });
  expect(before - (await creditsLeft({ database }, ann()))).toBeCloseTo(taken, 6);
  expect(await differencesIn(database.sql)).toEqual([]);
});

test('what is reserved for work that is lost is free again after a sweep', { timeout: 300_000 }, async ({ skip }) => {
  const without = noFfmpeg();
  if (without) return skip(without);
  let listens = () => {};
  const listening = new Promise<void>((resolve) => (listens = resolve));
  engine.answers = () => {
    listens();
    return 'hang';
  };
  const team = await makeTeam(ann(), [ben()], { name: `Interviews ${newId()}`, defaultQuota: 1 });
  await giveCredits({ database }, ann(), '10');
  const before = await creditsLeft({ database }, ann());
  const file = { fileName: 'talk.wav', content: tone(2) };
  const { id, costs } = await createMeeting(ben(), multipart({ title: 'Lost', model: 'speech', file }));
  const cost = costs.find(({ groupId }) => groupId === team);
  expect((await ben().post(`/api/meetings/${id}/process`, { cost })).status).toBe(200);
  await listening;
  await killBoth();
  expect(await spent(team)).toEqual({ used: 0.2, reserved: 0.2, paid: 0 });
  // The recording goes with its job, and nobody tells the books.
  await database.sql`delete from meetings where id = ${id}`;
  const sweep = () =>
    sweepHolds({
      ...{ db: database, clock: systemClock, log: pino({ level: 'silent' }) },
      costs: createDesk({ clock: systemClock }, () => ({})),
    });
  await sweep();
  expect(await spent(team)).toMatchObject({ reserved: 0.2 });
  await database.sql`update holds set until = now() - interval '1 second' where meeting_id = ${id}`;
  await sweep();
  expect(await spent(team)).toEqual({ used: 0, reserved: 0, paid: 0 });
  expect(await creditsLeft({ database }, ann())).toBe(before);
  expect(await differencesIn(database.sql)).toEqual([]);
  house = await start();
});

test.for([
  ['its price is reserved', 'before insert on jobs for each row'],
  ['the model reads', null],
  ['it is stored', 'before insert on ai_drafts for each row'],
  ['it is paid', "before update of state on holds for each row when (new.state = 'captured')"],
  ['it is returned', "before update of state on holds for each row when (new.state = 'released')"],
] as const)(
  'a draft killed while %s is stored and paid once, or not at all',
  { timeout: 300_000 },
  async ([when, change]) => {
    const quote = when === 'it is returned' ? 'nobody ever said this' : 'Thanks for joining, shall we start?';
    const said = JSON.stringify({ parts: [{ text: 'They begin.', cites: [{ line: 1, quote }] }], enough: true });
    const { id } = await createMeeting(ann(), external());
    await beginProcessing(ann(), id);
    await processed(ann(), id);
    await giveCredits({ database }, ann(), '5');
    const before = await creditsLeft({ database }, ann());
    const headers = { 'X-Request-ID': newId() };
    const begin = () => ann().post(`/api/meetings/${id}/drafts/summary`, { cost: 0.5 }, { headers });
    const view = async () => draftsView.parse((await ann().get(`/api/meetings/${id}/drafts/summary`)).body);
    there.mood.silent = change === null;
    there.mood.answer = () => said;
    if (change === null) {
      expect((await begin()).status).toBe(200);
      await expect.poll(() => there.asking(), { timeout: 60_000 }).toBe(1);
      await killBoth();
      there.mood.silent = false;
    } else await killedWhile(change, begin);
    await database.sql`update jobs set leased_until = now() - interval '1 second' where meeting_id = ${id} and state = 'running'`;
    house = await start();
    // The repeated request begins nothing anew.
    expect((await begin()).status).toBe(200);
    await expect.poll(async () => (await view()).run?.state, { timeout: 60_000 }).toBe('done');
    const found = when === 'it is returned' ? 0 : 1;
    expect(await view()).toMatchObject({ run: { found, dropped: 1 - found } });
    expect((await view()).drafts).toHaveLength(found);
    const states = await database.sql<
      { state: string }[]
    >`select state from holds where meeting_id = ${id} and purpose = 'question'`;
    expect(states.map(({ state }) => state)).toEqual([found === 1 ? 'captured' : 'released']);
    expect(before - (await creditsLeft({ database }, ann()))).toBeCloseTo(found * 0.5, 6);
    expect(await differencesIn(database.sql)).toEqual([]);
  },
);

/** Credits of a team: counted against quotas, reserved and paid. */
async function spent(team: string): Promise<{ used: number; reserved: number; paid: number }> {
  const [row] = await database.sql<{ used: string; reserved: string; paid: string }[]>`
    with moves as (
      select t.amount, t.from_account, t.to_account, h.state from holds h
      join ledger_postings p on p.hold_id = h.id join ledger_transfers t on t.posting_id = p.id
      where h.group_id = ${team})
    select (select coalesce(sum(used), 0)::text from allowances where group_id = ${team}) as used,
      (select coalesce(sum(amount), 0)::text from moves where state = 'open') as reserved,
      (select coalesce(sum(amount), 0)::text from moves where to_account = 'revenue') as paid`;
  const { used = 0, reserved = 0, paid = 0 } = row ?? {};
  return { used: Number(used) / 1e6, reserved: Number(reserved) / 1e6, paid: Number(paid) / 1e6 };
}
