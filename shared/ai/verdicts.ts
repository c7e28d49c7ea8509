import { z } from 'zod';
import { costsView } from '../intake.ts';
import { answerShape, bare, json, longestPart, partSchema, visible, type AnswerPart } from './answer.ts';
import { consentView, offeredView, paidRunView, storedPart } from './views.ts';

// A grade that an assistant gives for one competency, with the words of the recording that show it.

/** Most parts of an explanation. */
const mostReasons = 8;

const verdictSchema = z.object({
  grade: z.number().nullable(),
  parts: z.array(partSchema).transform((parts) => parts.filter(({ text }) => text !== '').slice(0, mostReasons)),
  why: visible(longestPart).default(''),
});

interface Verdict {
  /** Grade of the list; null: the recording does not show the competency. */
  grade: number | null;
  parts: AnswerPart[];
  /** Reason against the next grade. */
  why: string;
}

/** The form of an answer, with the grades of a type. */
export const verdictShape = (grades: readonly number[]) => ({
  type: 'object',
  additionalProperties: false,
  required: ['grade', 'parts', 'why'],
  properties: {
    grade: { enum: [...grades, null] },
    parts: answerShape.properties.parts,
    why: { type: 'string' },
  },
});

/** The answer with a grade of the list, or what is wrong with it, in words for the model. */
export function readVerdict(text: string, grades: readonly number[]): { answer: Verdict } | { wrong: string } {
  const read = verdictSchema.safeParse(json(bare(text)));
  if (!read.success) return { wrong: 'This is no complete JSON object with "grade", "parts" and "why".' };
  const { grade } = read.data;
  if (grade !== null && !grades.includes(grade)) return { wrong: `"grade" is one of ${grades.join(', ')}, or null.` };
  return { answer: read.data };
}

export const verdictView = z.object({
  /**
   * The caller’s own last one for this competency. `enough: false`: nothing in the transcript shows it; `dropped`: number of
   * reasons that do not stand in the transcript.
   */
  run: paidRunView.extend({ enough: z.boolean().nullable(), dropped: z.number().int().nullable() }).nullable(),
  verdict: z
    .object({
      grade: z.number(),
      /** Reasons for it; those whose words were deleted since are left out. */
      parts: z.array(storedPart),
      /** Reason against the next grade; nothing checks it. */
      why: z.string(),
      model: z.string(),
      at: z.string(),
    })
    .nullable(),
  ...offeredView,
  consent: consentView,
  /** Credits of an explanation, by the first of the ways to pay. */
  price: z.number(),
  /** All ways in which the caller can pay for it. */
  costs: costsView,
});
export type VerdictView = z.infer<typeof verdictView>;
