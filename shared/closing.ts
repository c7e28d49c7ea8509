import { z } from 'zod';

/** Losses of a person with the account. */
export const closingView = z.object({
  balance: z.string(),
  minutes: z.number(),
  /** Titles of plans that end at once. */
  plans: z.array(z.string()),
  /** Teams with other members for which the person pays: they need another payer first. */
  teams: z.array(z.object({ id: z.string(), name: z.string() })),
});
export type ClosingView = z.infer<typeof closingView>;
