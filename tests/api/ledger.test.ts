// The laws of the books (migration `ledger`): the database refuses what breaks one of them, and would not without it.
import type { TransactionSql } from 'postgres';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { asProblem } from '#server/http/answer.ts';
import { lawOf, lockPurse, newLot, post, purseOf, type Posting } from '#server/billing/ledger.ts';
import { transaction } from '#server/context.ts';
import { newId } from '#shared/ids.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

let purse: string;
let lot: string;
/** A purse with 10 credits and a lot of 600 seconds. */
beforeEach(async () => {
  const { id } = await house.person();
  await transaction(house.house, async (tx) => {
    purse = await purseOf(house.house, tx, id);
    lot = await newLot(house.house, tx, purse, { paid: false, lapsesAt: null, source: 'trial' });
  });
  const into = (to: string): Posting['transfers'] => [
    { from: { house: 'granted' }, to: { purse: to, kind: 'credits' }, amount: 10_000_000n },
    { from: { house: 'minted' }, to: { purse: to, lot }, amount: 600n },
  ];
  expect(await posted({ transfers: into(purse) })).toBe(true);
});

const posted = (more: Pick<Posting, 'transfers'> & Partial<Posting>) =>
  transaction(house.house, (tx) => post(house.house, tx, { key: newId(), kind: 'test', by: null, ...more }));

const balances = async (of = purse) => {
  const rows = await house.database.sql<{ name: string; balance: string }[]>`
    select name, sum(balance)::text as balance from ledger_accounts where purse_id = ${of} and (name <> 'lot' or id = ${lot}) group by name having sum(balance) <> 0`;
  return Object.fromEntries(rows.map(({ name, balance }) => [name, Number(balance)]));
};
const lines = async (of = purse) => {
  const rows = await house.database.sql`
    select nth, usd::int as usd, free_seconds::int as free, paid_seconds::int as paid from ledger_lines where purse_id = ${of} order by nth`;
  // The first one is the trial.
  return rows.slice(1).map(({ nth, usd, free, paid }) => [Number(nth) - 1, usd, free, paid] as number[]);
};

test('an event moves its amounts once, under one key, and is one line of each purse', async () => {
  const key = newId();
  const transfers: Posting['transfers'] = [
    { from: { purse, kind: 'credits' }, to: { house: 'revenue' }, amount: 1_500_000n },
    { from: { purse, lot }, to: { house: 'used' }, amount: 60n },
  ];
  expect([await posted({ key, transfers }), await posted({ key, transfers })]).toEqual([true, false]);
  expect(await balances()).toEqual({ credits: 8_500_000, lot: 540 });
  expect(await lines()).toEqual([
    [1, 10_000_000, 600, 0],
    [2, -1_500_000, -60, 0],
  ]);
});

test('fifty callers who spend one purse spend exactly what is in it, and nobody sees it below zero', async () => {
  const spend = async (): Promise<boolean> => {
    for (;;)
      try {
        return await posted({
          transfers: [{ from: { purse, kind: 'credits' }, to: { house: 'revenue' }, amount: 300_000n }],
        });
      } catch (error) {
        const { code } = asProblem(error);
        if (code === 'FUNDS') return false;
        // Too many at once for the connections there are: a caller comes again.
        if (code !== 'UNAVAILABLE') throw error;
      }
  };
  const spent = await Promise.all(Array.from({ length: 50 }, spend));
  expect(spent.filter((one) => one === true)).toHaveLength(33);
  expect(await balances()).toEqual({ credits: 100_000, lot: 600 });
  expect((await lines()).map(([nth]) => nth)).toEqual(Array.from({ length: 34 }, (_, i) => i + 1));
});

test('two people who pay each other at once both do', async () => {
  const { id } = await house.person('Ben');
  const other = await transaction(house.house, (tx) => purseOf(house.house, tx, id));
  const [a, b] = [{ purse, kind: 'credits' } as const, { purse: other, kind: 'credits' } as const];
  await posted({ transfers: [{ from: a, to: b, amount: 5_000_000n }] });
  await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      posted({ transfers: [i % 2 ? { from: a, to: b, amount: 10_000n } : { from: b, to: a, amount: 10_000n }] }),
    ),
  );
  expect([await balances(), await balances(other)]).toEqual([{ credits: 5_000_000, lot: 600 }, { credits: 5_000_000 }]);
});

