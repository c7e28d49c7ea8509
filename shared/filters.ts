import { z } from 'zod';
import { facetNames, lengthNames } from './facets.ts';
import { libraryStates } from './review-states.ts';

// Filters of the list of recordings, and the facets that offer them: OR within one, AND between them.

const mostChosen = 50;
const longestValue = 200;

const some = <T extends z.ZodType>(value: T) =>
  z.array(value).min(1, 'required').max(mostChosen, 'too_many').optional();
const name = z.string().min(1, 'required').max(longestValue, 'too_long');
const day = z.iso.date('date');
const grade = z.number().int().min(-1).max(1000);

/** Outcomes of a type; with a grade, those graded below, above or exactly so. */
const outcomeFilter = z
  .strictObject({
    type: name,
    /** A type set below it. */
    child: name.optional(),
    below: grade.optional(),
    above: grade.optional(),
    is: grade.optional(),
  })
  .refine(({ below, above, is }) => [below, above, is].filter((one) => one !== undefined).length <= 1, 'invalid');
export type OutcomeFilter = z.infer<typeof outcomeFilter>;

export const filtersInput = z.strictObject({
  /** State of the caller's review of a recording; `button`: it waits for them. */
  review: some(z.enum(libraryStates)),
  folder: some(name),
  owner: some(name),
  speaker: some(name),
  tag: some(name),
  outcomeType: some(name),
  /** Months in which recordings were added. */
  date: some(z.string().regex(/^\d{4}-(?:0[1-9]|1[0-2])$/, 'date')),
  length: some(z.enum(lengthNames)),
  language: some(name),
  /** Days between which recordings were added, both included. */
  from: day.optional(),
  to: day.optional(),
  outcome: outcomeFilter.optional(),
});
export type Filters = z.infer<typeof filtersInput>;

const longestFilters = 8000;

/** Filters in an address: one JSON object. */
export const filtersQuery = z
  .string()
  .max(longestFilters, 'too_long')
  .transform((text, ctx): unknown => {
    if (text === '') return {};
    try {
      return JSON.parse(text);
    } catch {
      ctx.issues.push({ code: 'custom', message: 'json', input: text });
      return z.NEVER;
    }
  })
  .pipe(filtersInput);

export const facetsView = z.strictObject({
  /**
   * Counts are of recordings that have all words of the query, in a row or not, so that a list may have fewer: most
   * recordings have these words in a row.
   */
  atMost: z.literal(true).optional(),
  facets: z.array(
    z.strictObject({
      name: z.enum(facetNames),
      values: z.array(
        z.strictObject({
          value: z.string(),
          /** Name of a value that is an id: of a person, a folder or an outcome type that people made. */
          label: z.string().nullable(),
          count: z.number().int(),
        }),
      ),
      /** Number of further values; `of` and `like` find them. */
      more: z.number().int(),
    }),
  ),
  /** Types with grades that people made, of those that the caller reads outcomes of, for the filter `outcome`. */
  types: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      grades: z.array(z.strictObject({ value: z.number().int(), name: z.string() })),
      children: z.array(z.strictObject({ id: z.string(), name: z.string() })),
    }),
  ),
});
export type FacetsView = z.infer<typeof facetsView>;
export type Facet = FacetsView['facets'][number];
export type GradedType = FacetsView['types'][number];
