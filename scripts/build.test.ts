import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stale } from './build.mjs';

let root = '';
const names = () => stale(root).map(({ name }) => name);
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'colloquy-build-'));
  for (const path of ['client/main.tsx', 'server/main.ts', 'db/open.ts', 'shared/ids.ts', 'package.json'])
    write(path, path);
  for (const { name, made, fingerprint } of stale(root)) {
    write(made, '');
    write(`dist/${name}.stamp`, fingerprint);
  }
  expect(names()).toEqual([]);
});

afterEach(() => rmSync(root, { recursive: true }));

test.each([
  ['client/main.tsx', ['client']],
  ['client/new/screen.tsx', ['client']],
  ['server/main.ts', ['server']],
  ['db/migrations/0001_more.sql', ['server']],
  ['shared/ids.ts', ['client', 'server']],
  ['package.json', ['client', 'server']],
  ['shared/ids.test.ts', []],
  ['client/.screen.tsx.swp', []],
  ['README.md', []],
])('after a change of %s, stale is %j', (path, expected) => {
  write(path, 'changed');
  expect(names()).toEqual(expected);
});

test('a file that is removed or renamed makes its build stale', () => {
  cpSync(join(root, 'server/main.ts'), join(root, 'server/entry.ts'));
  rmSync(join(root, 'server/main.ts'));
  expect(names()).toEqual(['server']);
});

test('a new date alone changes nothing', () => {
  utimesSync(join(root, 'client/main.tsx'), 0, 0);
  expect(names()).toEqual([]);
});

test.each(['dist/client.stamp', 'dist/client/index.html'])('a build without %s is none', (path) => {
  rmSync(join(root, path));
  expect(names()).toEqual(['client']);
});
