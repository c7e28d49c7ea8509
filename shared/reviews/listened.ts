import { z } from 'zod';

// Parts of a recording that a reviewer has listened to. A review can ask for a share of it before an assessment is
// completed: a help against forgetting, not against fraud. Where it does not, they are kept for those alone who show them to
// the readers of their assessment.

/** Parts grow at most so many times as fast as the clock: the fastest rate of the player. */
export const fastestListening = 3;
const mostParts = 1000;
/** 24 days. */
const longest = 2 ** 31 - 1;

const ms = z.number().int().min(0).max(longest);
/** Milliseconds from and to. */
const partInput = z.tuple([ms, ms]);
export type Part = z.infer<typeof partInput>;

export const listenedInput = z.object({
  heard: z
    .array(partInput.refine(([from, to]) => from < to, 'invalid'))
    .min(1, 'required')
    .max(mostParts, 'too_many'),
});
export type ListenedInput = z.infer<typeof listenedInput>;

/** Percent of the recording that the caller has listened to; null where its length is not known, or nothing is kept. */
export const listenedAnswer = z.object({ heard: z.number().int().nullable() });
export type ListenedAnswer = z.infer<typeof listenedAnswer>;

export const showListenedInput = z.object({
  /** True if those who read the caller's assessment see what they have listened to. */
  shared: z.boolean('required'),
});
export type ShowListenedInput = z.infer<typeof showListenedInput>;

export const listenedPartsAnswer = z.object({
  /** Milliseconds; null where the length of the recording is not known. */
  duration: z.number().int().nullable(),
  /** The caller's own parts, and whether others see them; null for people who assess nothing. */
  mine: z.object({ shared: z.boolean(), heard: z.array(partInput) }).nullable(),
  /** Parts of others who show theirs and whose assessment the caller reads, by the id of their row in the review. */
  people: z.array(z.object({ id: z.string(), isStudent: z.boolean(), heard: z.array(partInput) })),
});
export type ListenedPartsAnswer = z.infer<typeof listenedPartsAnswer>;

/** Parts that are in any of the lists, in order and apart from each other. */
export function unionOf(lists: readonly (readonly Part[])[]): Part[] {
  const all = lists.flat().toSorted(([one], [other]) => one - other);
  const merged: Part[] = [];
  for (const [from, to] of all) {
    const last = merged.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

/** Milliseconds that no page can count: its player and the house measure another length. */
const uncounted = 1000;

/** Percent, rounded down, so that it never says more than was heard. */
export const shareOf = (heard: number, length: number): number =>
  heard + (heard > 0 ? uncounted : 0) >= length ? 100 : Math.floor((heard / length) * 100);

/** Gaps between parts that are in order, where they are at least so long. */
export function gapsIn(parts: readonly Part[], duration: number, atLeast: number): Part[] {
  const ends = [0, ...parts.map(([, to]) => to)];
  const begins = [...parts.map(([from]) => from), duration];
  return ends.flatMap((from, i): Part[] => {
    const to = Math.min(begins[i] ?? duration, duration);
    return to - from >= atLeast ? [[from, to]] : [];
  });
}

export const lengthOf = (parts: readonly Part[]): number => parts.reduce((sum, [from, to]) => sum + to - from, 0);
