import { expect } from 'vitest';
import type { Orm } from '#db/open.ts';
import { promoCodes, subscriptions } from '#db/schema/payments.ts';
import { purseOf } from '#server/billing/ledger.ts';
import { rules } from '#server/limits.ts';
import type { Payments } from '#server/outside/payments.ts';
import { checkoutView, publishableKeyView, purchaseView, shopView, taxCodesView } from '#shared/payments.ts';
import { newId } from '#shared/ids.ts';
import { Problem } from '#shared/problems.ts';
import { onPage } from '#tests/support/payments.ts';
import type { Answer } from '#tests/support/people.ts';
import { unknownParameter, type Row, type Scene, type Table } from '#tests/support/table.ts';

// Calls of the screens on which people pay; tests/api/payments.test.ts has what they do to the books.

const invalid = (when: string, body: unknown, fields: Record<string, string>): Row => ({
  when,
  as: 'session',
  body,
  status: 422,
  code: 'INVALID',
  fields,
});
const tooOften = (body: unknown, rule = rules.payments): Row => ({
  when: 'asked too often',
  as: 'session',
  body,
  send: async ({ caller, exhaust }: Scene) => {
    await exhaust(rule, caller.id);
    return {};
  },
  status: 429,
  code: 'RATE',
});
/** The next request finds these payments instead. */
function swapOnce({ house: { house: parts } }: Scene, payments: Payments | null): void {
  const real = parts.payments;
  Object.defineProperty(parts, 'payments', {
    configurable: true,
    enumerable: true,
    get() {
      Object.defineProperty(parts, 'payments', { configurable: true, enumerable: true, writable: true, value: real });
      return payments;
    },
  });
}
const silent = () => Promise.reject(new Problem('UPSTREAM'));
const unreachable = (scene: Scene) => {
  const real = scene.house.house.payments;
  if (real) swapOnce(scene, { ...real, begin: silent, checkout: silent, endWithPeriod: silent });
};
const away = (body: unknown): Row => ({
  when: 'the payment service does not answer',
  as: 'session',
  body,
  send: (scene: Scene) => {
    unreachable(scene);
    return Promise.resolve({});
  },
  status: 502,
  code: 'UPSTREAM',
});
const off = (body: unknown): Row => ({
  when: 'nothing can be bought here',
  as: 'session',
  body,
  send: (scene: Scene) => {
    swapOnce(scene, null);
    return Promise.resolve({});
  },
  status: 503,
  code: 'PAYMENTS_OFF',
});
const parses =
  (view: { parse(value: unknown): unknown }) =>
  ({ body }: Answer) =>
    expect(view.parse(body)).toEqual(body);
const pageOf = async ({ caller }: Scene, balance = 5) => (await caller.post('/api/credits/purchase', { balance })).body;
/** Credits that were bought. */
const rich = async (scene: Scene) => {
  const { id, url } = await pageOf(scene, 100);
  await onPage(url, 'pay');
  expect((await scene.caller.get(`/api/credits/purchases/${id}`)).body.state).toBe('paid');
};
/** A plan as our books know it; the payment service does not. */
const holding = (cancelled: boolean) => async (scene: Scene) => {
  const { house, caller } = scene;
  const at = house.clock.now();
  const purseId = await house.database.orm.transaction((tx) => purseOf(house.house, tx as unknown as Orm, caller.id));
  await house.database.orm.insert(subscriptions).values({
    ...{ id: newId(), purseId, plan: 'professional', serviceId: `sub_${newId()}`, state: 'active' },
    ...{ cancelled, periodEnd: new Date(at.getTime() + 86_400_000), createdAt: at },
  });
  return { planName: 'professional' };
};
const beginPlan = async ({ caller }: Scene) => {
  const { url } = (await caller.post('/api/plans/purchase', { planName: 'professional' })).body;
  await onPage(url, 'pay');
  await expect
    .poll(async () => JSON.stringify((await caller.get('/api/shop')).body.plans[0]), { timeout: 10_000 })
    .toContain('"active":true');
  return { planName: 'professional' };
};

