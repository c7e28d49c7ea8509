import type { TestProject } from 'vitest/node';
import { findBrowser, findHeadlessShell } from '../../scripts/browser.mjs';
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
  const { signal } = new AbortController();
  const named = process.env['PLAYWRIGHT_CHROMIUM'];
  const path = named ?? (await findBrowser(root, signal)).path;
  if (path === undefined) throw new Error('no browser on this machine; `npm test` finds or fetches one');
  // Vitest called by itself gets no shell from `npm test`.
  const shell =
    process.env['TEST_HEADLESS_SHELL'] ?? (named === undefined ? await findHeadlessShell(signal) : undefined);
  project.provide('browser', path);
  project.provide('headlessShell', shell ?? path);
  await build(root, signal);
}
