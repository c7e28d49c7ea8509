import { z } from 'zod';
import { outcomeModelIds } from '../account-choices.ts';
import { costsView } from '../intake.ts';
import type { Anchored } from '../meetings/anchors.ts';
import { annotationView, typeId } from '../meetings/annotation-inputs.ts';
import { bare, citeSchema, closedObjects, json, visible } from './answer.ts';
import { consentView, offeredView, questionInput, paidRunView } from './views.ts';

// Outcomes that an assistant suggests: as it has to give them, and as people see them.

export const mostSuggestions = 200;
const mostChoices = 3;
const longestText = 500;

// ---- Of an assistant ----------------------------------------------------------------------------

const proposed = z.object({
  type: z.string(),
  others: z.array(z.string()).default([]),
  text: visible(longestText),
  reason: visible(longestText).default(''),
  ...citeSchema.shape,
});
export type Proposed = z.infer<typeof proposed>;

/** JSON Schema of an answer with outcomes of these types. */
export const proposalShape = (types: readonly string[]): object => {
  const type = { type: 'string', enum: types };
  const text = { type: 'string' };
  return {
    type: 'object',
    additionalProperties: false,
    required: ['outcomes'],
    properties: {
      outcomes: {
        type: 'array',
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['type', 'others', 'text', 'reason', 'line', 'quote'],
          properties: {
            type,
            others: { type: 'array', items: type },
            text,
            reason: text,
            line: { type: 'integer' },
            quote: text,
          },
        },
      },
    },
  };
};

/** The outcomes of an answer that have the form and a type of the list, and how many have not; or what is wrong with all of it. */
export function readProposals(
  answer: string,
  types: readonly string[],
  isCut: boolean,
): { answer: { proposals: Proposed[]; unread: number } } | { wrong: string } {
  const whole = json(bare(answer));
  const given = whole === null && isCut ? [...closedObjects(answer, 'outcomes')] : listOf(whole);
  if (given === null) return { wrong: 'This is no JSON object with the list "outcomes".' };
  const all = given.slice(0, mostSuggestions);
  const read = all.flatMap((one) => {
    const { data } = proposed.safeParse(one);
    if (!data || data.text === '' || !types.includes(data.type)) return [];
    const others = [...new Set(data.others)].filter((type) => type !== data.type && types.includes(type));
    return [{ ...data, others: others.slice(0, mostChoices) }];
  });
  if (all.length > 0 && read.length === 0)
    return { wrong: `Each outcome needs "type" (one of ${types.join(', ')}), "text", "line" and "quote".` };
  return { answer: { proposals: read, unread: given.length - read.length } };
}

function listOf(value: unknown): unknown[] | null {
  const list = typeof value === 'object' && value !== null && 'outcomes' in value ? value.outcomes : null;
  return Array.isArray(list) ? (list as unknown[]) : null;
}

// ---- Of people ----------------------------------------------------------------------------------

export const detectInput = z.object({
  /**
   * An assistant of `GET /api/ai`, by default the one chosen for the recording, else the first; the id of an outcome model
   * is read as `outcomeModel`.
   */
  modelId: z.string().min(1).max(200, 'too_long').optional(),
  /** Outcomes of this model's types are found. */
  outcomeModel: z.string().min(1).max(200, 'too_long').optional(),
  /** The speaker whose words count; needed for a model with grades. */
  coachSpeakerId: z.string().min(1).max(200, 'too_long').optional(),
  cost: questionInput.shape.cost,
});
export type DetectInput = z.output<typeof detectInput>;

const rejectReasons = ['type', 'place', 'meaning', 'unimportant', 'other'] as const;
export type RejectReason = (typeof rejectReasons)[number];

export const acceptInput = z.object({
  /** Its type or one of `typeChoices`; default: its type. */
  type: typeId.optional(),
});
export type AcceptInput = z.output<typeof acceptInput>;

export const rejectInput = z.object({ reason: z.enum(rejectReasons, 'invalid') });
export type RejectInput = z.output<typeof rejectInput>;

const suggestionView = z.strictObject({
  ...annotationView,
  author: z.strictObject({ id: z.literal(''), kind: z.literal('machine'), name: z.string() }),
  type: z.string(),
  /** Other types that fit. */
  typeChoices: z.array(z.string()),
  text: z.string(),
  /** Assistant's reason for it. */
  reason: z.string(),
  automatic: z.literal(true),
});
export type SuggestionView = Omit<z.infer<typeof suggestionView>, 'anchor'> & Pick<Anchored, 'anchor'>;

export const detectionView = z.object({
  /** The caller’s last search; `completionDate` is null while it runs. */
  readiness: z.object({ startDate: z.string(), completionDate: z.string().nullable() }).nullable(),
  run: paidRunView
    .extend({
      outcomeModel: z.enum(outcomeModelIds).nullable(),
      found: z.number().int().nullable(),
      /** Left out because their words do not stand in the transcript. */
      dropped: z.number().int().nullable(),
    })
    .nullable(),
  /** Suggestions that nobody has accepted or rejected, in the order of the recording. */
  suggestions: z.array(suggestionView),
  ...offeredView,
  consent: consentView,
  /** Credits of a search, by the first of the ways to pay. */
  price: z.number(),
  /** All ways in which the caller can pay for it. */
  costs: costsView,
});
export type DetectionView = Omit<z.infer<typeof detectionView>, 'suggestions'> & { suggestions: SuggestionView[] };
