import { z } from 'zod';

/** Recordings of a person that others have access to. Before the account is deleted, each has to be given or deleted. */
export const sharedRecordingsView = z.object({
  recordings: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      /** People with an account who have access. */
      people: z.number().int(),
      /** Addresses without an account yet that it is shared with. */
      waiting: z.number().int(),
      /** Anyone with the link has access. */
      link: z.boolean(),
      /** People who can become its owner. */
      heirs: z.array(z.object({ id: z.string(), name: z.string(), email: z.string() })),
    }),
  ),
  /** SHA-256 of their ids, sorted and joined by a comma, in hexadecimal: it tells which recordings were listed. */
  digest: z.string(),
});
export type SharedRecordingsView = z.infer<typeof sharedRecordingsView>;
export type SharedRecording = SharedRecordingsView['recordings'][number];

/** The decision on one recording: the id of the new owner, or null to delete the recording. */
export const legacyInput = z
  .array(z.object({ id: z.string().max(64, 'invalid'), to: z.string().max(64, 'invalid').nullable() }))
  .max(10_000, 'too_many');
export type Legacy = z.infer<typeof legacyInput>;

/**
 * One decision on all recordings that the list does not name, so that a request stays small. Refused unless there are
 * as many as the person was shown, and the list is still the one they were shown.
 */
export const othersInput = z.object({
  to: z.string().max(64, 'invalid').nullable(),
  count: z.number('invalid').int('invalid').min(1, 'invalid'),
  /** Digest of the list that the decisions are about. */
  digest: z.string('required').regex(/^[0-9a-f]{64}$/, 'invalid'),
});
export type Others = z.infer<typeof othersInput>;

/** The decisions on a list as they are sent: the most frequent one once, for all recordings that have it. */
export function briefly(decisions: Legacy, digest: string): { recordings: Legacy; others?: Others } {
  const counts = new Map<string | null, number>();
  for (const { to } of decisions) counts.set(to, (counts.get(to) ?? 0) + 1);
  const [most] = [...counts].toSorted(([, one], [, other]) => other - one);
  if (most === undefined || most[1] === 1) return { recordings: decisions };
  const [to, count] = most;
  return { recordings: decisions.filter((one) => one.to !== to), others: { to, count, digest } };
}
