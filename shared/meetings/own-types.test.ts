import { expect, it } from 'vitest';
import type { OwnModelId } from '../account-choices.ts';
import { isGradeOf, isKnownGrade, typeOf } from './outcome-types.ts';
import { learnSet, ownGradeName, ownName, type OwnType } from './own-types.ts';

const setId = (nth: number): OwnModelId => `own_${String(nth).padStart(22, '0')}`;
const made = (set: OwnModelId, more: Partial<OwnType> = {}): OwnType => ({
  ...{ id: `${set}_1`, name: 'Greeting', about: '', color: 0, retired: false, grades: [], children: [] },
  ...more,
});

it('forgets the sets that were learnt first once all of them are too large, however few they are', () => {
  const about = 'a'.repeat(1_000_000);
  const learn = (nth: number) => learnSet({ id: setId(nth), types: [made(setId(nth), { about })] });
  const known = (nth: number) => ownName(`${setId(nth)}_1`);
  learn(0);
  // Learnt again, a set counts once.
  for (let n = 0; n < 20; n += 1) learn(1);
  expect(known(0)).toBe('Greeting');
  for (let n = 2; n < 20; n += 1) learn(n);
  expect([known(0), known(1), known(19)]).toEqual([null, null, 'Greeting']);
});

it('names grades that are no longer offered, and others by their numbers', () => {
  const set = setId(50);
  const grades = [
    { value: 1, name: 'Not yet' },
    { value: 3, name: 'Warm', retired: true },
  ];
  learnSet({ id: set, types: [made(set, { grades })] });
  const type = typeOf(`${set}_1`);
  if (!type) throw new Error('no type');
  expect(type.grades.map(({ value }) => value)).toEqual([1]);
  expect([1, 2, 3].map((value) => isGradeOf(type, value))).toEqual([true, false, false]);
  expect([1, 2, 3].map((value) => isKnownGrade(type, value))).toEqual([true, false, true]);
  expect([1, 2, 3, -1].map((value) => ownGradeName(type.id, value))).toEqual(['Not yet', '2', 'Warm', null]);
  // Nobody has learnt this set.
  expect(ownGradeName(`${setId(51)}_1`, 3)).toBe('3');
  expect(ownGradeName('listening', 3)).toBeNull();
});
