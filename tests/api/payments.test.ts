// Each payment is booked once, whatever happens to its events (server/billing/settle.ts).
import { createHash } from 'node:crypto';
import type { Stripe } from 'stripe';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sweepClosedPurses } from '#server/billing/closing.ts';
import { createDesk, sweepHolds, sweepLots } from '#server/billing/desk.ts';
import { planPricesOf } from '#server/billing/minute-price.ts';
import { listDebts } from '#server/billing/operator.ts';
import {
  compareMovements,
  reconcileNow,
  settleOpen,
  settlePeriods,
  settleUndelivered,
} from '#server/billing/reconcile.ts';
import { transaction } from '#server/context.ts';
import { rules } from '#server/limits.ts';
import { stripePayments } from '#server/outside/stripe.ts';
import { trialMinutes } from '#shared/billing.ts';
import { newId } from '#shared/ids.ts';
import { refusingIn } from '#tests/support/database.ts';
import { beginProcessing, createMeeting } from '#tests/support/intake.ts';
import {
  booksOf,
  bought,
  callsInTransactions,
  makePromo,
  onPage,
  openShop,
  tell,
  type Shop,
} from '#tests/support/payments.ts';
import { Person } from '#tests/support/people.ts';

let shop: Shop;
let ann: Person;
let insideTransactions: readonly string[];
beforeAll(async () => {
  shop = await openShop();
  insideTransactions = callsInTransactions(shop);
});
afterAll(() => shop.close());
const newcomer = async () => {
  ann = await shop.house.person();
  return ann;
};
const buy = (body: object, id = newId()) =>
  ann.post('/api/credits/purchase', body, { headers: { 'X-Request-ID': id } });
const refusing = (change: string, work: () => Promise<unknown>) => refusingIn(shop.house, change, work);

