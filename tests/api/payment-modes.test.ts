// A database keeps to the mode of its first payment (money.md 5): practice money never enters books of another mode.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { voidTestMoney } from '#server/billing/operator.ts';
import { readConfig } from '#server/config.ts';
import { createLog } from '#server/log.ts';
import { CannotStart, start } from '#server/start.ts';
import { bought, openShop, type Shop } from '#tests/support/payments.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.close());

const keys = {
  STRIPE_SECRET_KEY: 'sk_test_' + 'a1b2c3d4'.repeat(4),
  STRIPE_PUBLISHABLE_KEY: 'pk_test_' + 'a1b2c3d4'.repeat(4),
  STRIPE_WEBHOOK_SECRET: 'whsec_' + 'a1b2c3d4'.repeat(4),
};

/** Starts a server on the same database. */
async function startWith(env: Record<string, string>): Promise<void> {
  const root = new URL('../..', import.meta.url).pathname;
  const config = readConfig({ PORT: '0', DATABASE_URL: shop.house.url, ...env }, root);
  const options = { log: createLog('silent'), quickPasswords: true, client: null };
  await (await start(config, () => {}, options)).stop();
}

test('a start in another mode than that of the first payment is refused, and any before it is not', async () => {
  await startWith(keys);
  await bought(shop, await shop.house.person('Ann'), '20');
  await expect(startWith(keys)).rejects.toThrow(CannotStart);
  await expect(startWith(keys)).rejects.toThrow('has taken payments of the mode practice');
  await startWith({});
});

test('test payments are reversed, then another mode is taken', async () => {
  expect(await voidTestMoney(shop.house.house)).toMatchObject({ mode: 'practice', payments: 1 });
  await startWith(keys);
});
