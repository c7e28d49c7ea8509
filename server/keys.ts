import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  randomBytes,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto';
import { SignJWT, errors, jwtVerify } from 'jose';
import type { Database } from '#db/open.ts';
import { signingKeys } from '#db/schema/house.ts';
import { newId } from '#shared/ids.ts';
import type { Clock } from './clock.ts';

const issuer = 'colloquy';
const algorithm = 'HS256';
const cipherName = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Purpose of a signed token; a token made for one purpose is invalid for every other. */
type Purpose =
  | 'confirm'
  | 'reset'
  | 'change-email'
  | 'undo-email'
  | 'device'
  | 'bot-check'
  | 'ticket'
  | 'part'
  | 'file'
  | 'recording';

export interface Signed {
  /** Unique id of the token, to record its use. */
  id: string;
  subject: string;
  claims: Record<string, unknown>;
}

/** Signs and verifies short-lived tokens, and hashes secrets before they are stored. */
export interface Keys {
  sign(
    purpose: Purpose,
    subject: string,
    seconds: number,
    claims?: Record<string, unknown>,
  ): Promise<{ token: string; id: string }>;
  /** Null unless the token is signed by this server, for this purpose, and not expired. */
  verify(purpose: Purpose, token: string): Promise<Signed | null>;
  /** Keyed digest, for values that an attacker could guess and try (addresses, form tokens). */
  mac(purpose: string, value: string): Buffer;
  /**
   * Encrypts text that must be readable again but not in the tables; `context` names its owner and is needed to
   * decrypt.
   */
  seal(context: string, text: string): Buffer;
  /** Null unless the bytes were sealed by this server for this context. */
  unseal(context: string, sealed: Buffer): string | null;
  /** Derives a key for one use, for libraries that need a key. */
  derive(purpose: string): string;
}

export const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();
export const newSecret = (): string => randomBytes(32).toString('base64url');

export function sameBytes(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

export async function openKeys(db: Database, clock: Clock): Promise<Keys> {
  // Only the first process to start inserts the key; all processes then read the same one.
  await db.orm
    .insert(signingKeys)
    .values({ id: 'house', secret: randomBytes(64) })
    .onConflictDoNothing();
  const [row] = await db.orm.select().from(signingKeys).limit(1);
  if (!row) throw new Error('the signing key could not be stored');
  const secret = row.secret;
  const key: KeyObject = createSecretKey(derived(secret, 'tokens'));

  return {
    async sign(purpose, subject, seconds, claims = {}) {
      const id = newId();
      const now = Math.floor(clock.now().getTime() / 1000);
      const token = await new SignJWT(claims)
        .setProtectedHeader({ alg: algorithm, typ: `${purpose}+jwt` })
        .setIssuer(issuer)
        .setAudience(purpose)
        .setSubject(subject)
        .setJti(id)
        .setIssuedAt(now)
        .setExpirationTime(now + seconds)
        .sign(key);
      return { token, id };
    },
    async verify(purpose, token) {
      if (token.length > 4096) return null;
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: [algorithm],
          issuer,
          audience: purpose,
          typ: `${purpose}+jwt`,
          currentDate: clock.now(),
          requiredClaims: ['sub', 'jti', 'exp', 'iat'],
        });
        const { sub, jti } = payload;
        if (typeof sub !== 'string' || typeof jti !== 'string') return null;
        return { id: jti, subject: sub, claims: payload };
      } catch (error) {
        if (error instanceof errors.JOSEError) return null;
        throw error;
      }
    },
    mac: (purpose, value) => createHmac('sha256', derived(secret, purpose)).update(value).digest(),
    seal(context, text) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(cipherName, derived(secret, 'sealed'), nonce);
      cipher.setAAD(Buffer.from(context));
      const content = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), content]);
    },
    unseal(context, sealed) {
      try {
        const decipher = createDecipheriv(cipherName, derived(secret, 'sealed'), sealed.subarray(0, nonceBytes), {
          authTagLength: tagBytes,
        });
        decipher.setAAD(Buffer.from(context));
        decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
        const content = decipher.update(sealed.subarray(nonceBytes + tagBytes));
        return Buffer.concat([content, decipher.final()]).toString('utf8');
      } catch {
        return null;
      }
    },
    derive: (purpose) => derived(secret, purpose).toString('hex'),
  };
}

const derived = (secret: Buffer, purpose: string): Buffer =>
  createHmac('sha256', secret).update(`colloquy/${purpose}`).digest();
