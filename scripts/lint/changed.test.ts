import { execFileSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { digests, keepKnown, readKnown } from './changed.mjs';

let root: string;
const shapes = () => join(root, 'node_modules/shapes');

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'lint-changed-'));
  execFileSync('git', ['init', '-q'], { cwd: root });
  write('.gitignore', 'node_modules/\n');
  source('shared/far.ts', 'export const far = (): number => 1;', 'export declare const far: () => number;');
  source(
    'shared/near.ts',
    "import { far } from './far.ts';\nimport { hidden } from './hidden.ts';\nexport const near = () => far() + hidden;",
    "export declare const near: () => ReturnType<typeof import('./far.ts').far>;",
  );
  source('shared/hidden.ts', 'export const hidden = 1;', 'export declare const hidden: 1;');
  source('client/page.ts', "import { near } from '#shared/near.ts';\nnear();", 'export {};');
  source('client/alone.ts', 'export const alone = 1;', 'export declare const alone: 1;');
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(name: string, text: string) {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text);
}

/** A file, and its declarations as tsc would write them. */
function source(name: string, text: string, declarations: string) {
  write(name, text);
  write(join('node_modules/shapes', name.replace('.ts', '.d.ts')), declarations);
}

/** Names of the files whose digest is another one after `change`. */
function changedBy(change: () => void) {
  const before = digests(root, shapes());
  change();
  const after = digests(root, shapes());
  return [...after].filter(([name, digest]) => before.get(name) !== digest).map(([name]) => name);
}

test('a change inside a function concerns its file alone', () => {
  const change = () => write('shared/far.ts', 'export const far = (): number => 2;');
  expect(changedBy(change)).toEqual(['shared/far.ts']);
});

test('another shape concerns all that import it, also through the shapes of others', () => {
  const change = () =>
    source('shared/far.ts', "export const far = () => 'one';", 'export declare const far: () => string;');
  expect(changedBy(change)).toEqual(['client/page.ts', 'shared/far.ts', 'shared/near.ts']);
});

test('a shape that another file only uses inside does not go further', () => {
  const change = () => source('shared/hidden.ts', 'export const hidden = 2;', 'export declare const hidden: 2;');
  expect(changedBy(change)).toEqual(['shared/hidden.ts', 'shared/near.ts']);
});

test('what adds to the types of a package concerns every file', () => {
  source('client/words.ts', 'export const word = 1;', 'export declare const word: 1;');
  const added =
    "import type { word } from './words.ts';\ndeclare module 'texts' {\n  interface All { word: typeof word }\n}";
  source('client/texts.ts', added, added);
  const change = () => source('client/words.ts', 'export const word = 2;', 'export declare const word: 2;');
  expect(changedBy(change)).toHaveLength(7);
});

test('a file without declarations counts whole, and a new or deleted one is seen', () => {
  write('client/new.ts', "import settings from './settings.json';\nexport const size = settings.size;");
  write('client/settings.json', '{"size":1}');
  expect(changedBy(() => write('client/settings.json', '{"size":2}'))).toEqual(['client/new.ts']);
  expect(changedBy(() => write('client/more.ts', 'export {};'))).toEqual(['client/more.ts']);
  rmSync(join(root, 'client/more.ts'));
  expect([...digests(root, shapes()).keys()]).not.toContain('client/more.ts');
});

test('what is known under other rules, or was half written, counts for nothing', () => {
  const path = join(root, 'node_modules/lint.json');
  keepKnown(path, { rules: 'old', good: { 'client/page.ts': 'x' } });
  expect(readKnown(path, 'old').good).toEqual({ 'client/page.ts': 'x' });
  expect(readKnown(path, 'new')).toEqual({ rules: 'new', good: {} });
  writeFileSync(path, '{"rules":"old","go');
  expect(readKnown(path, 'old').good).toEqual({});
});
