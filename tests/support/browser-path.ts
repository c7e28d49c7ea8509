import type { TestProject } from 'vitest/node';
import { findBrowser } from '../../scripts/browser.mjs';
import { build } from '../../scripts/build.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of the browser that people have, which can record. */
    browser: string;
    /** Path of a browser that shows pages for less, or of the same one. */
    headlessShell: string;
  }
}

const root = new URL('../..', import.meta.url).pathname;

/** Finds the browsers once a run, and builds what is stale: without a build the pages would be blank. */
export default async function setup(project: TestProject): Promise<void> {
  const path = process.env['PLAYWRIGHT_CHROMIUM'] ?? (await findBrowser(root, new AbortController().signal)).path;
  if (path === undefined) throw new Error('no browser on this machine; `npm test` finds or fetches one');
  project.provide('browser', path);
  project.provide('headlessShell', process.env['TEST_HEADLESS_SHELL'] ?? path);
  await build(root, new AbortController().signal);
}
