// docs/money.md names the test of each rule of money: the tests exist, by these titles.
import { expect, test } from 'vitest';
import { read } from './files.ts';

const rows = read('docs/money.md')
  .split('\n')
  .flatMap((line) => {
    const [, file, title] = /^\|[^|]+\| `([^`]+\.test\.ts)` \| (.+) \|$/.exec(line) ?? [];
    return file !== undefined && title !== undefined ? [{ file, title }] : [];
  });

test('every rule of money has a test by the title that its page names', () => {
  expect(rows.length).toBeGreaterThan(60);
  expect(rows.filter(({ file, title }) => !read(file).includes(title))).toEqual([]);
});
