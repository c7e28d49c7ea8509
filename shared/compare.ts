import { z } from 'zod';
import { setView } from './outcome-models.ts';

// Comparison: recordings and assessments side by side, a column each.

/** Ids in one request: of recordings, and of layers, which are no documents of their own. */
const mostIds = 100;

/** Basis of rows: outcomes by type, highlights by colour, or the parts of a transcript that reviewers marked. */
export const comparedBy = ['outcomes', 'highlights', 'overlaps'] as const;
export type ComparedBy = (typeof comparedBy)[number];

export const compareQuery = z.strictObject({
  /** Ids of recordings or layers, separated by commas. */
  ids: z
    .string('required')
    .min(1, 'required')
    .max(10_000, 'too_long')
    .transform((text) => [...new Set(text.split(',').filter(Boolean))])
    .pipe(
      z
        .array(z.string().regex(/^[\w-]{1,100}$/, 'invalid'))
        .min(1, 'required')
        .max(mostIds, 'too_many'),
    ),
  /** Default: outcomes where there are any, else highlights. */
  rows: z.enum(comparedBy).optional(),
  /** Key of one row, for all passages in it. */
  row: z.string().max(200, 'too_long').optional(),
});
export type CompareQuery = z.infer<typeof compareQuery>;

/** Passages of a cell in the answer, and in that for one row. */
export const passagesInCell = 3;
export const passagesInRow = 1000;
/** Rows of parts that reviewers marked in one answer. */
export const mostOverlaps = 200;

const passageView = z.strictObject({
  id: z.string(),
  /** Seconds. */
  start: z.number(),
  end: z.number(),
  quote: z.string(),
  text: z.string(),
  grade: z.number().int().nullable(),
});
export type ComparedPassage = z.infer<typeof passageView>;

const cellView = z.strictObject({
  /** Grade of the assessment sheet, else the lower median of the graded passages; null without any. */
  grade: z.number().int().nullable(),
  count: z.number().int(),
  passages: z.array(passageView),
});
export type ComparedCell = z.infer<typeof cellView>;

const rowView = z.strictObject({
  /** Type of outcome, or colour; null for a part of the transcript. */
  type: z.string().nullable(),
  /** Type under which this one is set. */
  parent: z.string().nullable(),
  /** Part of the transcript, in seconds, and how many of its reviewers marked it. */
  part: z
    .strictObject({ meeting: z.string(), start: z.number(), end: z.number(), marked: z.enum(['all', 'some', 'one']) })
    .nullable(),
  /** One for each column; null where there is nothing. */
  cells: z.array(cellView.nullable()),
});
export type ComparedRow = z.infer<typeof rowView>;

/** Name of a row in requests. */
export const rowKey = ({ type, parent, part }: Pick<ComparedRow, 'type' | 'parent' | 'part'>): string =>
  part ? `${part.meeting} ${part.start}` : `${parent ?? ''} ${type ?? ''}`;

const columnView = z.strictObject({
  /** Id of the recording, or of the layer, for the calls that take either. */
  document: z.string(),
  meeting: z.string(),
  /** Id that opens the caller's notes on the recording: its own where they read it, else that of one of their layers. */
  notes: z.string(),
  title: z.string(),
  /** Name of the person whose assessment it is; null of a recording, and where the caller does not know the name. */
  name: z.string().nullable(),
  /** Review of the layer; null of a recording. */
  review: z.string().nullable(),
  machine: z.boolean().describe('Suggestions of a language model, whether people accepted them or not.'),
  /** Address of the sound; null without. */
  src: z.string().nullable(),
});
export type ComparedColumn = z.infer<typeof columnView>;

export const compareAnswer = z.strictObject({
  by: z.enum(comparedBy),
  columns: z.array(columnView),
  rows: z.array(rowView),
  /** Number of further rows. */
  moreRows: z.number().int(),
  /** Ids that are not there, or that the caller may not read. */
  missing: z.array(z.string()),
  /** Ids beyond `most` documents: recordings, and reviews, whose layers count as one. */
  cut: z.array(z.string()),
  most: z.number().int(),
  /** Sets made by people that the types of its rows are of. */
  sets: z.array(setView),
});
export type CompareAnswer = z.infer<typeof compareAnswer>;
