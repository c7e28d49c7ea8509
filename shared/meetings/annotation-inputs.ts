import { z } from 'zod';
import { isCharId, longestQuote, type CharId } from './anchors.ts';
import { longestNotes } from './notes.ts';
import { longestRichText, readRichText } from './rich-text.ts';
import { longestSummary, mostSummary } from './summary.ts';

// What programs send to say something about a recording.

const seconds = z
  .number('required')
  .min(0)
  .max((2 ** 31 - 1) / 1000);
/** Also a part of an address. */
export const itemId = z
  .string()
  .min(1)
  .max(64, 'too_long')
  .regex(/^[\w-]+$/)
  .refine((key) => key !== '__proto__');
const char = z.custom<CharId>(isCharId);
const anchor = z.strictObject({ g: z.number().int().min(0), first: char, last: char });
const grade = z.number().int().min(-1).max(100).nullable();
const typeId = z.string('required').regex(/^\w{1,64}$/);

export const longestOutcome = 2000;
const mostChildren = 50;

const place = {
  start: seconds,
  end: seconds,
  quote: z.string().max(longestQuote, 'too_long').optional(),
  /** Left out, the server finds the words said between the two times. */
  anchor: anchor.nullish(),
};

/** Of what was spoken, as the attachment was answered. */
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
  /** Of a voice note, and of nothing else. */
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
      /** The text as it was read: what others have written in it since stays. */
      textWas: z.string().max(longestOutcome, 'too_long'),
      children,
      /** One of `children`, in the place of all of them: what others mark at the same time stays. */
      mark: z.object({ type: typeId, grade: grade.default(null), on: z.boolean().default(true) }),
      grade,
      ...place,
    })
    .partial()
    .refine(({ children: all, mark }) => !all || !mark, { path: ['mark'], error: 'twice' })
    .refine(({ text, textWas }) => textWas === undefined || text !== undefined, { path: ['text'], error: 'required' })
    .refine((given) => Object.values(given).some((value) => value !== undefined), 'required')
    // Words and characters say where only together with when.
    .refine(({ start, quote, anchor }) => start !== undefined || (quote ?? anchor ?? null) === null, {
      path: ['start'],
      error: 'required',
    })
    .refine(({ start, end }) => (start === undefined) === (end === undefined), { path: ['end'], error: 'required' })
    .refine(({ start, end }) => start === undefined || end === undefined || end >= start, {
      path: ['end'],
      error: 'invalid',
    }),
});
export type OutcomeChange = z.output<typeof outcomeChange>['outcome'];

const changeable = ['type', 'text', 'children', 'grade', 'start', 'end', 'quote', 'anchor'] as const;
const mostOutcomeEdits = 500;

/** One field of one outcome each; all are written or none. */
export const outcomeEditsInput = z.object({
  edits: z
    .array(
      z.object({
        id: itemId,
        field: z.enum(changeable),
        value: z.unknown(),
        /** As it was read: where somebody has changed it since, nothing is. */
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

/** Kept as the JSON of a document of ours, whatever came; empty where there are no words. */
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
  /** What was spoken needs no words beside it. */
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
  /** Words may only be taken away where something was spoken. */
  .object({ text: richText, resolved: z.boolean() })
  .partial()
  .refine(({ text, resolved }) => text !== undefined || resolved !== undefined, 'required');
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

// ---- As they are answered ----------------------------------------------------------------------

const author = z.strictObject({ id: z.string(), kind: z.enum(['user', 'deleted']), name: z.string() });
const annotationView = {
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
export const outcomesAnswer = z.strictObject({ outcomes: z.array(outcomeView), version: z.number().int() });
export const commentAnswer = z.strictObject({ comment: commentView });
const summaryItemView = z.strictObject({ id: z.string(), order: z.number().int(), text: z.string() });
export const summaryAnswer = z.strictObject({ summary: z.array(summaryItemView) });
export const revealedSummary = z.strictObject({ summary: summaryItemView });
