import type { Orm } from '#db/open.ts';
import { trialMinutes } from '#shared/billing.ts';
import { newLot, post, purseOf, type Books } from './ledger.ts';

/** Trial minutes of a confirmed address: a free lot without an end, once a person. */
export async function grantTrial(books: Books, tx: Orm, userId: string, minutes = trialMinutes): Promise<void> {
  if (minutes === 0) return;
  const purse = await purseOf(books, tx, userId);
  const lot = await newLot(books, tx, purse, { paid: false, lapsesAt: null, source: 'trial' });
  await post(books, tx, {
    key: `trial:${userId}`,
    kind: 'trial',
    by: null,
    transfers: [{ from: { house: 'minted' }, to: { purse, lot }, amount: BigInt(minutes * 60) }],
  });
}
