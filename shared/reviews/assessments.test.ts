import { expect, test } from 'vitest';
import { outcomeModels } from '../meetings/outcome-types.ts';
import { childUnits, gradedTypes, gradeIn, gradeUnits, spreadOf, type Assessment } from './assessments.ts';

const { types } = outcomeModels.coaching;
const outcome = (type: string, grade: number | null, ...children: [type: string, grade: number | null][]) => ({
  ...{ type, grade, children: children.map(([child, given]) => ({ type: child, grade: given })) },
});
const one: Assessment = {
  reviewerId: 'ben',
  done: true,
  outcomes: [
    outcome('trust', 2, ['trustRespect', null], ['trustSupport', -1]),
    outcome('trust', 4),
    outcome('notes', null),
  ],
  grades: new Map([['ethics', { grade: 3, words: 'Why' }]]),
};
const other: Assessment = {
  reviewerId: 'cara',
  done: false,
  outcomes: [outcome('trust', 1)],
  grades: new Map([
    ['trust', { grade: 4, words: '' }],
    ['growth', { grade: null, words: 'Not heard' }],
  ]),
};

test('a grade of the sheet counts before the lower median of passages', () => {
  expect(gradeIn(one, 'trust')).toEqual({ grade: 2, set: false });
  expect(gradeIn(other, 'trust')).toEqual({ grade: 4, set: true });
  expect(gradeIn(other, 'ethics')).toEqual({ grade: null, set: false });
});

test('units are the graded types that are asked for, and others that were used', () => {
  expect(gradedTypes(types, []).map(({ id }) => id)).not.toContain('notes');
  const used = gradedTypes([], [one, other]);
  expect(used.map(({ id }) => id)).toEqual(['trust', 'ethics']);
  expect(gradeUnits(used, [one, other])).toEqual([
    [2, 4],
    [3, null],
  ]);
});

test('a detail without a mark was not observed once the assessment is done, and is open before', () => {
  const trust = types.filter(({ id }) => id === 'trust');
  expect(childUnits(trust, [one, other])).toEqual([
    [1, null],
    [-1, null],
  ]);
  expect(childUnits(trust, [{ ...one, outcomes: [] }])).toEqual([[0], [0]]);
});

test('the spread is that of those who graded', () => {
  expect(spreadOf([1, null, 4, 2])).toEqual({ lowest: 1, highest: 4, difference: 2 });
  expect(spreadOf([1, null])).toBeNull();
});
