// Requirements on a service that takes payments: on the practice service, through the package of Stripe, and on Stripe
// itself where STRIPE_SECRET_KEY is a key of its test mode.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Stripe } from 'stripe';
import { NotFromService, TaxIdRefused, type CheckoutOrder, type Payments } from '#server/outside/payments.ts';
import { openPractice, type Practice } from '#server/outside/practice/open-practice.ts';
import { stripePayments } from '#server/outside/stripe.ts';
import { newId } from '#shared/ids.ts';
import { MovableClock } from '#tests/support/clock.ts';

const house = `house-${newId()}`;
const clock = new MovableClock();
const order = (change: Partial<CheckoutOrder> = {}): CheckoutOrder => ({
  purchaseId: newId(),
  houseId: house,
  name: '20 credits',
  cents: 2000,
  every: null,
  email: 'ann@example.test',
  customer: null,
  language: 'en',
  successUrl: 'http://localhost:3000/balance?purchase=1',
  cancelUrl: 'http://localhost:3000/buy-credits',
  expiresAt: new Date(clock.now().getTime() + 3_600_000),
  ...change,
});
const nowhere = {
  name: 'Ann Test',
  address: { line1: '', line2: '', city: '', state: '', postal_code: '', country: '' },
};
const since = new Date(Date.now() - 60_000);

// Key of the tester's own account at Stripe.
const { STRIPE_SECRET_KEY: testKey } = process.env;
const onStripe = testKey?.startsWith('sk_test_') === true && testKey !== 'sk_test_practice';

