import { z } from 'zod';
import { failedRecordings } from './actions.ts';
import { longestTag } from './meetings/about.ts';
import { deletedQuery } from './meetings/meeting.ts';

// Tags of all recordings that a person can read.

/** Recordings of one request that are changed; `next` is the `after` of the request for the others. */
export const mostTagged = 100;
/** Tags that become one at once. */
const mostReplaced = 50;

export const tagsQuery = deletedQuery.extend({ like: z.string().max(longestTag, 'too_long').default('') });
export type TagsQuery = z.infer<typeof tagsQuery>;

export const tagsAnswer = z.strictObject({
  tags: z.array(
    z.strictObject({
      tag: z.string(),
      /** Number of recordings with it, and of those whose tags the caller may change. */
      recordings: z.number().int(),
      writes: z.number().int(),
    }),
  ),
  total: z.number().int(),
  /** Number of recordings that are not indexed yet as they are now. */
  behind: z.number().int(),
});
export type TagsAnswer = z.infer<typeof tagsAnswer>;

const tag = z.string('required').max(200, 'too_long');

export const replaceTagsInput = z.object({
  tags: z.array(tag.min(1, 'required')).min(1, 'required').max(mostReplaced, 'too_many'),
  /** The tag that they become; null takes them away. */
  to: tag
    .transform((text) => text.replace(/\s+/g, ' ').trim())
    .pipe(z.string().min(1, 'required').max(longestTag, 'too_long'))
    .nullable(),
  /** `next` and `action` of the request before, to continue after its recordings. */
  after: z.string().max(100, 'too_long').optional(),
  action: z.string().max(100, 'too_long').optional(),
});
export type ReplaceTagsInput = z.output<typeof replaceTagsInput>;

export const replaceTagsAnswer = z.strictObject({
  /** Number of recordings whose tags are changed. */
  changed: z.number().int(),
  /** Recordings left as they are, and why. */
  failed: failedRecordings,
  /** Further recordings have these tags; null at the end. */
  next: z.string().nullable(),
  /** Undoes it (`POST /api/actions/{id}/undo`); null where nothing was changed. */
  action: z.string().nullable(),
});
