// docs/money.md and docs/promises.md name the test of each rule: the tests exist, by these titles. docs/money.md names all
// calls of money and teams beside their tables.
import { expect, test } from 'vitest';
import { read } from './files.ts';

const rowsOf = (page: string) =>
  read(page)
    .split('\n')
    .flatMap((line) => {
      const [, file, title] = /^\|[^|]+\| `([^`]+\.ts)` \| (.+) \|$/.exec(line) ?? [];
      return file !== undefined && title !== undefined ? [{ file, title }] : [];
    });

test.each([
  ['docs/money.md', 60],
  ['docs/promises.md', 70],
])('every rule of %s has a test by the title that the page names', (page, fewest) => {
  const rows = rowsOf(page);
  expect(rows.length).toBeGreaterThan(fewest);
  expect(rows.filter(({ file, title }) => !read(file).includes(title))).toEqual([]);
  // Each row of three names a test, but for heads.
  const threes = read(page).match(/^\| (?!---|rule |promise )[^|]+\|[^|]+\|[^|]+\|$/gm) ?? [];
  expect(threes.length).toBe(rows.length);
});

/** Calls that a table tries. */
const callsOf = (file: string): string[] =>
  [...read(file).matchAll(/^ {2}'((?:GET|POST|PUT|DELETE) \/api\/[^']+)':/gm)].map(([, call = '']) => call).toSorted();

test('docs/money.md names all calls of money and teams, each beside the table that tries it', () => {
  const named = new Map(
    [...read('docs/money.md').matchAll(/^\| ([^|]+) \| `(tests\/api\/[\w-]+\.table\.ts)` \|$/gm)].map(
      ([, cell = '', file = '']): [string, string[]] => [
        file,
        [...cell.matchAll(/`([A-Z]+ \/api\/[^`]+)`/g)].map(([, call = '']) => call.replaceAll(/\{(\w+)\}/g, ':$1')),
      ],
    ),
  );
  for (const name of ['billing', 'payments', 'groups']) {
    const file = `tests/api/${name}.table.ts`;
    expect(named.get(file)?.toSorted()).toEqual(callsOf(file));
  }
  expect(named.size).toBeGreaterThan(3);
  for (const [file, calls] of named) expect(callsOf(file)).toEqual(expect.arrayContaining(calls));
});
