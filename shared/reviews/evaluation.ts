import { lowerMedian } from './agreement.ts';

// How often each type was given in layers that somebody may read, and with which grades.

interface Given {
  type: string;
  grade: number | null;
  children: readonly { type: string; grade: number | null }[];
}

/** Outcomes of one layer; those of the machine stand beside the others. */
interface LayerOutcomes {
  machine: boolean;
  outcomes: readonly Given[];
}

interface TypeFigures {
  count: number;
  /** Number of outcomes by grade. */
  grades: Readonly<Record<string, number>>;
  /** The lower median, null without grades. */
  median: number | null;
}

interface TypeEvaluation {
  type: string;
  people: TypeFigures;
  machine: TypeFigures;
}

function figuresOf(grades: readonly (number | null)[]): TypeFigures {
  const graded = grades.filter((grade) => grade !== null);
  const counts = new Map<string, number>();
  for (const grade of graded) counts.set(String(grade), (counts.get(String(grade)) ?? 0) + 1);
  return { count: grades.length, grades: Object.fromEntries(counts), median: lowerMedian(graded) };
}

/** One entry for each type, children too, by the name of the type. */
export function evaluationOf(layers: readonly LayerOutcomes[]): TypeEvaluation[] {
  const given = layers.flatMap(({ machine, outcomes }) =>
    outcomes.flatMap(({ type, grade, children }) => [{ type, grade }, ...children].map((one) => ({ ...one, machine }))),
  );
  const types = [...new Set(given.map(({ type }) => type))].sort();
  return types.map((type) => {
    const ofType = given.filter((one) => one.type === type);
    const by = (machine: boolean) => ofType.filter((one) => one.machine === machine).map(({ grade }) => grade);
    return { type, people: figuresOf(by(false)), machine: figuresOf(by(true)) };
  });
}
