import type { SheetGrade } from '../meetings/grades.ts';
import { negative, type OutcomeType } from '../meetings/outcome-types.ts';
import { gradeOf } from './agreement.ts';

// The sheet of an assessment: each competency with its passages, and its grade: the one set there, else what follows from
// the passages.

interface Given {
  type: string;
  grade: number | null;
}

export interface SheetRow<Evidence extends Given> {
  type: OutcomeType;
  evidence: readonly Evidence[];
  /** Set in the sheet, with the words that explain it; null: the passages decide. */
  set: number | null;
  words: string;
  /** The lower median of the graded passages; null without any. */
  fromEvidence: number | null;
  grade: number | null;
}

/** Rows in the order of the types. What nobody chooses by itself, as voice notes, has a row only where it is there. */
export function sheetOf<Evidence extends Given>(
  types: readonly OutcomeType[],
  outcomes: readonly Evidence[],
  /** Grades of the sheet by type. */
  grades: ReadonlyMap<string, Pick<SheetGrade, 'grade' | 'words'>> = new Map(),
): SheetRow<Evidence>[] {
  return types.flatMap((type) => {
    const evidence = outcomes.filter((outcome) => outcome.type === type.id);
    if (type.readOnly && evidence.length === 0) return [];
    const given = evidence.map((one) => one.grade);
    const { grade: set = null, words = '' } = grades.get(type.id) ?? {};
    return [{ type, evidence, set, words, fromEvidence: gradeOf(null, given), grade: gradeOf(set, given) }];
  });
}

const isGraded = ({ type }: SheetRow<Given>): boolean => type.grades.length > 0;

/** Types that can be graded and are not. */
export const ungradedIn = <Row extends SheetRow<Given>>(rows: readonly Row[]): Row[] =>
  rows.filter((row) => isGraded(row) && row.grade === null);

/** Types with a grade that no passage shows. Nothing can be marked for what was not shown at all. */
export const withoutPassageIn = <Row extends SheetRow<Given>>(rows: readonly Row[]): Row[] =>
  rows.filter((row) => isGraded(row) && row.grade !== null && row.grade !== negative && row.evidence.length === 0);

/** The next type without a grade after one, from the first again after the last; null: all have one. */
export function nextUngraded(rows: readonly SheetRow<Given>[], after: string | null): string | null {
  const open = ungradedIn(rows);
  const at = rows.findIndex(({ type }) => type.id === after);
  const next = open.find((row) => rows.indexOf(row) > at) ?? open[0];
  return next?.type.id ?? null;
}
