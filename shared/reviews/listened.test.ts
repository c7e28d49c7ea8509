// Parts of a recording that people listened to: joined, and what is between them.
import { expect, it } from 'vitest';
import { gapsIn, lengthOf, unionOf } from './listened.ts';

it('joins parts that overlap or touch, of all lists, in order', () => {
  expect(
    unionOf([
      [[5, 9]],
      [],
      [
        [0, 2],
        [2, 4],
      ],
      [
        [8, 12],
        [20, 21],
      ],
    ]),
  ).toEqual([
    [0, 4],
    [5, 12],
    [20, 21],
  ]);
  expect(unionOf([])).toEqual([]);
  // A part inside another one ends nothing.
  expect(unionOf([[[0, 10]], [[2, 3]]])).toEqual([[0, 10]]);
});

it('leaves the parts that it is given as they are', () => {
  const given: [number, number][] = [[0, 5]];
  unionOf([given, [[3, 9]]]);
  expect(given).toEqual([[0, 5]]);
});

it('finds what nobody listened to, from a length on', () => {
  const parts: [number, number][] = [
    [10, 20],
    [21, 50],
  ];
  expect(gapsIn(parts, 100, 2)).toEqual([
    [0, 10],
    [50, 100],
  ]);
  expect(gapsIn(parts, 100, 1)).toHaveLength(3);
  expect(gapsIn([], 100, 1)).toEqual([[0, 100]]);
  // A player may measure a longer recording.
  expect(gapsIn([[0, 105]], 100, 1)).toEqual([]);
  expect(
    gapsIn(
      [
        [0, 90],
        [95, 105],
      ],
      100,
      1,
    ),
  ).toEqual([[90, 95]]);
  expect(lengthOf(parts)).toBe(39);
});
