import { expect, test } from 'vitest';
import { gradedIn, linesOf } from './growth.ts';

const competency = {
  ...{ type: 'trust', agreed: null, median: 3, spread: { lowest: 2, highest: 4 }, grades: [], passages: [] },
  self: { grade: 4, words: '' },
};

test('the agreed grade stands before the median; a competency without a grade has no point', () => {
  expect(gradedIn({ competencies: [competency] })).toEqual([
    { type: 'trust', grade: 3, spread: { lowest: 2, highest: 4 }, self: 4, start: null },
  ]);
  expect(gradedIn({ competencies: [{ ...competency, agreed: 2 }] })).toMatchObject([{ grade: 2 }]);
  expect(gradedIn({ competencies: [{ ...competency, median: null }] })).toMatchObject([{ grade: null, self: 4 }]);
  expect(gradedIn({ competencies: [{ ...competency, median: null, self: null }] })).toEqual([]);
});

test('a line has the reports that grade its competency, each with its place among all', () => {
  const at = (type: string, grade: number) => ({ type, grade, spread: null, self: null, start: null });
  const lines = linesOf([
    { competencies: [at('trust', 1), at('ethics', 2)] },
    { competencies: [at('ethics', 3)] },
    { competencies: [at('trust', 4)] },
  ]);
  expect(lines.map(({ type, points }) => [type, points.map(({ nth, grade }) => [nth, grade])])).toEqual([
    [
      'trust',
      [
        [0, 1],
        [2, 4],
      ],
    ],
    [
      'ethics',
      [
        [0, 2],
        [1, 3],
      ],
    ],
  ]);
});
