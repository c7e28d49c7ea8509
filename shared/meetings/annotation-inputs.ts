import { z } from 'zod';
import { versionNumber } from '../versions.ts';
import { authorKinds } from './annotations.ts';
import { isCharId, longestQuote, type CharId } from './anchors.ts';
import { longestGradeWords } from './grades.ts';
import { longestNotes } from './notes.ts';
import { longestRichText, readRichText } from './rich-text.ts';
import { longestSummary, mostSummary } from './summary.ts';

// Input of the API for annotations.

const seconds = z
  .number('required')
  .min(0)
  .max((2 ** 31 - 1) / 1000);
/** Id that is also a part of a URL. */
export const itemId = z
  .string()
  .min(1)
  .max(64, 'too_long')
  .regex(/^[\w-]+$/)
  .refine((key) => key !== '__proto__');
const char = z.custom<CharId>(isCharId);
const anchor = z.strictObject({ g: z.number().int().min(0), first: char, last: char });
const grade = z.number().int().min(-1).max(100).nullable();
export const typeId = z.string('required').regex(/^\w{1,64}$/);

export const longestOutcome = 2000;
const mostChildren = 50;

export const gradeInput = z
  .object({
    /** Grade without a passage; null lets the passages decide again. */
    grade,
    words: z.string().trim().max(longestGradeWords, 'too_long'),
    /** Words as the caller read them; what others have added since stays. */
    wordsWas: z.string().max(longestGradeWords, 'too_long'),
  })
  .partial()
  .refine(({ grade: given, words }) => given !== undefined || words !== undefined, {
    path: ['grade'],
    error: 'required',
  })
  .refine(({ words, wordsWas }) => wordsWas === undefined || words !== undefined, {
    path: ['words'],
    error: 'required',
  });
export type GradeChange = z.output<typeof gradeInput>;

const place = {
  start: seconds,
  end: seconds,
  quote: z.string().max(longestQuote, 'too_long').optional(),
  /** Default: the server finds the words spoken between the two times. */
  anchor: anchor.nullish(),
};

/** Quote and anchor of a change need both times, in their order. */
function wholePlace(
  { start, end, quote, anchor: at }: Partial<Record<keyof typeof place, unknown>>,
  context: z.RefinementCtx,
): void {
  const wrong = (field: 'start' | 'end', message: string) =>
    context.addIssue({ code: 'custom', path: [field], message });
  if (start === undefined && (quote ?? at ?? null) !== null) wrong('start', 'required');
  if ((start === undefined) !== (end === undefined)) wrong('end', 'required');
  if (typeof start === 'number' && typeof end === 'number' && end < start) wrong('end', 'invalid');
}

/** URL of a voice note, as the attachment upload returned it. */
const voice = z.string().min(1).max(200, 'too_long').nullish();

const children = z
  .array(z.object({ type: typeId, grade: grade.default(null) }))
  .max(mostChildren, 'too_many')
  .refine((list) => new Set(list.map(({ type }) => type)).size === list.length, 'twice');

const outcome = z.object({
  id: itemId.optional(),
  ...place,
  type: typeId,
  text: z.string().trim().max(longestOutcome, 'too_long').default(''),
  children: children.default([]),
  grade: grade.default(null),
  private: z.boolean().default(false),
  /** Voice notes only. */
  url: voice,
});
const ordered = ({ start, end }: { start: number; end: number }) => end >= start;
export const outcomeInput = z.object({ outcome: outcome.refine(ordered, { path: ['end'], error: 'invalid' }) });
export type NewOutcome = z.output<typeof outcome>;

export const outcomeChange = z.object({
  outcome: z
    .object({
      type: typeId,
      text: z.string().trim().max(longestOutcome, 'too_long'),
      /** Text as the caller read it; what others have added since stays. */
      textWas: z.string().max(longestOutcome, 'too_long'),
      children,
      /** One of `children` instead of all of them; concurrent changes to the others stay. */
      mark: z.object({ type: typeId, grade: grade.default(null), on: z.boolean().default(true) }),
      grade,
      ...place,
    })
    .partial()
    .refine(({ children: all, mark }) => !all || !mark, { path: ['mark'], error: 'twice' })
    .refine(({ text, textWas }) => textWas === undefined || text !== undefined, { path: ['text'], error: 'required' })
    .refine((given) => Object.values(given).some((value) => value !== undefined), 'required')
    .superRefine(wholePlace),
});
export type OutcomeChange = z.output<typeof outcomeChange>['outcome'];

const changeable = ['type', 'text', 'children', 'grade', 'start', 'end', 'quote', 'anchor'] as const;
const mostOutcomeEdits = 500;

