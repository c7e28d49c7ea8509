import { eq } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { ledgerAccounts } from '#db/schema/billing.ts';
import type { Account, Posting } from './ledger.ts';

type Transfers = Posting['transfers'];

/** No transfer at all for an amount of nothing, which the books refuse. */
export const moved = (from: Account, to: Account, amount: bigint): Transfers =>
  amount > 0n ? [{ from, to, amount }] : [];

export async function balanceOf(tx: Orm, account: string): Promise<bigint> {
  const [row] = await tx
    .select({ balance: ledgerAccounts.balance })
    .from(ledgerAccounts)
    .where(eq(ledgerAccounts.id, account));
  return row?.balance ?? 0n;
}

export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** Money for a purse pays what is owed first. The purse is locked. */
export async function giving(tx: Orm, purse: string, amount: bigint, from: Account): Promise<Transfers> {
  const owed = least(-(await balanceOf(tx, `${purse}/debt`)), amount);
  return [...moved(from, { purse, kind: 'debt' }, owed), ...moved(from, { purse, kind: 'credits' }, amount - owed)];
}
