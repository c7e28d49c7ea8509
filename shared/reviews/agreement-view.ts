import { z } from 'zod';
import { setView } from '../outcome-models.ts';

// Agreement of reviewers on the wire, and as it is kept from the first opening of a review.

const agreement = z.object({
  /** Krippendorff's alpha; null: cannot be told. */
  alpha: z.number().nullable(),
  percent: z.number().nullable(),
  units: z.number().int(),
  caution: z.enum(['few', 'same', 'skewed']).nullable(),
});
const wordAgreement = z.object({
  alpha: z.number().nullable(),
  /** Share of marked words that another person marked, too. */
  common: z.number().nullable(),
});

const blindRecord = z.object({
  at: z.string(),
  people: z.array(z.string()),
  grades: agreement,
  children: agreement,
  words: wordAgreement,
  /** Middle 95 percent of alpha over resampled competencies. */
  interval: z.tuple([z.number(), z.number()]).nullable(),
});
export type BlindRecord = z.infer<typeof blindRecord>;

const competency = z.object({
  type: z.string(),
  grades: z.array(
    z.object({
      reviewerId: z.string(),
      grade: z.number().nullable(),
      /** False: it follows from the passages. */
      set: z.boolean(),
    }),
  ),
  spread: z.object({ lowest: z.number(), highest: z.number(), difference: z.number() }).nullable(),
  /** Share of the disagreement on grades that this competency causes. */
  share: z.number(),
  /** Passages that people differ most about as evidence. */
  passages: z.array(
    z.object({ quote: z.string(), start: z.number(), end: z.number(), pairs: z.number(), by: z.array(z.string()) }),
  ),
});

const suggestedFigures = z.object({
  /** Passages that are suggested, and those of them that at least one person marked with the same type. */
  suggested: z.number().int(),
  marked: z.number().int(),
  /** Passages that at least half of the people marked, and those of them that are suggested. */
  byHalf: z.number().int(),
  found: z.number().int(),
});
export type SuggestedFigures = z.infer<typeof suggestedFigures>;

const agreementView = z.object({
  people: z.array(z.object({ reviewerId: z.string(), done: z.boolean() })),
  grades: agreement,
  details: z
    .object({ figure: z.enum(['weighted', 'fleiss']), kappa: z.number().nullable(), units: z.number().int() })
    .nullable(),
  children: agreement,
  words: wordAgreement,
  competencies: z.array(competency),
  machine: suggestedFigures
    .extend({ types: z.array(suggestedFigures.extend({ type: z.string() })) })
    .nullable()
    .describe(
      'Suggestions of a language model beside what people marked; they are no part of any other figure. Null for callers who do not read the machine’s layer, and without suggestions.',
    ),
  /** Figures of the first opening; null before, and of a review that opened when none were recorded. */
  blind: blindRecord.nullable(),
  /** Sets made by people that its competencies are of. */
  sets: z.array(setView),
});
export type AgreementView = z.infer<typeof agreementView>;

/** Null unless the caller reads all assessments that count, and there are at least two. */
export const agreementAnswer = z.object({ agreement: agreementView.nullable() });
