import { expect, test } from 'vitest';
import { moved, ordered } from './panes.ts';

const panes = [{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' }];

test.each([
  { order: [], is: 'abcd' },
  { order: ['c', 'a'], is: 'cabd' },
  { order: ['gone', 'd', 'c', 'b', 'a'], is: 'dcba' },
  { order: ['d', 'd'], is: 'dabc' },
])('panes stored as $order stand as $is', ({ order, is }) => {
  expect(
    ordered(panes, order)
      .map(({ id }) => id)
      .join(''),
  ).toBe(is);
});

test.each([
  { order: 'abcd', shown: 'abcd', id: 'a', by: 1 as const, is: 'bacd' },
  { order: 'abcd', shown: 'abcd', id: 'd', by: -1 as const, is: 'abdc' },
  { order: 'abcd', shown: 'abcd', id: 'a', by: -1 as const, is: 'abcd' },
  { order: 'abcd', shown: 'abcd', id: 'd', by: 1 as const, is: 'abcd' },
  { order: 'abcd', shown: 'abcd', id: 'x', by: 1 as const, is: 'abcd' },
  // No stored order, and one with a new pane.
  { order: '', shown: 'abcd', id: 'b', by: 1 as const, is: 'acbd' },
  { order: 'cab', shown: 'cabd', id: 'd', by: -1 as const, is: 'cadb' },
  // Panes that are not shown keep their place.
  { order: 'vabcd', shown: 'abcd', id: 'd', by: -1 as const, is: 'vabdc' },
  { order: 'avbcd', shown: 'abcd', id: 'a', by: 1 as const, is: 'vbacd' },
  { order: 'avbcd', shown: 'abcd', id: 'b', by: -1 as const, is: 'bavcd' },
  { order: 'abcdv', shown: 'abcd', id: 'd', by: 1 as const, is: 'abcdv' },
])('$id of $shown, stored as $order, moved by $by: $is', ({ order, shown, id, by, is }) => {
  expect(moved([...order], [...shown], id, by).join('')).toBe(is);
});

test('a stored order is a fixed point, also with more panes shown', () => {
  const kept = moved(['d', 'b', 'a', 'c'], ['b', 'a', 'c'], 'c', -1);
  expect(ordered(panes, kept).map(({ id }) => id)).toEqual(['d', 'b', 'c', 'a']);
});
