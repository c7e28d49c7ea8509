import { expect, test } from 'vitest';
import { stepTo } from './step.ts';

/** Columns 0, 2 and 3 are shown; nothing is in the middle, nor at the end of the first row. */
const cells = {
  rows: 3,
  columns: [0, 2, 3],
  has: ({ row, column }: { row: number; column: number }) =>
    !(row === 1 && column === 2) && !(row === 0 && column === 3),
};

test('arrows go to the next cell with something in it, and stay at the edge', () => {
  const to = (key: string, row: number, column: number) => stepTo(key, { row, column }, cells);
  expect(to('ArrowRight', 0, 0)).toEqual({ row: 0, column: 2 });
  expect(to('ArrowRight', 1, 0)).toEqual({ row: 1, column: 3 });
  expect(to('ArrowRight', 0, 2)).toBeNull();
  expect(to('ArrowLeft', 1, 3)).toEqual({ row: 1, column: 0 });
  expect(to('ArrowDown', 0, 2)).toEqual({ row: 2, column: 2 });
  expect(to('ArrowUp', 2, 2)).toEqual({ row: 0, column: 2 });
  expect(to('ArrowUp', 0, 0)).toBeNull();
  expect(to('End', 0, 0)).toEqual({ row: 0, column: 2 });
  expect(to('Home', 1, 3)).toEqual({ row: 1, column: 0 });
  expect(to('a', 0, 0)).toBeNull();
});
