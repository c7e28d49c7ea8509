// npm test runs every test file in one part, and on both databases those that may find a difference (docs/testing.md).
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import config from '../vitest.config.ts';
import { deep, partNames, parts, partOf, projectArgs, slow, whyOf } from './parts.mjs';
import { root } from './prepare.mjs';
import { systemPostgres } from './system-postgres.mjs';

const testFiles = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\n')
  .filter((file) => /\.test\.tsx?$/.test(file) && existsSync(join(root, file)));

/** A glob of parts.mjs as a regular expression: `{a,b}`, `**` and `*`. */
function pattern(glob: string): RegExp {
  const source = glob
    .replaceAll('.', '\\.')
    .replaceAll('**/', '\0')
    .replaceAll('*', '[^/]*')
    .replaceAll('\0', '(?:.*/)?')
    .replaceAll(/\{([^}]*)\}/g, (_, words: string) => `(?:${words.replaceAll(',', '|')})`);
  return new RegExp(`^${source}$`);
}
function filesOf(globs: readonly string[]): string[] {
  const patterns = globs.map(pattern);
  return testFiles.filter((file) => patterns.some((one) => one.test(file)));
}

test('vitest knows the projects of every part, and no other', () => {
  const projects = config.test?.projects ?? [];
  const names = projects.map((project) =>
    typeof project === 'object' && 'test' in project ? project.test?.name : project,
  );
  const wanted = projectArgs(Object.keys(parts)).filter((arg) => arg !== '--project');
  const possible = wanted.filter((name) => systemPostgres() || !partOf(name).external);
  expect(names.toSorted()).toEqual(possible.toSorted());
});

test('a slow machine runs every part, and halves searches that have a long form', () => {
  const all = projectArgs(Object.keys(parts)).filter((arg) => arg !== '--project');
  const once = projectArgs(Object.keys(parts), { twice: false }).filter((arg) => arg !== '--project');
  expect(once).toEqual(all.filter((name) => !partOf(name).external));
  expect(Object.keys(slow.env).filter((key) => !(key in deep.env))).toEqual([]);
});

test('every test file is in one part', () => {
  const times = new Map(testFiles.map((file) => [file, 0]));
  for (const { include } of Object.values(parts))
    for (const file of filesOf(include)) times.set(file, (times.get(file) ?? 0) + 1);
  expect(testFiles.length).toBeGreaterThan(200);
  expect([...times].filter(([, count]) => count !== 1)).toEqual([]);
});

const globs = Object.entries(parts).flatMap(([name, part]) =>
  [...part.include, ...(part.alsoExternal ?? []), ...(part.alone ?? [])].map((glob) => [name, glob]),
);
test.each([...globs, ...[...deep.include, ...deep.only].map((glob) => ['deep', glob])])(
  '%s: %s matches a file',
  (_, glob = '') => expect(filesOf([glob])).not.toEqual([]),
);

test('the expected seconds are those of files that exist', () => {
  const slow = JSON.parse(readFileSync(new URL('slow-files.json', import.meta.url), 'utf8')) as Record<string, number>;
  expect(Object.keys(slow).filter((file) => !testFiles.includes(file))).toEqual([]);
});

test('the files that run on both databases are those that ask for one of a kind', () => {
  const external = Object.values(parts).flatMap(({ alsoExternal = [] }) => filesOf(alsoExternal));
  const asking = testFiles.filter(
    (file) => file.startsWith('tests/') && readFileSync(join(root, file), 'utf8').includes('TEST_DATABASE'),
  );
  expect(asking).not.toEqual([]);
  expect(asking.filter((file) => !external.includes(file))).toEqual([]);
});

test.each([...partNames, 'attacks-alone', 'faults-external'])('a failure in %s says what its tests hold', (project) =>
  expect(whyOf(project)).toMatch(/\(.*(docs|sync|shared|db)\/.*\)$/),
);

describe('The projects of chosen parts', () => {
  test.each<[string, string[], string[]]>([
    ['a part on one database', ['unit'], ['--project', 'unit']],
    ['a part on both', ['faults'], ['--project', 'faults', '--project', 'faults-external']],
    ['a part with files that run alone', ['attacks'], ['--project', 'attacks', '--project', 'attacks-alone']],
    ['the long searches', ['deep'], ['--project', 'deep']],
  ])('%s', (_, names, args) => expect(projectArgs(names)).toEqual(args));
});
