import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { browserArgs, findBrowser } from '../../scripts/browser.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the browser that all tests of a run share. */
    browser: string;
  }
}

const root = new URL('../..', import.meta.url).pathname;

/** One browser a run; every test opens isolated contexts in it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const path = process.env['PLAYWRIGHT_CHROMIUM'] ?? (await findBrowser(root, new AbortController().signal)).path;
  if (path === undefined) throw new Error('no browser on this machine; `npm test` finds or fetches one');
  // Chromium's fake microphone; a page gets it only with the permission its test grants.
  const args = [...browserArgs, '--use-fake-device-for-media-stream'];
  const server = await chromium.launchServer({ executablePath: path, args, timeout: 120_000 });
  project.provide('browser', server.wsEndpoint());
  return () => server.close();
}
