import type { BotAction, BotChallenge } from '#shared/bot-check.ts';

/** Keeps bots off the forms that send mail; the browser solves the challenge in the background. */
export interface BotCheck {
  /** Whether forms need a proof. */
  readonly required: boolean;
  /** A challenge for one action; null when no proof is required. */
  challenge(action: BotAction): Promise<BotChallenge | null>;
  /** Whether the proof is correct, made for this action, in time, and used for the first time. */
  verify(action: BotAction, proof: string | undefined): Promise<boolean>;
}

/** Bot check that requires nothing: the default on loopback. */
export const noBotCheck: BotCheck = {
  required: false,
  challenge: () => Promise.resolve(null),
  verify: () => Promise.resolve(true),
};