test('one purse a person, however many ask for it at once; it outlives the account', async () => {
  const { id } = await house.person();
  const made = await Promise.all(
    Array.from({ length: 8 }, () => transaction(house.house, (tx) => purseOf(house.house, tx, id))),
  );
  expect(new Set(made).size).toBe(1);
  await house.database.sql`delete from users where id = ${id}`;
  const [row] = await house.database.sql`select user_id from purses where id = ${made[0] ?? ''}`;
  expect(row).toEqual({ user_id: null });
});

test('a lock on a purse makes another wait for what is decided under it', async () => {
  const spendAll = () =>
    transaction(house.house, async (tx) => {
      await lockPurse(tx, purse);
      const [row] = await tx.execute<{ balance: string }>(
        `select balance::text from ledger_accounts where id = '${purse}/credits'`,
      );
      const amount = BigInt(row?.balance ?? 0);
      if (amount === 0n) return 0n;
      const transfers = [{ from: { purse, kind: 'credits' }, to: { house: 'revenue' }, amount } as const];
      await post(house.house, tx, { key: newId(), kind: 'test', by: null, transfers });
      return amount;
    });
  const spent = await Promise.all([spendAll(), spendAll(), spendAll()]);
  expect(spent.toSorted().map(Number)).toEqual([0, 0, 10_000_000]);
});

// ---- Laws, each with a control: without it the database takes what it refuses -----------------------------------

interface Law {
  law: string;
  refused: string;
  /** Drops the law. */
  without: string;
  attempt: (sql: TransactionSql) => Promise<unknown>;
}

/** A posting in plain SQL, as code that knows nothing of `post` would write it. */
const raw = async (
  sql: TransactionSql,
  transfers: readonly (readonly [string, string, string, number])[],
  hold = null as string | null,
) => {
  const [row] = await sql<{ id: string }[]>`
    insert into ledger_postings (key, kind, hold_id, at) values (${newId()}, 'raw', ${hold}, now()) returning id::text`;
  const id = row?.id ?? '';
  const each = transfers.map(([from, to, unit, amount], i) => [id, i + 1, from, to, unit, amount]);
  if (each.length > 0)
    await sql`insert into ledger_transfers (posting_id, nth, from_account, to_account, unit, amount) values ${sql(each as never)}`;
  return id;
};
const hold = async (sql: TransactionSql, meeting = newId(), state = 'open', purpose = 'transcription') => {
  const id = newId();
  await sql`insert into holds (id, purse_id, purpose, meeting_id, state, created_at, until)
    values (${id}, ${purse}, ${purpose}, ${meeting}, ${state}, now(), now())`;
  return id;
};
const purchase = (
  sql: TransactionSql,
  { id = newId(), request = newId(), amount = 1, state = 'open', checkout = null as string | null } = {},
) =>
  sql`insert into purchases (id, purse_id, request_id, amount, state, checkout_id, created_at, expires_at)
    values (${id}, ${purse}, ${request}, ${amount}, ${state}, ${checkout}, now(), now())`;
const plan = (sql: TransactionSql, { name = 'professional', state = 'active', service = newId() } = {}) =>
  sql`insert into subscriptions (id, purse_id, plan, service_id, state, cancelled, period_end, created_at)
    values (${newId()}, ${purse}, ${name}, ${service}, ${state}, false, now(), now())`;
const promo = async (sql: TransactionSql, used = 0) => {
  const code = newId();
  await sql`insert into promo_codes (code, bonus, least, use_limit, used) values (${code}, 1, 0, 1, ${used})`;
  return code;
};
const gift = (sql: TransactionSql, amount: number, state: string) =>
  sql`insert into gifts (id, from_purse, amount, state, created_at, expires_at)
    values (${newId()}, ${purse}, ${amount}, ${state}, now(), now())`;
const twice = async (insert: () => PromiseLike<unknown>) => {
  await insert();
  await insert();
};
const credits = () => `${purse}/credits`;
const held = () => `${purse}/heldCredits`;