describe('A purchase of credits', () => {
  test('is booked when it is paid, and told to the person', async () => {
    await newcomer();
    const begun = await buy({ balance: '20,50', successUrl: '/balance?success=20.50', cancelUrl: '/buy-credits' });
    expect(begun.body).toEqual({
      stripeCheckoutSessionId: expect.stringMatching(/^cs_/),
      url: expect.stringContaining(shop.practice.origin),
      id: expect.any(String),
    });
    const state = async () => (await ann.get(`/api/credits/purchases/${begun.body.id}`)).body;
    expect(await state()).toMatchObject({ state: 'waiting', balance: '20.50', plan: null });
    const back = new URL((await onPage(begun.body.url, 'pay')) ?? '');
    expect(back.pathname + back.search).toBe(`/balance?success=20.50&purchase=${begun.body.id}`);
    // The page that a person returns to needs no event.
    expect(await state()).toMatchObject({ state: 'paid' });
    expect(await booksOf(shop, ann)).toMatchObject({ credits: 20.5, debt: 0 });
    await tell(shop);
    expect(await booksOf(shop, ann)).toMatchObject({ credits: 20.5 });
    const mails = (await shop.house.mails(ann.email)).filter(({ text }) => text.includes('20.50 credits'));
    expect(mails).toHaveLength(1);
    expect(mails[0]?.text).toContain('test payment');
    expect((await ann.get('/api/shop')).body.recentCreditsPurchase).toMatchObject({ balance: '20.50' });
  });

  test('is named as the language of its buyer writes it, and marked as a test in their table', async () => {
    await newcomer();
    for (const [language, name] of [
      ['en', 'Colloquy: 20.50 credits'],
      ['es', 'Colloquy: 20,50 créditos'],
      ['ru', 'Colloquy: кредиты, 20,50'],
      ['zh', 'Colloquy: 20.50 点数'],
    ] as const) {
      await shop.house.database.ask((sql) => sql`update users set language = ${language} where id = ${ann.id}`);
      const { body } = await buy({ balance: '20.50' });
      expect(shop.practice.account.order(body.stripeCheckoutSessionId).name).toBe(name);
    }
    await bought(shop, ann, '5');
    const [head, paid, trial] = (await ann.get('/api/transactions.csv')).text.split('\r\n');
    expect([head, paid, trial]).toEqual([
      expect.stringMatching(/,"Test payment"$/),
      expect.stringMatching(/"purchase",5\.00.*,"yes"$/),
      expect.stringMatching(/"trial".*,""$/),
    ]);
  });

  test('is booked once, however often and in whatever order its events come', async () => {
    await newcomer();
    const { body } = await buy({ balance: 10 });
    await onPage(body.url, 'pay');
    const events = [...(shop.practice.held ?? [])];
    await tell(shop, 'backwards');
    await Promise.all([...events, ...events].map((event) => shop.practice.send(event)));
    shop.house.clock.forward(86_400);
    await Promise.all(events.map((event) => shop.practice.send(event)));
    expect(await booksOf(shop, ann)).toMatchObject({ credits: 10 });
  });

  test.each([
    ['settleOpen', settleOpen, 301],
    ['settleUndelivered', settleUndelivered, 0],
    ['compareMovements', compareMovements, 0],
  ])('of which no event came is found by %s', async (_, repair, seconds) => {
    await newcomer();
    const { body } = await buy({ balance: 7 });
    await onPage(body.url, 'pay');
    shop.practice.held?.splice(0);
    shop.house.clock.forward(seconds);
    expect(await booksOf(shop, ann)).toMatchObject({ credits: 0 });
    await repair(shop.house.house);
    expect(await booksOf(shop, ann)).toMatchObject({ credits: 7 });
    expect(await compareMovements(shop.house.house)).toBe(0);
  });

  test('whose event cannot be used at this moment has the round of repairs tried again', async () => {
    await newcomer();
    const { body } = await buy({ balance: 7 });
    await onPage(body.url, 'pay');
    shop.practice.held?.splice(0);
    await refusing('insert on ledger_postings for each row', () =>
      expect(settleUndelivered(shop.house.house)).rejects.toThrow('could not be used yet'),
    );
    await settleUndelivered(shop.house.house);
    expect(await booksOf(shop, ann)).toMatchObject({ credits: 7 });
  });

  test.each([
    // The first one that the step looks at cannot be booked.
    ['settleOpen', settleOpen, 0],
    ['compareMovements', compareMovements, 1],
  ])('that cannot be booked at this moment keeps no other one from %s', async (_, repair, first) => {
    const bills: { person: Person; id: string }[] = [];
    for (let n = 0; n < 2; n += 1) {
      const person = await newcomer();
      const { body } = await buy({ balance: 7 });
      await onPage(body.url, 'pay');
      bills.push({ person, id: body.id });
    }
    shop.practice.held?.splice(0);
    shop.house.clock.forward(301);
    const credits = () => Promise.all(bills.map(async ({ person }) => (await booksOf(shop, person)).credits));
    const booked = (n: number) => (n === first ? 0 : 7);
    await refusing(
      `insert on ledger_postings for each row when (new.details->>'purchase' = '${bills[first]?.id}')`,
      () => expect(repair(shop.house.house)).rejects.toThrow('could not be settled yet'),
    );
    expect(await credits()).toEqual([0, 1].map(booked));
    await repair(shop.house.house);
    expect(await credits()).toEqual([7, 7]);
  });

  test('whose page the payment service does not know any more has failed after its hour, and gives its promo code back', async () => {
    await newcomer();
    await makePromo(shop, 'GONE', 1_000_000n, 1);
    const { body } = await buy({ balance: 7, promoCode: 'GONE' });
    await shop.house.database.ask(
      (sql) => sql`update purchases set checkout_id = ${`cs_test_${newId()}`} where id = ${body.id}`,
    );
    const seen = async () => {
      await settleOpen(shop.house.house);
      return shop.house.database.sql<{ state: string; used: number }[]>`
        select p.state, c.used from purchases p join promo_codes c on c.code = p.promo_code where p.id = ${body.id}`;
    };
    shop.house.clock.forward(301);
    expect(await seen()).toEqual([{ state: 'open', used: 1 }]);
    shop.house.clock.forward(3300);
    expect(await seen()).toEqual([{ state: 'expired', used: 0 }]);
  });

  test('is not asked for one by one where the payment service cannot be reached', async () => {
    await newcomer();
    for (let n = 0; n < 3; n += 1) await buy({ balance: 7 });
    shop.house.clock.forward(301);
    shop.practice.faults.lose = 1000;
    try {
      await expect(settleOpen(shop.house.house)).rejects.toMatchObject({ errors: [{ code: 'UPSTREAM' }] });
    } finally {
      shop.practice.faults.lose = 0;
    }
  });

  test('that is declined or left brings nothing; its page closes after an hour', async () => {
    await newcomer();
    const { body } = await buy({ balance: 7 });
    expect(await onPage(body.url, 'decline')).toBeNull();
    expect(await onPage(body.url, 'leave')).toContain(`/buy-credits?purchase=${body.id}`);
    shop.house.clock.forward(3601);
    shop.practice.account.advance();
    await tell(shop);
    expect((await ann.get(`/api/credits/purchases/${body.id}`)).body.state).toBe('failed');
    expect(await booksOf(shop, ann)).toMatchObject({ credits: 0 });
  });

  test('cannot be paid any more when its account is deleted, and gives its promo code back', async () => {
    await newcomer();
    await makePromo(shop, 'LEAVING', 1_000_000n, 1);
    const { body } = await buy({ balance: 7, promoCode: 'LEAVING' });
    expect((await ann.post('/api/principals/me/delete', { password: ann.password, reason: 'tooSlow' })).status).toBe(
      204,
    );
    await reconcileNow(shop.house.house);
    await reconcileNow(shop.house.house);
    await onPage(body.url, 'pay');
    await tell(shop);
    const [row] = await shop.house.database.sql<{ state: string; used: number }[]>`
      select p.state, c.used from purchases p join promo_codes c on c.code = p.promo_code where p.id = ${body.id}`;
    expect(row).toEqual({ state: 'expired', used: 0 });
    expect(await shop.house.database.sql`select 1 from payment_calls where kind = 'expire'`).toEqual([]);
  });

  test('may be paid later', async () => {
    await newcomer();
    const { body } = await buy({ balance: 7 });
    await onPage(body.url, 'later');
    await tell(shop);
    expect((await ann.get(`/api/credits/purchases/${body.id}`)).body.state).toBe('pending');
    shop.house.clock.forward(61);
    shop.practice.account.advance();
    await tell(shop);
    expect((await ann.get(`/api/credits/purchases/${body.id}`)).body.state).toBe('paid');
    expect(await booksOf(shop, ann)).toMatchObject({ credits: 7 });
  });

  test('that was promised for later and is refused has failed, and gives its promo code back', async () => {
    await newcomer();
    await makePromo(shop, 'PROMISED', 1_000_000n, 1);
    const { body } = await buy({ balance: 7, promoCode: 'PROMISED' });
    await onPage(body.url, 'later');
    await tell(shop);
    shop.practice.account.refuseLater(body.stripeCheckoutSessionId);
    await tell(shop);
    const [row] = await shop.house.database.sql<{ state: string; used: number }[]>`
      select p.state, c.used from purchases p join promo_codes c on c.code = p.promo_code where p.id = ${body.id}`;
    expect(row).toEqual({ state: 'expired', used: 0 });
    expect((await ann.get(`/api/credits/purchases/${body.id}`)).body.state).toBe('failed');
    shop.house.clock.forward(61);
    shop.practice.account.advance();
    await tell(shop);
    await reconcileNow(shop.house.house);
    expect(await booksOf(shop, ann)).toMatchObject({ credits: 0 });
  });

  test('is asked about as often as its page likes, and another one can begin', async () => {
    await newcomer();
    const { body } = await buy({ balance: 7 });
    const state = async () => (await ann.get(`/api/credits/purchases/${body.id}`)).body.state;
    const asked = new Set<string>();
    for (let n = 0; n < rules.purchaseStates.most; n += 1) asked.add(await state());
    expect([...asked]).toEqual(['waiting']);
    expect((await buy({ balance: 8 })).status).toBe(200);
    // The payment service is not asked any more, until a minute is over; its event is heard all the same.
    await onPage(body.url, 'pay');
    expect(await state()).toBe('waiting');
    await tell(shop);
    expect(await state()).toBe('paid');
  });

  test('opens one page for one request, also after answers that were lost', async () => {
    await newcomer();
    const id = newId();
    const first = await buy({ balance: 5 }, id);
    expect((await buy({ balance: 5 }, id)).body).toEqual(first.body);
    expect((await buy({ balance: 6 }, id)).problem.code).toBe('IDEMP');
    const again = newId();
    shop.practice.faults.fail = 4;
    expect((await buy({ balance: 5 }, again)).status).toBe(502);
    shop.practice.faults.fail = 0;
    const page = await buy({ balance: 5 }, again);
    expect(page.status).toBe(200);
    expect(shop.practice.account.sessions().filter((one) => one.client_reference_id === page.body.id)).toHaveLength(1);
  });

  test.each([
    '0',
    '0.99',
    '-5',
    '+5',
    '1e3',
    '10000.01',
    '5.001',
    '٥',
    '５',
    'NaN',
    '0x10',
    '1000000000000000000',
    '',
    null,
  ])('of %s is refused', async (balance) => {
    await newcomer();
    const { status, problem } = await buy({ balance });
    expect([status, problem.info.errors[0]?.field]).toEqual([422, 'balance']);
  });

  test.each([
    ['successUrl', 'https://evil.example/balance'],
    ['successUrl', '//evil.example'],
    ['successUrl', '/meeting/a/b'],
    ['cancelUrl', '/api/logout'],
    ['cancelUrl', 'javascript:alert(1)'],
  ])('does not lead to other pages: %s %s', async (field, url) => {
    await newcomer();
    const { status, problem } = await buy({ balance: 5, [field]: url });
    expect([status, problem.info.errors]).toEqual([422, [{ field, code: 'return_path' }]]);
  });

  test('keeps what is written on invoices, and says which tax id does not exist', async () => {
    await newcomer();
    const billingInfo = {
      name: 'Ann Test',
      address: { country: 'DE' },
      tax_id_data: [{ type: 'eu_vat', value: 'DE000000000' }],
    };
    const refused = await buy({ balance: 5, billingInfo });
    expect(refused.problem.info.errors).toEqual([{ field: 'billingInfo.tax_id_data', code: 'tax_id' }]);
    const value = 'DE123456789';
    expect(
      (await buy({ balance: 5, billingInfo: { ...billingInfo, tax_id_data: [{ type: 'eu_vat', value }] } })).status,
    ).toBe(200);
    const stored = { name: 'Ann Test', tax_id_data: [{ value }] };
    expect((await ann.get('/api/shop')).body.billingInfo).toMatchObject(stored);
    expect((await ann.whoami()).body).toMatchObject({
      principal: { billingInfo: stored },
      billing: { billingInfo: stored },
    });
    const wrong = await ann.put('/api/billing/profile', {
      ...billingInfo,
      tax_id_data: [{ type: 'eu_vat', value: '12' }],
    });
    expect(wrong.problem.info.errors).toEqual([{ field: 'tax_id_data.0.value', code: 'tax_id' }]);
  });

  test('has a receipt, for its buyer alone', async () => {
    await newcomer();
    const id = await bought(shop, ann, '12.00');
    expect(id).not.toBe('');
    const [payment] = shop.practice.account
      .events()
      .filter(({ type }) => type === 'payment_intent.succeeded')
      .toReversed();
    const paymentId = (payment?.data.object as { id: string } | undefined)?.id;
    const page = await ann.get(`/api/transactions/receipt/${paymentId}`);
    expect(page.headers.get('content-type')).toContain('text/html');
    for (const text of ['Receipt', '$12.00', 'Ann Test', 'Test payment, no money moves'])
      expect(page.text).toContain(text);
    // Its style is the one that its policy lets through.
    const [, style = ''] = /<style>([^]*)<\/style>/.exec(page.text) ?? [];
    const digest = createHash('sha256').update(style).digest('base64');
    expect(page.headers.get('content-security-policy')).toContain(`style-src 'sha256-${digest}';`);
    const ben = await shop.house.person('Ben');
    const [other, none] = [
      await ben.get(`/api/transactions/receipt/${paymentId}`),
      await ben.get('/api/transactions/receipt/x'),
    ];
    expect([other.status, other.problem.message]).toEqual([none.status, none.problem.message]);
    expect((await ben.get(`/api/credits/purchases/${id}`)).status).toBe(403);
  });
});

