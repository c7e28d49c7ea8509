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
});
export type SharedRecordingsView = z.infer<typeof sharedRecordingsView>;
export type SharedRecording = SharedRecordingsView['recordings'][number];

/** The decision on one recording: the id of the new owner, or null to delete the recording. */
export const legacyInput = z
  .array(z.object({ id: z.string().max(64, 'invalid'), to: z.string().max(64, 'invalid').nullable() }))
  .max(10_000, 'too_many');
export type Legacy = z.infer<typeof legacyInput>;
