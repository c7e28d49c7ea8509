import { expect, test } from 'vitest';
import { negative } from '#shared/meetings/outcome-types.ts';
import { placeOn, scaleOf, stacked } from './scale.ts';

test('every grade of a type has its own place, the lowest first', () => {
  const scale = scaleOf('ethics', [2, negative]);
  expect(scale).toEqual([negative, 1, 2, 3, 4]);
  const places = scale.map((grade) => placeOn(scale, grade));
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(new Set(places).size).toBe(scale.length);
});

test('a grade that the type no longer has keeps its place', () => {
  expect(scaleOf('ethics', [7])).toEqual([negative, 1, 2, 3, 4, 7]);
  expect(scaleOf('gone', [9, 3])).toEqual([negative, 3, 9]);
});

test('equal grades lie above each other', () => {
  expect(stacked([3, 1, 3, 3])).toEqual([
    { grade: 3, below: 0 },
    { grade: 1, below: 0 },
    { grade: 3, below: 1 },
    { grade: 3, below: 2 },
  ]);
});
