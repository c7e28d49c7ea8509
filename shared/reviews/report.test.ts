import { expect, test } from 'vitest';
import { outcomeModels } from '../meetings/outcome-types.ts';
import { reportedCompetencies, type ToldAssessment } from './report.ts';

const asked = outcomeModels.coaching.types;
const outcome = (id: string, type: string, start: number, grade: number | null = null) => ({
  ...{ id, type, start, end: start + 1, grade, children: [], text: '', quote: '', voice: null, late: false },
});
const assessment = (
  reviewerId: string,
  outcomes: ToldAssessment['outcomes'],
  grades: Record<string, number> = {},
): ToldAssessment => ({
  ...{ reviewerId, outcomes },
  grades: new Map(Object.entries(grades).map(([type, grade]) => [type, { grade, words: '' }])),
});
const ben = assessment('ben', [outcome('1', 'trust', 20, 2), outcome('2', 'notes', 5)], { ethics: 4 });
const cara = assessment('cara', [outcome('3', 'trust', 10, 4)], { ethics: 4, actionItems: 1 });
const tom = assessment('tom', [outcome('4', 'trust', 15, 1)]);

test('a competency has the agreed grade, the median with its range, and the passages of all in their order', () => {
  const rows = reportedCompetencies({ asked, reviewers: [ben, cara], self: tom, agreed: new Map([['trust', 3]]) });
  const trust = rows.find(({ type }) => type === 'trust');
  expect(trust).toMatchObject({ agreed: 3, median: 2, spread: { lowest: 2, highest: 4 }, self: { grade: 1 } });
  expect(trust?.passages.map(({ id, reviewerId }) => `${id} ${reviewerId}`)).toEqual(['3 cara', '4 tom', '1 ben']);
  const ethics = rows.find(({ type }) => type === 'ethics');
  expect(ethics).toMatchObject({ agreed: null, median: 4, spread: { lowest: 4, highest: 4 }, self: { grade: null } });
});

test('competencies without a grade are named; types without grades and other types once somebody used them', () => {
  const types = (reviewers: readonly ToldAssessment[]) =>
    reportedCompetencies({ asked, reviewers, self: null, agreed: new Map() }).map(({ type }) => type);
  const graded = asked.filter(({ grades }) => grades.length > 0).map(({ id }) => id);
  expect(types([])).toEqual(graded);
  expect(types([ben])).toEqual([...graded, 'notes']);
  expect(types([cara])).toEqual([...graded, 'actionItems']);
});
