import { createChallenge, randomInt, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import type { Database } from '#db/open.ts';
import { usedProofs } from '#db/schema/house.ts';
import { botChallenge, botProof, type BotProof } from '#shared/bot-check.ts';
import { after, type Clock } from '../clock.ts';
import { hashOf, type Keys } from '../keys.ts';
import type { BotCheck } from './bot-check.ts';

const lifetime = 600;
/**
 * Rounds of PBKDF2 for each number from 0 up to the solution. 80 000 to 160 000 rounds take tens of milliseconds on a
 * computer and less than a second on a slow phone, but are costly for somebody who needs a million proofs.
 */
const cost = 2000;
const fewest = 40;
const most = 80;

/** Proof of work made and checked by this server, so that no third party learns who signs up. */
export function createBotCheck(keys: Keys, db: Database, clock: Clock, host: string): BotCheck {
  const hmacSignatureSecret = keys.derive('bot-check');
  const hmacKeySignatureSecret = keys.derive('bot-check-answer');
  return {
    required: true,
    async challenge(action) {
      const challenge = await createChallenge({
        algorithm: 'PBKDF2/SHA-256',
        cost,
        counter: randomInt(most, fewest),
        deriveKey,
        data: { action, host },
        expiresAt: after(clock.now(), lifetime),
        hmacSignatureSecret,
        hmacKeySignatureSecret,
      });
      return botChallenge.parse(challenge);
    },
    async verify(action, proof) {
      const given = proof === undefined ? null : readProof(proof);
      if (!given) return false;
      const { nonce, expiresAt, data } = given.challenge.parameters;
      const expires = new Date(expiresAt * 1000);
      if (data.action !== action || data.host !== host || expires <= clock.now()) return false;
      const { verified } = await verifySolution({ ...given, deriveKey, hmacSignatureSecret, hmacKeySignatureSecret });
      if (!verified) return false;
      // Only one of two simultaneous submissions of a proof inserts the row; the signed nonce identifies it.
      const first = await db.orm
        .insert(usedProofs)
        .values({ hash: hashOf(nonce), expiresAt: expires })
        .onConflictDoNothing()
        .returning({ hash: usedProofs.hash });
      return first.length === 1;
    },
  };
}

function readProof(proof: string): BotProof | null {
  try {
    return botProof.parse(JSON.parse(Buffer.from(proof, 'base64').toString()));
  } catch {
    return null;
  }
}
