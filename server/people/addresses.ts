import { and, eq, isNotNull, isNull, ne, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';

/** The account of whoever has shown that the address is theirs. */
export async function ownerOf(tx: Orm, key: string) {
  const [row] = await tx
    .select()
    .from(users)
    .where(and(eq(users.emailKey, key), isNotNull(users.confirmedAt)));
  return row ?? null;
}

/**
 * Makes an address one account's own; false when another account has it. Whoever claims the same address waits here
 * until the first is done: ask before the transaction locks any row, or two that wait for each other end in a deadlock.
 */
export async function claimAddress(tx: Orm, key: string, userId: string): Promise<boolean> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`);
  const owner = await ownerOf(tx, key);
  if (owner && owner.id !== userId) return false;
  await dropRivals(tx, key, userId);
  return true;
}

/** Unconfirmed accounts that claimed an address which now has its owner; their sessions and tokens go with them. */
export async function dropRivals(tx: Orm, key: string, ownerId: string): Promise<void> {
  await tx.delete(users).where(and(eq(users.emailKey, key), isNull(users.confirmedAt), ne(users.id, ownerId)));
}