describe.each(['practice', 'stripe'] as const)('%s', (kind) => {
  const skipped = kind === 'stripe' && !onStripe;
  let practice: Practice | null = null;
  let payments: Payments;
  let raw: Stripe;
  const secret = `whsec_${newId(32)}`;
  beforeAll(async () => {
    if (skipped) return;
    if (kind === 'practice') {
      practice = await openPractice({ clock, file: null, tax: false });
      payments = stripePayments(practice.access);
      const { hostname, port } = new URL(practice.origin);
      raw = new Stripe(practice.access.secretKey, { host: hostname, port, protocol: 'http', telemetry: false });
      return;
    }
    payments = stripePayments({
      mode: 'test',
      secretKey: testKey ?? '',
      publishableKey: '',
      webhookSecrets: [secret],
      apiUrl: null,
      tax: false,
    });
    raw = new Stripe(testKey ?? '', { telemetry: false });
  });
  afterAll(() => practice?.close());

  const inMode = (title: string, body: () => Promise<void>) =>
    test(title, ({ skip }) => (skipped ? skip('no STRIPE_SECRET_KEY of the test mode') : body()));

  const paidNow = (cents: number, method = 'pm_card_visa') =>
    raw.paymentIntents.create({
      amount: cents,
      currency: 'usd',
      confirm: true,
      payment_method: method,
      automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
      metadata: { house, purchase: 'one' },
    });

  inMode('opens a payment page that returns with our purchase', async () => {
    const wanted = order();
    const began = await payments.begin(wanted, newId());
    expect(began).toMatchObject({
      status: 'open',
      paid: false,
      refused: false,
      purchaseId: wanted.purchaseId,
      houseId: house,
      currency: 'usd',
      cents: 2000,
      taxCents: 0,
      url: expect.stringMatching(/^http/),
    });
    expect(await payments.checkout(began.id)).toEqual(began);
    const listed = await payments.checkoutsSince(since);
    expect(listed.map(({ id }) => id)).toContain(began.id);
  });

  inMode('opens one page for one key', async () => {
    const [wanted, key] = [order(), newId()];
    const [one, two] = [await payments.begin(wanted, key), await payments.begin(wanted, key)];
    expect(two.id).toBe(one.id);
    expect((await payments.begin(wanted, newId())).id).not.toBe(one.id);
    await expect(payments.begin({ ...wanted, cents: 100 }, key)).rejects.toMatchObject({ code: 'UPSTREAM' });
  });

  inMode('closes a page, on which nobody can pay any more', async () => {
    const began = await payments.begin(order(), newId());
    expect(await payments.expire(began.id)).toMatchObject({ status: 'expired', url: null });
    await expect(payments.expire(began.id)).rejects.toMatchObject({ code: 'UPSTREAM' });
  });

  inMode('knows nothing of what does not exist', async () => {
    expect(await payments.checkout(`cs_test_${newId()}`)).toBeNull();
    expect(await payments.payment(`pi_${newId()}`)).toBeNull();
    expect(await payments.invoice(`in_${newId()}`)).toBeNull();
    expect(await payments.subscription(`sub_${newId()}`)).toBeNull();
    expect(await payments.refund(`re_${newId()}`)).toBeNull();
    expect(await payments.dispute(`du_${newId()}`)).toBeNull();
  });

  inMode('keeps what is written on invoices, and refuses a tax id that does not exist', async () => {
    const key = newId();
    const info = { ...nowhere, tax_id_data: [{ type: 'eu_vat', value: 'DE123456789' }] };
    const customer = await payments.customer('ann@example.test', info, house, key);
    expect(customer).toMatch(/^cus_/);
    expect(await payments.customer('ann@example.test', info, house, key)).toBe(customer);
    expect(await payments.begin(order({ customer }), newId())).toMatchObject({ status: 'open' });
    const wrong = { ...nowhere, tax_id_data: [{ type: 'eu_vat', value: 'DE000000000' }] };
    if (kind === 'practice')
      await expect(payments.customer('ann@example.test', wrong, house, newId())).rejects.toBeInstanceOf(TaxIdRefused);
  });

  inMode('answers what was received, refunded and moved', async () => {
    const { id } = await paidNow(1234);
    expect(await payments.payment(id)).toMatchObject({
      id,
      succeeded: true,
      cents: 1234,
      currency: 'usd',
      houseId: house,
      purchaseId: 'one',
      receiptUrl: expect.stringMatching(/^http/),
    });
    const refund = await raw.refunds.create({ payment_intent: id, amount: 200 });
    expect(await payments.refund(refund.id)).toEqual({
      id: refund.id,
      payment: id,
      cents: 200,
      currency: 'usd',
      counts: true,
    });
    const moved = (await payments.movements(since)).filter(({ payment }) => payment === id);
    expect(moved.map(({ kind: moves, cents }) => [moves, cents]).toSorted()).toEqual([
      ['payment', 1234],
      ['refund', -200],
    ]);
  });

  inMode('accepts an event that is signed by any of our secrets within five minutes', async () => {
    const known = practice?.access.webhookSecrets[0] ?? secret;
    const now = new Date();
    const event = {
      id: 'evt_1',
      object: 'event',
      type: 'invoice.paid',
      livemode: false,
      data: { object: { id: 'in_1' } },
    };
    const signed = (by: string, at = now, live = false) => {
      const payload = JSON.stringify({ ...event, livemode: live });
      const timestamp = Math.floor(at.getTime() / 1000);
      return [Buffer.from(payload), raw.webhooks.generateTestHeaderString({ payload, secret: by, timestamp })] as const;
    };
    const read = ([bytes, header]: readonly [Buffer, string]) => payments.read(bytes, header, now);
    expect(await read(signed(known))).toEqual({ id: 'evt_1', type: 'invoice.paid', object: 'in_1' });
    await expect(read(signed('whsec_of_somebody_else'))).rejects.toBeInstanceOf(NotFromService);
    await expect(read(signed(known, new Date(now.getTime() - 301_000)))).rejects.toBeInstanceOf(NotFromService);
    await expect(read(signed(known, now, true))).rejects.toBeInstanceOf(NotFromService);
    const [bytes, header] = signed(known);
    await expect(read([Buffer.from(bytes.toString().replace('in_1', 'in_2')), header])).rejects.toBeInstanceOf(
      NotFromService,
    );
    await expect(read([bytes, ''])).rejects.toBeInstanceOf(NotFromService);
  });

  inMode('answers what a bank takes back', async () => {
    const { id } = await paidNow(900, 'pm_card_createDispute');
    const dispute = practice
      ? practice.account.events().find(({ type }) => type === 'charge.dispute.created')?.data.object
      : await expect
          .poll(async () => (await raw.disputes.list({ payment_intent: id })).data[0], { timeout: 20_000 })
          .toBeTruthy();
    if (!dispute) return;
    const found = await payments.dispute((dispute as { id: string }).id);
    expect(found).toMatchObject({ payment: id, cents: 900, state: 'taken' });
  });
});

