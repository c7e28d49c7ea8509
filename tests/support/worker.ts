import { chromium, type Browser } from 'playwright-core';
import { inject, test } from 'vitest';
import { browserArgs } from '../../scripts/browser.mjs';
import { builtClient, openHouse, type SharedHouse } from './house.ts';

/** Pages of tests live for seconds, and compiling scripts for longer costs a fifth more than it saves. */
const quickScripts = '--js-flags=--no-opt --no-maglev';

/** Starts a browser with Chromium's fake microphone; a page gets it only with the permission its test grants. */
export function launch(executablePath: string, ...more: string[]): Promise<Browser> {
  const args = [...browserArgs, quickScripts, '--use-fake-device-for-media-stream', ...more];
  return chromium.launch({ executablePath, args, timeout: 120_000 });
}

/**
 * Fixtures that live as long as a worker, for all files that run in it: `worker.beforeAll(({ house }) => …)`. Tests
 * share the house with accounts of their own; a test that configures or stops a house, or moves its clock, opens its
 * own.
 */
export const worker = test
  .extend('client', { scope: 'worker' }, builtClient)
  .extend('browserPaths', { scope: 'worker' }, () => ({ recording: inject('browser'), any: inject('headlessShell') }))
  // One browser a worker, spoken to by a pipe: one for all would need a server between, which costs a tenth more.
  .extend('browser', { scope: 'worker' }, async ({ browserPaths }, { onCleanup }) => {
    const browser = await launch(browserPaths.any);
    onCleanup(() => browser.close());
    return browser;
  })
  .extend('recordingBrowser', { scope: 'worker' }, async ({ browser: other, browserPaths }, { onCleanup }) => {
    if (browserPaths.recording === browserPaths.any) return other;
    const browser = await launch(browserPaths.recording);
    onCleanup(() => browser.close());
    return browser;
  })
  .extend('house', { scope: 'worker' }, async ({ client }, { onCleanup }): Promise<SharedHouse> => {
    const house = await openHouse({ client, env: { DEV: 'on' } });
    onCleanup(() => house.close());
    return house;
  });
