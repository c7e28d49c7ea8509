import { expect, test } from 'vitest';
import { movedTo, ordered } from './panes.ts';

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
  { order: 'abcd', shown: 'abcd', id: 'a', to: 1, is: 'bacd' },
  { order: 'abcd', shown: 'abcd', id: 'a', to: 3, is: 'bcda' },
  { order: 'abcd', shown: 'abcd', id: 'd', to: 0, is: 'dabc' },
  { order: 'abcd', shown: 'abcd', id: 'b', to: 1, is: 'abcd' },
  { order: 'abcd', shown: 'abcd', id: 'd', to: 9, is: 'abcd' },
  { order: 'abcd', shown: 'abcd', id: 'a', to: -1, is: 'abcd' },
  { order: 'abcd', shown: 'abcd', id: 'x', to: 1, is: 'abcd' },
  // No stored order, and one with a new pane.
  { order: '', shown: 'abcd', id: 'b', to: 2, is: 'acbd' },
  { order: 'cab', shown: 'cabd', id: 'd', to: 2, is: 'cadb' },
  // Panes that are not shown keep their place.
  { order: 'vabcd', shown: 'abcd', id: 'd', to: 2, is: 'vabdc' },
  { order: 'avbcd', shown: 'abcd', id: 'a', to: 1, is: 'vbacd' },
  { order: 'avbcd', shown: 'abcd', id: 'b', to: 0, is: 'bavcd' },
  { order: 'abcdv', shown: 'abcd', id: 'c', to: 3, is: 'abdcv' },
])('$id of $shown, stored as $order, put at $to: $is', ({ order, shown, id, to, is }) => {
  expect(movedTo([...order], [...shown], id, to).join('')).toBe(is);
});

test('a stored order is a fixed point, also with more panes shown', () => {
  const stored = movedTo(['d', 'b', 'a', 'c'], ['b', 'a', 'c'], 'c', 1);
  expect(ordered(panes, stored).map(({ id }) => id)).toEqual(['d', 'b', 'c', 'a']);
});
