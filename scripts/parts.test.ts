import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import config from '../vitest.config.ts';
import { filesAgain, parts } from './parts.mjs';

const root = join(import.meta.dirname, '..');

test('npm test knows every project of tests, and no other', () => {
  const projects = config.test?.projects ?? [];
  const names = projects.map((project) =>
    typeof project === 'object' && 'test' in project ? project.test?.name : project,
  );
  expect(Object.keys(parts).toSorted()).toEqual(names.toSorted());
});

describe('What runs again on the PostgreSQL of the system', () => {
  const again = filesAgain(root, Object.keys(parts));
  const starts = Object.values(parts).flatMap((part) => part.again ?? []);

  test.each(starts)('%s is there', (start) => expect(again.filter((file) => file.startsWith(start))).not.toEqual([]));

  test('is whatever asks for a PostgreSQL of a kind', () => {
    const all = readdirSync(join(root, 'tests'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => `tests/${name.replaceAll('\\', '/')}`);
    const asking = all.filter((file) => readFileSync(join(root, file), 'utf8').includes('TEST_DATABASE'));
    expect(asking).not.toEqual([]);
    expect(asking.filter((file) => !again.includes(file))).toEqual([]);
  });

  test.each<[string, string[], string[], string[]]>([
    ['a part of it', ['faults'], [], parts['faults']?.again?.toSorted() ?? []],
    ['nothing of a part that does not care', ['attacks', 'unit'], [], []],
    ['a file that was chosen', ['sync'], ['tests/sync/log.test.ts'], ['tests/sync/log.test.ts']],
    ['a word that was chosen', ['sync', 'faults'], ['kill'], ['tests/faults/kill.test.ts']],
    ['no file that was chosen and does not care', ['faults'], ['./tests/faults/network.test.ts'], []],
  ])('%s', (_, names, chosen, files) => expect(filesAgain(root, names, chosen)).toEqual(files));
});
