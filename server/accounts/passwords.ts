import { hash, verify } from '@node-rs/argon2';
import { limits } from '#shared/accounts.ts';

/** Password hashing, replaceable so that other tests can use a cheap one. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** Null (no account, or no password set) takes the same work and returns false. */
  verify(stored: string | null, password: string): Promise<boolean>;
}

/** Minimum of OWASP for argon2id: 19 MiB and two passes. */
const strong = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
export const quick = { memoryCost: 1024, timeCost: 1, parallelism: 1 };

export async function createPasswords(
  cost: { memoryCost: number; timeCost: number; parallelism: number } = strong,
): Promise<Passwords> {
  // Hash of a random password, so that a lookup without an account takes as long as one with it.
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
