import { expect, test } from 'vitest';
import { outcomeModels } from '../meetings/outcome-types.ts';
import type { Assessment } from './assessments.ts';
import { calibrate, gradesOfKey } from './calibration.ts';
import type { Passage } from './unitizing.ts';

const { types } = outcomeModels.coaching;
const assessment = (reviewerId: string, grades: Record<string, number>): Assessment => ({
  ...{ reviewerId, done: true, outcomes: [] },
  grades: new Map(Object.entries(grades).map(([type, grade]) => [type, { grade, words: '' }])),
});
const said = ({ from, to }: Passage) => ({ quote: `${from}-${to}`, start: from, end: to });
const noMarks = () => null;
const beside = (own: Record<string, number>, key: Record<string, number>) =>
  calibrate(types, assessment('rob', own), new Map(Object.entries(key)), noMarks, said);

test('a key has the grades that its people agreed on, else the lower median', () => {
  const people = [assessment('ben', { ethics: 1, trust: 2 }), assessment('cara', { ethics: 3, trust: 4 })];
  expect(gradesOfKey(types, people, new Map([['trust', 3]]))).toEqual(
    new Map([
      ['ethics', 1],
      ['trust', 3],
    ]),
  );
});

test('steps have a sign: above the key or below it; "not shown" is the lowest', () => {
  const { competencies, units, exact, adjacent, difference } = beside(
    { ethics: 4, trust: 2, presence: 1, listening: 3 },
    { ethics: 2, trust: 3, presence: 1, growth: 2, listening: -1 },
  );
  const steps = Object.fromEntries(competencies.map((one) => [one.type, one.steps]));
  expect(steps).toEqual({ ethics: 2, trust: -1, presence: 0, growth: null, listening: 3 });
  expect([units, exact, adjacent, difference]).toEqual([4, 1 / 4, 2 / 4, 1]);
});

test('a grade that is no longer offered is not equal to the next one', () => {
  const [first] = types;
  if (!first) throw new Error('no type');
  const shown = { ...first, grades: first.grades.filter(({ value }) => value !== 3) };
  const one = calibrate([shown], assessment('rob', { [first.id]: 3 }), new Map([[first.id, 4]]), noMarks, said);
  expect(one).toMatchObject({ exact: 0, difference: -1 });
});

test('without a grade that both gave, nothing is told', () => {
  expect(beside({ ethics: 2 }, { trust: 3 })).toMatchObject({
    units: 0,
    exact: null,
    adjacent: null,
    difference: null,
  });
});

test('passages that half of the people of the key marked are found or missed; the others are counted', () => {
  const passage = (from: number, to: number): Passage => ({ from, to });
  const key = { words: 50, people: [[passage(0, 5), passage(20, 22)], [passage(3, 8)], [passage(30, 34)]] };
  // At least two of three people: words 3 and 4 alone.
  const marks = { key, own: [passage(4, 6), passage(40, 42)] };
  const { competencies, found, missed } = calibrate(
    types,
    assessment('rob', {}),
    new Map(),
    (type) => (type === 'trust' ? marks : null),
    said,
  );
  expect(competencies).toMatchObject([
    { type: 'trust', passages: [{ quote: '3-5', found: true }], others: 1, key: null, grade: null },
  ]);
  expect([found, missed]).toEqual([1, 0]);
  const two = { key: { words: 50, people: key.people.slice(0, 2) }, own: [passage(40, 42)] };
  const missing = calibrate(types, assessment('rob', {}), new Map(), (type) => (type === 'trust' ? two : null), said);
  // One of two people: all that either of them marked.
  expect(missing.competencies[0]?.passages.map(({ quote }) => quote)).toEqual(['0-8', '20-22']);
  expect([missing.found, missing.missed]).toEqual([0, 2]);
});
