import { and, desc, eq, inArray, like, lt, ne, or, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { holds, ledgerAccounts, ledgerPostings, purses, type HouseAccount } from '#db/schema/billing.ts';
import {
  billingProfiles,
  paymentCalls,
  paymentEvents,
  paymentHouse,
  promoCodes,
  purchases,
  subscriptions,
} from '#db/schema/payments.ts';
import { emailKey } from '#shared/accounts.ts';
import { newId } from '#shared/ids.ts';
import { creditsText } from '#shared/money.ts';
import type { House } from '../context.ts';
import type { PaymentMode } from '../outside/payments.ts';
import { ownerOf } from '../people/addresses.ts';
import { returnGifts } from './gift.ts';
import { findPurse, lockPurse, moneyTransaction, post, purseOf, type Transfer } from './ledger.ts';
import { lockMode } from './payment-house.ts';
import { codeOf, releasePromo } from './promo.ts';
import { balanceOf, giving, least, moved } from './transfers.ts';

/*
 * Verbs of the operator alone, called by `npm run desk`: no page and no call leads here.
 */

type Desk = Pick<House, 'db' | 'clock' | 'origin'>;

/** A reason why the operator's command changes nothing, in words for the operator. */
export class Refused extends Error {}

async function accountOf(orm: Orm, email: string) {
  const owner = await ownerOf(orm, emailKey(email));
  if (!owner) throw new Refused(`No account has confirmed the address ${email}.`);
  return owner;
}

/** Gives credits, which pay a debt first; answers the new balance. The person reads the reason in the transactions. */
export async function grantCredits(
  desk: Desk,
  { email, amount, reason }: { email: string; amount: bigint; reason: string },
): Promise<{ balance: string; debt: string }> {
  return await moneyTransaction(desk, async (tx) => {
    const { id } = await accountOf(tx, email);
    const purse = await purseOf(desk, tx, id);
    await lockPurse(tx, purse);
    await post(desk, tx, {
      ...{ key: `grant:${newId()}`, kind: 'grant', by: null, details: { reason } },
      transfers: await giving(tx, purse, amount, { house: 'granted' }),
    });
    const [balance, debt] = [await balanceOf(tx, `${purse}/credits`), -(await balanceOf(tx, `${purse}/debt`))];
    return { balance: creditsText(balance), debt: creditsText(debt) };
  });
}

interface NewPromo {
  code: string;
  bonus: bigint;
  limit: number;
  least: bigint;
  expiresAt: Date | null;
}

export async function makePromo(desk: Desk, { code: typed, ...promo }: NewPromo): Promise<string> {
  const code = codeOf(typed);
  if (!/^[\p{L}\p{N}-]{3,40}$/u.test(code)) throw new Refused('A promo code has 3 to 40 letters, digits and hyphens.');
  const made = await desk.db.orm
    .insert(promoCodes)
    .values({ code, ...promo })
    .onConflictDoNothing()
    .returning({ code: promoCodes.code });
  if (made.length === 0) throw new Refused(`The promo code ${code} exists already.`);
  return code;
}

/** Nobody can use the code any more; purchases that have it already keep it. */
export async function endPromo(desk: Desk, typed: string): Promise<string> {
  const code = codeOf(typed);
  const ended = await desk.db.orm
    .update(promoCodes)
    .set({ expiresAt: desk.clock.now() })
    .where(eq(promoCodes.code, code))
    .returning({ code: promoCodes.code });
  if (ended.length === 0) throw new Refused(`There is no promo code ${code}.`);
  return code;
}

export const listPromos = ({ db }: Desk) => db.orm.select().from(promoCodes).orderBy(promoCodes.code);

/** People who owe something, the largest debt first; null: the account was deleted. */
export const listDebts = ({ db }: Desk) =>
  db.orm
    .select({ email: users.email, debt: sql<string>`(-${ledgerAccounts.balance})::text` })
    .from(ledgerAccounts)
    .innerJoin(purses, eq(purses.id, ledgerAccounts.purseId))
    .leftJoin(users, eq(users.id, purses.userId))
    .where(and(eq(ledgerAccounts.name, 'debt'), lt(ledgerAccounts.balance, 0n)))
    .orderBy(ledgerAccounts.balance, purses.id);

/** Returns credits that wait for an address to the person who sent them; answers how much that is. */
export async function returnToSender(desk: Desk, { from, to }: { from: string; to: string }): Promise<string> {
  return await moneyTransaction(desk, async (tx) => {
    const purse = await findPurse(tx, (await accountOf(tx, from)).id);
    const amount = purse === null ? 0n : await returnGifts(desk, tx, { purse, key: emailKey(to) });
    if (amount === 0n) throw new Refused(`Nothing from ${from} waits for ${to}.`);
    return creditsText(amount);
  });
}

interface Voided {
  mode: PaymentMode;
  payments: number;
  /** Test money that was spent, or given away; the house has granted it. */
  spent: string;
}

/**
 * Reverses everything that test payments brought, as far as it is still there, so that the database can take payments of
 * another mode. Null: it has taken none.
 */
export async function voidTestMoney(desk: Desk): Promise<Voided | null> {
  return await moneyTransaction(desk, async (tx) => {
    const mode = await lockMode(tx);
    if (mode === null) return null;
    if (mode === 'live') throw new Refused('This database has taken real payments; they cannot be voided.');
    const [open] = await tx.select({ id: holds.id }).from(holds).where(eq(holds.state, 'open')).limit(1);
    if (open) throw new Refused('Something is reserved for work that runs. Wait until it has ended, then try again.');
    await returnGifts(desk, tx);
    await forgetService(tx);
    await voidBundles(desk, tx);
    let spent = 0n;
    const rows = await tx
      .select({ id: ledgerPostings.id, kind: ledgerPostings.kind })
      .from(ledgerPostings)
      .where(
        and(
          or(like(ledgerPostings.key, 'stripe:%'), inArray(ledgerPostings.kind, ['refund', 'dispute'])),
          sql`not exists (select 1 from ledger_postings v where v.key = 'void:' || ${ledgerPostings.id})`,
        ),
      )
      // The newest first: what was taken back comes back before the payment goes.
      .orderBy(desc(ledgerPostings.id));
    for (const { id } of rows) spent += await reverse(desk, tx, id);
    await tx.update(paymentHouse).set({ mode: null });
    const payments = rows.filter(({ kind }) => kind !== 'refund' && kind !== 'dispute').length;
    return { mode, payments, spent: creditsText(spent) };
  });
}

/** Ends what hangs on the service of the earlier mode, which is not asked any more. */
async function forgetService(tx: Orm): Promise<void> {
  const waiting = await tx
    .update(purchases)
    .set({ state: 'expired' })
    .where(inArray(purchases.state, ['begun', 'open', 'pending']))
    .returning({ id: purchases.id });
  for (const { id } of waiting) await releasePromo(tx, id);
  await tx.update(subscriptions).set({ state: 'ended', billUrl: null }).where(ne(subscriptions.state, 'ended'));
  await tx.update(billingProfiles).set({ customer: null });
  await tx.delete(paymentCalls);
  await tx.delete(paymentEvents);
}

/** Minutes that were bought from credits become credits again, as far as they are left. */
async function voidBundles(desk: Desk, tx: Orm): Promise<void> {
  const lots = await tx.execute<{ posting: string; purse: string; lot: string; seconds: string; price: string }>(sql`
    select p.id::text as posting, a.purse_id as purse, a.id as lot, m.amount::text as seconds, c.amount::text as price
    from ledger_postings p join ledger_transfers m on m.posting_id = p.id and m.from_account = 'minted'
    join ledger_transfers c on c.posting_id = p.id and c.to_account = 'revenue'
    join ledger_accounts a on a.id = m.to_account
    where p.key like 'plan:%' and a.balance > 0 and a.lapses_at > ${desk.clock.now().toISOString()}::timestamptz
    order by a.purse_id, a.id`);
  for (const { posting, purse, lot, seconds, price } of lots) {
    await lockPurse(tx, purse);
    const left = await balanceOf(tx, lot);
    const credits = (BigInt(price) * left) / BigInt(seconds);
    await post(desk, tx, {
      ...{ key: `void:${posting}:${newId()}`, kind: 'void', by: null },
      transfers: [
        ...moved({ purse, lot }, { house: 'minted' }, left),
        ...moved({ house: 'revenue' }, { purse, kind: 'credits' }, credits),
      ],
    });
  }
}

interface Move extends Record<string, unknown> {
  from: string;
  to: string;
  amount: string;
  /** Account of a purse that takes part, and that purse; null: only the house does. */
  name: string | null;
  purse: string | null;
  /** True if the transfer adds to the purse. */
  incoming: boolean;
}

const house = (id: string) => ({ house: id as HouseAccount });

/** Moves an event back; answers what its purse does not have any more, and the house pays. */
async function reverse(desk: Desk, tx: Orm, posting: bigint): Promise<bigint> {
  const moves = await tx.execute<Move>(sql`
    select t.from_account as from, t.to_account as to, t.amount::text as amount, a.name, a.purse_id as purse,
      coalesce(a.id = t.to_account, false) as incoming
    from ledger_transfers t
    left join ledger_accounts a on a.id in (t.from_account, t.to_account) and a.purse_id is not null
    where t.posting_id = ${String(posting)}::bigint order by t.nth`);
  const purse = moves.find((move) => move.purse !== null)?.purse ?? '';
  if (purse) await lockPurse(tx, purse);
  let credits = await balanceOf(tx, `${purse}/credits`);
  let owed = -(await balanceOf(tx, `${purse}/debt`));
  let spent = 0n;
  const transfers: Transfer[] = [];
  for (const { from, to, amount: text, name, incoming } of moves) {
    const amount = BigInt(text);
    if (name === null) transfers.push(...moved(house(to), house(from), amount));
    else if (name === 'lot' && incoming)
      transfers.push(...moved({ purse, lot: to }, house(from), least(await balanceOf(tx, to), amount)));
    else if (name === 'lot') transfers.push(...moved(house(to), { purse, lot: from }, amount));
    else if (incoming) {
      const left = least(credits, amount);
      credits -= left;
      spent += amount - left;
      transfers.push(
        ...moved({ purse, kind: 'credits' }, house(from), left),
        ...moved({ house: 'granted' }, house(from), amount - left),
      );
    } else {
      const paid = least(owed, amount);
      owed -= paid;
      credits += amount - paid;
      transfers.push(
        ...moved(house(to), { purse, kind: 'debt' }, paid),
        ...moved(house(to), { purse, kind: 'credits' }, amount - paid),
      );
    }
  }
  if (transfers.length > 0) await post(desk, tx, { key: `void:${posting}`, kind: 'void', by: null, transfers });
  return spent;
}