const triggerOff = (table: string, name: string) => `drop trigger ${name} on ${table}`;
const constraintOff = (table: string, name: string) => `alter table ${table} drop constraint ${name}`;

const laws: Law[] = [
  {
    law: 'an amount is positive',
    refused: 'ledger_transfers_amount',
    without: constraintOff('ledger_transfers', 'ledger_transfers_amount'),
    attempt: (sql) => raw(sql, [['granted', credits(), 'usd', -1]]),
  },
  {
    law: 'an amount goes to another account',
    refused: 'ledger_transfers_two',
    without: constraintOff('ledger_transfers', 'ledger_transfers_two'),
    attempt: (sql) => raw(sql, [[credits(), credits(), 'usd', 1]]),
  },
  {
    law: 'money never becomes minutes',
    refused: 'ledger_transfers_to',
    without: constraintOff('ledger_transfers', 'ledger_transfers_to'),
    attempt: (sql) => raw(sql, [[credits(), lot, 'usd', 1]]),
  },
  {
    law: 'minutes never become money',
    refused: 'ledger_transfers_from',
    without: constraintOff('ledger_transfers', 'ledger_transfers_from'),
    attempt: (sql) => raw(sql, [[lot, credits(), 'usd', 1]]),
  },
  {
    law: 'nothing is spent that is not there',
    refused: 'ledger_accounts_funds',
    without: constraintOff('ledger_accounts', 'ledger_accounts_funds'),
    attempt: (sql) => raw(sql, [[credits(), 'revenue', 'usd', 10_000_001]]),
  },
  {
    law: 'what is owed is never above zero',
    refused: 'ledger_accounts_funds',
    without: constraintOff('ledger_accounts', 'ledger_accounts_funds'),
    attempt: (sql) => raw(sql, [['granted', `${purse}/debt`, 'usd', 1]]),
  },
  {
    law: 'an account of the house keeps no balance',
    refused: 'ledger_accounts_funds',
    without: constraintOff('ledger_accounts', 'ledger_accounts_funds'),
    attempt: async (sql) => {
      await sql.unsafe(triggerOff('ledger_accounts', 'ledger_accounts_by_transfers'));
      await sql`update ledger_accounts set balance = 1 where id = 'revenue'`;
    },
  },
  {
    law: 'an account has the unit of its name',
    refused: 'ledger_accounts_shape',
    without: constraintOff('ledger_accounts', 'ledger_accounts_shape'),
    attempt: async (sql) =>
      sql`insert into ledger_accounts (id, purse_id, name, unit) values (${newId()}, ${purse}, 'credits', 's')`,
  },
  {
    law: 'an account begins empty',
    refused: 'ledger_only_added_to',
    without: triggerOff('ledger_accounts', 'ledger_accounts_begin_empty'),
    attempt: async (sql) =>
      sql`insert into ledger_accounts (id, purse_id, name, unit, paid, source, balance) values (${newId()}, ${purse}, 'lot', 's', true, 'x', 60)`,
  },
  {
    law: 'a balance changes by transfers alone',
    refused: 'ledger_only_added_to',
    without: triggerOff('ledger_accounts', 'ledger_accounts_by_transfers'),
    attempt: async (sql) => sql`update ledger_accounts set balance = balance + 1 where id = ${credits()}`,
  },
  {
    law: 'a line is written by transfers alone',
    refused: 'ledger_only_added_to',
    without: triggerOff('ledger_lines', 'ledger_lines_by_transfers'),
    attempt: async (sql) =>
      sql`insert into ledger_lines select purse_id, 99, (select max(id) from ledger_postings where kind = 'fee'), 0, 0, 0 from ledger_lines where false`,
  },
  ...(['ledger_postings', 'ledger_transfers', 'ledger_lines'] as const).flatMap((table): Law[] => [
    {
      law: `${table} are never changed`,
      refused: 'ledger_only_added_to',
      without: triggerOff(table, `${table}_stay`),
      attempt: (sql) =>
        sql.unsafe(
          `update ${table} set ${table === 'ledger_postings' ? "kind = 'x'" : table === 'ledger_lines' ? 'usd = 1' : 'amount = 1'}`,
        ),
    },
    {
      law: `${table} are never deleted`,
      refused: 'ledger_only_added_to',
      without: triggerOff(table, `${table}_stay`),
      attempt: (sql) => sql.unsafe(`delete from ${table} where false`),
    },
    {
      law: `${table} are never emptied`,
      refused: 'ledger_only_added_to',
      without: (['ledger_postings', 'ledger_transfers', 'ledger_lines'] as const)
        .map((one) => triggerOff(one, `${one}_stay`))
        .join('; '),
      attempt: (sql) =>
        sql.unsafe(
          `truncate ${table === 'ledger_postings' ? 'ledger_postings, ledger_transfers, ledger_lines' : table}`,
        ),
    },
  ]),
  {
    law: 'accounts are never deleted',
    refused: 'ledger_only_added_to',
    without: triggerOff('ledger_accounts', 'ledger_accounts_stay'),
    attempt: async (sql) => sql`delete from ledger_accounts where id = ${held()}`,
  },
  {
    law: 'holds are never deleted',
    refused: 'ledger_only_added_to',
    without: triggerOff('holds', 'holds_stay'),
    attempt: async (sql) => sql`delete from holds where false`,
  },
  {
    law: 'an event moves something',
    refused: 'ledger_posting_moves',
    without: triggerOff('ledger_postings', 'ledger_postings_whole'),
    attempt: (sql) => raw(sql, []),
  },
  {
    law: 'an event is moved in one statement',
    refused: 'ledger_at_once',
    without: `${triggerOff('ledger_transfers', 'ledger_transfers_move')}; ${triggerOff('ledger_postings', 'ledger_postings_whole')}`,
    attempt: async (sql) => {
      const id = await raw(sql, [['granted', credits(), 'usd', 1]]);
      await sql`insert into ledger_transfers (posting_id, nth, from_account, to_account, unit, amount)
        values (${id}, 2, 'granted', ${credits()}, 'usd', 1)`;
    },
  },
  {
    law: 'an event happens once',
    refused: 'ledger_postings_key_unique',
    without: constraintOff('ledger_postings', 'ledger_postings_key_unique'),
    attempt: async (sql) => {
      await raw(sql, [['granted', credits(), 'usd', 1]]);
      const [row] =
        await sql`insert into ledger_postings (key, kind, at) select key, kind, at from ledger_postings order by id desc limit 1 returning id`;
      await sql`insert into ledger_transfers (posting_id, nth, from_account, to_account, unit, amount)
        values (${row?.['id'] as string}, 1, 'granted', ${credits()}, 'usd', 1)`;
    },
  },
  {
    law: 'a recording has one open hold for a purpose and subject',
    refused: 'holds_open',
    without: 'drop index holds_open',
    attempt: async (sql) => {
      const meeting = newId();
      for (let i = 0; i < 2; i += 1) await raw(sql, [[credits(), held(), 'usd', 5]], await hold(sql, meeting));
    },
  },
  {
    law: 'a hold reserves something',
    refused: 'ledger_hold_whole',
    without: triggerOff('holds', 'holds_whole'),
    attempt: (sql) => hold(sql),
  },
  {
    law: 'nothing is reserved without a hold',
    refused: 'ledger_hold_whole',
    without: triggerOff('ledger_postings', 'ledger_postings_whole'),
    attempt: (sql) => raw(sql, [[credits(), held(), 'usd', 5]]),
  },
  {
    law: 'a settled hold leaves nothing reserved',
    refused: 'ledger_hold_whole',
    without: `${triggerOff('holds', 'holds_whole')}; ${triggerOff('ledger_postings', 'ledger_postings_whole')}`,
    attempt: async (sql) => {
      const id = await hold(sql);
      await raw(sql, [[credits(), held(), 'usd', 5]], id);
      await raw(sql, [[held(), 'revenue', 'usd', 4]], id);
      await sql`update holds set state = 'captured' where id = ${id}`;
    },
  },
  {
    law: 'an open hold is untouched',
    refused: 'ledger_hold_whole',
    without: `${triggerOff('holds', 'holds_whole')}; ${triggerOff('ledger_postings', 'ledger_postings_whole')}`,
    attempt: async (sql) => {
      const id = await hold(sql);
      await raw(sql, [[credits(), held(), 'usd', 5]], id);
      await raw(sql, [[held(), 'revenue', 'usd', 4]], id);
    },
  },
  {
    law: 'a hold is settled once',
    refused: 'ledger_only_added_to',
    without: triggerOff('holds', 'holds_settle_once'),
    attempt: async (sql) => {
      const id = await hold(sql);
      await raw(sql, [[credits(), held(), 'usd', 5]], id);
      await raw(sql, [[held(), credits(), 'usd', 5]], id);
      await sql`update holds set state = 'released' where id = ${id}`;
      await sql`update holds set state = 'captured' where id = ${id}`;
    },
  },
  {
    law: 'the lines of an event are those of its transfers',
    refused: 'ledger_lines_follow',
    without: triggerOff('ledger_postings', 'ledger_postings_whole'),
    attempt: async (sql) => {
      await sql.unsafe(triggerOff('ledger_lines', 'ledger_lines_by_transfers'));
      const id = await raw(sql, [['granted', 'revenue', 'usd', 1]]);
      await sql`insert into ledger_lines values (${purse}, 99, ${id}, 1, 0, 0)`;
    },
  },
  {
    law: 'a person has one purse',
    refused: 'purses_user_id_unique',
    without: constraintOff('purses', 'purses_user_id_unique'),
    attempt: (sql) =>
      sql`insert into purses (id, user_id, created_at) select ${newId()}, user_id, now() from purses where id = ${purse}`,
  },
  {
    law: 'each move of an event has its own place',
    refused: 'ledger_transfers_posting_id_nth_pk',
    without: constraintOff('ledger_transfers', 'ledger_transfers_posting_id_nth_pk'),
    attempt: async (sql) => {
      const [row] = await sql<{ id: string }[]>`
        insert into ledger_postings (key, kind, at) values (${newId()}, 'raw', now()) returning id::text`;
      await sql`insert into ledger_transfers (posting_id, nth, from_account, to_account, unit, amount)
        select ${row?.id ?? ''}, 1, 'granted', ${credits()}, 'usd', 1 from generate_series(1, 2)`;
    },
  },
  {
    law: 'an event is one line of a purse',
    refused: 'ledger_lines_posting',
    without: 'drop index ledger_lines_posting',
    attempt: async (sql) => {
      await sql.unsafe(triggerOff('ledger_lines', 'ledger_lines_by_transfers'));
      await sql`insert into ledger_lines select purse_id, 99, posting_id, 0, 0, 0 from ledger_lines where purse_id = ${purse} and nth = 1`;
    },
  },
  {
    law: 'each line of a purse has a number of its own',
    refused: 'ledger_lines_purse_id_nth_pk',
    without: `${constraintOff('ledger_lines', 'ledger_lines_purse_id_nth_pk')}; ${triggerOff('ledger_postings', 'ledger_postings_whole')}`,
    attempt: async (sql) => {
      await sql.unsafe(triggerOff('ledger_lines', 'ledger_lines_by_transfers'));
      const id = await raw(sql, [['granted', 'revenue', 'usd', 1]]);
      await sql`insert into ledger_lines values (${purse}, 1, ${id}, 1, 0, 0)`;
    },
  },
  {
    law: 'a recording is made a paid one once',
    refused: 'holds_once',
    without: 'drop index holds_once',
    attempt: async (sql) => {
      const meeting = newId();
      await twice(async () => {
        const id = await hold(sql, meeting, 'open', 'upgrade');
        await raw(sql, [[credits(), held(), 'usd', 5]], id);
        await raw(sql, [[held(), 'revenue', 'usd', 5]], id);
        await sql`update holds set state = 'captured' where id = ${id}`;
      });
    },
  },
  {
    law: 'a hold is open, taken or returned',
    refused: 'holds_state',
    without: `${constraintOff('holds', 'holds_state')}; ${triggerOff('holds', 'holds_whole')}`,
    attempt: (sql) => hold(sql, newId(), 'lost'),
  },
  {
    law: 'a request is answered once',
    refused: 'request_answers_user_id_request_id_pk',
    without: constraintOff('request_answers', 'request_answers_user_id_request_id_pk'),
    attempt: (sql) =>
      twice(
        () => sql`insert into request_answers (user_id, request_id, fingerprint, status, at)
          select user_id, 'one', 'x', 200, now() from purses where id = ${purse}`,
      ),
  },
  {
    law: 'a request begins one purchase',
    refused: 'purchases_request',
    without: 'drop index purchases_request',
    attempt: (sql) => twice(() => purchase(sql, { request: 'one' })),
  },
  {
    law: 'a payment page is of one purchase',
    refused: 'purchases_checkout_id_unique',
    without: constraintOff('purchases', 'purchases_checkout_id_unique'),
    attempt: (sql) => twice(() => purchase(sql, { checkout: 'cs_one' })),
  },
  {
    law: 'a purchase is of an amount',
    refused: 'purchases_amount',
    without: constraintOff('purchases', 'purchases_amount'),
    attempt: (sql) => purchase(sql, { amount: 0 }),
  },
  {
    law: 'a purchase is in a state that is known',
    refused: 'purchases_state',
    without: constraintOff('purchases', 'purchases_state'),
    attempt: (sql) => purchase(sql, { state: 'lost' }),
  },
  {
    law: 'a person has a plan once',
    refused: 'subscriptions_one',
    without: 'drop index subscriptions_one',
    attempt: (sql) => twice(() => plan(sql)),
  },
  {
    law: 'a plan at the payment service is of one person',
    refused: 'subscriptions_service_id_unique',
    without: constraintOff('subscriptions', 'subscriptions_service_id_unique'),
    attempt: (sql) => twice(() => plan(sql, { name: newId(), service: 'sub_one' })),
  },
  {
    law: 'a plan is in a state that is known',
    refused: 'subscriptions_state',
    without: constraintOff('subscriptions', 'subscriptions_state'),
    attempt: (sql) => plan(sql, { state: 'lost' }),
  },
  {
    law: 'the payment service is told a thing once',
    refused: 'payment_calls_object',
    without: 'drop index payment_calls_object',
    attempt: (sql) =>
      twice(
        () => sql`insert into payment_calls (id, kind, object, next_at) values (${newId()}, 'end', 'sub_one', now())`,
      ),
  },
  {
    law: 'a database has one name at the payment service',
    refused: 'payment_house_one',
    without: constraintOff('payment_house', 'payment_house_one'),
    attempt: (sql) => sql`insert into payment_house (one, id) values (false, 'other')`,
  },
  {
    law: 'a promo code is used as often as it may',
    refused: 'promo_codes_used',
    without: constraintOff('promo_codes', 'promo_codes_used'),
    attempt: (sql) => promo(sql, 2),
  },
  {
    law: 'a person uses a promo code once',
    refused: 'promo_uses_code_purse_id_pk',
    without: constraintOff('promo_uses', 'promo_uses_code_purse_id_pk'),
    attempt: async (sql) => {
      const code = await promo(sql);
      await twice(async () => {
        const id = newId();
        await purchase(sql, { id });
        await sql`insert into promo_uses (code, purse_id, purchase_id) values (${code}, ${purse}, ${id})`;
      });
    },
  },
  {
    law: 'a gift is of an amount',
    refused: 'gifts_amount',
    without: constraintOff('gifts', 'gifts_amount'),
    attempt: (sql) => gift(sql, 0, 'waiting'),
  },
  {
    law: 'a gift that was taken has its taker',
    refused: 'gifts_state',
    without: constraintOff('gifts', 'gifts_state'),
    attempt: (sql) => gift(sql, 1, 'taken'),
  },
  {
    law: 'a link of an invitation is of one person',
    refused: 'referral_links_code_unique',
    without: constraintOff('referral_links', 'referral_links_code_unique'),
    attempt: async (sql) => {
      for (const user of [newId(), newId()]) {
        await sql`insert into users (id, email, email_key, first_name, last_name) values (${user}, ${user}, ${user}, 'Ann', 'Test')`;
        await sql`insert into referral_links (user_id, code) values (${user}, 'one')`;
      }
    },
  },
  {
    law: 'an account that was invited is rewarded once',
    refused: 'referrals_pkey',
    without: constraintOff('referrals', 'referrals_pkey'),
    attempt: (sql) =>
      twice(() => sql`insert into referrals (user_id, purse_id) select user_id, id from purses where id = ${purse}`),
  },
  {
    law: 'a team pays no more for a member than their quota',
    refused: 'allowances_used',
    without: constraintOff('allowances', 'allowances_used'),
    attempt: async (sql) => {
      const team = newId();
      await sql`insert into groups (id, type, name, created_at) values (${team}, 'team', 'Team', now())`;
      await sql`insert into allowances (group_id, user_id, quota, used) select ${team}, user_id, 1, 2 from purses where id = ${purse}`;
    },
  },
  {
    law: 'a member has one quota in a team',
    refused: 'allowances_group_id_user_id_pk',
    without: constraintOff('allowances', 'allowances_group_id_user_id_pk'),
    attempt: async (sql) => {
      const team = newId();
      await sql`insert into groups (id, type, name, created_at) values (${team}, 'team', 'Team', now())`;
      await twice(
        () =>
          sql`insert into allowances (group_id, user_id, quota) select ${team}, user_id, 1 from purses where id = ${purse}`,
      );
    },
  },
];

