// docs/money.md and docs/promises.md name the test of each rule: the tests exist, by these titles.
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
