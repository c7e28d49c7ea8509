import { z } from 'zod';
import { passageKinds } from './finding/passages.ts';
import { longestQuery, termsOf } from './finding/query.ts';

/** A search in the list of recordings. */
export const foundQuery = z
  .string()
  .max(longestQuery, 'too_long')
  .refine((query) => termsOf(query) !== null, 'too_long');

/** Places shown of a recording in a list. */
export const mostHits = 3;

/** A place where words of a query are. */
export const foundHit = z.strictObject({
  kind: z.enum(passageKinds),
  /** Seconds; null for what has no place in the recording. */
  start: z.number().nullable(),
  end: z.number().nullable(),
  segment: z.string().nullable(),
  /** Id of the annotation, chapter, tag or speaker. */
  item: z.string().nullable(),
  /** The layer of a review that it stands in; null for other places. */
  layer: z.strictObject({ id: z.string(), reviewId: z.string() }).nullable(),
  before: z.string(),
  words: z.string(),
  after: z.string(),
});

export type Hit = z.infer<typeof foundHit>;

export const foundView = z.strictObject({
  hits: z.array(foundHit),
  /** Number of further passages with these words. */
  more: z.number().int(),
});
export type Found = z.infer<typeof foundView>;