/** Tables whose rules are laws of money. */
const lawful = [
  ...['purses', 'ledger_accounts', 'ledger_postings', 'ledger_transfers', 'ledger_lines', 'holds', 'request_answers'],
  ...['purchases', 'subscriptions', 'payment_calls', 'payment_house', 'promo_codes', 'promo_uses', 'gifts'],
  ...['referral_links', 'referrals', 'allowances'],
];

class Undone extends Error {}

/** The law that refuses an attempt; null if it stands at commit. Nothing of it stays. */
async function lawAgainst(attempt: Law['attempt'], without?: string): Promise<string | null> {
  try {
    await house.database.sql.begin(async (sql) => {
      if (without) for (const one of without.split('; ')) await sql.unsafe(one);
      await attempt(sql);
      await sql`set constraints all immediate`;
      throw new Undone();
    });
  } catch (error) {
    if (error instanceof Undone) return null;
    return lawOf(error) ?? String(error);
  }
  return null;
}

test.for(laws)('$law', async ({ refused, without, attempt }) => {
  expect(await lawAgainst(attempt)).toBe(refused);
  expect(await lawAgainst(attempt, without)).toBe(null);
});

test('every law of the migration has an attempt at it', async () => {
  // A key of one column only names its row; `ledger_accounts_unit` is there for the foreign keys, which are tried.
  const rows = await house.database.sql<{ name: string }[]>`
    with tables as (select oid from pg_class where relkind = 'r' and relname = any (${lawful}::text[]))
    select conname as name from pg_constraint join tables on conrelid = tables.oid where contype = 'c'
    union select tgname from pg_trigger join tables on tgrelid = tables.oid
      where not tgisinternal and tgname like any (array['ledger%', 'holds%'])
    union select c.relname from pg_index i join tables on i.indrelid = tables.oid join pg_class c on c.oid = i.indexrelid
      where i.indisunique and (not i.indisprimary or i.indnatts > 1) and c.relname <> 'ledger_accounts_unit'`;
  expect(rows.length).toBeGreaterThan(35);
  const dropped = laws.map(({ without }) => without).join('; ');
  expect(rows.map(({ name }) => name).filter((name) => !dropped.includes(name))).toEqual([]);
});

test('an event reads no more rows after thousands of others', async () => {
  const spent = { from: `${purse}/credits`, to: 'revenue', unit: 'usd', amount: '1' };
  const write = async (sql: TransactionSql, key: string) =>
    sql`select ledger_post(${key}, 'test', null, null, null, null, '{}'::jsonb, now(), ${JSON.stringify([spent])}::text::jsonb)`;
  const rowsRead = () =>
    house.database.sql.begin(async (sql) => {
      await write(sql, newId());
      await sql`set constraints all immediate`;
      const [row] = await sql<{ read: number }[]>`
        select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_xact_user_tables
        where relname in ('ledger_postings', 'ledger_transfers', 'ledger_lines', 'ledger_accounts', 'purses')`;
      return row?.read ?? Infinity;
    });
  const before = await rowsRead();
  await house.database.sql.begin(async (sql) => {
    for (let i = 0; i < 2000; i += 100) await Promise.all(Array.from({ length: 100 }, () => write(sql, newId())));
  });
  expect(await rowsRead()).toBeLessThan(before + 20);
});
