import { hash, verify } from '@node-rs/argon2';
import { limits } from '#shared/accounts.ts';

/** Hashing, behind one door so that tests of other things can use a cheap one. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** With null (nobody there, or no password set) the same work is done and the answer is no. */
  verify(stored: string | null, password: string): Promise<boolean>;
}

/** OWASP's floor for argon2id is 19 MiB and two passes. */
const strong = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
export const quick = { memoryCost: 1024, timeCost: 1, parallelism: 1 };

export async function createPasswords(
  cost: { memoryCost: number; timeCost: number; parallelism: number } = strong,
): Promise<Passwords> {
  // Nobody knows this password: a lookup that finds nobody costs as much as one that does.
  const nobody = await hash(crypto.randomUUID(), cost);
  return {
    hash: (password) => hash(password.normalize('NFC'), cost),
    async verify(stored, password) {
      if (new TextEncoder().encode(password).length > limits.passwordBytes) return false;
      const matches = await verify(stored ?? nobody, password.normalize('NFC'));
      return stored !== null && matches;
    },
  };
}
