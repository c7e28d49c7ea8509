import { z } from 'zod';
import { negative, type OutcomeType } from '../meetings/outcome-types.ts';
import { setView } from '../outcome-models.ts';
import { lowerMedian } from './agreement.ts';
import { gradeIn, type Assessment } from './assessments.ts';
import { markedByHalf, overlap, type Marking, type Passage } from './unitizing.ts';

// How an assessment lies beside a key: an open review of the same recording. A key is no peer, so that there is no
// agreement, but what differs, in which direction.

const competency = z.object({
  type: z.string(),
  /** Grade of the key: the agreed one, else the lower median of its reviewers; null: none. */
  key: z.number().int().nullable(),
  grade: z.number().int().nullable(),
  /** Steps of the scale by which the grade is above the key's, below it where negative; null without both. */
  steps: z.number().int().nullable(),
  passages: z
    .array(z.object({ quote: z.string(), start: z.number(), end: z.number(), found: z.boolean() }))
    .describe(
      'Passages that at least half of the people of the key marked, and whether the reviewer marked them, too.',
    ),
  /** Passages that the reviewer marked beside those of the key. */
  others: z.number().int(),
});
type Competency = z.infer<typeof competency>;

const calibrated = z.object({
  reviewerId: z.string(),
  /** Competencies that both graded. */
  units: z.number().int(),
  /** Share of equal grades, and of those that are at most a step apart; null without any. */
  exact: z.number().nullable(),
  adjacent: z.number().nullable(),
  /** Mean of the steps, with their sign. */
  difference: z.number().nullable(),
  found: z.number().int(),
  missed: z.number().int(),
  competencies: z.array(competency),
});
export type Calibrated = z.infer<typeof calibrated>;

/** Null without a key that is open now, and for who reads no assessment that is complete. */
export const calibrationAnswer = z.object({
  calibration: z
    .object({
      people: z.array(calibrated),
      /** Sets made by people that its competencies are of. */
      sets: z.array(setView),
    })
    .nullable(),
});
export type CalibrationAnswer = z.infer<typeof calibrationAnswer>;

/** Grades of a key: those that its people agreed on, else the lower median of theirs. */
export function gradesOfKey(
  types: readonly OutcomeType[],
  people: readonly Assessment[],
  agreed: ReadonlyMap<string, number>,
): Map<string, number> {
  return new Map(
    types.flatMap(({ id }) => {
      const given = people.map((one) => gradeIn(one, id).grade).filter((grade) => grade !== null);
      const grade = agreed.get(id) ?? lowerMedian(given);
      return grade === null ? [] : [[id, grade]];
    }),
  );
}

/** Steps from one grade to another on the scale of a type, on which grades that are no longer offered have their place. */
function stepsFrom({ grades }: OutcomeType, one: number, other: number): number {
  const scale = new Set([negative, ...grades.map(({ value }) => value), one, other]);
  const placeOf = (grade: number) => [...scale].filter((value) => value < grade).length;
  return placeOf(other) - placeOf(one);
}

/** Passages for a type, those of the people of the key and those of the reviewer, as stretches of the words. */
interface Marks {
  key: Marking;
  own: readonly Passage[];
}

/** One reviewer beside the key; types on which neither says anything are left out. */
export function calibrate(
  types: readonly OutcomeType[],
  assessment: Assessment,
  key: ReadonlyMap<string, number>,
  marksOf: (type: string) => Marks | null,
  said: (passage: Passage) => Pick<Competency['passages'][number], 'quote' | 'start' | 'end'>,
): Calibrated {
  const competencies = types.flatMap((type): Competency[] => {
    const [wanted, { grade }] = [key.get(type.id) ?? null, gradeIn(assessment, type.id)];
    const marks = marksOf(type.id);
    const passages = marks ? markedByHalf(marks.key) : [];
    const own = (marks?.own ?? []).filter(({ from, to }) => from < to);
    if (wanted === null && grade === null && passages.length === 0 && own.length === 0) return [];
    return [
      {
        ...{ type: type.id, key: wanted, grade },
        steps: wanted === null || grade === null ? null : stepsFrom(type, wanted, grade),
        passages: passages.map((one) => ({ ...said(one), found: own.some((mine) => overlap(mine, one)) })),
        others: own.filter((mine) => !passages.some((one) => overlap(mine, one))).length,
      },
    ];
  });
  const steps = competencies.flatMap((one) => one.steps ?? []);
  const share = (is: (steps: number) => boolean) =>
    steps.length === 0 ? null : steps.filter(is).length / steps.length;
  const passages = competencies.flatMap((one) => one.passages);
  const found = passages.filter((one) => one.found).length;
  return {
    reviewerId: assessment.reviewerId,
    units: steps.length,
    exact: share((one) => one === 0),
    adjacent: share((one) => Math.abs(one) <= 1),
    difference: steps.length === 0 ? null : steps.reduce((sum, one) => sum + one, 0) / steps.length,
    ...{ found, missed: passages.length - found },
    competencies,
  };
}
