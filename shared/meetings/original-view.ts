import { z } from 'zod';

/**
 * Original transcript: all that the recogniser or an import wrote, one seed for each run, in the order of the words.
 */
export const originalView = z.object({
  generation: z.number().int(),
  seeds: z.array(
    z.object({
      /** Client id of its characters in the live document; `clock` is that of the segment's boundary. */
      seed: z.number().int(),
      segments: z.array(z.object({ clock: z.number().int(), id: z.string(), speaker: z.string(), text: z.string() })),
    }),
  ),
});
export type Original = z.infer<typeof originalView>;
