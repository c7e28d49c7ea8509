// A server that is killed while it settles a plan, or what went back to the payer, and while it sells for credits: each
// happens once, and the repeated request has its answer. Purchases of credits are in payments.test.ts, paid work in paid-work.test.ts.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { promoCodes } from '#db/schema/payments.ts';
import { differencesIn } from '#server/billing/books.ts';
import { systemClock } from '#server/clock.ts';
import type { PracticeAccount } from '#server/outside/practice/account.ts';
import { openPractice, type Practice } from '#server/outside/practice/open-practice.ts';
import { newId } from '#shared/ids.ts';
import { creditsLeft, giveCredits, minutesLeft } from '#tests/support/billing.ts';
import { makeUser } from '#tests/support/crash.ts';
import { Killable, type Victims } from '#tests/support/kills.ts';
import { onPage } from '#tests/support/payments.ts';
import { Person } from '#tests/support/people.ts';
import { endProcesses } from '#tests/support/processes.ts';

vi.setConfig({ testTimeout: 180_000 });

let practice: Practice;
let server: Killable;
/** Whether a server that has started hears of what happened meanwhile. */
let tells = true;
let buyer: Awaited<ReturnType<typeof makeUser>>;

const webhook = () => `${server.house.origin}/api/stripe/webhook`;

beforeAll(async () => {
  practice = await openPractice({ clock: systemClock, file: null, tax: false });
  const { secretKey, publishableKey, webhookSecrets } = practice.access;
  server = await Killable.open('settling', {
    env: {
      ...{ STRIPE_SECRET_KEY: secretKey, STRIPE_PUBLISHABLE_KEY: publishableKey },
      ...{ STRIPE_WEBHOOK_SECRET: webhookSecrets.join(','), STRIPE_API_URL: practice.origin },
    },
    started: async ({ origin }) => {
      if (tells) await practice.tellTo(`${origin}/api/stripe/webhook`);
    },
  });
}, 120_000);
afterAll(async () => {
  endProcesses();
  await server?.close();
  await practice?.close();
});

/** The same person, at the current address of the server. */
const ann = (): Person =>
  Object.assign(new Person(server.house.origin), { ...buyer, cookies: new Map([buyer.cookie]) });
const newcomer = async () => {
  buyer = await makeUser(server.database);
};
const post = (path: string, body: object, id = newId()) => ann().post(path, body, { headers: { 'X-Request-ID': id } });
const credits = () => creditsLeft(server, buyer);
const minutes = () => minutesLeft(server, buyer);
const isPaid = async (id: string) => {
  const state = async () => (await ann().get(`/api/credits/purchases/${id}`)).body?.state;
  await expect.poll(state, { timeout: 60_000 }).toBe('paid');
};
const booksAreRight = async () => expect(await differencesIn(server.database.sql)).toEqual([]);

/** Everything that came in at the service, less what went back, beside the books. */
const atService = () => practice.account.movements().reduce((sum, { amount }) => sum + amount, 0);
const inBooks = async (): Promise<number> => {
  const [row] = await server.database.sql<{ sum: string }[]>`
    select coalesce(sum(case when from_account = 'stripe' then amount else -amount end), 0)::text as sum
    from ledger_transfers where 'stripe' in (from_account, to_account)`;
  return Number(row?.sum) / 10_000;
};

/** Pays on the page of a purchase or a plan. */
async function paid(path: string, body: object): Promise<{ id: string; page: string }> {
  const answer = await post(path, body);
  expect(answer.status, answer.text).toBe(200);
  const { id, url, stripeCheckoutSessionId: page } = answer.body;
  await onPage(url, 'pay');
  await isPaid(id);
  return { id, page };
}

test.for<[string, string, Victims]>([
  ['its plan is stored', 'before insert on subscriptions for each row', 'alone'],
  [
    'its period is booked',
    "before insert on ledger_postings for each row when (new.kind = 'period')",
    'with its PostgreSQL',
  ],
])('a plan is paid once, killed while %s', async ([, change, victims]) => {
  await newcomer();
  const { body } = await post('/api/plans/purchase', { planName: 'professional' });
  await server.killedWhile(victims, change, () => onPage(body.url, 'pay'));
  await isPaid(body.id);
  expect(await minutes()).toBe(1000);
  const rows = await server.database.sql<{ state: string }[]>`
    select s.state from subscriptions s join purses p on p.id = s.purse_id where p.user_id = ${buyer.id}`;
  expect(rows.map(({ state }) => state)).toEqual(['active']);
  await expect.poll(inBooks).toBe(atService());
  await booksAreRight();
});

