import { z } from 'zod';
import { setView } from '../outcome-models.ts';
import { lowerMedian } from './agreement.ts';

// How often each type was given in layers that somebody may read, and with which grades.

interface Given {
  type: string;
  grade: number | null;
  children: readonly { type: string; grade: number | null }[];
}

/** Outcomes of one layer, and the grades of its sheet; those of the machine stand beside the others. */
interface LayerOutcomes {
  machine: boolean;
  outcomes: readonly Given[];
  sheet?: readonly { type: string; grade: number | null }[];
}

const typeFigures = z.object({
  /** Number of outcomes. */
  count: z.number().int(),
  /** Number of outcomes, and of grades set in the sheet, by grade. */
  grades: z.record(z.string(), z.number().int()),
  /** The lower median, null without grades. */
  median: z.number().int().nullable(),
});
type TypeFigures = z.infer<typeof typeFigures>;

const typeEvaluation = z.object({ type: z.string(), people: typeFigures, machine: typeFigures });
type TypeEvaluation = z.infer<typeof typeEvaluation>;

export const evaluationAnswer = z.object({
  outcomes: z.array(typeEvaluation),
  /** Sets made by people that the types are of. */
  sets: z.array(setView),
});
export type EvaluationAnswer = z.infer<typeof evaluationAnswer>;

function figuresOf(given: readonly (number | null)[], sheet: readonly (number | null)[]): TypeFigures {
  const graded = [...given, ...sheet].filter((grade) => grade !== null);
  const counts = new Map<string, number>();
  for (const grade of graded) counts.set(String(grade), (counts.get(String(grade)) ?? 0) + 1);
  return { count: given.length, grades: Object.fromEntries(counts), median: lowerMedian(graded) };
}

/** One entry for each type, children too, by the name of the type. */
export function evaluationOf(layers: readonly LayerOutcomes[]): TypeEvaluation[] {
  const given = layers.flatMap(({ machine, outcomes }) =>
    outcomes.flatMap(({ type, grade, children }) => [{ type, grade }, ...children].map((one) => ({ ...one, machine }))),
  );
  const sheet = layers.flatMap(({ machine, sheet: grades = [] }) =>
    grades.flatMap(({ type, grade }) => (grade === null ? [] : { type, grade, machine })),
  );
  const types = [...new Set([...given, ...sheet].map(({ type }) => type))].sort();
  return types.map((type) => {
    const by = (machine: boolean) => {
      const gradesOf = (all: readonly { type: string; grade: number | null; machine: boolean }[]) =>
        all.filter((one) => one.type === type && one.machine === machine).map(({ grade }) => grade);
      return figuresOf(gradesOf(given), gradesOf(sheet));
    };
    return { type, people: by(false), machine: by(true) };
  });
}
