import type { OutcomeModelId } from '../account-choices.ts';
import { hasOwnGrade, ownTypeOf } from './own-types.ts';

// Catalogue of outcome types. A model is a list of types that belong together; the account and the document choose
// which one is offered first. Their texts are under `outcomes:types` in each language.

interface OutcomeGrade {
  value: number;
  /** Key of its text. */
  label: string;
}

export interface OutcomeType {
  id: string;
  /** Sort key; types without one come last. */
  code: number | null;
  /** Index of a colour in the style sheets. */
  color: number;
  /** Set by the product; people cannot change an outcome of this type into another. */
  readOnly: boolean;
  grades: readonly OutcomeGrade[];
  /** Types that can be set below it, each with a grade. */
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

/** Grades for how well something was shown. */
const shown: readonly OutcomeGrade[] = [1, 2, 3, 4].map((value) => ({ value, label: `shown${value}` }));

/** Voice notes have a type of their own, which nobody can choose. */
export const voiceNotes = type('vNotes', null, 5, { readOnly: true });

/** Types that every set of people's own has besides its types. */
export const everywhere: readonly OutcomeType[] = [type('notes', 990, 4), voiceNotes];

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
/** Sort id also for unknown types. */
export const sortIdOf = (type: OutcomeType | null): number => type?.code ?? codeless;
export const inCodeOrder = (one: OutcomeType, other: OutcomeType): number => sortIdOf(one) - sortIdOf(other);

const known = new Map(Object.values(outcomeModels).flatMap(({ types }) => types.map((one) => [one.id, one] as const)));

/** Type of any model: documents keep outcomes of other models. Types of own sets are known once their set is learnt. */
export const typeOf = (id: string): OutcomeType | null => known.get(id) ?? ownTypeOf(id);

/** Grade for "not shown at all", valid for every type. */
export const negative = -1;

/** Cycles: off, set, set as missing, off. */
export function nextMark(now: { grade: number | null } | null): { grade: number | null } | null {
  if (!now) return { grade: null };
  return now.grade === negative ? null : { grade: negative };
}

/** Whether a grade can be chosen for a type. */
export function isGradeOf({ grades }: Pick<OutcomeType, 'grades'>, grade: number | null): boolean {
  return grade === null || grade === negative || grades.some(({ value }) => value === grade);
}

/** Same, also for grades that are no longer offered. */
export const isKnownGrade = (type: Pick<OutcomeType, 'id' | 'grades'>, grade: number | null): boolean =>
  isGradeOf(type, grade) || (grade !== null && hasOwnGrade(type.id, grade));
