import { and, eq, gt, inArray, isNull } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { mailTokens, users } from '#db/schema/accounts.ts';
import { Problem } from '#shared/problems.ts';
import { after } from '../clock.ts';
import type { House } from '../context.ts';
import { hashOf } from '../keys.ts';

/** Purposes of a mailed link. */
type MailPurpose = 'confirm' | 'reset' | 'change-email' | 'undo-email';

interface Account {
  id: string;
  emailKey: string;
}

/**
 * Makes a link for a mail. It invalidates earlier links for the same purpose, except those that undo a change of
 * address: otherwise a second change by an attacker would lock the owner out.
 */
export async function issueMailToken(
  house: House,
  tx: Orm,
  purpose: MailPurpose,
  account: Account,
  seconds: number,
  newEmail?: string,
): Promise<string> {
  const { token, id } = await house.keys.sign(purpose, account.id, seconds);
  const now = house.clock.now();
  if (purpose !== 'undo-email') await killMailTokens(tx, account.id, purpose);
  await tx.insert(mailTokens).values({
    hash: hashOf(id),
    purpose,
    userId: account.id,
    emailKey: account.emailKey,
    newEmail: newEmail ?? null,
    createdAt: now,
    expiresAt: after(now, seconds),
  });
  return token;
}

export async function killMailTokens(tx: Orm, userId: string, ...purposes: MailPurpose[]): Promise<void> {
  await tx.delete(mailTokens).where(and(eq(mailTokens.userId, userId), inArray(mailTokens.purpose, purposes)));
}

/** Checks a token without using it up; GONE for every invalid one, with the same body. */
export async function peekMailToken(house: House, tx: Orm, purpose: MailPurpose, token: string) {
  const signed = await house.keys.verify(purpose, token);
  if (!signed) throw new Problem('GONE');
  const [row] = await tx
    .select({ token: mailTokens, user: users })
    .from(mailTokens)
    .innerJoin(users, eq(users.id, mailTokens.userId))
    .where(
      and(
        eq(mailTokens.hash, hashOf(signed.id)),
        eq(mailTokens.purpose, purpose),
        eq(mailTokens.userId, signed.subject),
        isNull(mailTokens.usedAt),
        gt(mailTokens.expiresAt, house.clock.now()),
      ),
    );
  // A link to an address is invalid once the account has changed its address.
  if (!row || (purpose !== 'undo-email' && row.user.emailKey !== row.token.emailKey)) throw new Problem('GONE');
  return row;
}

/** Uses a token up: of two requests at once, one succeeds. */
export async function useMailToken(house: House, tx: Orm, purpose: MailPurpose, token: string) {
  const found = await peekMailToken(house, tx, purpose, token);
  const used = await tx
    .update(mailTokens)
    .set({ usedAt: house.clock.now() })
    .where(and(eq(mailTokens.hash, found.token.hash), isNull(mailTokens.usedAt)))
    .returning({ hash: mailTokens.hash });
  if (used.length === 0) throw new Problem('GONE');
  return found;
}