/** Edits of one field of one outcome each; all or none are written. */
export const outcomeEditsInput = z.object({
  edits: z
    .array(
      z.object({
        id: itemId,
        field: z.enum(changeable),
        value: z.unknown(),
        /** Revision the caller read; nothing is written if the outcome has changed since. */
        rev: z.number().int().min(1).optional(),
      }),
      'required',
    )
    .min(1, 'required')
    .max(mostOutcomeEdits, 'too_many')
    .refine((edits) => new Set(edits.map(({ id, field }) => `${id} ${field}`)).size === edits.length, 'twice'),
  version: z.number('required').int().min(0),
});
export type OutcomeEditsInput = z.output<typeof outcomeEditsInput>;

/** Stored as the JSON of a valid document, whatever was sent; empty for no words. */
const richText = z
  .string('required')
  .max(longestRichText, 'too_long')
  .transform((given, context) => {
    const doc = readRichText(given);
    if (doc) return JSON.stringify(doc);
    if (given.trim() === '') return '';
    context.addIssue({ code: 'custom', message: 'invalid' });
    return z.NEVER;
  })
  .refine((stored) => stored.length <= longestRichText, 'too_long');
const comment = z.object({
  id: itemId.optional(),
  ...place,
  /** Voice notes need no text. */
  text: richText.default(''),
  parent: itemId.nullish(),
  private: z.boolean().default(false),
  url: voice,
});
export const commentInput = comment
  .refine(ordered, { path: ['end'], error: 'invalid' })
  .refine(({ text, url }) => text !== '' || typeof url === 'string', { path: ['text'], error: 'required' });
export type NewComment = z.output<typeof comment>;

export const commentChange = z
  /** Only voice notes may have an empty text. */
  .object({ text: richText, resolved: z.boolean(), ...place })
  .partial()
  .refine((given) => Object.values(given).some((value) => value !== undefined), 'required')
  .superRefine(wholePlace);
export type CommentChange = z.output<typeof commentChange>;

export const notesInput = z.object({ text: z.string('required').min(1, 'required').max(longestNotes, 'too_long') });
export type NotesInput = z.output<typeof notesInput>;
export const notesAnswer = z.strictObject({ text: z.string() });

export const summaryItem = z.object({
  id: itemId.optional(),
  order: z.number().int().optional(),
  text: z.string('required').max(longestSummary, 'too_long'),
});
export const summaryInput = z.object({
  summary: z
    .array(summaryItem, 'required')
    .max(mostSummary, 'too_many')
    .refine((list) => new Set(list.flatMap(({ id }) => id ?? [])).size === list.filter(({ id }) => id).length, 'twice'),
});
export type SummaryInput = z.output<typeof summaryInput>;

// ---- Responses ----------------------------------------------------------------------------------

const author = z.strictObject({ id: z.string(), kind: z.enum(authorKinds), name: z.string() });
export const annotationView = {
  id: z.string(),
  rev: z.number().int(),
  anchor: z
    .strictObject({ g: z.number(), first: z.tuple([z.number(), z.number()]), last: z.tuple([z.number(), z.number()]) })
    .nullable(),
  start: z.number(),
  end: z.number(),
  quote: z.string(),
  author,
  private: z.boolean(),
  createdAt: z.string(),
  editTimestamp: z.string().nullable(),
  url: z.string().nullable(),
};
const outcomeView = z.strictObject({
  ...annotationView,
  type: z.string(),
  text: z.string(),
  children: z.array(z.strictObject({ type: z.string(), grade: z.number().nullable() })),
  grade: z.number().nullable(),
  automatic: z.boolean(),
  wasAutomatic: z.boolean(),
  color: z.number().int(),
  sortId: z.number().int(),
});
const commentView = z.strictObject({
  ...annotationView,
  parent: z.string().nullable(),
  text: z.string(),
  resolved: z.strictObject({ at: z.string(), by: author }).nullable(),
});
export const outcomeAnswer = z.strictObject({ outcome: outcomeView });
export const outcomesAnswer = z.strictObject({ outcomes: z.array(outcomeView), version: versionNumber });
export const commentAnswer = z.strictObject({ comment: commentView });
export const mentionableAnswer = z.strictObject({
  people: z.array(z.strictObject({ id: z.string(), name: z.string() })),
});
const gradeView = z.strictObject({
  key: z.string(),
  type: z.string(),
  grade: z.number().nullable(),
  words: z.string(),
  rev: z.number().int(),
  by: z.string(),
});
export const gradeAnswer = z.strictObject({ grade: gradeView });
const summaryItemView = z.strictObject({ id: z.string(), order: z.number().int(), text: z.string() });
export const summaryAnswer = z.strictObject({ summary: z.array(summaryItemView) });
export const revealedSummary = z.strictObject({ summary: summaryItemView });
