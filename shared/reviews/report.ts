import { z } from 'zod';
import type { Annotation, ChildGrade } from '../meetings/annotations.ts';
import type { SheetGrade } from '../meetings/grades.ts';
import { typeOf, type OutcomeType } from '../meetings/outcome-types.ts';
import { setView } from '../outcome-models.ts';
import { lowerMedian } from './agreement.ts';
import { gradeIn, spreadOf } from './assessments.ts';

// The report of a review for the person who is assessed: grades by competency, and the passages behind them.

const said = {
  id: z.string(),
  reviewerId: z.string(),
  /** Seconds. */
  start: z.number(),
  end: z.number(),
  /** Words of the passage; text in braces is replaced, here as in all other texts. */
  quote: z.string(),
  text: z.string(),
  /** Address of a voice note. */
  voice: z.string().nullable(),
  late: z.boolean().describe('Added after the review opened for the first time.'),
};
const passage = z.strictObject({
  ...said,
  grade: z.number().int().nullable(),
  children: z.array(z.strictObject({ type: z.string(), grade: z.number().int().nullable() })),
});

const comment = z.strictObject({ ...said, reply: z.boolean() });
export type ReportedComment = z.infer<typeof comment>;

const competency = z.strictObject({
  type: z.string(),
  /** Grade that reviewers agreed on in their discussion; null: none. */
  agreed: z.number().int().nullable(),
  /** Lower median of the grades of all reviewers. */
  median: z.number().int().nullable(),
  /** Lowest and highest grade; null with fewer than two. */
  spread: z.strictObject({ lowest: z.number().int(), highest: z.number().int() }).nullable(),
  /** One for each reviewer. */
  grades: z.array(z.strictObject({ reviewerId: z.string(), grade: z.number().int().nullable(), words: z.string() })),
  /** Grade that the person assessed gave themselves. */
  self: z.strictObject({ grade: z.number().int().nullable(), words: z.string() }).nullable(),
  passages: z.array(passage),
});
type ReportedCompetency = z.infer<typeof competency>;

const reportView = z.strictObject({
  title: z.string(),
  /** Time of the opening. */
  openedAt: z.iso.datetime(),
  published: z.boolean(),
  leader: z.string(),
  /** Name of the person assessed; empty without an account. Null where nobody was named. */
  student: z.strictObject({ id: z.string(), name: z.string() }).nullable(),
  /** Reviewers whose assessments count, with the comment on the whole. */
  reviewers: z.array(z.strictObject({ id: z.string(), name: z.string(), comment: z.string() })),
  /** Address of the sound; null without. */
  src: z.string().nullable(),
  competencies: z.array(competency),
  comments: z.array(comment),
  /** Sets made by people that its competencies are of. */
  sets: z.array(setView),
});
export type ReportView = z.infer<typeof reportView>;

export const reportQuery = z.strictObject({ type: z.enum(['docx', 'pdf'], 'invalid') });
export type ReportQuery = z.infer<typeof reportQuery>;

/** Null unless the review is open, and the caller reads all assessments in it. */
export const reportAnswer = z.strictObject({ report: reportView.nullable() });

/** An annotation with what a report says of it. */
interface ToldOutcome extends Pick<Annotation, 'id' | 'start' | 'end' | 'quote'> {
  type: string;
  grade: number | null;
  children: ChildGrade[];
  text: string;
  voice: string | null;
  late: boolean;
}

export interface ToldAssessment {
  reviewerId: string;
  outcomes: readonly ToldOutcome[];
  grades: ReadonlyMap<string, Pick<SheetGrade, 'grade' | 'words'>>;
}

interface Told {
  /** Types that the review asks for. */
  asked: readonly OutcomeType[];
  reviewers: readonly ToldAssessment[];
  self: ToldAssessment | null;
  agreed: ReadonlyMap<string, number>;
}

/** Competencies of a report; types without grades have a row only where somebody used them. */
export function reportedCompetencies({ asked, reviewers, self, agreed }: Told): ReportedCompetency[] {
  const all = self ? [...reviewers, self] : reviewers;
  const used = new Set([
    ...all.flatMap(({ outcomes, grades }) => [...outcomes.map(({ type }) => type), ...grades.keys()]),
    ...agreed.keys(),
  ]);
  const others = [...used].flatMap((id) => (asked.some((one) => one.id === id) ? [] : (typeOf(id) ?? [])));
  return [...asked, ...others].flatMap(({ id, grades: possible }): ReportedCompetency[] => {
    if (possible.length === 0 && !used.has(id)) return [];
    const given = (one: ToldAssessment) => ({
      grade: gradeIn(one, id).grade,
      words: one.grades.get(id)?.words ?? '',
    });
    const grades = reviewers.map((one) => ({ reviewerId: one.reviewerId, ...given(one) }));
    const unit = grades.map(({ grade }) => grade);
    const spread = spreadOf(unit);
    const own = self && given(self);
    return [
      {
        type: id,
        agreed: agreed.get(id) ?? null,
        median: lowerMedian(unit.filter((grade) => grade !== null)),
        spread: spread && { lowest: spread.lowest, highest: spread.highest },
        grades,
        self: own,
        passages: all
          .flatMap(({ reviewerId, outcomes }) =>
            outcomes
              .filter(({ type }) => type === id)
              .map(({ id: outcome, start, end, quote, text, voice, late, grade, children }) => ({
                ...{ id: outcome, reviewerId, start, end, quote, text, voice, late, grade },
                children: children.map((child) => ({ type: child.type, grade: child.grade })),
              })),
          )
          .toSorted((one, other) => one.start - other.start),
      },
    ];
  });
}
