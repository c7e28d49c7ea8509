import { z } from 'zod';

/** Free minutes of every new account. */
export const trialMinutes = 90;

/** Default prices in USD; a person's own balance info overrides them. */
export const defaultPrices = {
  individual: { oneMinuteCost: 0.15 },
  professional: { cost: 75, includedMinutes: 1000 },
} as const;

/** Balance of a person on the wire; credits are a decimal string so that no cent is rounded away. */
export const balanceView = z.object({
  balance: z.string(),
  totalMinutes: z.number(),
  freeMinutes: z.number(),
  professionalMinutes: z.number(),
  professionalEndDate: z.number().nullable(),
  plan: z.string().nullable(),
  plans: z.array(z.unknown()),
  billingInfo: z.unknown().nullable(),
  recentCreditsPurchase: z.object({ balance: z.string(), date: z.number() }).nullable(),
  cost: z.object({
    plans: z.object({
      individual: z.object({ oneMinuteCost: z.number() }),
      professional: z.object({ cost: z.number(), includedMinutes: z.number() }),
    }),
  }),
});
type BalanceView = z.infer<typeof balanceView>;

/** Balance of a new account: the trial. */
export function trialBalance(freeMinutes: number): BalanceView {
  return {
    balance: '0.00',
    totalMinutes: freeMinutes,
    freeMinutes,
    professionalMinutes: 0,
    professionalEndDate: null,
    plan: null,
    plans: [],
    billingInfo: null,
    recentCreditsPurchase: null,
    cost: { plans: defaultPrices },
  };
}
