import { expect, test } from 'vitest';
import { outcomeModels } from '#shared/meetings/outcome-types.ts';
import { placeOf, scale, stacked } from './scale.ts';

test('every grade of a type has its own place, the lowest first', () => {
  const places = scale.map(placeOf);
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(new Set(places).size).toBe(scale.length);
  const grades = Object.values(outcomeModels).flatMap(({ types }) => types.flatMap((type) => type.grades));
  for (const { value } of grades) expect(scale).toContain(value);
});

test('equal grades lie above each other', () => {
  expect(stacked([3, 1, 3, 3])).toEqual([
    { grade: 3, below: 0 },
    { grade: 1, below: 0 },
    { grade: 3, below: 1 },
    { grade: 3, below: 2 },
  ]);
});
