import { z } from 'zod';

/** What the recogniser or an import wrote, each time it did, in the order of its words. */
export const originalView = z.object({
  generation: z.number().int(),
  seeds: z.array(
    z.object({
      /** The client id its characters have in the live document; the clock is that of the segment’s boundary. */
      seed: z.number().int(),
      segments: z.array(z.object({ clock: z.number().int(), id: z.string(), speaker: z.string(), text: z.string() })),
    }),
  ),
});
export type Original = z.infer<typeof originalView>;