export default {
  'GET /api/stripe/publishable-key': [
    { when: 'signed in', as: 'session', status: 200, then: parses(publishableKeyView) },
    off(undefined),
    unknownParameter,
  ],
  'GET /api/shop': [
    {
      when: 'signed in',
      as: 'session',
      status: 200,
      then: (answer: Answer) => {
        parses(shopView)(answer);
        expect(answer.body).toMatchObject({ mode: 'practice', tax: false, testPurchase: false, billingInfo: null });
      },
    },
    unknownParameter,
  ],
  'GET /api/principals/billing/taxcodes': [
    {
      when: 'signed in',
      as: 'token',
      status: 200,
      then: (answer: Answer) => {
        parses(taxCodesView)(answer);
        expect(answer.body.taxcodes).toContainEqual({
          type: 'eu_vat',
          country: 'Germany',
          countryCode: 'DE',
          description: 'VAT number',
          example: 'DE123456789',
        });
      },
    },
    {
      when: 'by a browser that asks for Spanish',
      as: 'token',
      send: { headers: { 'Accept-Language': 'fr, es-ES;q=0.9' } },
      status: 200,
      then: (answer: Answer) =>
        expect(answer.body.taxcodes).toContainEqual(expect.objectContaining({ type: 'eu_vat', country: 'Alemania' })),
    },
    unknownParameter,
  ],
  'PUT /api/billing/profile': [
    { when: 'a name alone', as: 'session', body: { name: ' Ann ', address: {} }, status: 200 },
    invalid('no name', { name: ' ', address: {} }, { name: 'required' }),
    invalid(
      'a country that is none, and an unknown type',
      { name: 'Ann', address: { country: 'Nowhere' }, tax_id_data: [{ type: 'x', value: '1' }] },
      { 'address.country': 'country', 'tax_id_data.0.type': 'tax_id_type' },
    ),
  ],
  'POST /api/credits/purchase': [
    { when: 'an amount is named', as: 'session', body: { balance: '5,00' }, status: 200, then: parses(checkoutView) },
    { when: 'by a token', as: 'token', body: { balance: 5 }, status: 200 },
    invalid('less than a credit', { balance: '0.5' }, { balance: 'amount' }),
    invalid('it leads elsewhere', { balance: 5, successUrl: 'https://evil.example' }, { successUrl: 'return_path' }),
    invalid('an unknown code', { balance: 5, promoCode: 'none' }, { promoCode: 'promo' }),
    {
      when: 'it was paid before its answer arrived',
      as: 'session',
      body: { balance: 5 },
      send: async (scene: Scene) => {
        const { house, caller } = scene;
        const { url } = (
          await caller.post('/api/credits/purchase', { balance: 5 }, { headers: { 'X-Request-ID': caller.id } })
        ).body;
        await house.database.ask((sql) => sql`delete from request_answers where user_id = ${caller.id}`);
        await onPage(url, 'pay');
        return { headers: { 'X-Request-ID': caller.id } };
      },
      status: 409,
      code: 'CONFLICT',
      then: ({ problem }: Answer) => expect(problem.info['purchase']).toEqual(expect.any(String)),
    },
    tooOften({ balance: 5 }),
    away({ balance: 5 }),
    off({ balance: 5 }),
  ],
  'GET /api/credits/purchases/:id': [
    {
      when: 'it is one’s own',
      as: 'session',
      params: async (scene: Scene) => ({ id: (await pageOf(scene)).id }),
      status: 200,
      then: parses(purchaseView),
    },
    { when: 'there is none', as: 'session', params: async () => ({ id: newId() }), status: 403, code: 'NO_ACCESS' },
    {
      when: 'the payment service was asked too often',
      as: 'session',
      params: async (scene: Scene) => {
        const { id } = await pageOf(scene);
        await scene.exhaust(rules.purchaseStates, scene.caller.id);
        unreachable(scene);
        return { id };
      },
      status: 200,
      then: ({ body }: Answer) => expect(body.state).toBe('waiting'),
    },
    {
      when: 'the payment service does not answer',
      as: 'session',
      params: async (scene: Scene) => {
        const { id } = await pageOf(scene);
        unreachable(scene);
        return { id };
      },
      status: 502,
      code: 'UPSTREAM',
    },
  ],
  'POST /api/credits/promo': [
    {
      when: 'it can be used',
      as: 'session',
      body: async ({ house, caller }: Scene) => {
        const code = caller.id.toUpperCase();
        await house.database.orm
          .insert(promoCodes)
          .values({ code, bonus: 5_000_000n, least: 0n, limit: 1, expiresAt: null });
        return { code, balance: '20' };
      },
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ bonus: '5.00' }),
    },
    invalid('nobody knows it', { code: 'none', balance: 5 }, { promoCode: 'promo' }),
    tooOften({ code: 'none', balance: 5 }, rules.promoCodes),
  ],
  'POST /api/plans/purchase': [
    { when: 'it is sold', as: 'session', body: { planName: 'professional' }, status: 200, then: parses(checkoutView) },
    invalid('nothing of that name', { planName: 'bundle300' }, { planName: 'plan' }),
    { when: 'one has it', as: 'session', body: holding(false), status: 409, code: 'CONFLICT' },
    tooOften({ planName: 'professional' }),
    away({ planName: 'professional' }),
    off({ planName: 'professional' }),
  ],
  'POST /api/plans/cancel': [
    { when: 'one has it', as: 'session', body: beginPlan, status: 204 },
    {
      when: 'the payment service does not know it',
      as: 'session',
      body: holding(false),
      status: 502,
      code: 'UPSTREAM',
    },
    invalid('nothing is named', {}, { planName: 'invalid' }),
    tooOften({ planName: 'professional' }),
    off({ planName: 'professional' }),
    { when: 'one has none', as: 'session', body: { planName: 'professional' }, status: 409, code: 'CONFLICT' },
  ],
  'POST /api/plan': [
    {
      when: 'the credits are there',
      as: 'session',
      body: async (scene: Scene) => {
        await rich(scene);
        return { plan: 'bundle300', balance: '36.00' };
      },
      status: 200,
      then: ({ body }: Answer) => expect(shopView.pick({ plans: true }).parse(body)).toEqual(body),
    },
    tooOften({ plan: 'bundle300', balance: '36' }),
    {
      when: 'nothing is there to pay with',
      as: 'session',
      body: { plan: 'bundle300', balance: '36' },
      status: 402,
      code: 'FUNDS',
    },
    {
      when: 'another price was seen',
      as: 'session',
      body: { plan: 'bundle300', balance: '35' },
      status: 409,
      code: 'PRICE',
    },
    {
      when: 'the payment service does not say whether the plan was paid by card',
      as: 'session',
      body: async (scene: Scene) => {
        await rich(scene);
        await scene.caller.post('/api/plans/purchase', { planName: 'professional' });
        unreachable(scene);
        return { plan: 'professional', balance: '75' };
      },
      status: 502,
      code: 'UPSTREAM',
    },
    invalid('nothing of that name', { plan: 'x', balance: '36' }, { plan: 'plan' }),
  ],
  'GET /api/transactions/receipt/:id': [
    {
      when: 'it is one’s own',
      as: 'session',
      params: async (scene: Scene) => {
        await rich(scene);
        const [row] = await scene.house.database.ask(
          (sql) =>
            sql<
              { id: string }[]
            >`select payment_id as id from purchases p join purses u on u.id = p.purse_id where u.user_id = ${scene.caller.id}`,
        );
        return { id: row?.id ?? '' };
      },
      status: 200,
      then: ({ text }: Answer) => expect(text).toContain('Test payment, no money moves'),
    },
    { when: 'there is none', as: 'session', params: async () => ({ id: 'pi_none' }), status: 403, code: 'NO_ACCESS' },
  ],
  'POST /api/stripe/webhook': [{ when: 'nobody has signed it', body: {}, status: 400, code: 'BAD_REQUEST' }, off({})],
} satisfies Table;
