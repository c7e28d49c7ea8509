import { z } from 'zod';

export const botActions = ['register', 'restore'] as const;
export type BotAction = (typeof botActions)[number];

/** Puzzle for one form of one site. Its content is signed, so it cannot be changed or extended. */
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

/** Content of a form's `botToken`: this, as JSON in base64. */
export const botProof = z.strictObject({
  challenge: botChallenge,
  solution: z.object({ counter: z.number(), derivedKey: z.string().max(200) }),
});
export type BotProof = z.infer<typeof botProof>;