test('a plan is cancelled, killed while that is noted', async () => {
  await newcomer();
  const { page } = await paid('/api/plans/purchase', { planName: 'professional' });
  const id = newId();
  const cancel = () => post('/api/plans/cancel', { planName: 'professional' }, id);
  // The request alone notes it: no event does.
  practice.held = [];
  tells = false;
  try {
    await server.killedWhile('alone', 'before update of cancelled on subscriptions for each row', cancel);
    expect([(await cancel()).status, (await cancel()).status]).toEqual([204, 204]);
  } finally {
    practice.held = null;
    tells = true;
    await practice.tellTo(webhook());
  }
  const { subscription } = practice.account.session(page);
  expect(practice.account.subscription(subscription as string).cancel_at_period_end).toBe(true);
  const [row] = await server.database.sql`
    select s.cancelled, s.state from subscriptions s join purses p on p.id = s.purse_id where p.user_id = ${buyer.id}`;
  expect(row).toEqual({ cancelled: true, state: 'active' });
});

const dispute = (account: PracticeAccount, payment: string) => account.createDispute(payment, 'needs_response').id;

type Back = () => unknown;

test.for<[string, string, Victims, (payment: string) => Back | Promise<Back>, number]>([
  [
    'a refund is taken',
    "new.kind = 'refund'",
    'alone',
    (payment) => () => practice.account.createRefund(payment, 400),
    6,
  ],
  [
    'a dispute is taken',
    "new.kind = 'dispute'",
    'with its PostgreSQL',
    (payment) => () => dispute(practice.account, payment),
    0,
  ],
  [
    'a won dispute comes back',
    "new.key like '%:won'",
    'with its PostgreSQL',
    async (payment) => {
      const id = dispute(practice.account, payment);
      await expect.poll(credits).toBe(0);
      return () => practice.account.endDispute(id, 'won');
    },
    10,
  ],
])('killed while %s, it happens once', async ([, when, victims, prepare, left]) => {
  await newcomer();
  const { page } = await paid('/api/credits/purchase', { balance: 10 });
  const act = await prepare(practice.account.session(page).payment_intent as string);
  const change = `before insert on ledger_postings for each row when (${when})`;
  await server.killedWhile(victims, change, () => Promise.resolve(act()));
  await expect.poll(credits, { timeout: 60_000 }).toBe(left);
  await practice.settled();
  expect([await credits(), await inBooks()]).toEqual([left, atService()]);
  await booksAreRight();
});

test('a promo code is used once, killed while it is reserved', async () => {
  await newcomer();
  const code = newId(8).toUpperCase();
  await server.database.orm
    .insert(promoCodes)
    .values({ code, bonus: 1_000_000n, least: 0n, limit: 5, expiresAt: null });
  const id = newId();
  const buy = () => post('/api/credits/purchase', { balance: 10, promoCode: code }, id);
  await server.killedWhile('with its PostgreSQL', 'before insert on promo_uses for each row', buy);
  const { status, body } = await buy();
  expect(status).toBe(200);
  await onPage(body.url, 'pay');
  await isPaid(body.id);
  expect(await credits()).toBe(11);
  const [row] = await server.database.sql`
    select used, (select count(*)::int from promo_uses u where u.code = c.code) as uses from promo_codes c where code = ${code}`;
  expect(row).toEqual({ used: 1, uses: 1 });
  await booksAreRight();
});

test('a purchase is told of once, killed while its mail is queued', async () => {
  await newcomer();
  const { body } = await post('/api/credits/purchase', { balance: 10 });
  await server.killedWhile('alone', 'before insert on mail_outbox for each row', () => onPage(body.url, 'pay'));
  await isPaid(body.id);
  await practice.settled();
  expect(await credits()).toBe(10);
  const mails = await server.database.sql`select 1 from mail_outbox where to_address = ${buyer.email}`;
  expect(mails).toHaveLength(1);
  await booksAreRight();
});

test.for<[string, Victims, string, object, number, number]>([
  ['gift', 'alone', '/api/gift', { balance: '3' }, 197, 0],
  ['bundle', 'with its PostgreSQL', '/api/plan', { plan: 'bundle300', balance: '36' }, 164, 300],
  ['plan', 'alone', '/api/plan', { plan: 'professional', balance: '75' }, 125, 1000],
])('a %s is paid from credits once, killed while it is booked', async ([kind, victims, path, fields, left, got]) => {
  await newcomer();
  const ben = await makeUser(server.database);
  await giveCredits(server, buyer, '200');
  const body = kind === 'gift' ? { ...fields, recipient: ben.email } : fields;
  const id = newId();
  const act = () => post(path, body, id);
  const change = `before insert on ledger_postings for each row when (new.kind = '${kind}')`;
  await server.killedWhile(victims, change, act);
  expect([(await act()).status, (await act()).status]).toEqual([200, 200]);
  expect([await credits(), await minutes()]).toEqual([left, got]);
  expect(await creditsLeft(server, ben)).toBe(kind === 'gift' ? 3 : 0);
  await booksAreRight();
});
