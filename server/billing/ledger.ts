import { eq, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { ledgerAccounts, purses, type HeldAccount, type HouseAccount, type Unit } from '#db/schema/billing.ts';
import { newId } from '#shared/ids.ts';
import { Problem } from '#shared/problems.ts';
import { after, type Clock } from '../clock.ts';
import { transaction, type House } from '../context.ts';

/*
 * The books. What must hold of them is held by the database (migration `ledger`): here events are written in its terms.
 */

/** Accounts that each purse has, with their units. */
const purseAccounts = { credits: 'usd', debt: 'usd', heldCredits: 'usd', heldFree: 's', heldPaid: 's' } as const;
type PurseAccount = keyof typeof purseAccounts & (HeldAccount | 'credits' | 'debt');

const houseUnits: Readonly<Record<HouseAccount, Unit>> = {
  ...{ stripe: 'usd', tax: 'usd', revenue: 'usd', promo: 'usd', granted: 'usd', gifts: 'usd', unclaimed: 'usd' },
  ...{ minted: 's', used: 's', lapsed: 's' },
};

export type Account = { house: HouseAccount } | { purse: string; kind: PurseAccount } | { purse: string; lot: string };

const idOf = (account: Account): string =>
  'house' in account ? account.house : 'lot' in account ? account.lot : `${account.purse}/${account.kind}`;

const unitOf = (account: Account): Unit =>
  'house' in account ? houseUnits[account.house] : 'lot' in account ? 's' : purseAccounts[account.kind];

export interface Transfer {
  from: Account;
  to: Account;
  amount: bigint;
}

/** Keeper of books: a house, or what stands for it in a command. */
export interface Books {
  clock: Clock;
}

export interface Posting {
  /** Names the event: a second posting of it moves nothing. */
  key: string;
  kind: string;
  /** Id of the person who caused it; null: the house. */
  by: string | null;
  meetingId?: string | null;
  groupId?: string | null;
  holdId?: string | null;
  details?: Record<string, unknown>;
  transfers: readonly Transfer[];
}

/** The purse of a person, made at its first use. */
export async function purseOf({ clock }: Books, tx: Orm, userId: string): Promise<string> {
  const found = await findPurse(tx, userId);
  if (found !== null) return found;
  const id = newId();
  const createdAt = clock.now();
  const made = await tx
    .insert(purses)
    .values({ id, userId, createdAt })
    .onConflictDoNothing()
    .returning({ id: purses.id });
  if (made.length > 0) {
    const names = Object.entries(purseAccounts) as [PurseAccount, Unit][];
    await tx
      .insert(ledgerAccounts)
      .values(
        names.map(([name, unit]) => ({ id: idOf({ purse: id, kind: name }), purseId: id, name, unit, createdAt })),
      );
    return id;
  }
  // A concurrent transaction has made it.
  const meanwhile = await findPurse(tx, userId);
  if (meanwhile === null) throw new Problem('UNAVAILABLE', { retryAfter: 1 });
  return meanwhile;
}

/** Purse; null if the person has none yet, and so no money. */
export async function findPurse(orm: Orm, userId: string): Promise<string | null> {
  const [row] = await orm.select({ id: purses.id }).from(purses).where(eq(purses.userId, userId));
  return row?.id ?? null;
}

/** Waits for whatever else moves this person's money, and holds it off until the commit. */
export async function lockPurse(tx: Orm, purse: string): Promise<void> {
  await tx.select({ id: purses.id }).from(purses).where(eq(purses.id, purse)).for('no key update');
}

/** An empty lot of minutes; a posting fills it. Returns its id. */
export async function newLot(
  { clock }: Books,
  tx: Orm,
  purse: string,
  { paid, lapsesAt, source, succeeds }: { paid: boolean; lapsesAt: Date | null; source: string; succeeds?: string },
): Promise<string> {
  const id = `lot/${newId()}`;
  const createdAt = clock.now();
  await tx
    .insert(ledgerAccounts)
    .values({ id, purseId: purse, name: 'lot', unit: 's', paid, lapsesAt, source, succeeds, createdAt });
  return id;
}

/** Seconds for which minutes can be spent that come back after they lapsed. */
const returnedSeconds = 7 * 24 * 3600;

/** The lot in which minutes that come back can be spent: one that lapsed meanwhile has a successor for some days. */
export async function spendable(books: Books, tx: Orm, purse: string, lot: string): Promise<string> {
  const now = books.clock.now();
  const [row] = await tx.select().from(ledgerAccounts).where(eq(ledgerAccounts.id, lot));
  if (!row?.lapsesAt || row.lapsesAt > now) return lot;
  const { paid, source } = row;
  return newLot(books, tx, purse, {
    paid: paid === true,
    source: source ?? '',
    lapsesAt: after(now, returnedSeconds),
    succeeds: lot,
  });
}

/** A lot with those in which minutes of it came back, the oldest first. */
export async function lotsOf(tx: Orm, lot: string): Promise<{ id: string; seconds: bigint }[]> {
  const rows = await tx.execute<{ id: string; seconds: string }>(sql`
    with recursive lots as (
      select id, purse_id, balance, created_at from ledger_accounts where id = ${lot}
      union all
      select a.id, a.purse_id, a.balance, a.created_at
      from lots join ledger_accounts a on a.purse_id = lots.purse_id and a.succeeds = lots.id
    ) select id, balance::text as seconds from lots order by created_at, id`);
  return rows.map(({ id, seconds }) => ({ id, seconds: BigInt(seconds) }));
}

/**
 * Writes an event and moves its amounts, in the caller's transaction. False: the event was written before, and nothing is
 * moved. Refuses with FUNDS where an account does not hold what is taken from it.
 */
export async function post({ clock }: Books, tx: Orm, posting: Posting): Promise<boolean> {
  const { key, kind, by, meetingId = null, groupId = null, holdId = null, details = {}, transfers } = posting;
  for (const { from, to } of transfers)
    if (unitOf(from) !== unitOf(to)) throw new Error(`${kind}: ${idOf(from)} and ${idOf(to)} differ in unit`);
  const moves = transfers.map(({ from, to, amount }) => ({
    from: idOf(from),
    to: idOf(to),
    unit: unitOf(from),
    amount: String(amount),
  }));
  const [about, moved] = [JSON.stringify(details), JSON.stringify(moves)];
  const at = clock.now().toISOString();
  try {
    const [row] = await tx.execute<{ written: boolean }>(sql`
      select ledger_post(${key}, ${kind}, ${by}, ${holdId}, ${meetingId}, ${groupId}, ${about}::jsonb, ${at}::timestamptz,
        ${moved}::jsonb) as written`);
    return row?.written === true;
  } catch (error) {
    if (lawOf(error) === 'ledger_accounts_funds') throw new Problem('FUNDS', { cause: error });
    throw error;
  }
}

/** The constraint of the database that refused a statement; null for any other error. */
export function lawOf(error: unknown): string | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('constraint_name' in cause) return String(cause.constraint_name);
  return null;
}

const tries = 5;

/** A transaction that moves money: repeated where the database chose it to end a deadlock. */
export async function moneyTransaction<T>(house: Pick<House, 'db'>, work: (tx: Orm) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transaction(house, work);
    } catch (error) {
      if (attempt === tries || !isDeadlock(error)) throw error;
    }
  }
}

function isDeadlock(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && (cause.code === '40P01' || cause.code === '40001')) return true;
  return false;
}
