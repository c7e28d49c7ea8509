import { and, eq, isNotNull, isNull, ne, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';

/** The account that has confirmed an address. */
export async function ownerOf(tx: Orm, key: string) {
  const [row] = await tx
    .select()
    .from(users)
    .where(and(eq(users.emailKey, key), isNotNull(users.confirmedAt)));
  return row ?? null;
}

/** Holds off claims of an address until the commit, so that who owns it stays true. */
export async function useAddress(tx: Orm, key: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock_shared(hashtextextended(${key}, 0))`);
}

/**
 * Gives an address to one account; false when another account has confirmed it. Claims of one address wait for each
 * other, so claim before the transaction locks any row: otherwise two can deadlock.
 */
export async function claimAddress(tx: Orm, key: string, userId: string): Promise<boolean> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`);
  const owner = await ownerOf(tx, key);
  if (owner && owner.id !== userId) return false;
  await dropRivals(tx, key, userId);
  return true;
}

/** Deletes unconfirmed accounts with an address that now has an owner, together with their sessions and tokens. */
export async function dropRivals(tx: Orm, key: string, ownerId: string): Promise<void> {
  await tx.delete(users).where(and(eq(users.emailKey, key), isNull(users.confirmedAt), ne(users.id, ownerId)));
}
