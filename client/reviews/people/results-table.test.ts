// Grades side by side come from the passages of each layer.
import { expect, it } from 'vitest';
import type { SheetGrade } from '#shared/meetings/grades.ts';
import type { Outcome } from '#shared/meetings/annotations.ts';
import { assessmentsOf, columnsOf, namesOf, rowsOf } from './results-table.ts';

const outcome = (type: string, grade: number | null, author = 'ben') =>
  ({ id: `${type}${grade}${author}`, type, grade, author: { id: author, kind: 'user', name: author } }) as Outcome;

const sheet = (type: string, grade: number | null, by = 'ben'): SheetGrade => ({
  key: type,
  type,
  grade,
  words: '',
  rev: 1,
  by,
});

it('has a column for the layer of each person, and one for each author of a shared one', () => {
  const reviewers = [
    { cloneId: 'l1', name: 'Ben', email: 'ben@example.org' },
    { cloneId: 'l2', name: null, email: 'invited@example.org' },
    { cloneId: null, name: 'Chen', email: null },
  ] as Parameters<typeof columnsOf>[0]['reviewers'];
  const layers = [
    { id: 's', kind: 'shared' as const },
    { id: 'w', kind: 'words' as const },
  ];
  const columns = columnsOf({ student: null, reviewers, layers });
  expect(columns).toEqual([
    { layer: 's', name: null },
    { layer: 'l1', name: 'Ben' },
    { layer: 'l2', name: 'invited@example.org' },
  ]);
  const read = {
    outcomes: [outcome('trust', 2), outcome('trust', 3, 'chen')],
    comments: [],
    grades: [sheet('trust', 4, 'chen')],
  };
  expect(
    assessmentsOf({ layer: 's', name: null }, read).map(({ name, outcomes, grades }) => [
      name,
      outcomes.length,
      grades.length,
    ]),
  ).toEqual([
    ['ben', 1, 0],
    ['chen', 1, 1],
  ]);
  expect(assessmentsOf({ layer: 'l1', name: 'Ben' }, read)).toMatchObject([
    { key: 'l1', name: 'Ben', outcomes: read.outcomes },
  ]);
});

it('has a column in a shared layer for who only sets grades, and none for a grade that was taken back', () => {
  const reviewers = [
    { userId: 'ben', name: 'Ben', email: null },
    { userId: 'chen', name: null, email: 'chen@example.org' },
    { userId: null, name: null, email: 'invited@example.org' },
  ] as Parameters<typeof namesOf>[0]['reviewers'];
  const read = {
    outcomes: [outcome('trust', 2)],
    comments: [],
    grades: [sheet('trust', 4, 'chen'), sheet('ethics', null, 'dan'), sheet('ethics', 3, 'gone')],
  };
  const found = assessmentsOf({ layer: 's', name: null }, read, namesOf({ student: null, reviewers }));
  expect(found.map(({ key, name, grades }) => [key, name, grades.length])).toEqual([
    ['s ben', 'ben', 0],
    ['s chen', 'chen@example.org', 1],
    ['s gone', '', 1],
  ]);
  expect(rowsOf(found).map(({ type, cells }) => [type, ...cells.map(({ grade }) => grade)])).toEqual([
    ['ethics', null, null, 3],
    ['trust', 2, 4, null],
  ]);
});

it('orders types by their codes, and takes the grade of the sheet or the lower median of graded passages', () => {
  const rows = rowsOf([
    ...assessmentsOf(
      { layer: 'a', name: 'Ben' },
      {
        outcomes: [outcome('trust', 4), outcome('trust', 1), outcome('trust', null), outcome('ethics', -1)],
        comments: [],
        grades: [],
      },
    ),
    ...assessmentsOf(
      { layer: 'b', name: 'Chen' },
      {
        outcomes: [outcome('gone', 2), outcome('trust', null)],
        comments: [],
        grades: [sheet('trust', null), sheet('ethics', 2)],
      },
    ),
  ]);
  expect(
    rows.map(({ type, cells }) => [type, ...cells.map(({ grade, outcomes }) => [grade, outcomes.length])]),
  ).toEqual([
    ['ethics', [-1, 1], [2, 0]],
    ['trust', [1, 3], [null, 1]],
    ['gone', [null, 0], [2, 1]],
  ]);
});