describe('A promo code', () => {
  test('adds credits to a paid purchase, once a person, and is free again when nothing is paid', async () => {
    await newcomer();
    await makePromo(shop, 'SPRING', 5_000_000n, 10);
    expect((await ann.post('/api/credits/promo', { code: ' spring ', balance: 20 })).body).toEqual({ bonus: '5.00' });
    const left = await buy({ balance: 20, promoCode: 'spring' });
    expect((await buy({ balance: 20, promoCode: 'spring' })).problem.info.errors).toEqual([
      { field: 'promoCode', code: 'promo' },
    ]);
    shop.practice.account.expire(left.body.stripeCheckoutSessionId);
    await tell(shop);
    const { body } = await buy({ balance: 20, promoCode: 'spring' });
    await onPage(body.url, 'pay');
    await tell(shop);
    expect(await booksOf(shop, ann)).toMatchObject({ credits: 25 });
    expect((await ann.post('/api/credits/promo', { code: 'spring', balance: 20 })).status).toBe(422);
    const unknown = await ann.post('/api/credits/promo', { code: 'nothing', balance: 20 });
    expect(unknown.problem.info.errors).toEqual([{ field: 'promoCode', code: 'promo' }]);
  });

  test('of which three are left is used three times by fifty callers', async () => {
    await makePromo(shop, 'RUSH', 1_000_000n, 3);
    const callers = await Promise.all(Array.from({ length: 50 }, () => shop.house.person()));
    const answers = await Promise.all(
      callers.map((one) => one.post('/api/credits/purchase', { balance: 5, promoCode: 'RUSH' })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, ...Array(47).fill(422)]);
  });
});

describe('An event', () => {
  const send = (payload: string, signature: string) =>
    fetch(`${shop.house.origin}/api/stripe/webhook`, {
      method: 'POST',
      body: payload,
      headers: { 'Content-Type': 'application/json', 'Stripe-Signature': signature },
    });

  test('that is forged, too old or not signed is refused', async () => {
    const { Stripe } = await import('stripe');
    const { webhooks } = new Stripe('sk_test_x', { telemetry: false });
    const payload = JSON.stringify({
      id: 'evt_x',
      object: 'event',
      type: 'invoice.paid',
      livemode: false,
      data: { object: { id: 'in_x' } },
    });
    const secret = shop.practice.access.webhookSecrets[0] ?? '';
    const now = Math.floor(shop.house.clock.now().getTime() / 1000);
    const sign = (by: string, timestamp = now) => webhooks.generateTestHeaderString({ payload, secret: by, timestamp });
    expect((await send(payload, sign('whsec_other'))).status).toBe(400);
    expect((await send(payload, sign(secret, now - 400))).status).toBe(400);
    expect((await send(payload, '')).status).toBe(400);
    expect((await send(`${payload} `, sign(secret))).status).toBe(400);
    // An event of another database at the same account is accepted, and nothing happens.
    expect((await send(payload, sign(secret))).status).toBe(200);
  });

  test('that cannot be used yet comes again', async () => {
    await newcomer();
    const { body } = await buy({ balance: 7 });
    await onPage(body.url, 'pay');
    shop.practice.faults.fail = 3;
    const events = [...(shop.practice.held ?? [])].filter(({ type }) => type === 'checkout.session.completed');
    expect(await tell(shop)).toContain(false);
    shop.practice.faults.fail = 0;
    for (const event of events) expect(await shop.practice.send(event)).toBe(true);
    expect(await booksOf(shop, ann)).toMatchObject({ credits: 7 });
  });

  test('of a payment of another database at the same account changes nothing', async () => {
    await newcomer();
    const before = await booksOf(shop, ann);
    const back = `${shop.house.origin}/buy-credits`;
    const { url } = await stripePayments(shop.practice.access).begin(
      {
        ...{ purchaseId: newId(), houseId: newId(), name: 'Credits', cents: 700, every: null, email: ann.email },
        ...{ customer: null, language: 'en', successUrl: back, cancelUrl: back },
        expiresAt: new Date(shop.house.clock.now().getTime() + 3_600_000),
      },
      newId(),
    );
    await onPage(url ?? '', 'pay');
    const theirs = shop.practice.account.sessions().find(({ id }) => url?.includes(id));
    const payment = theirs?.payment_intent as string;
    expect(theirs?.payment_status).toBe('paid');
    shop.practice.account.createRefund(payment, 300);
    expect(await tell(shop)).not.toContain(false);
    await reconcileNow(shop.house.house);
    expect(await booksOf(shop, ann)).toEqual(before);
  });

  test('of a payment that fits no purchase is booked as unclaimed', async () => {
    await newcomer();
    const before = await booksOf(shop, ann);
    const { body } = await buy({ balance: 7 });
    await shop.house.database.ask((sql) => sql`update purchases set amount = 8000000 where id = ${body.id}`);
    await onPage(body.url, 'pay');
    await tell(shop);
    expect(await booksOf(shop, ann)).toMatchObject({ credits: 0, unclaimed: before.unclaimed + 7 });
    expect(shop.house.log()).toContain('fits no purchase');
    // Nobody is told to pay again.
    expect((await ann.get(`/api/credits/purchases/${body.id}`)).body.state).toBe('unclaimed');
  });
});

