import type { BotAction, BotChallenge } from '#shared/bot-check.ts';

/** Keeps robots off the forms that send mail. What solves it runs in the browser, unseen. */
export interface BotCheck {
  /** Whether a form has to bring a proof at all. */
  readonly required: boolean;
  /** A puzzle for one action; null when none is required. */
  challenge(action: BotAction): Promise<BotChallenge | null>;
  /** Whether the proof is right, made for this action, in time, and handed in for the first time. */
  verify(action: BotAction, proof: string | undefined): Promise<boolean>;
}

/** On loopback without configuration nobody has to prove anything. */
export const noBotCheck: BotCheck = {
  required: false,
  challenge: () => Promise.resolve(null),
  verify: () => Promise.resolve(true),
};
