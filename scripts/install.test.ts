import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { missing } from './install.mjs';

let root = '';
const here = { os: [process.platform], cpu: [process.arch] };
const elsewhere = { os: ['plan9'], cpu: ['pdp11'] };
const locked = {
  '': { optionalDependencies: { 'engine-here': '1.0.0', 'engine-elsewhere': '1.0.0', ears: '1.0.0' } },
  'node_modules/app': { version: '2.0.0' },
  'node_modules/app/node_modules/part': { version: '3.0.0' },
  'node_modules/engine-here': { version: '1.0.0', optional: true, ...here },
  'node_modules/engine-elsewhere': { version: '1.0.0', optional: true, ...elsewhere },
  'node_modules/ears': { version: '1.0.0', optional: true },
  'node_modules/nicety': { version: '1.0.0', optional: true },
};
const installed = {
  'node_modules/app': { version: '2.0.0' },
  'node_modules/app/node_modules/part': { version: '3.0.0' },
  'node_modules/engine-here': { version: '1.0.0' },
};

function lay(record: Record<string, { version: string }>) {
  for (const path of Object.keys(record)) {
    mkdirSync(join(root, path), { recursive: true });
    writeFileSync(join(root, path, 'package.json'), '{}');
  }
  writeFileSync(join(root, 'node_modules/.package-lock.json'), JSON.stringify({ packages: record }));
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'colloquy-install-'));
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: locked }));
});

afterEach(() => rmSync(root, { recursive: true }));

test('a complete install passes, without packages of other machines, of no machine here, or that only some need', () => {
  lay(installed);
  expect(missing(root)).toBeUndefined();
});

test('a fresh clone and half an install get different messages', () => {
  expect(missing(root)).toBe('nothing is installed yet');
  mkdirSync(join(root, 'node_modules/app'), { recursive: true });
  expect(missing(root)).toBe('an install was not finished');
});

test.each([
  ['another version', { ...installed, 'node_modules/app': { version: '1.9.0' } }, 'app is 1.9.0, not 2.0.0'],
  ['a nested package left out', omit('node_modules/app/node_modules/part'), 'part is missing'],
  ['the binaries of this machine left out', omit('node_modules/engine-here'), 'engine-here is missing'],
])('%s is noticed', (_case, record, why) => {
  lay(record);
  expect(missing(root)).toBe(why);
});

test('a package whose folder was removed is noticed', () => {
  lay(installed);
  rmSync(join(root, 'node_modules/app/node_modules/part'), { recursive: true });
  expect(missing(root)).toBe('part is missing');
});

test('a damaged lock file is said, not installed from', () => {
  lay(installed);
  writeFileSync(join(root, 'package-lock.json'), '{');
  expect(() => missing(root)).toThrow('package-lock.json is missing or damaged');
});

function omit(path: keyof typeof installed) {
  const { [path]: _left, ...rest } = installed;
  return rest as Record<string, { version: string }>;
}
