import { eq } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { accountDeletions } from '#db/schema/accounts.ts';
import { grantTrial } from '../billing/grants.ts';
import type { House } from '../context.ts';

/**
 * Gives the trial minutes of an account whose address is confirmed in this transaction. An address gets them once, also when its
 * account was deleted or moved to another address since. Unconfirmed accounts have none: anybody can register any
 * number of them.
 */
export async function giveTrial(house: House, tx: Orm, { id, key }: { id: string; key: string }): Promise<void> {
  const hadTrial = await tx
    .select({ id: accountDeletions.id })
    .from(accountDeletions)
    .where(eq(accountDeletions.emailHash, house.keys.mac('deleted-address', key)))
    .limit(1);
  if (hadTrial.length === 0) await grantTrial(house, tx, id);
}
