import { expect, test } from 'vitest';
import { agreementsOver, gradedIn, linesOf } from './growth.ts';

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

test('agreement on one competency is that over ten recordings and more, each once', () => {
  const grades = (...given: (number | null)[]) =>
    given.map((grade, n) => ({ reviewerId: String(n), grade, words: '' }));
  const report = (n: number, ...given: (number | null)[]) => ({
    meetingId: `m${n}`,
    competencies: [{ type: 'trust', grades: grades(...given) }],
  });
  // The example of Krippendorff 2011, section C, without the unit that one person alone graded: alpha .815.
  const published = [
    [1, 1, null, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [null, 5, 5, 5],
    [null, null, 1, 1],
  ].map((given, n) => report(n, ...given));
  const [found] = agreementsOver(published);
  expect(found).toMatchObject({ type: 'trust', recordings: 11 });
  expect(found?.alpha).toBeCloseTo(0.815, 3);
  // Others of a recording that is there, and grades of one person, change nothing.
  expect(agreementsOver([...published, report(0, 1, 5), report(99, 4, null)])).toEqual([found]);
  expect(agreementsOver(published.slice(0, 10))).toHaveLength(1);
  expect(agreementsOver(published.slice(0, 9))).toEqual([]);
  expect(agreementsOver([...published.slice(0, 9), report(99, 4, null)])).toEqual([]);
  expect(agreementsOver(published.map((_, n) => report(n, 2, 2)))).toMatchObject([{ alpha: null, percent: 1 }]);
});
