import { expect, it } from 'vitest';

import { heardAt } from './heard.ts';

it('finds the segment heard at a time, in any order of the segments', () => {
  const at = heardAt([{ start: 1 }, { start: 4 }, { start: 2.5 }]);
  expect([0, 999, 1000, 2499, 2500, 3999, 4000, 60_000].map(at)).toEqual([null, null, 0, 0, 2, 2, 1, 1]);
  expect(heardAt([])(5)).toBeNull();
});
