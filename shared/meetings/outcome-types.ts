import type { OutcomeModelId } from '../account-choices.ts';

// What outcomes there are. A model is a list of types that belong together; which one is offered first is a choice of the
// account and of the document. Texts stand in the languages under `outcomes:types`.

interface OutcomeGrade {
  value: number;
  /** Key of its text. */
  label: string;
}

export interface OutcomeType {
  id: string;
  /** Orders them; those without one come last. */
  code: number | null;
  /** One of the colours of the style sheets, by its number. */
  color: number;
  /** Made and kept by the product: no one changes what is of this type into something else. */
  readOnly: boolean;
  grades: readonly OutcomeGrade[];
  /** Marked below it, each with a grade. */
  children: readonly string[];
}

interface OutcomeModel {
  id: OutcomeModelId;
  types: readonly OutcomeType[];
}

const type = (id: string, code: number | null, color: number, more: Partial<OutcomeType> = {}): OutcomeType => ({
  id,
  code,
  color,
  readOnly: false,
  grades: [],
  children: [],
  ...more,
});

/** How well something was shown. */
const shown: readonly OutcomeGrade[] = [1, 2, 3, 4].map((value) => ({ value, label: `shown${value}` }));

/** Spoken notes are of a type of their own, which nobody picks. */
export const voiceNotes = type('vNotes', null, 5, { readOnly: true });

const meeting: readonly OutcomeType[] = [
  type('actionItems', 1, 0),
  type('decisions', 2, 1),
  type('problems', 3, 2),
  type('questions', 4, 3),
  type('notes', 5, 4),
  voiceNotes,
];

const coaching: readonly OutcomeType[] = [
  type('ethics', 10, 0, { grades: shown, children: ['ethicsConfidence', 'ethicsBoundaries'] }),
  type('agreement', 20, 1, { grades: shown, children: ['agreementGoal', 'agreementMeasure', 'agreementPartner'] }),
  type('trust', 30, 2, { grades: shown, children: ['trustRespect', 'trustSupport'] }),
  type('presence', 40, 3, { grades: shown, children: ['presenceCurious', 'presenceSilence'] }),
  type('listening', 50, 4, { grades: shown, children: ['listeningWords', 'listeningFeelings', 'listeningSummary'] }),
  type('awareness', 60, 0, { grades: shown, children: ['awarenessQuestions', 'awarenessPerspective'] }),
  type('growth', 70, 1, { grades: shown, children: ['growthActions', 'growthProgress'] }),
  type('notes', 80, 4),
  voiceNotes,
];

export const outcomeModels: Record<OutcomeModelId, OutcomeModel> = {
  meeting: { id: 'meeting', types: meeting },
  coaching: { id: 'coaching', types: coaching },
};

const codeless = 1000;
/** Of what is of no known type, too. */
export const sortIdOf = (type: OutcomeType | null): number => type?.code ?? codeless;
export const inCodeOrder = (one: OutcomeType, other: OutcomeType): number => sortIdOf(one) - sortIdOf(other);

const known = new Map(Object.values(outcomeModels).flatMap(({ types }) => types.map((one) => [one.id, one] as const)));

/** Of any model: a document keeps what was tagged with another one. */
export const typeOf = (id: string): OutcomeType | null => known.get(id) ?? null;

/** Below zero is "not shown at all", whatever grades a type has. */
export const negative = -1;

/** Off, marked, marked as missing, off again. */
export function nextMark(now: { grade: number | null } | null): { grade: number | null } | null {
  if (!now) return { grade: null };
  return now.grade === negative ? null : { grade: negative };
}

/** Whether a grade may be given to what is of that type. */
export function isGradeOf({ grades }: Pick<OutcomeType, 'grades'>, grade: number | null): boolean {
  return grade === null || grade === negative || grades.some(({ value }) => value === grade);
}
