import { eq } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { accountDeletions } from '#db/schema/accounts.ts';
import { takeGifts } from '../billing/gift.ts';
import { grantTrial } from '../billing/grants.ts';
import { rewardReferral } from '../billing/referral.ts';
import type { House } from '../context.ts';

/**
 * Gives what belongs to an account whose address is confirmed in this transaction: credits that wait for the address,
 * trial minutes, and to the person who invited it a reward. An address gets the last two once, also when its account was
 * deleted or moved to another address since. Unconfirmed accounts have none: anybody can register any number of them.
 */
export async function welcome(house: House, tx: Orm, { id, key }: { id: string; key: string }): Promise<void> {
  const hadAccount = await tx
    .select({ id: accountDeletions.id })
    .from(accountDeletions)
    .where(eq(accountDeletions.emailHash, house.keys.mac('deleted-address', key)))
    .limit(1);
  if (hadAccount.length === 0) {
    await rewardReferral(house, tx, id);
    await grantTrial(house, tx, id);
  }
  await takeGifts(house, tx, { id, key });
}
