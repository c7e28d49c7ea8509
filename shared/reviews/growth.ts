import { z } from 'zod';
import { setView } from '../outcome-models.ts';
import { agreementOf, ordinal, type Unit } from './agreement.ts';
import type { ReportView } from './report.ts';

// Grades of one person over time: a point for each report that the caller reads.

/** Reports that are looked at, those of the latest recordings. */
export const mostReports = 200;
/** Points of one person, those of the latest recordings. */
export const mostPoints = 24;

const given = z.strictObject({
  type: z.string(),
  /** Agreed grade, else the median; null: none was given, though the person graded themselves. */
  grade: z.number().int().nullable(),
  spread: z.strictObject({ lowest: z.number().int(), highest: z.number().int() }).nullable(),
  self: z.number().int().nullable(),
  /** Seconds at which the first passage begins; null without. */
  start: z.number().nullable(),
});

const point = z.strictObject({
  meetingId: z.string(),
  reviewId: z.string(),
  title: z.string(),
  /** Day and time at which the recording was added. */
  date: z.iso.datetime(),
  src: z.string().nullable(),
  competencies: z.array(given),
});
export type GrowthPoint = z.infer<typeof point>;

const agreement = z.strictObject({
  type: z.string(),
  recordings: z.number().int().describe('Recordings in which at least two reviewers graded the competency.'),
  alpha: z.number().nullable().describe('Krippendorff’s alpha, ordinal; null where all grades are the same.'),
  percent: z.number().nullable(),
});
type CompetencyAgreement = z.infer<typeof agreement>;

/** `person`: id of the person assessed in a report. */
export const growthQuery = z.strictObject({ person: z.string().max(100, 'too_long').optional() });
export type GrowthQuery = z.infer<typeof growthQuery>;

export const growthAnswer = z.strictObject({
  /** People assessed whose reports the caller reads, each by the id in the latest of them. */
  people: z.array(z.strictObject({ id: z.string(), name: z.string() })),
  /** Person of the points; null without anybody. */
  person: z.string().nullable(),
  /** Earliest first. */
  points: z.array(point),
  agreements: z
    .array(agreement)
    .describe('How far reviewers agree on each competency, from 10 recordings on; of one alone nothing can be told.'),
  sets: z.array(setView),
});
export type GrowthAnswer = z.infer<typeof growthAnswer>;

/** Competencies of a report with a grade of anybody. */
export const gradedIn = ({ competencies }: Pick<ReportView, 'competencies'>): GrowthPoint['competencies'] =>
  competencies.flatMap(({ type, agreed, median, spread, self, passages }) => {
    const grade = agreed ?? median;
    const own = self?.grade ?? null;
    if (grade === null && own === null) return [];
    return [{ type, grade, spread, self: own, start: passages[0]?.start ?? null }];
  });

export interface GrowthLine {
  type: string;
  /** Nth: the index of the point among all. */
  points: readonly (GrowthPoint['competencies'][number] & { nth: number })[];
}

/** A line for each competency, in the order in which they first appear. */
export function linesOf(points: readonly Pick<GrowthPoint, 'competencies'>[]): GrowthLine[] {
  const types = [...new Set(points.flatMap(({ competencies }) => competencies.map(({ type }) => type)))];
  return types.map((type) => ({
    type,
    points: points.flatMap(({ competencies }, nth) => {
      const one = competencies.find((found) => found.type === type);
      return one ? [{ ...one, nth }] : [];
    }),
  }));
}

/** Recordings below which a figure of one competency says nothing. */
const fewestRecordings = 10;

interface Graded {
  meetingId: string;
  competencies: readonly Pick<ReportView['competencies'][number], 'type' | 'grades'>[];
}

/** Agreement on each competency over recordings; of several reports of one recording the first counts. */
export function agreementsOver(reports: readonly Graded[]): CompetencyAgreement[] {
  const units = new Map<string, Map<string, Unit>>();
  for (const { meetingId, competencies } of reports)
    for (const { type, grades } of competencies) {
      const unit = grades.map(({ grade }) => grade);
      const ofType = units.get(type) ?? new Map<string, Unit>();
      const isGraded = unit.filter((grade) => grade !== null).length > 1;
      if (isGraded && !ofType.has(meetingId)) units.set(type, ofType.set(meetingId, unit));
    }
  return [...units].flatMap(([type, ofType]) => {
    if (ofType.size < fewestRecordings) return [];
    const { alpha, percent } = agreementOf(ofType.values(), ordinal);
    return [{ type, recordings: ofType.size, alpha, percent }];
  });
}
