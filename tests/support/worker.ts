import { chromium } from 'playwright-core';
import { inject, test } from 'vitest';
import { builtClient, openHouse, type SharedHouse } from './house.ts';

/**
 * Fixtures that live as long as a worker, for all files that run in it: `worker.beforeAll(({ house }) => …)`. Tests
 * share the house with accounts of their own; a test that configures or stops a house, or moves its clock, opens its
 * own.
 */
export const worker = test
  .extend('browserAddress', { scope: 'worker' }, () => inject('browser'))
  .extend('client', { scope: 'worker' }, builtClient)
  .extend('browser', { scope: 'worker' }, async ({ browserAddress }, { onCleanup }) => {
    const browser = await chromium.connect(browserAddress);
    onCleanup(() => browser.close());
    return browser;
  })
  .extend('house', { scope: 'worker' }, async ({ client }, { onCleanup }): Promise<SharedHouse> => {
    const house = await openHouse({ client, env: { DEV: 'on' } });
    onCleanup(() => house.close());
    return house;
  });
