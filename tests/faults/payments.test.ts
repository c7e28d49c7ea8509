// A server that is killed at any step between the payment page and our books, alone or with its PostgreSQL: nobody pays
// twice, and everything that was paid arrives once.
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '#db/open.ts';
import { newId } from '#shared/ids.ts';
import { differencesIn } from '#server/billing/books.ts';
import { lookInto, ownCluster, signal } from '#tests/support/crash.ts';
import { onPage } from '#tests/support/payments.ts';
import { Person, signUp } from '#tests/support/people.ts';
import { endProcesses, gone, kill, openProcess, type RunningHouse } from '#tests/support/processes.ts';

let cluster: Awaited<ReturnType<typeof ownCluster>>;
let database: Database;
let folder: string;
let house: RunningHouse;
let cookies: Person['cookies'];
const email = 'ann@example.test';
/** The same person, at the current address of the server. */
const ann = () => Object.assign(new Person(house.origin), { cookies, email });
const start = () => openProcess({ DATABASE_URL: cluster.url, DATA_DIR: join(folder, 'house'), LOG_LEVEL: 'warn' });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colloquy-payments-'));
  await chmod(folder, 0o755);
  await mkdir(join(folder, 'own'));
  cluster = await ownCluster(join(folder, 'own'));
  database = lookInto(cluster.url);
  house = await start();
  ({ cookies } = await signUp(house.origin, email));
}, 120_000);
afterAll(async () => {
  endProcesses();
  await database?.close();
  await cluster?.stop();
  await rm(folder, { recursive: true, force: true });
});

const asleep = async (): Promise<boolean> =>
  (await database.sql`select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`)
    .length > 0;

type Victims = 'alone' | 'with its PostgreSQL';

/** Kills the server while this change is being stored, and starts it again. */
async function killedWhile(victims: Victims, change: string, act: () => Promise<unknown>): Promise<void> {
  await database.sql.unsafe(`
    create or replace function test_slow() returns trigger language plpgsql as $$
      begin perform pg_sleep(3); return new; end $$;
    create trigger test_slow ${change} execute function test_slow();`);
  const acted = act().catch(() => null);
  while (!(await asleep())) await sleep(10);
  if (victims === 'alone') await kill(house);
  else {
    const pids = [house.child.pid ?? 0, ...cluster.processes()];
    signal(pids, 'SIGKILL');
    await Promise.all(pids.map(gone));
    await cluster.up();
  }
  await acted;
  // The last statement of the dead process may still run, and then its change is stored.
  while (await asleep()) await sleep(10);
  await database.sql.unsafe(`drop trigger test_slow on ${/ on (\w+)/.exec(change)?.[1]}`);
  house = await start();
}

const credits = async (): Promise<number> => {
  const [row] = await database.sql<{ credits: string }[]>`
    select coalesce(sum(a.balance), 0)::text as credits from ledger_accounts a where a.name = 'credits'`;
  return Number(row?.credits) / 1e6;
};
const received = async (): Promise<number> => {
  const [row] = await database.sql<{ sum: string }[]>`
    select coalesce(sum(amount), 0)::text as sum from ledger_transfers where from_account = 'stripe'`;
  return Number(row?.sum) / 1e6;
};

describe.each<Victims>(['alone', 'with its PostgreSQL'])('%s', (victims) => {
  test.for([
    ['the purchase is stored', 'before insert on purchases for each row', 'buying'],
    ['its page is about to be stored', 'before update of checkout_id on purchases for each row', 'buying'],
    ['its answer is kept', 'before insert on request_answers for each row', 'buying'],
    ['the payment is booked', 'before insert on ledger_postings for each row', 'paying'],
    ['its amounts are moved', 'before insert on ledger_transfers for each row', 'paying'],
    ['its state is stored', "before update of state on purchases for each row when (new.state = 'paid')", 'paying'],
    ['its event is noted', 'before insert on payment_events for each row', 'paying'],
  ] as const)('killed while %s', { timeout: 180_000 }, async ([, change, step]) => {
    const [creditsBefore, receivedBefore] = [await credits(), await received()];
    const id = newId();
    const buy = () => ann().post('/api/credits/purchase', { balance: 10 }, { headers: { 'X-Request-ID': id } });
    if (step === 'buying') await killedWhile(victims, change, buy);
    const { status, body } = await buy();
    expect(status).toBe(200);
    const pay = () => onPage(body.url, 'pay');
    if (step === 'paying') await killedWhile(victims, change, pay);
    else expect(await pay()).toContain(body.id);
    await expect
      .poll(async () => (await ann().get(`/api/credits/purchases/${body.id}`)).body?.state, { timeout: 30_000 })
      .toBe('paid');
    // A second payment on the same page is refused.
    expect(await pay()).toBeNull();
    expect([(await credits()) - creditsBefore, (await received()) - receivedBefore]).toEqual([10, 10]);
    const rows = await database.sql`select 1 from purchases where request_id = ${id}`;
    expect(rows).toHaveLength(1);
    expect(await differencesIn(database.sql)).toEqual([]);
  });
});
