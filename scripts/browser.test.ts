import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { offByPlaywright } from './browser.mjs';
import { root } from './prepare.mjs';

test('our list of what Playwright switches off, which replaces its own, has all of it', () => {
  const bundle = readFileSync(join(root, 'node_modules/playwright-core/lib/coreBundle.js'), 'utf8');
  const list = /\bdisabledFeatures = \[([^\]]*)\]/.exec(bundle)?.[1] ?? '';
  const features = [...list.matchAll(/^ *"(\w+)",?$/gm)].map(([, name]) => name);
  expect(features.length).toBeGreaterThan(5);
  expect(offByPlaywright).toEqual(expect.arrayContaining(features));
});
