import type { SheetGrade } from '../meetings/grades.ts';
import type { Outcome } from '../meetings/annotations.ts';
import { typeOf, type OutcomeType } from '../meetings/outcome-types.ts';
import { hasOwnGrade } from '../meetings/own-types.ts';
import { gradeOf, lowerMedian, type Unit } from './agreement.ts';

// Assessments of one recording as units of agreement: a value a person.

/** Annotations and grades of one reviewer; `done`: details without evidence were not observed. */
export interface Assessment {
  reviewerId: string;
  done: boolean;
  outcomes: readonly Pick<Outcome, 'type' | 'grade' | 'children'>[];
  grades: ReadonlyMap<string, Pick<SheetGrade, 'grade' | 'words'>>;
}

/** Types with grades: those that the review asks for, and others that somebody used. */
export function gradedTypes(asked: readonly OutcomeType[], assessments: readonly Assessment[]): OutcomeType[] {
  const used = assessments.flatMap(({ outcomes, grades }) => [
    ...outcomes.map(({ type }) => type),
    ...[...grades].flatMap(([type, { grade }]) => (grade === null ? [] : type)),
  ]);
  const others = [...new Set(used)].flatMap((id) => (asked.some((type) => type.id === id) ? [] : (typeOf(id) ?? [])));
  // A type whose grades are no longer offered stays where they were given.
  const given = new Set(
    assessments.flatMap(({ outcomes, grades }) =>
      [...outcomes, ...[...grades].map(([type, { grade }]) => ({ type, grade }))].flatMap(({ type, grade }) =>
        grade !== null && hasOwnGrade(type, grade) ? type : [],
      ),
    ),
  );
  return [...asked, ...others].filter(({ id, grades }) => grades.length > 0 || given.has(id));
}

/** The grade of a type: that of the sheet, else what follows from the passages. */
export function gradeIn(
  { outcomes, grades }: Pick<Assessment, 'outcomes' | 'grades'>,
  type: string,
): { grade: number | null; set: boolean } {
  const set = grades.get(type)?.grade ?? null;
  const given = outcomes.filter((one) => one.type === type).map(({ grade }) => grade);
  return { grade: gradeOf(set, given), set: set !== null };
}

export const gradeUnits = (types: readonly OutcomeType[], assessments: readonly Assessment[]): Unit[] =>
  types.map(({ id }) => assessments.map((one) => gradeIn(one, id).grade));

const observed = 1;
const notObserved = 0;

/** Details below each type: marked, marked as missing, or not observed once the assessment is done. */
export const childUnits = (types: readonly OutcomeType[], assessments: readonly Assessment[]): Unit[] =>
  types.flatMap(({ id, children }) =>
    children.map((child) =>
      assessments.map(({ outcomes, done }) => {
        const marks = outcomes
          .filter(({ type }) => type === id)
          .flatMap((outcome) => outcome.children.filter(({ type }) => type === child))
          .map(({ grade }) => grade ?? observed);
        return lowerMedian(marks) ?? (done ? notObserved : null);
      }),
    ),
  );

interface Spread {
  lowest: number;
  highest: number;
  /** Mean difference of two people. */
  difference: number;
}

/** How far grades of one unit lie apart; null with fewer than two. */
export function spreadOf(unit: Unit): Spread | null {
  const values = unit.filter((value) => value !== null);
  const pairs = values.flatMap((one, i) => values.slice(i + 1).map((other) => Math.abs(one - other)));
  if (pairs.length === 0) return null;
  return {
    ...{ lowest: Math.min(...values), highest: Math.max(...values) },
    difference: pairs.reduce((sum, one) => sum + one, 0) / pairs.length,
  };
}
