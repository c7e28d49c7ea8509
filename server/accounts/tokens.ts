import { and, eq, gt, inArray, isNull } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { mailTokens, users } from '#db/schema/accounts.ts';
import { Problem } from '#shared/problems.ts';
import { after } from '../clock.ts';
import type { House } from '../context.ts';
import { hashOf } from '../keys.ts';

/** What a mailed link may be for. */
type MailPurpose = 'confirm' | 'reset' | 'change-email' | 'undo-email';

interface Account {
  id: string;
  emailKey: string;
}

/**
 * A link for a mail. A newer one for the same purpose makes the older ones worthless; only a way back stays open, or
 * changing the address a second time would shut out whoever it was taken from.
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

/** Looks without using it up; GONE for everything that would not work, with one and the same body. */
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
  // A link mailed to an address is dead once the account has moved to another.
  if (!row || (purpose !== 'undo-email' && row.user.emailKey !== row.token.emailKey)) throw new Problem('GONE');
  return row;
}

/** Uses the link up: of two that come at once, one gets it. */
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
