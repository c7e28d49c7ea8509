import { z } from 'zod';

// Parts of a recording that a reviewer has listened to. A review can ask for a share of it before an assessment is
// completed: a help against forgetting, not against fraud.

/** Parts grow at most so many times as fast as the clock: the fastest rate of the player. */
export const fastestListening = 3;
const mostParts = 1000;
/** 24 days. */
const longest = 2 ** 31 - 1;

const ms = z.number().int().min(0).max(longest);
export const listenedInput = z.object({
  /** Milliseconds from and to. */
  heard: z
    .array(z.tuple([ms, ms]).refine(([from, to]) => from < to, 'invalid'))
    .min(1, 'required')
    .max(mostParts, 'too_many'),
});
export type ListenedInput = z.infer<typeof listenedInput>;

/** Percent of the recording that the caller has listened to; null where its length is not known. */
export const listenedAnswer = z.object({ heard: z.number().int().nullable() });
export type ListenedAnswer = z.infer<typeof listenedAnswer>;