describe('Money that goes back', () => {
  const paymentOf = (id: string) => {
    const session = shop.practice.account.sessions().find((one) => one.client_reference_id === id);
    return session?.payment_intent as string;
  };

  test('is taken from credits, and the rest is owed until it is paid', async () => {
    await newcomer();
    const id = await bought(shop, ann, '40');
    expect((await ann.post('/api/plan', { plan: 'bundle300', balance: '36' })).status).toBe(200);
    shop.practice.account.createRefund(paymentOf(id), 1000);
    await tell(shop);
    expect(await booksOf(shop, ann)).toMatchObject({ credits: 0, debt: -6, minutes: 300 });
    expect((await ann.post('/api/plan', { plan: 'bundle300', balance: '36' })).status).toBe(402);
    await bought(shop, ann, '10');
    expect(await booksOf(shop, ann)).toMatchObject({ credits: 4, debt: 0 });
    expect(await compareMovements(shop.house.house)).toBe(0);
  });

  test('is found by the daily comparison where no event told of it', async () => {
    const { house, practice } = shop;
    await newcomer();
    const id = await bought(shop, ann, '40');
    const refund = practice.account.createRefund(paymentOf(id), 1000);
    const dispute = practice.account.createDispute(paymentOf(id), 'needs_response');
    practice.held?.splice(0);
    expect(await compareMovements(house.house)).toBe(0);
    expect(await booksOf(shop, ann)).toMatchObject({ credits: 0, debt: -10 });
    practice.account.failRefund(refund.id);
    practice.account.endDispute(dispute.id, 'won');
    practice.held?.splice(0);
    expect(await compareMovements(house.house)).toBe(0);
    expect(await booksOf(shop, ann)).toMatchObject({ credits: 40, debt: 0 });
    // Money that came back before anybody heard of it is no difference either.
    const late = practice.account.createRefund(paymentOf(id), 500);
    practice.account.failRefund(late.id);
    practice.held?.splice(0);
    expect(await compareMovements(house.house)).toBe(0);
    expect(await booksOf(shop, ann)).toMatchObject({ credits: 40, debt: 0 });
  });

  test('in another amount than the books say is a difference that the operator is told of', async () => {
    const { house, practice } = shop;
    await newcomer();
    const id = await bought(shop, ann, '40');
    practice.account.createRefund(paymentOf(id), 1000);
    await tell(shop);
    const moved = practice.account.movements();
    for (const category of ['charge', 'refund']) {
      const wrong = moved.findLast(({ reporting_category }) => reporting_category === category);
      const { amount } = wrong ?? { amount: 0 };
      Object.assign(wrong ?? {}, { amount: amount + 1 });
      expect(await compareMovements(house.house)).toBe(1);
      Object.assign(wrong ?? {}, { amount, currency: 'eur' });
      expect(await compareMovements(house.house)).toBe(1);
      Object.assign(wrong ?? {}, { currency: 'usd' });
    }
    expect(house.log()).toContain('the books differ from the payment service');
    expect(await compareMovements(house.house)).toBe(0);
  });

  test('comes back when a refund fails, also when its events come late', async () => {
    await newcomer();
    const id = await bought(shop, ann, '40');
    const refund = shop.practice.account.createRefund(paymentOf(id), 4000);
    await tell(shop);
    expect(await booksOf(shop, ann)).toMatchObject({ credits: 0 });
    shop.practice.account.failRefund(refund.id);
    await tell(shop, 'backwards');
    expect(await booksOf(shop, ann)).toMatchObject({ credits: 40, debt: 0 });
  });

  test('is asked about, disputed, and won', async () => {
    await newcomer();
    const id = await bought(shop, ann, '40');
    shop.practice.account.createDispute(paymentOf(id), 'warning_needs_response');
    await tell(shop);
    expect(await booksOf(shop, ann)).toMatchObject({ credits: 40 });
    await ann.post('/api/plan', { plan: 'bundle300', balance: '36' });
    const dispute = shop.practice.account.createDispute(paymentOf(id), 'needs_response');
    await tell(shop);
    await tell(shop);
    expect(await booksOf(shop, ann)).toMatchObject({ credits: 0, debt: -36 });
    shop.practice.account.endDispute(dispute.id, 'won');
    await tell(shop);
    expect(await booksOf(shop, ann)).toMatchObject({ credits: 4, debt: 0 });
    expect(await compareMovements(shop.house.house)).toBe(0);
  });
});

