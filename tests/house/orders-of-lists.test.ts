// Rows of one moment come in the same order each time: whatever is sorted by a time has a second key, or is one row alone.
import { describe, expect, test } from 'vitest';
import { files, read } from './files.ts';

const aTime = /(?:At|\bat|\buntil|\btold|_at|_told|seenAt|Ms|_ms)$/;

/** Text from the parenthesis that opens at `from` to the one that closes it. */
function within(source: string, from: number): string {
  let depth = 0;
  for (let i = from; i < source.length; i += 1) {
    if (source[i] === '(') depth += 1;
    if (source[i] === ')') depth -= 1;
    if (depth === 0) return source.slice(from + 1, i);
  }
  return source.slice(from + 1);
}

const lastKey = (keys: string): string =>
  (keys.replace(/,\s*$/, '').split(',').at(-1) ?? '')
    .trim()
    .replace(/^(?:asc|desc)\(/, '')
    .replace(/\)+$/, '')
    .replace(/(?:\s+(?:asc|desc|nulls first|nulls last))+$/, '');

/** Keys of statements in a source that leave the order of equal moments to chance. */
function chances(source: string): string[] {
  const found: string[] = [];
  for (const { index, 0: call } of source.matchAll(/\.orderBy\(/g)) {
    const keys = within(source, index + call.length - 1);
    const behind = source.slice(index + call.length + keys.length + 1);
    if (aTime.test(lastKey(keys)) && !/^\s*\.limit\(1\)/.test(behind)) found.push(keys);
  }
  for (const [, keys = '', behind = ''] of source.matchAll(
    /\border by ((?:[^`()]|\([^()]*\))*?)(?=(\blimit 1\b|\blimit\b|\boffset\b|[`)]))/g,
  ))
    if (aTime.test(lastKey(keys)) && behind !== 'limit 1') found.push(keys);
  return found;
}

const sources = files().filter((path) => /^(?:server|db)\/.*\.ts$/.test(path) && !path.endsWith('.test.ts'));

test('rows of one moment come in the same order each time', () => {
  const all = sources.flatMap((path) => chances(read(path)).map((keys) => `${path}: ${keys}`));
  expect(all).toEqual([]);
});

describe('an order by chance is found', () => {
  test.each([
    ['.orderBy(desc(sessions.seenAt))', 1],
    ['.orderBy(desc(eq(orders.state, 1)), asc(orders.createdAt)).limit(9)', 1],
    ['.orderBy(desc(media.createdAt)).limit(1)', 0],
    ['.orderBy(desc(media.createdAt), media.id)', 0],
    ['`select 1 from t order by created_at desc limit 10`', 1],
    ['`select 1 from t order by created_at desc nulls last`', 1],
    ['`select (select 1 from t order by t.at) from u order by u.id`', 1],
    ['`select 1 from t order by created_at, id limit 10`', 0],
    ['`select 1 from t order by created_at desc limit 1`', 0],
  ])('%s: %i', (source, count) => {
    expect(chances(source)).toHaveLength(count);
  });
});
