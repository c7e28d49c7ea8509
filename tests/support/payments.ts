import { AsyncLocalStorage } from 'node:async_hooks';
import { stripePayments } from '#server/outside/stripe.ts';
import { openPractice, type Practice } from '#server/outside/practice/open-practice.ts';
import { promoCodes } from '#db/schema/payments.ts';
import { MovableClock } from './clock.ts';
import { openHouse, type HouseOptions, type TestHouse } from './house.ts';
import type { Person } from './people.ts';

/** A house whose payments are practised by a service that the test can disturb. */
export interface Shop {
  house: TestHouse;
  practice: Practice;
  close(): Promise<void>;
}

/** Events are sent by the test alone, unless `tells`. */
export async function openShop({ tells = false, ...options }: HouseOptions & { tells?: boolean } = {}): Promise<Shop> {
  const clock = new MovableClock();
  const practice = await openPractice({ clock, file: null, tax: options.env?.['STRIPE_TAX'] === 'on' });
  const house = await openHouse({ clock, ...options, house: { payments: stripePayments(practice.access) } });
  await practice.tellTo(`${house.origin}/api/stripe/webhook`);
  if (!tells) practice.held = [];
  return {
    house: { ...house, clock },
    practice,
    async close() {
      await house.close();
      await practice.close();
    },
  };
}

/** Notes from now on each call of the payment service that is made inside a transaction of the database. */
export function callsInTransactions({ house }: Shop): readonly string[] {
  const inside = new AsyncLocalStorage<true>();
  const found: string[] = [];
  const { orm } = house.house.db;
  const begin = orm.transaction.bind(orm);
  orm.transaction = (work, config) => begin((tx) => inside.run(true, () => work(tx)), config);
  const payments = house.house.payments as unknown as Record<string, unknown>;
  for (const [name, call] of Object.entries(payments)) {
    if (typeof call !== 'function') continue;
    payments[name] = (...given: unknown[]): unknown => {
      if (inside.getStore()) found.push(name);
      return Reflect.apply(call, payments, given);
    };
  }
  return found;
}

/** Chooses on the payment page like a person; answers where it leads. */
export async function onPage(url: string, action: 'pay' | 'later' | 'decline' | 'leave'): Promise<string | null> {
  const body = new URLSearchParams({ action });
  const answer = await fetch(url, { method: 'POST', body, redirect: 'manual' });
  await answer.arrayBuffer();
  return answer.headers.get('location');
}

/** Sends all events that wait, in an order of the test's choice. */
export async function tell(
  { practice }: Shop,
  order: 'as they came' | 'backwards' = 'as they came',
): Promise<boolean[]> {
  const events = practice.held?.splice(0) ?? [];
  const sent: boolean[] = [];
  for (const event of order === 'backwards' ? events.toReversed() : events) sent.push(await practice.send(event));
  return sent;
}

/** Buys credits, pays and lets the event arrive. */
export async function bought(shop: Shop, person: Person, balance: string): Promise<string> {
  const { body } = await person.post('/api/credits/purchase', { balance });
  await onPage(body.url, 'pay');
  await tell(shop);
  return body.id;
}

export async function makePromo({ house }: Shop, code: string, bonus: bigint, limit: number): Promise<void> {
  await house.database.orm.insert(promoCodes).values({ code, bonus, least: 0n, limit, expiresAt: null });
}

/** Balances of a person and of the house, in dollars and minutes. */
export async function booksOf({ house }: Shop, person: Person) {
  const own = await house.database.ask(
    (sql) => sql<{ name: string; balance: string }[]>`
      select a.name, sum(a.balance)::text as balance from ledger_accounts a join purses p on p.id = a.purse_id
      where p.user_id = ${person.id} and coalesce(a.source, '') <> 'trial' group by a.name`,
  );
  const all = await house.database.ask(
    (sql) => sql<{ name: string; balance: string }[]>`
      select name, sum(amount)::text as balance from (
        select to_account as name, amount from ledger_transfers union all select from_account, -amount from ledger_transfers
      ) moves where name !~ '/' group by name`,
  );
  const of = (rows: { name: string; balance: string }[], name: string) =>
    Number(rows.find((row) => row.name === name)?.balance ?? 0);
  return {
    credits: of(own, 'credits') / 1e6,
    debt: of(own, 'debt') / 1e6,
    minutes: of(own, 'lot') / 60,
    stripe: of(all, 'stripe') / 1e6,
    tax: of(all, 'tax') / 1e6,
    revenue: of(all, 'revenue') / 1e6,
    promo: of(all, 'promo') / 1e6,
    unclaimed: of(all, 'unclaimed') / 1e6,
  };
}