describe('Money that goes back for a period of a plan', () => {
  /** A period is paid; answers its payment. */
  const period = async () => {
    await newcomer();
    const { body } = await ann.post('/api/plans/purchase', { planName: 'professional' });
    await onPage(body.url, 'pay');
    await tell(shop);
    const paid = shop.practice.account.events().findLast(({ type }) => type === 'payment_intent.succeeded');
    if (!paid) throw new Error('nothing was paid');
    return (paid.data.object as { id: string }).id;
  };
  const spend = async (minutes: number) => {
    const { database, house } = shop.house;
    const desk = createDesk(house, () => ({ speech: 150_000 }));
    const order = { meetingId: newId(), model: 'speech', seconds: minutes * 60 };
    const [option] = await desk.options(database.orm, ann, order);
    if (!option) throw new Error('there is no way to pay');
    const hold = await transaction(house, (tx) => desk.hold(tx, ann, order, option));
    await transaction(house, (tx) => desk.capture(tx, hold ?? ''));
  };

  test('takes the minutes that are left; the price of those that were used is owed, and comes back with them', async () => {
    const payment = await period();
    await bought(shop, ann, '10');
    await spend(400);
    expect(await booksOf(shop, ann)).toMatchObject({ credits: 10, minutes: 600 });
    const dispute = shop.practice.account.createDispute(payment, 'needs_response');
    await tell(shop);
    expect(await booksOf(shop, ann)).toMatchObject({ credits: 0, debt: -20, minutes: 0 });
    expect((await ann.post('/api/plan', { plan: 'bundle300', balance: '36' })).status).toBe(402);
    expect(await compareMovements(shop.house.house)).toBe(0);
    shop.practice.account.endDispute(dispute.id, 'won');
    await tell(shop);
    expect(await booksOf(shop, ann)).toMatchObject({ credits: 10, debt: 0, minutes: 600 });
    expect(await compareMovements(shop.house.house)).toBe(0);
  });

  test('in two parts takes as much as at once', async () => {
    const payment = await period();
    await spend(400);
    shop.practice.account.createRefund(payment, 3000);
    await tell(shop);
    expect(await booksOf(shop, ann)).toMatchObject({ debt: 0, minutes: 200 });
    shop.practice.account.createRefund(payment, 4500);
    await tell(shop);
    expect(await booksOf(shop, ann)).toMatchObject({ debt: -30, minutes: 0 });
  });

  test('and comes back after the minutes lapsed can be spent a week more, and lapses then', async () => {
    const payment = await period();
    const refund = shop.practice.account.createRefund(payment, 3000);
    await tell(shop);
    expect(await booksOf(shop, ann)).toMatchObject({ minutes: 600 });
    shop.house.clock.forward(40 * 86_400);
    await sweepLots(shop.house.house);
    expect(await booksOf(shop, ann)).toMatchObject({ minutes: 0 });
    shop.practice.account.failRefund(refund.id);
    await tell(shop);
    expect(await booksOf(shop, ann)).toMatchObject({ minutes: 400 });
    await spend(100);
    shop.house.clock.forward(8 * 86_400);
    await sweepLots(shop.house.house);
    expect(await booksOf(shop, ann)).toMatchObject({ minutes: 0, debt: 0 });
  });

  test('takes minutes that came back in another lot, and nothing for them', async () => {
    const payment = await period();
    const { database, house } = shop.house;
    const desk = createDesk(house, () => ({ speech: 150_000 }));
    const order = { meetingId: newId(), model: 'speech', seconds: 6000 };
    const [option] = await desk.options(database.orm, ann, order);
    if (!option) throw new Error('there is no way to pay');
    const hold = await transaction(house, (tx) => desk.hold(tx, ann, order, option));
    shop.house.clock.forward(40 * 86_400);
    // The plan has renewed meanwhile.
    shop.practice.account.advance();
    await tell(shop);
    await sweepLots(house);
    await transaction(house, (tx) => desk.release(tx, hold ?? ''));
    expect(await booksOf(shop, ann)).toMatchObject({ minutes: 1100 });
    const refund = shop.practice.account.createRefund(payment, 7500);
    await tell(shop);
    expect(await booksOf(shop, ann)).toMatchObject({ credits: 0, debt: 0, minutes: 1000 });
    shop.practice.account.failRefund(refund.id);
    await tell(shop);
    expect(await booksOf(shop, ann)).toMatchObject({ credits: 0, debt: 0, minutes: 1100 });
  });

  test('takes nothing for minutes that lapsed unused', async () => {
    const payment = await period();
    await spend(400);
    shop.house.clock.forward(40 * 86_400);
    shop.practice.account.advance();
    await tell(shop);
    await sweepLots(shop.house.house);
    expect(await booksOf(shop, ann)).toMatchObject({ minutes: 1000 });
    shop.practice.account.createDispute(payment, 'needs_response');
    await tell(shop);
    expect(await booksOf(shop, ann)).toMatchObject({ debt: -30, minutes: 1000 });
  });
});

test('What a deleted account owes stays in the books, and what comes back of it is nobody’s', async () => {
  await newcomer();
  const id = await bought(shop, ann, '40');
  await ann.post('/api/plan', { plan: 'bundle300', balance: '36' });
  const payment = shop.practice.account.sessions().find((one) => one.client_reference_id === id)?.payment_intent;
  const dispute = shop.practice.account.createDispute(payment as string, 'needs_response');
  await tell(shop);
  const { unclaimed } = await booksOf(shop, ann);
  const reason = { reason: 'tooSlow', password: ann.password };
  expect((await ann.post('/api/principals/me/delete', reason)).status).toBe(204);
  const owed = { email: null, debt: '36000000' };
  expect(await listDebts(shop.house.house)).toContainEqual(owed);
  shop.practice.account.endDispute(dispute.id, 'won');
  await tell(shop);
  await sweepClosedPurses(shop.house.house);
  expect(await listDebts(shop.house.house)).not.toContainEqual(owed);
  expect(await booksOf(shop, ann)).toMatchObject({ unclaimed: unclaimed + 4 });
});

