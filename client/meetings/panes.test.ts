import { expect, test } from 'vitest';
import { moved, ordered } from './panes.ts';

const panes = [{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' }];

test.each([
  { order: [], is: 'abcd' },
  { order: ['c', 'a'], is: 'cabd' },
  { order: ['gone', 'd', 'c', 'b', 'a'], is: 'dcba' },
  { order: ['d', 'd'], is: 'dabc' },
])('panes kept as $order stand as $is', ({ order, is }) => {
  expect(
    ordered(panes, order)
      .map(({ id }) => id)
      .join(''),
  ).toBe(is);
});

test.each([
  { id: 'a', by: 1 as const, is: 'bacd' },
  { id: 'd', by: -1 as const, is: 'abdc' },
  { id: 'a', by: -1 as const, is: 'abcd' },
  { id: 'd', by: 1 as const, is: 'abcd' },
  { id: 'x', by: 1 as const, is: 'abcd' },
])('$id moved by $by: $is', ({ id, by, is }) => {
  expect(moved(['a', 'b', 'c', 'd'], id, by).join('')).toBe(is);
});
