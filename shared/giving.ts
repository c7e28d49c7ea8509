import { z } from 'zod';
import { emailInput } from './accounts.ts';
import { creditsInput } from './money.ts';

/** Days for which credits wait for an address without an account. */
export const giftDays = 14;

export const giftInput = z.object({ recipient: emailInput, balance: creditsInput() });
export type GiftInput = z.output<typeof giftInput>;

/** Credits that the sender has left. It is the same answer for an address without an account. */
export const giftView = z.object({ balance: z.string() });

export const referralView = z.object({ url: z.string() });
