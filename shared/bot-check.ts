import { z } from 'zod';

export const botActions = ['register', 'restore'] as const;
export type BotAction = (typeof botActions)[number];

/** A puzzle for one form of one site. What it says is signed, so nothing of it can be changed, nor anything added. */
export const botChallenge = z.strictObject({
  parameters: z.strictObject({
    algorithm: z.string().max(40),
    nonce: z.string().max(100),
    salt: z.string().max(100),
    cost: z.number(),
    keyLength: z.number(),
    keyPrefix: z.string().max(100),
    keySignature: z.string().max(200),
    expiresAt: z.number(),
    data: z.strictObject({ action: z.enum(botActions), host: z.string().max(300) }),
  }),
  signature: z.string().max(200),
});
export type BotChallenge = z.infer<typeof botChallenge>;

/** What a form carries as `botToken`: this, as JSON in base64. */
export const botProof = z.strictObject({
  challenge: botChallenge,
  solution: z.object({ counter: z.number(), derivedKey: z.string().max(200) }),
});
export type BotProof = z.infer<typeof botProof>;
