// npm run bench -- billing [--quick]: how many charges the books take a second, beside a bare guarded UPDATE of a balance;
// pages of a million transactions; whoami with a full purse beside an empty one. All in one run, in rounds that alternate.
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { sql } from 'drizzle-orm';
import { openDatabase, type Database } from '#db/open.ts';
import { createDesk } from '#server/billing/desk.ts';
import { newLot, post, purseOf } from '#server/billing/ledger.ts';
import { systemClock } from '#server/clock.ts';
import { transaction } from '#server/context.ts';
import { newId } from '#shared/ids.ts';
import setup from '#tests/support/cluster.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { figures } from '../figures.ts';

const { values: options } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const [rounds, roundMs, lines] = options.quick ? [2, 1000, 100_000] : [5, 2000, 1_000_000];
const callers = 50;
const purses = 100;
const books = { clock: systemClock };
const prices = { speech: 60_000 };

/** Calls `work` as often as it can for a while, from so many callers; answers calls a second. */
async function rate(count: number, work: (caller: number) => Promise<unknown>): Promise<number> {
  const started = performance.now();
  const end = started + roundMs;
  let done = 0;
  await Promise.all(
    Array.from({ length: count }, async (_, caller) => {
      while (performance.now() < end) {
        await work(caller);
        done += 1;
      }
    }),
  );
  return (done * 1000) / (performance.now() - started);
}

const middle = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** People with credits that no bench can spend. */
async function fill(database: Database): Promise<{ people: string[]; pursesOf: string[] }> {
  const people = Array.from({ length: purses }, (_, n) => `payer${n}`);
  await database.sql`
    insert into users (id, email, email_key, first_name, last_name)
    select 'payer' || n, 'p' || n || '@example.test', 'p' || n || '@example.test', 'Payer', n::text
    from generate_series(0, ${purses - 1}::int) n`;
  const pursesOf: string[] = [];
  for (const person of people)
    pursesOf.push(
      await transaction({ db: database }, async (tx) => {
        const purse = await purseOf(books, tx, person);
        const transfers = [{ from: { house: 'granted' }, to: { purse, kind: 'credits' }, amount: 10n ** 12n }] as const;
        await post(books, tx, { key: newId(), kind: 'grant', by: null, transfers });
        return purse;
      }),
    );
  await database.sql`create table bare_balances (id text primary key, balance bigint not null check (balance >= 0))`;
  await database.sql`insert into bare_balances select unnest(${people}::text[]), 1000000000000`;
  await database.sql`analyze`;
  return { people, pursesOf };
}

async function charges(database: Database, one: Database): Promise<void> {
  const { people, pursesOf } = await fill(database);
  const bare = (db: Database, nth: number) =>
    db.orm.execute(
      sql`update bare_balances set balance = balance - 1 where id = ${people[nth] ?? ''} and balance >= 1`,
    );
  const charge = (db: Database, nth: number) =>
    post(books, db.orm, {
      key: newId(),
      kind: 'charge',
      by: null,
      transfers: [{ from: { purse: pursesOf[nth] ?? '', kind: 'credits' }, to: { house: 'revenue' }, amount: 1n }],
    });
  const desk = createDesk(books, () => prices);
  const job = async (db: Database, nth: number) => {
    const person = { id: people[nth] ?? '' };
    const order = { meetingId: newId(), model: 'speech', seconds: 60 };
    const [option] = await desk.options(db.orm, person, order);
    if (!option) throw new Error('nothing is offered');
    const hold = await transaction({ db }, (tx) => desk.hold(tx, person, order, option));
    if (hold !== null) await transaction({ db }, (tx) => desk.capture(tx, hold));
  };
  const some = (caller: number) => (caller * 7 + Math.floor(Math.random() * purses)) % purses;
  const rows: { what: string; of: string | null; aim: string; run: () => Promise<number> }[] = [
    { what: 'bare update, one connection', of: null, aim: '', run: () => rate(1, () => bare(one, 0)) },
    {
      ...{ what: 'charge, one connection', of: 'bare update, one connection', aim: '0.25' },
      run: () => rate(1, () => charge(one, 0)),
    },
    {
      ...{ what: 'job (options, hold, capture), one connection', of: 'bare update, one connection', aim: '' },
      run: () => rate(1, () => job(one, 0)),
    },
    {
      ...{ what: `bare update, ${callers} callers, ${purses} purses`, of: null, aim: '' },
      run: () => rate(callers, (caller) => bare(database, some(caller))),
    },
    {
      ...{
        what: `charge, ${callers} callers, ${purses} purses`,
        of: `bare update, ${callers} callers, ${purses} purses`,
        aim: '1,000 a second',
      },
      run: () => rate(callers, (caller) => charge(database, some(caller))),
    },
    {
      ...{ what: `bare update, ${callers} callers, one purse`, of: null, aim: '' },
      run: () => rate(callers, () => bare(database, 1)),
    },
    {
      ...{
        what: `charge, ${callers} callers, one purse`,
        of: `bare update, ${callers} callers, one purse`,
        aim: '300 a second',
      },
      run: () => rate(callers, () => charge(database, 1)),
    },
  ];
  const rates = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round += 1)
    for (const { what, run } of rows) {
      const value = await run();
      // The first round is a warm-up.
      if (round > 0) rates.set(what, [...(rates.get(what) ?? []), value]);
    }
  const median = (what: string) => middle(rates.get(what) ?? []);
  for (const { what, of, aim } of rows) {
    const beside = of === null ? '' : `, ${(median(what) / median(of)).toFixed(2)} of the bare update`;
    console.log(`${what}: ${median(what).toFixed(0)} a second${beside}${aim && ` (aim ${aim})`}`);
  }
}

