import { z } from 'zod';
import { failedRecordings } from './actions.ts';
import { longestReplacement, mostFixedRecordings, mostFixes, trimmed } from './finding/fix.ts';
import { foundHit, foundQuery } from './found.ts';
import { lineOf } from './meetings/edits.ts';
import { selectionQuery } from './meetings/meeting.ts';

// Places across recordings: of the words of a search, or of graded outcomes.

/** Places in one answer. */
export const placesAtOnce = 50;

/**
 * Start of a page of places: a passage, and how many places at its end were not shown before. When a recording was added
 * never changes, so that none is missed that somebody edits between two pages; and places before them may go, as words
 * are replaced.
 */
const placeAt = z.strictObject({
  /** Microseconds. */
  addedAt: z
    .number()
    .int()
    .min(0)
    .max(10 ** 16 / 2),
  meeting: z.string().regex(/^[\w-]{1,100}$/),
  /** Kind, milliseconds and key of the passage. */
  passage: z.tuple([
    z.number().int().min(0).max(100),
    z
      .number()
      .int()
      .min(-1)
      .max(2 ** 31 - 1),
    // The database takes no NUL.
    z
      .string()
      .max(4000)
      .regex(/^[^\0]*$/),
  ]),
  left: z.number().int().min(0).max(100_000),
});
export type PlaceAt = z.infer<typeof placeAt>;

export const findsQuery = selectionQuery.extend({
  /** `next` of the page before. */
  after: z
    .string()
    .max(10_000, 'too_long')
    .transform((text, ctx): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        ctx.issues.push({ code: 'custom', message: 'invalid', input: text });
        return z.NEVER;
      }
    })
    .pipe(placeAt)
    .optional(),
});
export type FindsQuery = z.infer<typeof findsQuery>;

export const findsAnswer = z.strictObject({
  places: z.array(
    foundHit.extend({
      recording: z.string(),
      /** An outcome with what its author wrote. */
      outcome: z
        .strictObject({
          type: z.string(),
          /** Name of a type that people made; null for those of the product. */
          label: z.string().nullable(),
          grade: z.number().int().nullable(),
          text: z.string(),
        })
        .nullable(),
    }),
  ),
  /** Recordings of these places. */
  recordings: z.array(
    z.strictObject({
      id: z.string(),
      title: z.string(),
      owner: z.strictObject({ id: z.string(), name: z.string() }),
      date: z.string(),
      /** The review by which alone the caller has it; null where they may read the recording itself. */
      review: z.strictObject({ id: z.string() }).nullable(),
      /** Address of its sound; null without. */
      src: z.string().nullable(),
      /** The caller may change its words. */
      writes: z.boolean(),
    }),
  ),
  /** Number of recordings that have such places. */
  total: z.number().int(),
  /** There may be more than `total`, which counts those of this page: most recordings have these words in a row. */
  atLeast: z.literal(true).optional(),
  /** Begins the next page; null at the end. */
  next: z.string().nullable(),
  /** Number of recordings that are not indexed yet as they are now. */
  behind: z.number().int(),
});
export type FindsAnswer = z.infer<typeof findsAnswer>;
export type FoundPlace = FindsAnswer['places'][number];

const around = z.string().max(4000, 'too_long');
const fixedPlace = z.object({
  recording: z.string().min(1, 'required').max(100, 'too_long'),
  segment: z.string().min(1, 'required').max(64, 'too_long'),
  start: z.number().min(0).nullable(),
  before: around,
  words: around.min(1, 'required'),
  after: around,
});

export const fixInput = z.object({
  /** Words that were searched for. */
  query: foundQuery.refine((query) => query.trim() !== '', 'required'),
  replacement: z
    .string('required')
    .max(longestReplacement, 'too_long')
    .transform(lineOf)
    .pipe(z.string().trim().min(1, 'required')),
  /** Places as the list of places gives them, of words alone. */
  places: z
    .array(fixedPlace.transform(trimmed))
    .min(1, 'required')
    .max(mostFixes, 'too_many')
    .refine((all) => new Set(all.map(({ recording }) => recording)).size <= mostFixedRecordings, 'too_many'),
  /** `action` of the request before: what this one changes is undone with it. */
  action: z.string().max(100, 'too_long').optional(),
});
export type FixInput = z.output<typeof fixInput>;

export const fixAnswer = z.strictObject({
  /** Number of places that are changed, and of their recordings. */
  fixed: z.number().int(),
  recordings: z.number().int(),
  /** Places left as they are, and why. */
  failed: failedRecordings,
  /** Undoes it (`POST /api/actions/{id}/undo`); null where nothing was changed. */
  action: z.string().nullable(),
});
export type FixAnswer = z.infer<typeof fixAnswer>;
