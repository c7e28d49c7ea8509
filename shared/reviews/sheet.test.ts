import { expect, test } from 'vitest';
import { outcomeModels } from '../meetings/outcome-types.ts';
import { nextUngraded, sheetOf, ungradedIn, withoutPassageIn } from './sheet.ts';

const { types } = outcomeModels.coaching;
const outcome = (type: string, grade: number | null) => ({ type, grade });

test('a competency has the lower median of its graded passages, and none without a graded one', () => {
  const rows = sheetOf(types, [
    outcome('trust', 4),
    outcome('trust', 2),
    outcome('trust', null),
    outcome('listening', -1),
    outcome('listening', 3),
    outcome('ethics', null),
  ]);
  const grade = (id: string) => rows.find(({ type }) => type.id === id)?.grade;
  expect([grade('trust'), grade('listening'), grade('ethics')]).toEqual([2, -1, null]);
});

test('a grade of the sheet counts instead of the passages, also without any', () => {
  const grades = new Map([
    ['trust', { grade: 3, words: 'At the end' }],
    ['ethics', { grade: -1, words: '' }],
    ['growth', { grade: null, words: 'Not heard' }],
  ]);
  const rows = sheetOf(types, [outcome('trust', 1), outcome('growth', 2)], grades);
  const row = (id: string) => rows.find(({ type }) => type.id === id);
  expect(row('trust')).toMatchObject({ set: 3, fromEvidence: 1, grade: 3, words: 'At the end' });
  expect(row('ethics')).toMatchObject({ set: -1, fromEvidence: null, grade: -1 });
  expect(row('growth')).toMatchObject({ set: null, fromEvidence: 2, grade: 2, words: 'Not heard' });
});

test('a grade without a passage is found, but for one that says it was not shown', () => {
  const given = { grade: 3, words: '' };
  const grades = new Map<string, { grade: number | null; words: string }>([
    ['trust', given],
    ['ethics', { grade: -1, words: '' }],
    ['listening', given],
    ['growth', { grade: null, words: 'Not heard' }],
  ]);
  const rows = sheetOf(types, [outcome('listening', null), outcome('presence', 2)], grades);
  expect(withoutPassageIn(rows).map(({ type }) => type.id)).toEqual(['trust']);
  expect(withoutPassageIn(sheetOf(types, [outcome('trust', 1)]))).toEqual([]);
});

test('a type that nobody chooses by itself has a row only where it is there', () => {
  const ids = (given: { type: string; grade: number | null }[]) => sheetOf(types, given).map(({ type }) => type.id);
  expect(ids([])).not.toContain('vNotes');
  expect(ids([outcome('vNotes', null)])).toContain('vNotes');
});

test('the next competency without a grade follows the given one, and the first comes after the last', () => {
  const graded = ['ethics', 'agreement', 'presence', 'listening', 'awareness', 'growth'];
  const rows = sheetOf(
    types,
    graded.filter((id) => id !== 'listening').map((id) => outcome(id, 1)),
  );
  expect(ungradedIn(rows).map(({ type }) => type.id)).toEqual(['trust', 'listening']);
  expect(nextUngraded(rows, null)).toBe('trust');
  expect(nextUngraded(rows, 'trust')).toBe('listening');
  expect(nextUngraded(rows, 'growth')).toBe('trust');
  expect(
    nextUngraded(
      sheetOf(
        types,
        [...graded, 'trust'].map((id) => outcome(id, 1)),
      ),
      'trust',
    ),
  ).toBe(null);
});
