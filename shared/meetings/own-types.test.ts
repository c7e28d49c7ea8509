import { expect, it } from 'vitest';
import type { OwnModelId } from '../account-choices.ts';
import { learnSet, ownName, type OwnType } from './own-types.ts';

const setId = (nth: number): OwnModelId => `own_${String(nth).padStart(22, '0')}`;
const typeOf = (set: OwnModelId, more: Partial<OwnType> = {}): OwnType => ({
  ...{ id: `${set}_1`, name: 'Greeting', about: '', color: 0, retired: false, grades: [], children: [] },
  ...more,
});

it('forgets the sets that were learnt first once all of them are too large, however few they are', () => {
  const about = 'a'.repeat(1_000_000);
  const learn = (nth: number) => learnSet({ id: setId(nth), types: [typeOf(setId(nth), { about })] });
  const known = (nth: number) => ownName(`${setId(nth)}_1`);
  learn(0);
  // Learnt again, a set counts once.
  for (let n = 0; n < 20; n += 1) learn(1);
  expect(known(0)).toBe('Greeting');
  for (let n = 2; n < 20; n += 1) learn(n);
  expect([known(0), known(1), known(19)]).toEqual([null, null, 'Greeting']);
});
