import { expect, test } from 'vitest';

import { nextOf } from './followed.ts';

const people = [{ id: 'ann' }, { id: 'ben' }, { id: 'chen' }];

test.each([
  [null, 'ann'],
  ['ann', 'ben'],
  ['chen', 'ann'],
  ['gone', 'ann'],
])('after %s comes %s', (followed, is) => {
  expect(nextOf(people, followed)?.id).toBe(is);
});

test('nobody is next where nobody is present', () => {
  expect(nextOf([], 'ann')).toBe(null);
});
