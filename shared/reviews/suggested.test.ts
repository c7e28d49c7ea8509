import { expect, test } from 'vitest';
import { besidePeople } from './suggested.ts';

const at = (from: number, to: number) => ({ from, to });

test('suggestions are counted beside what people marked with the same type, and deleted words are not', () => {
  const markings = new Map([
    // Two of three people marked the first words; one marked the last ones. Of three suggestions one has no words any more.
    ['trust', { words: 40, people: [[at(0, 4)], [at(2, 6)], [at(30, 35)], [at(3, 5), at(34, 38), at(9, 9)]] }],
    ['listening', { words: 40, people: [[at(10, 12)], [at(10, 12)], [], []] }],
    ['presence', { words: 40, people: [[], [], [], [at(20, 22)]] }],
    ['growth', { words: 40, people: [[at(5, 6)], [], [], []] }],
  ]);
  expect(besidePeople(markings)).toEqual({
    ...{ suggested: 3, marked: 2, byHalf: 2, found: 1 },
    types: [
      { type: 'trust', suggested: 2, marked: 2, byHalf: 1, found: 1 },
      { type: 'listening', suggested: 0, marked: 0, byHalf: 1, found: 0 },
      { type: 'presence', suggested: 1, marked: 0, byHalf: 0, found: 0 },
    ],
  });
});
