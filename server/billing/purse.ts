import { sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { minutesOf } from '#shared/money.ts';

/** Minutes of one source that lapse together. */
interface Lot {
  id: string;
  paid: boolean;
  seconds: bigint;
  lapsesAt: Date | null;
  source: string;
  createdAt: Date;
}

/** Contents of a purse; everybody has one, empty until its first use. */
export interface Contents {
  credits: bigint;
  /** Amount that is owed, above 0. */
  debt: bigint;
  heldCredits: bigint;
  heldFree: bigint;
  heldPaid: bigint;
  /** Lots that can be spent, in the order in which they are. */
  lots: Lot[];
}

/** An account that is not empty, as the database answers it. */
export interface AccountRow extends Record<string, unknown> {
  id: string;
  name: string;
  balance: string;
  paid: boolean | null;
  lapses_at: string | Date | null;
  source: string | null;
  created_at: string | Date;
}

/** Reads a person's purse in one query. */
export async function contentsOf(orm: Orm, userId: string, now: Date): Promise<Contents> {
  const rows = await orm.execute<AccountRow>(sql`
    select a.id, a.name, a.balance::text as balance, a.paid, a.lapses_at, a.source, a.created_at
    from purses p join ledger_accounts a on a.purse_id = p.id
    where p.user_id = ${userId} and a.balance <> 0`);
  return contentsFrom(rows, now);
}

export function contentsFrom(rows: readonly AccountRow[], now: Date): Contents {
  const of = (name: string) => BigInt(rows.find((row) => row.name === name)?.balance ?? 0);
  const lots = rows
    .filter(({ name }) => name === 'lot')
    .map((row): Lot => ({
      id: row.id,
      paid: row.paid === true,
      seconds: BigInt(row.balance),
      lapsesAt: row.lapses_at === null ? null : new Date(row.lapses_at),
      source: row.source ?? '',
      createdAt: new Date(row.created_at),
    }))
    .filter(({ lapsesAt }) => lapsesAt === null || lapsesAt > now)
    .toSorted(inOrder);
  return {
    credits: of('credits'),
    debt: -of('debt'),
    heldCredits: of('heldCredits'),
    heldFree: of('heldFree'),
    heldPaid: of('heldPaid'),
    lots,
  };
}

/** Order of spending: what lapses soonest; without an end free before bought; then the older one. */
function inOrder(a: Lot, b: Lot): number {
  const end = (lot: Lot) => lot.lapsesAt?.getTime() ?? Infinity;
  if (end(a) !== end(b)) return end(a) - end(b);
  if (a.lapsesAt === null && a.paid !== b.paid) return a.paid ? 1 : -1;
  return a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1);
}

export const secondsIn = (lots: readonly Lot[], paid?: boolean): bigint =>
  lots.reduce((sum, lot) => (paid === undefined || lot.paid === paid ? sum + lot.seconds : sum), 0n);

/** Free minutes that a person can spend now. */
export const freeMinutesIn = ({ lots }: Contents): number => minutesOf(secondsIn(lots, false));
