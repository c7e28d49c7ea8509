import { and, eq, isNotNull, isNull, ne, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { ledgerAccounts, purses } from '#db/schema/billing.ts';
import { gifts, paymentCalls, purchases, subscriptions } from '#db/schema/payments.ts';
import { newId } from '#shared/ids.ts';
import type { House } from '../context.ts';
import { workOnEach } from '../rounds.ts';
import { findPurse, lockPurse, moneyTransaction, post, type Books, type Transfer } from './ledger.ts';

const atOnce = 200;

/**
 * Ends the plans and closes the payment pages of an account that is deleted in this transaction, and empties its purse. What is reserved stays so
 * until its work ends.
 */
export async function closePurse(house: Books, tx: Orm, userId: string): Promise<void> {
  const purse = await findPurse(tx, userId);
  if (purse === null) return;
  const ended = await tx
    .update(subscriptions)
    .set({ state: 'ended', billUrl: null })
    .where(and(eq(subscriptions.purseId, purse), ne(subscriptions.state, 'ended'), isNotNull(subscriptions.serviceId)))
    .returning({ serviceId: subscriptions.serviceId });
  // A page that stayed open would take money for nobody.
  const open = await tx
    .select({ checkoutId: purchases.checkoutId })
    .from(purchases)
    .where(and(eq(purchases.purseId, purse), eq(purchases.state, 'open'), isNotNull(purchases.checkoutId)));
  const nextAt = house.clock.now();
  const calls = [
    ...ended.map(({ serviceId }) => ({ kind: 'end' as const, object: serviceId ?? '' })),
    ...open.map(({ checkoutId }) => ({ kind: 'expire' as const, object: checkoutId ?? '' })),
  ];
  for (const call of calls)
    await tx
      .insert(paymentCalls)
      .values({ ...call, id: newId(), nextAt })
      .onConflictDoNothing();
  await tx.update(gifts).set({ email: null, emailKey: null }).where(eq(gifts.toPurse, purse));
  await emptyPurse(house, tx, purse);
}

/** Moves what nobody owns any more out of a purse: credits for the operator to look into, minutes to those that lapsed. */
async function emptyPurse(books: Books, tx: Orm, purse: string): Promise<void> {
  await lockPurse(tx, purse);
  const left = await tx
    .select({ id: ledgerAccounts.id, name: ledgerAccounts.name, balance: ledgerAccounts.balance })
    .from(ledgerAccounts)
    .where(
      and(
        eq(ledgerAccounts.purseId, purse),
        sql`${ledgerAccounts.name} in ('credits', 'lot') and ${ledgerAccounts.balance} > 0`,
      ),
    );
  const transfers = left.map(({ id, name, balance: amount }): Transfer =>
    name === 'lot'
      ? { from: { purse, lot: id }, to: { house: 'lapsed' }, amount }
      : { from: { purse, kind: 'credits' }, to: { house: 'unclaimed' }, amount },
  );
  if (transfers.length > 0)
    await post(books, tx, { key: `closed:${newId()}`, kind: 'closed', by: null, details: { purse }, transfers });
}

/** Empties purses of deleted accounts to which something came back later, such as a reserve of work that failed. */
export async function sweepClosedPurses(house: Pick<House, 'db' | 'clock' | 'log'>): Promise<void> {
  const rows = await house.db.orm
    .selectDistinct({ id: purses.id })
    .from(purses)
    .innerJoin(ledgerAccounts, eq(ledgerAccounts.purseId, purses.id))
    .where(
      and(isNull(purses.userId), sql`${ledgerAccounts.name} in ('credits', 'lot') and ${ledgerAccounts.balance} > 0`),
    )
    .orderBy(purses.id)
    .limit(atOnce);
  const empty = ({ id }: { id: string }) => moneyTransaction(house, (tx) => emptyPurse(house, tx, id));
  const failure = 'a purse of a deleted account could not be emptied yet';
  await workOnEach(house, { items: rows, failure, work: empty });
}
