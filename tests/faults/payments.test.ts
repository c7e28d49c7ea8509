// A server that is killed at any step between the payment page and our books, alone or with its PostgreSQL: nobody pays
// twice, and everything that was paid arrives once.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '#shared/ids.ts';
import { differencesIn } from '#server/billing/books.ts';
import { Killable, type Victims } from '#tests/support/kills.ts';
import { onPage } from '#tests/support/payments.ts';
import { Person, signUp } from '#tests/support/people.ts';
import { endProcesses } from '#tests/support/processes.ts';

let server: Killable;
let cookies: Person['cookies'];
const email = 'ann@example.test';
/** The same person, at the current address of the server. */
const ann = () => Object.assign(new Person(server.house.origin), { cookies, email });

beforeAll(async () => {
  server = await Killable.open('payments');
  ({ cookies } = await signUp(server.house.origin, email));
}, 120_000);
afterAll(async () => {
  endProcesses();
  await server?.close();
});

const credits = async (): Promise<number> => {
  const [row] = await server.database.sql<{ credits: string }[]>`
    select coalesce(sum(a.balance), 0)::text as credits from ledger_accounts a where a.name = 'credits'`;
  return Number(row?.credits) / 1e6;
};
const received = async (): Promise<number> => {
  const [row] = await server.database.sql<{ sum: string }[]>`
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
    if (step === 'buying') await server.killedWhile(victims, change, buy);
    const { status, body } = await buy();
    expect(status).toBe(200);
    const pay = () => onPage(body.url, 'pay');
    if (step === 'paying') await server.killedWhile(victims, change, pay);
    else expect(await pay()).toContain(body.id);
    await expect
      .poll(async () => (await ann().get(`/api/credits/purchases/${body.id}`)).body?.state, { timeout: 30_000 })
      .toBe('paid');
    // A second payment on the same page is refused.
    expect(await pay()).toBeNull();
    expect([(await credits()) - creditsBefore, (await received()) - receivedBefore]).toEqual([10, 10]);
    const rows = await server.database.sql`select 1 from purchases where request_id = ${id}`;
    expect(rows).toHaveLength(1);
    expect(await differencesIn(server.database.sql)).toEqual([]);
  });
});
