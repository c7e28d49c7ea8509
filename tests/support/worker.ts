import { chromium } from 'playwright-core';
import { inject, test } from 'vitest';
import { browserArgs } from '../../scripts/browser.mjs';
import { builtClient, openHouse, type SharedHouse } from './house.ts';

/**
 * Fixtures that live as long as a worker, for all files that run in it: `worker.beforeAll(({ house }) => …)`. Tests
 * share the house with accounts of their own; a test that configures or stops a house, or moves its clock, opens its
 * own.
 */
export const worker = test
  .extend('browserPath', { scope: 'worker' }, () => inject('browser'))
  .extend('client', { scope: 'worker' }, builtClient)
  // One browser a worker, spoken to by a pipe: one for all would need a server between, which costs a tenth more.
  .extend('browser', { scope: 'worker' }, async ({ browserPath }, { onCleanup }) => {
    // Chromium's fake microphone; a page gets it only with the permission its test grants.
    const args = [...browserArgs, '--use-fake-device-for-media-stream'];
    const browser = await chromium.launch({ executablePath: browserPath, args, timeout: 120_000 });
    onCleanup(() => browser.close());
    return browser;
  })
  .extend('house', { scope: 'worker' }, async ({ client }, { onCleanup }): Promise<SharedHouse> => {
    const house = await openHouse({ client, env: { DEV: 'on' } });
    onCleanup(() => house.close());
    return house;
  });