describe('A plan', () => {
  const shelf = async (name: string) =>
    (await ann.get('/api/shop')).body.plans.find((one: { name: string }) => one.name === name);
  /** A month goes by; sessions end meanwhile. */
  const month = async () => {
    shop.house.clock.forward(32 * 86_400);
    shop.practice.account.advance();
    await ann.login();
  };
  const take = async (planName: string) => {
    const { body } = await ann.post('/api/plans/purchase', { planName });
    if (body.url) await onPage(body.url, 'pay');
    await tell(shop);
    return body;
  };

  test('brings the minutes of each period that is paid, and ends when it is cancelled', async () => {
    await newcomer();
    await take('professional');
    expect(await booksOf(shop, ann)).toMatchObject({ minutes: 1000, credits: 0 });
    const { transactions } = (await ann.get('/api/transactions')).body;
    const receipt = async () => (await ann.get(`/api/transactions/receipt/${transactions[0].paymentId}`)).text;
    expect(await receipt()).not.toContain('PDF');
    const [invoice] = shop.practice.account
      .events()
      .filter(({ type }) => type === 'invoice.paid')
      .toReversed();
    Object.assign(invoice?.data.object ?? {}, { invoice_pdf: 'https://invoices.invalid/in.pdf' });
    expect(await receipt()).toContain('<a href="https://invoices.invalid/in.pdf" rel="noreferrer">Invoice (PDF)</a>');
    shop.practice.faults.fail = 3;
    expect(await receipt()).not.toContain('PDF');
    shop.practice.faults.fail = 0;
    expect(await shelf('professional')).toMatchObject({
      active: true,
      cancellable: true,
      cancelled: false,
      pastDue: false,
    });
    expect((await ann.post('/api/plans/purchase', { planName: 'professional' })).problem.code).toBe('CONFLICT');

    await month();
    await tell(shop, 'backwards');
    expect(await booksOf(shop, ann)).toMatchObject({ minutes: 2000 });

    expect((await ann.post('/api/plans/cancel', { planName: 'professional' })).status).toBe(204);
    await tell(shop);
    expect(await shelf('professional')).toMatchObject({ active: true, cancellable: false, cancelled: true });
    expect((await ann.post('/api/plans/cancel', { planName: 'professional' })).problem.code).toBe('CONFLICT');
    expect((await ann.post('/api/plans/purchase', { planName: 'professional' })).body).toEqual({ undone: true });
    await tell(shop);
    expect(await shelf('professional')).toMatchObject({ cancelled: false });

    await ann.post('/api/plans/cancel', { planName: 'professional' });
    await month();
    await tell(shop);
    expect(await shelf('professional')).toMatchObject({ active: false });
    expect(await booksOf(shop, ann)).toMatchObject({ minutes: 2000 });
  });

  test('that the card does not pay gives nothing new, until its bill is paid', async () => {
    await newcomer();
    await take('professional');
    const [subscription] = shop.practice.account
      .events()
      .filter(({ type }) => type === 'invoice.paid')
      .toReversed();
    const invoice = subscription?.data.object as { parent: { subscription_details: { subscription: string } } };
    shop.practice.account.decline(invoice.parent.subscription_details.subscription);
    await month();
    await tell(shop);
    const due = await shelf('professional');
    expect(due).toMatchObject({ pastDue: true, billUrl: expect.stringContaining('/invoice/') });
    expect((await ann.whoami()).body.billing.plans).toMatchObject([{ pastDue: true, billUrl: due.billUrl }]);
    await onPage(due.billUrl, 'pay');
    await tell(shop);
    expect(await shelf('professional')).toMatchObject({ pastDue: false, billUrl: null });
    expect(await booksOf(shop, ann)).toMatchObject({ minutes: 2000 });
  });

  test('is not past due, and keeps its price, while the bill of its next period is not charged yet', async () => {
    const { account } = shop.practice;
    for (const declines of [false, true]) {
      await newcomer();
      const { stripeCheckoutSessionId: page } = await take('team300-2024');
      const plan = account.subscription(account.session(page).subscription as string);
      if (declines) account.decline(plan.id);
      // Its year ends in a minute.
      const end = new Date(shop.house.clock.now().getTime() + 60_000);
      Object.assign(plan.items.data[0] ?? {}, { current_period_end: Math.floor(end.getTime() / 1000) });
      await shop.house.database.ask(
        (sql) =>
          sql`update subscriptions set period_end = ${end.toISOString()}::timestamptz where service_id = ${plan.id}`,
      );
      const seen = async () => {
        const { billing } = (await ann.whoami()).body;
        const { pastDue, billUrl } = await shelf('team300-2024');
        return { pastDue, billUrl, price: billing.cost.plans.individual.oneMinuteCost, balance: billing.balance };
      };

      const kept = { pastDue: false, billUrl: null, price: 0.12, balance: '300.00' };
      shop.house.clock.forward(600);
      account.advance();
      await tell(shop);
      expect(await seen()).toEqual(kept);
      // The round of repairs looks at the bill, too.
      await settlePeriods(shop.house.house);
      expect(await seen()).toEqual(kept);

      shop.house.clock.forward(3600);
      account.advance();
      await tell(shop);
      expect(await seen()).toEqual(
        declines
          ? { ...kept, pastDue: true, billUrl: expect.stringContaining('/invoice/'), price: 0.15 }
          : { ...kept, balance: '600.00' },
      );
    }
  });

  test('whose bill cannot be booked at this moment keeps no other one from its next period', async () => {
    const people: Person[] = [];
    for (let n = 0; n < 2; n += 1) {
      people.push(await newcomer());
      await take('professional');
      // Periods end in whole seconds.
      shop.house.clock.forward(2);
    }
    await month();
    shop.practice.held?.splice(0);
    const minutes = () => Promise.all(people.map(async (person) => (await booksOf(shop, person)).minutes));
    await refusing(
      `insert on ledger_postings for each row when (new.kind = 'period' and new."by" = '${people[0]?.id}')`,
      () => expect(settlePeriods(shop.house.house)).rejects.toThrow('could not be settled yet'),
    );
    expect(await minutes()).toEqual([1000, 2000]);
    await settlePeriods(shop.house.house);
    expect(await minutes()).toEqual([2000, 2000]);
  });

  test('that is paid later begins then, and has failed where the bank refuses it', async () => {
    const promised = async () => {
      const { body } = await ann.post('/api/plans/purchase', { planName: 'professional' });
      await onPage(body.url, 'later');
      await tell(shop);
      const state = async () => (await ann.get(`/api/credits/purchases/${body.id}`)).body.state;
      return { session: body.stripeCheckoutSessionId as string, state };
    };
    await newcomer();
    const kept = await promised();
    expect([await kept.state(), (await booksOf(shop, ann)).minutes]).toEqual(['pending', 0]);
    expect(await shelf('professional')).toMatchObject({ active: false });
    shop.house.clock.forward(61);
    shop.practice.account.advance();
    await tell(shop);
    expect([await kept.state(), (await booksOf(shop, ann)).minutes]).toEqual(['paid', 1000]);

    for (const told of [true, false]) {
      await newcomer();
      const refused = await promised();
      shop.practice.account.refuseLater(refused.session);
      if (!told) shop.practice.held?.splice(0);
      await tell(shop, 'backwards');
      shop.house.clock.forward(301);
      await reconcileNow(shop.house.house);
      expect([await refused.state(), (await booksOf(shop, ann)).minutes]).toEqual(['failed', 0]);
      const { subscription } = shop.practice.account.session(refused.session);
      expect(shop.practice.account.subscription(subscription as string).status).toBe('canceled');
      // Another one can begin.
      await take('professional');
      expect(await booksOf(shop, ann)).toMatchObject({ minutes: 1000 });
    }
  });

  test.each(['before', 'after'])(
    'whose first bill was refused and is paid all the same %s it ended is theirs for that period',
    async (when) => {
      await newcomer();
      const { body } = await ann.post('/api/plans/purchase', { planName: 'professional' });
      await onPage(body.url, 'later');
      await tell(shop);
      const state = async () => (await ann.get(`/api/credits/purchases/${body.id}`)).body.state;
      const { account } = shop.practice;
      account.refuseLater(body.stripeCheckoutSessionId);
      await tell(shop);
      expect([await state(), await shelf('professional')]).toMatchObject(['failed', { active: false }]);
      const end = async () => {
        shop.house.clock.forward(301);
        await reconcileNow(shop.house.house);
        await tell(shop);
      };
      if (when === 'after') await end();
      const { invoice, subscription } = account.session(body.stripeCheckoutSessionId);
      account.payInvoice(invoice as string);
      await tell(shop);
      await end();
      expect(account.subscription(subscription as string).status).toBe('canceled');
      // Its events come again.
      const isOurs = ({ type, data }: Stripe.Event) =>
        type === 'invoice.paid' && (data.object as Stripe.Invoice).id === invoice;
      const again = async () => {
        for (const event of account.events().filter(isOurs)) expect(await shop.practice.send(event)).toBe(true);
      };
      await again();
      expect([await state(), (await booksOf(shop, ann)).minutes]).toEqual(['paid', 1000]);
      expect(await shelf('professional')).toMatchObject({ active: true, cancellable: false });
      expect(await compareMovements(shop.house.house)).toBe(0);
      await month();
      expect(await shelf('professional')).toMatchObject({ active: false });
      await again();
      expect(await shelf('professional')).toMatchObject({ active: false });
      await sweepLots(shop.house.house);
      await take('professional');
      expect(await booksOf(shop, ann)).toMatchObject({ minutes: 1000, debt: 0 });
    },
  );

  test('of a team becomes credits', async () => {
    await newcomer();
    await take('team300-2024');
    expect(await booksOf(shop, ann)).toMatchObject({ credits: 300, minutes: 0 });
    expect(await shelf('team300-2024')).toMatchObject({ active: true, minutePrice: '0.12' });
    expect((await ann.post('/api/plan', { plan: 'team300-2024', balance: '300' })).status).toBe(422);
    // The price of a minute, and the minutes for the credits, follow the plan.
    const { billing } = (await ann.whoami()).body;
    expect(billing).toMatchObject({
      ...{ plan: 'team300-2024', minutesForBalance: 2500, recentCreditsPurchase: null },
      plans: [{ name: 'team300-2024', cancellable: true, endDate: expect.any(Number) }],
      cost: { plans: { individual: { oneMinuteCost: 0.12 } } },
    });
    expect((await ann.get('/api/balance')).body).toEqual(billing);
    const prices = await planPricesOf(shop.house.database.orm, [ann.id], shop.house.clock.now());
    expect(prices.get(ann.id)).toBe(120_000n);
  });

  test('is paid once, although two pages were open', async () => {
    await newcomer();
    const one = (await ann.post('/api/plans/purchase', { planName: 'professional' })).body;
    const two = (await ann.post('/api/plans/purchase', { planName: 'professional' })).body;
    expect(await onPage(one.url, 'pay')).toBeNull();
    await onPage(two.url, 'pay');
    await tell(shop);
    expect(await booksOf(shop, ann)).toMatchObject({ minutes: 1000 });
  });

  test('whose refused first bill is paid while they have the plan otherwise stays unclaimed, also after that ended', async () => {
    await newcomer();
    const { account } = shop.practice;
    const { body } = await ann.post('/api/plans/purchase', { planName: 'professional' });
    const state = async () => (await ann.get(`/api/credits/purchases/${body.id}`)).body.state;
    await onPage(body.url, 'later');
    await tell(shop);
    account.refuseLater(body.stripeCheckoutSessionId);
    await tell(shop);
    await take('professional');
    const { invoice } = account.session(body.stripeCheckoutSessionId);
    account.payInvoice(invoice as string);
    await tell(shop);
    expect([await state(), (await booksOf(shop, ann)).minutes]).toEqual(['unclaimed', 1000]);
    shop.house.clock.forward(301);
    await reconcileNow(shop.house.house);

    expect((await ann.post('/api/plans/cancel', { planName: 'professional' })).status).toBe(204);
    await month();
    await tell(shop);
    expect(await shelf('professional')).toMatchObject({ active: false });
    const events = account
      .events()
      .filter(({ type, data }) => type === 'invoice.paid' && (data.object as Stripe.Invoice).id === invoice);
    expect(events).not.toEqual([]);
    for (const event of events) expect(await shop.practice.send(event)).toBe(true);
    expect([await state(), await shelf('professional')]).toMatchObject(['unclaimed', { active: false }]);
  });

  test('that was paid from credits can be paid by card as soon as its period is over', async () => {
    await newcomer();
    await bought(shop, ann, '75');
    expect((await ann.post('/api/plan', { plan: 'professional', balance: '75' })).status).toBe(200);
    await month();
    const { unclaimed } = await booksOf(shop, ann);
    const { id } = await take('professional');
    expect(await booksOf(shop, ann)).toMatchObject({ minutes: 2000, unclaimed });
    expect((await ann.get(`/api/credits/purchases/${id}`)).body.state).toBe('paid');
    expect(await shelf('professional')).toMatchObject({ active: true, cancellable: true, cancelled: false });
  });

  test('that is bought from credits closes its payment page; one that was paid by card is not bought again', async () => {
    await newcomer();
    const fromCredits = () => ann.post('/api/plan', { plan: 'professional', balance: '75' });
    await bought(shop, ann, '75');
    const left = (await ann.post('/api/plans/purchase', { planName: 'professional' })).body;
    expect((await fromCredits()).status).toBe(200);
    expect(await onPage(left.url, 'pay')).toBeNull();
    await tell(shop);
    expect((await ann.get(`/api/credits/purchases/${left.id}`)).body.state).toBe('failed');
    expect(await booksOf(shop, ann)).toMatchObject({ minutes: 1000, credits: 0 });

    await newcomer();
    await bought(shop, ann, '75');
    const paid = (await ann.post('/api/plans/purchase', { planName: 'professional' })).body;
    await onPage(paid.url, 'pay');
    expect((await fromCredits()).problem.code).toBe('CONFLICT');
    expect(await booksOf(shop, ann)).toMatchObject({ minutes: 1000, credits: 75 });
  });

  test('and a bundle can be bought from credits, at the price that was seen', async () => {
    await newcomer();
    expect((await ann.post('/api/plan', { plan: 'bundle300', balance: '36' })).problem).toMatchObject({
      code: 'FUNDS',
      info: { price: '36.00' },
    });
    await bought(shop, ann, '120');
    expect((await ann.whoami()).body.billing).toMatchObject({
      ...{ plan: null, plans: [], recentCreditsPurchase: { balance: '120.00', date: expect.any(Number) } },
    });
    shop.house.clock.forward(86_401);
    await ann.login();
    expect((await ann.whoami()).body.billing).toMatchObject({ balance: '120.00', recentCreditsPurchase: null });
    expect((await ann.post('/api/plan', { plan: 'bundle300', balance: '30' })).problem).toMatchObject({
      code: 'PRICE',
      info: { price: '36.00' },
    });
    const id = newId();
    const once = () => ann.post('/api/plan', { plan: 'bundle300', balance: '36' }, { headers: { 'X-Request-ID': id } });
    expect((await Promise.all([once(), once(), once()])).some(({ status }) => status === 200)).toBe(true);
    expect(await booksOf(shop, ann)).toMatchObject({ credits: 84, minutes: 300 });
    expect((await ann.whoami()).body.billing).toMatchObject({ plan: null, plans: [{ name: 'bundle300' }] });
    expect((await ann.post('/api/plan', { plan: 'professional', balance: '75' })).status).toBe(200);
    expect(await shelf('professional')).toMatchObject({ active: true, cancellable: false, cancelled: true });
    expect((await ann.post('/api/plan', { plan: 'professional', balance: '75' })).problem.code).toBe('CONFLICT');
    expect((await ann.post('/api/plan', { plan: 'nothing', balance: '75' })).status).toBe(422);
  });
});

