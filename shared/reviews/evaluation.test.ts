import { expect, test } from 'vitest';
import { evaluationOf } from './evaluation.ts';

const outcome = (type: string, grade: number | null, children: { type: string; grade: number | null }[] = []) => ({
  ...{ type, grade, children },
});

test('counts types, children too, with grades and median, the machine beside people', () => {
  const people = [outcome('trust', 4), outcome('trust', null, [{ type: 'trustRespect', grade: -1 }])];
  const layers = [
    {
      machine: false,
      outcomes: people,
      sheet: [
        { type: 'ethics', grade: 3 },
        { type: 'trust', grade: null },
      ],
    },
    { machine: false, outcomes: [outcome('trust', 2), outcome('trust', 4)] },
    { machine: true, outcomes: [outcome('trust', 1), outcome('ethics', null)] },
  ];
  const none = { count: 0, grades: {}, median: null };
  expect(evaluationOf(layers)).toEqual([
    {
      type: 'ethics',
      people: { count: 0, grades: { '3': 1 }, median: 3 },
      machine: { count: 1, grades: {}, median: null },
    },
    {
      type: 'trust',
      people: { count: 4, grades: { '2': 1, '4': 2 }, median: 4 },
      machine: { count: 1, grades: { '1': 1 }, median: 1 },
    },
    { type: 'trustRespect', people: { count: 1, grades: { '-1': 1 }, median: -1 }, machine: none },
  ]);
  expect(evaluationOf([])).toEqual([]);
});