/** Gives a person a long past and many lots; written past the triggers, which would take minutes. */
async function giveHistory({ database }: TestHouse, userId: string): Promise<void> {
  await transaction({ db: database }, async (tx) => {
    const purse = await purseOf(books, tx, userId);
    for (let n = 0; n < 20; n += 1) {
      const lot = await newLot(books, tx, purse, { paid: true, lapsesAt: null, source: 'bundle' });
      const transfers = [{ from: { house: 'minted' }, to: { purse, lot }, amount: 60n } as const];
      await post(books, tx, { key: newId(), kind: 'bundle', by: null, transfers });
    }
  });
  const tables = ['ledger_postings', 'ledger_lines'];
  for (const table of tables) await database.sql.unsafe(`alter table ${table} disable trigger user`);
  for (let from = 1; from <= lines; from += 2000)
    await database.sql`
      with owner as (
        select p.id, coalesce((select max(l.nth) from ledger_lines l where l.purse_id = p.id), 0) as last
        from purses p where p.user_id = ${userId}
      ), made as (
        insert into ledger_postings (key, kind, at)
        select 'past:' || n, 'grant', now() from generate_series(${from}::int, ${from + 1999}::int) n returning id
      )
      insert into ledger_lines (purse_id, nth, posting_id, usd, free_seconds, paid_seconds)
      select owner.id, owner.last + row_number() over (order by made.id), made.id, 1, 0, 0 from made, owner`;
  for (const table of tables) await database.sql.unsafe(`alter table ${table} enable trigger user`);
  await database.sql`analyze ledger_lines, ledger_postings`;
}

async function pages(house: TestHouse): Promise<void> {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  await giveHistory(house, ann.id);
  const ok = async (answer: Promise<{ status: number; text: string }>) => {
    const { status, text } = await answer;
    if (status !== 200) throw new Error(`${status}: ${text}`);
  };
  const page = (skip: number) => () => ok(ann.get(`/api/transactions?skip=${skip}&count=100`));
  const calls: [string, () => Promise<unknown>][] = [
    ['whoami, nearly empty purse', () => ok(ben.whoami())],
    ['whoami, full purse', () => ok(ann.whoami())],
    ['balance, full purse', () => ok(ann.get('/api/balance'))],
    ['first page', page(0)],
    ['middle page', page(lines / 2)],
    ['last page', page(lines - 100)],
  ];
  const times = new Map<string, number[]>(calls.map(([name]) => [name, []]));
  for (let i = -5; i < (options.quick ? 30 : 100); i += 1)
    for (const [name, call] of calls) {
      const at = performance.now();
      await call();
      if (i >= 0) times.get(name)?.push(performance.now() - at);
    }
  const beside = figures(times.get('whoami, nearly empty purse') ?? []).median;
  console.log(
    `${lines} transactions; pages of 100 (aim 50 ms), whoami with a full purse (aim 1.2 times an empty one):`,
  );
  for (const [name, taken] of times) {
    const { median, text } = figures(taken);
    console.log(`${name}: ${text}, ${(median / beside).toFixed(2)} times whoami with a nearly empty purse`);
  }
}

const stop = await setup();
const house = await openHouse();
const one = openDatabase(house.url, { max: 1 });
try {
  await charges(house.database, one);
  await pages(house);
} finally {
  await one.close();
  await house.close().catch((error: unknown) => {
    // The long past was written without transfers, which the books at the end rightly refuse.
    if (!String(error).includes('transfers')) throw error;
  });
  await stop();
}