describe('What the database undid to end a deadlock is written again', () => {
  /** Has the first of these changes fail as one does that was chosen to end a deadlock; answers how often it was tried. */
  async function undoing(change: string, work: () => Promise<unknown>, times = 1): Promise<number> {
    const { sql } = shop.house.database;
    const table = / on (\w+)/.exec(change)?.[1];
    await sql.unsafe(`
      create sequence test_tries;
      create function test_undo() returns trigger language plpgsql as $$ begin
        if nextval('test_tries') <= ${times} then raise exception 'undone' using errcode = '40P01'; end if;
        return new;
      end $$;
      create trigger test_undo before ${change} execute function test_undo()`);
    try {
      await work();
      const [row] = await sql<{ tries: number }[]>`select last_value::int as tries from test_tries`;
      expect(row?.tries).toBeGreaterThan(1);
      return row?.tries ?? 0;
    } finally {
      await sql.unsafe(`drop trigger test_undo on ${table}; drop function test_undo(); drop sequence test_tries`);
    }
  }
  const posting = (kind: string) => `insert on ledger_postings for each row when (new.kind = '${kind}')`;
  const told = async () => expect(await tell(shop)).not.toContain(false);

  test('where an address is confirmed', async () => {
    const eve = Object.assign(new Person(shop.house.origin), { email: `eve-${newId(8).toLowerCase()}@example.test` });
    await eve.register();
    const token = await shop.house.tokenFor(eve.email, '/confirm');
    await undoing(posting('trial'), async () => {
      expect((await eve.post(`/api/confirm/${token}`)).status).toBe(200);
    });
    await eve.login();
    expect((await eve.get('/api/balance')).body.totalMinutes).toBe(trialMinutes);
  });

  test('where a bundle or a plan is bought from credits', async () => {
    await newcomer();
    await bought(shop, ann, '111');
    const buys = (plan: string, balance: string) => async () =>
      expect((await ann.post('/api/plan', { plan, balance })).status).toBe(200);
    await undoing(posting('bundle'), buys('bundle300', '36'));
    await undoing(posting('plan'), buys('professional', '75'));
    expect(await booksOf(shop, ann)).toMatchObject({ minutes: 1300, credits: 0 });
  });

  test('five times at most, then the caller is to come again', async () => {
    await newcomer();
    await bought(shop, ann, '36');
    const buys = async () => {
      const { status, headers } = await ann.post('/api/plan', { plan: 'bundle300', balance: '36' });
      expect([status, headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    };
    expect(await undoing(posting('bundle'), buys, 99)).toBe(5);
    expect(await booksOf(shop, ann)).toMatchObject({ minutes: 0, credits: 36 });
  });

  test('where a payment, a refund and a period are settled', async () => {
    await newcomer();
    const { url, id } = (await buy({ balance: '50' })).body;
    await onPage(url, 'pay');
    await undoing(posting('purchase'), told);
    expect(await booksOf(shop, ann)).toMatchObject({ credits: 50 });
    const session = shop.practice.account.sessions().find((one) => one.client_reference_id === id);
    shop.practice.account.createRefund(session?.payment_intent as string, 1000);
    await undoing(posting('refund'), told);
    expect(await booksOf(shop, ann)).toMatchObject({ credits: 40 });
    const plan = (await ann.post('/api/plans/purchase', { planName: 'professional' })).body;
    await onPage(plan.url, 'pay');
    await undoing(posting('period'), told);
    expect(await booksOf(shop, ann)).toMatchObject({ minutes: 1000, credits: 40 });
  });

  test('where a recording is ready, in the same attempt of its job', async () => {
    await newcomer();
    const { id } = await createMeeting(ann);
    await undoing("update on intakes for each row when (new.state = 'ready')", async () => {
      await beginProcessing(ann, id);
      const jobs = () =>
        shop.house.database.sql<{ state: string; attempts: number }[]>`
          select state, attempts from jobs where meeting_id = ${id} and (state = 'done' or attempts > 0 and lease is null)`;
      await vi.waitUntil(async () => (await jobs()).length > 0, { timeout: 10_000 });
      expect(await jobs()).toEqual([{ state: 'done', attempts: 1 }]);
    });
  });

  test('where a reserve is returned and what is left lapses', async () => {
    await newcomer();
    const desk = createDesk({ clock: shop.house.clock }, () => ({ speech: 500_000 }));
    const order = { meetingId: newId(), model: 'speech', seconds: 60 };
    const option = { cost: 0, groupId: null };
    await transaction(shop.house.house, (tx) => desk.hold(tx, { id: ann.id }, order, option));
    await bought(shop, ann, '36');
    expect((await ann.post('/api/plan', { plan: 'bundle300', balance: '36' })).status).toBe(200);
    shop.house.clock.forward(366 * 86_400);
    await undoing(posting('release'), () => sweepHolds({ ...shop.house.house, costs: desk }));
    await undoing(posting('lapse'), () => sweepLots(shop.house.house));
    expect(await booksOf(shop, ann)).toMatchObject({ minutes: 0 });
  });
});

test('Nothing is bought or transferred while calls cannot be counted', async () => {
  await newcomer();
  await bought(shop, ann, '40');
  const begun = () =>
    shop.house.database.sql`
      select 1 from purchases p join purses o on o.id = p.purse_id where o.user_id = ${ann.id}`;
  await refusing('insert on rate_limits for each row', async () => {
    for (const [path, body] of [
      ['/api/credits/purchase', { balance: 5 }],
      ['/api/credits/promo', { code: 'none', balance: 5 }],
      ['/api/plans/purchase', { planName: 'professional' }],
      ['/api/plans/cancel', { planName: 'professional' }],
      ['/api/plan', { plan: 'bundle300', balance: 36 }],
      ['/api/gift', { recipient: `${newId()}@example.test`, balance: 1 }],
    ] as const)
      expect((await ann.post(path, body)).problem, path).toMatchObject({ code: 'UNAVAILABLE' });
  });
  expect(await booksOf(shop, ann)).toMatchObject({ credits: 40, minutes: 0 });
  expect(await begun()).toHaveLength(1);
  // Counted again, the same is done.
  expect((await ann.post('/api/plan', { plan: 'bundle300', balance: 36 })).status).toBe(200);
});

test('A plan from credits waits for what is booked of the plan before it holds the purse', async () => {
  await newcomer();
  await bought(shop, ann, '150');
  const buys = () => ann.post('/api/plan', { plan: 'professional', balance: '75' });
  expect((await buys()).status).toBe(200);
  shop.house.clock.forward(32 * 86_400);
  await ann.login();
  const { sql } = shop.house.database;
  const answer = await sql.begin(async (tx) => {
    // A bill that is settled holds the plan, and then the purse.
    await tx`select 1 from subscriptions s join purses p on p.id = s.purse_id where p.user_id = ${ann.id} for update of s`;
    const buying = buys();
    const waits = () =>
      sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await vi.waitUntil(async () => (await waits()).length > 0, { timeout: 10_000 });
    expect(await tx`select 1 from purses where user_id = ${ann.id} for no key update nowait`).toHaveLength(1);
    return { buying };
  });
  expect((await answer.buying).status).toBe(200);
  expect(await booksOf(shop, ann)).toMatchObject({ credits: 0 });
});

test('Tax is booked apart, and returned with a refund', async () => {
  const taxed = await openShop({ env: { STRIPE_TAX: 'on' } });
  try {
    const ben = await taxed.house.person('Ben');
    const id = await bought(taxed, ben, '10');
    expect(await booksOf(taxed, ben)).toMatchObject({ credits: 10, tax: 2, stripe: -12 });
    const session = taxed.practice.account.sessions().find((one) => one.client_reference_id === id);
    taxed.practice.account.createRefund(session?.payment_intent as string);
    await tell(taxed);
    expect(await booksOf(taxed, ben)).toMatchObject({ credits: 0, debt: 0, tax: 0, stripe: 0 });
    expect(await compareMovements(taxed.house.house)).toBe(0);
  } finally {
    await taxed.close();
  }
});

test('The payment service is never asked inside a transaction', async () => {
  // After all that the tests before have done here, and some of it once more.
  await newcomer();
  const id = await bought(shop, ann, '75');
  const plan = (await ann.post('/api/plans/purchase', { planName: 'professional' })).body;
  await onPage(plan.url, 'pay');
  await tell(shop);
  await ann.post('/api/plans/cancel', { planName: 'professional' });
  const session = shop.practice.account.sessions().find((one) => one.client_reference_id === id);
  shop.practice.account.createRefund(session?.payment_intent as string);
  await reconcileNow(shop.house.house);
  expect(insideTransactions).toEqual([]);
  const { payments } = shop.house.house;
  if (!payments) throw new Error('nothing is sold here');
  await transaction(shop.house.house, () => payments.checkout(session?.id ?? ''));
  expect(insideTransactions).toEqual(['checkout']);
});