// Steps of a person on a payment page, and those that take a month, are tried on the practice service alone.
describe('What happens on the payment page', () => {
  let practice: Practice;
  let payments: Payments;
  beforeAll(async () => {
    practice = await openPractice({ clock, file: null, tax: true });
    payments = stripePayments(practice.access);
  });
  afterAll(() => practice.close());
  const act = async (url: string, action: string) => {
    const body = new URLSearchParams({ action });
    const answer = await fetch(url, { method: 'POST', body, redirect: 'manual' });
    return { to: answer.headers.get('location'), page: await answer.text() };
  };
  const page = async (url: string | null) => (await fetch(url ?? '')).text();

  test('leads back with what was paid, before tax', async () => {
    const wanted = order({ successUrl: 'http://localhost:3000/balance?checkout={CHECKOUT_SESSION_ID}' });
    const began = await payments.begin(wanted, newId());
    expect(await page(began.url)).toContain('Test payment, no money moves');
    expect(await act(began.url ?? '', 'decline')).toMatchObject({
      to: null,
      page: expect.stringContaining('declined'),
    });
    expect(await payments.checkout(began.id)).toMatchObject({ status: 'open', paid: false });
    const { to } = await act(began.url ?? '', 'pay');
    expect(to).toBe(`http://localhost:3000/balance?checkout=${began.id}`);
    const paid = await payments.checkout(began.id);
    expect(paid).toMatchObject({ status: 'complete', paid: true, cents: 2000, taxCents: 400 });
    expect(await payments.payment(paid?.payment ?? '')).toMatchObject({ cents: 2400, purchaseId: wanted.purchaseId });
    expect(await payments.invoice(paid?.invoice ?? '')).toMatchObject({ paid: true, cents: 2000, taxCents: 400 });
    expect((await act(began.url ?? '', 'pay')).page).toContain('complete');
  });

  test('speaks four languages, and leads back when it is left', async () => {
    for (const [language, text] of [
      ['es', 'Pagar'],
      ['ru', 'Оплатить'],
      ['zh', '付款'],
    ] as const)
      expect(await page((await payments.begin(order({ language }), newId())).url)).toContain(text);
    const began = await payments.begin(order({ name: '<b>&"' }), newId());
    expect(await page(began.url)).toContain('&lt;b&gt;&amp;&quot;');
    expect((await act(began.url ?? '', 'leave')).to).toBe('http://localhost:3000/buy-credits');
    expect(await payments.checkout(began.id)).toMatchObject({ status: 'open' });
  });

  test('may bring the money later', async () => {
    const began = await payments.begin(order(), newId());
    await act(began.url ?? '', 'later');
    expect(await payments.checkout(began.id)).toMatchObject({ status: 'complete', paid: false });
    clock.forward(61);
    expect(await payments.checkout(began.id)).toMatchObject({ status: 'complete', paid: true });
  });

  test('may promise the money for later, and bring none', async () => {
    const began = await payments.begin(order(), newId());
    await act(began.url ?? '', 'later');
    expect(await payments.checkout(began.id)).toMatchObject({ status: 'complete', paid: false, refused: false });
    practice.account.refuseLater(began.id);
    const refused = { status: 'complete', paid: false, refused: true };
    expect(await payments.checkout(began.id)).toMatchObject(refused);
    expect((await payments.checkoutsSince(since)).find(({ id }) => id === began.id)).toMatchObject(refused);
    expect(practice.account.events().at(-1)).toMatchObject({
      type: 'checkout.session.async_payment_failed',
      data: { object: { id: began.id } },
    });
    clock.forward(61);
    expect(await payments.checkout(began.id)).toMatchObject(refused);
  });

  test('begins a plan, whose periods are bills, until it is ended', async () => {
    const wanted = order({ every: 'month', name: 'Professional', cents: 7500 });
    const began = await payments.begin(wanted, newId());
    await act(began.url ?? '', 'pay');
    const { subscription } = (await payments.checkout(began.id)) ?? {};
    const first = await payments.subscription(subscription ?? '');
    expect(first).toMatchObject({ status: 'active', endsAtPeriodEnd: false, purchaseId: wanted.purchaseId });
    const bill = await payments.invoice(first?.invoice ?? '');
    expect(bill).toMatchObject({
      paid: true,
      cents: 7500,
      taxCents: 1500,
      subscription,
      purchaseId: wanted.purchaseId,
    });
    expect(bill?.periodEnd).toEqual(first?.periodEnd);

    practice.account.decline(subscription ?? '');
    clock.forward(32 * 86_400);
    const late = await payments.subscription(subscription ?? '');
    expect(late).toMatchObject({ status: 'past_due' });
    const open = await payments.invoice(late?.invoice ?? '');
    expect(open).toMatchObject({ paid: false, cents: 0 });
    expect((await act(open?.url ?? '', 'pay')).page).toContain('complete');
    expect(await payments.subscription(subscription ?? '')).toMatchObject({ status: 'active' });

    expect(await payments.endWithPeriod(subscription ?? '', true)).toMatchObject({ endsAtPeriodEnd: true });
    expect(await payments.endWithPeriod(subscription ?? '', false)).toMatchObject({ endsAtPeriodEnd: false });
    await payments.endWithPeriod(subscription ?? '', true);
    clock.forward(32 * 86_400);
    expect(await payments.subscription(subscription ?? '')).toMatchObject({ status: 'ended' });
  });

  test('begins a next period with a bill that is not finished, and therefore not due, for an hour', async () => {
    for (const declines of [false, true]) {
      const began = await payments.begin(order({ every: 'month', name: 'Professional', cents: 7500 }), newId());
      await act(began.url ?? '', 'pay');
      const id = (await payments.checkout(began.id))?.subscription ?? '';
      const first = await payments.subscription(id);
      if (declines) practice.account.decline(id);
      clock.forward(((first?.periodEnd.getTime() ?? 0) - clock.now().getTime()) / 1000 + 60);
      const next = await payments.subscription(id);
      expect(next).toMatchObject({ status: 'active' });
      expect(next?.periodEnd.getTime()).toBeGreaterThan(first?.periodEnd.getTime() ?? 0);
      expect(next?.invoice).not.toBe(first?.invoice);
      const bill = { paid: false, refused: false, subscription: id, url: null, cents: 0 };
      expect(await payments.invoice(next?.invoice ?? '')).toMatchObject(bill);
      const told = practice.account.events().at(-1);
      expect(told).toMatchObject({ type: 'customer.subscription.updated', data: { object: { id } } });
      expect((await fetch(`${practice.origin}/invoice/${next?.invoice}`)).status).toBe(404);

      clock.forward(3600);
      expect(await payments.subscription(id)).toMatchObject({ status: declines ? 'past_due' : 'active' });
      expect(await payments.invoice(next?.invoice ?? '')).toMatchObject({
        ...{ paid: !declines, cents: declines ? 0 : 7500, url: expect.stringMatching(/^http/) },
      });
    }
  });

  test('repeats a failure under the same key, and does what was lost on the way back once', async () => {
    const [wanted, key] = [order(), newId()];
    practice.faults.fail = 1;
    await expect(payments.begin(wanted, key)).rejects.toMatchObject({ code: 'UPSTREAM' });
    await expect(payments.begin(wanted, key)).rejects.toMatchObject({ code: 'UPSTREAM' });
    practice.faults.lose = 1;
    const began = await payments.begin(wanted, `${key}-2`);
    const [same] = (await payments.checkoutsSince(since)).filter(({ purchaseId }) => purchaseId === wanted.purchaseId);
    expect(same?.id).toBe(began.id);
  });
});

test('the practice service accepts no key but its own, and forgets nothing when it is opened again', async () => {
  const { mkdtemp, rm } = await import('node:fs/promises');
  const folder = await mkdtemp('/tmp/colloquy-practice-');
  const file = `${folder}/practice.jsonl`;
  const one = await openPractice({ clock, file, tax: false });
  const began = await stripePayments(one.access).begin(order(), newId());
  const stranger = stripePayments({ ...one.access, secretKey: `sk_${'live'}_something` });
  await expect(stranger.checkout(began.id)).rejects.toMatchObject({ code: 'UPSTREAM' });
  await one.close();
  const two = await openPractice({ clock, file, tax: false });
  expect(two.origin).toBe(one.origin);
  expect(two.access.webhookSecrets).toEqual(one.access.webhookSecrets);
  expect(await stripePayments(two.access).checkout(began.id)).toEqual(began);
  await two.close();
  await rm(folder, { recursive: true });
});
