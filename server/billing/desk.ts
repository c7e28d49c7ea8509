import { and, eq, lte, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { holds, ledgerAccounts } from '#db/schema/billing.ts';
import { newId } from '#shared/ids.ts';
import type { CostOption } from '#shared/intake.ts';
import { costOf } from '#shared/money.ts';
import { Problem } from '#shared/problems.ts';
import { after, type Clock } from '../clock.ts';
import type { House } from '../context.ts';
import { workOnEach } from '../rounds.ts';
import { beginFreeWork, forgetFreeWork } from './free-work.ts';
import { lockPurse, moneyTransaction, post, purseOf, spendable, type Transfer } from './ledger.ts';
import { lockAllowance, lockPayingTeam, useAllowance } from './paying-teams.ts';
import {
  isPaid,
  microsOf,
  offered,
  pricedOf,
  waysOf,
  wholeSeconds,
  type Asker,
  type Order,
  type Prices,
} from './quote.ts';
import { giving } from './transfers.ts';

/** Parts of a chosen option that a hold needs. */
type Chosen = Pick<CostOption, 'cost' | 'groupId'>;

/** Computes prices, reserves them when work begins, and takes or returns them when it ends. */
export interface CostDesk {
  /** Payment options of this person; the first is the default. */
  options(orm: Orm, asker: Asker, order: Order): Promise<CostOption[]>;
  /**
   * Reserves in the transaction that begins the work, from who pays by the option. Null where it costs nothing: then only
   * the team in whose scope the asker is takes note. Refuses with FUNDS, also where the team of the option does not pay
   * any more, with QUOTA, with PRICE where it costs something else by now, and with CONFLICT while the same work is
   * reserved for already.
   */
  hold(tx: Orm, asker: Asker, order: Order, option: Chosen): Promise<string | null>;
  /** Takes what was used, at most what is reserved, in the transaction that ends the work; default: all of it. */
  capture(tx: Orm, holdId: string, seconds?: number): Promise<void>;
  /** Returns everything, in the transaction in which the work fails; a second time changes nothing. */
  release(tx: Orm, holdId: string): Promise<void>;
  /** True if the length of a recording does not matter to what this model costs. */
  isFree(model: string): boolean;
}

/** Seconds after which a hold without work is released. */
const daySeconds = 24 * 3600;
const holdSeconds = {
  ...{ transcription: daySeconds, upgrade: daySeconds, share: daySeconds },
  human: 30 * daySeconds,
  ...{ question: 3600, detect: 3600 },
} as const;

export function createDesk({ clock }: { clock: Clock }, prices: () => Prices): CostDesk {
  return {
    options: async (orm, { id, scopeId }, order) =>
      offered(await waysOf(orm, id, pricedOf(prices(), order), clock.now()), scopeId),

    async hold(tx, asker, order, option) {
      const usual = pricedOf(prices(), order);
      if ('model' in order) await forgetFreeWork(tx, order.meetingId);
      if (!isPaid(usual)) {
        if ('model' in order) await beginFreeWork({ clock }, tx, asker, order.meetingId);
        return null;
      }
      // Balances are read after the locks, when nothing else can spend them.
      const team = option.groupId === null ? null : await lockPayingTeam(tx, asker.id, option.groupId);
      const purse = await purseOf({ clock }, tx, team?.payerId ?? asker.id);
      await lockPurse(tx, purse);
      const now = clock.now();
      const ways = await waysOf(tx, asker.id, usual, now);
      const costs = offered(ways, asker.scopeId);
      const way = ways.find(({ option: one }) => one.groupId === option.groupId);
      if (!way) throw new Problem(option.groupId === null ? 'PRICE' : 'FUNDS', { info: { costs } });
      if (!way.option.isEnoughQuota) throw new Problem('QUOTA', { info: { costs } });
      if (!way.option.isEnough) throw new Problem('FUNDS', { info: { costs } });
      if (microsOf(way.option.cost) !== microsOf(option.cost)) throw new Problem('PRICE', { info: { costs } });
      const { priced, parts } = way;
      const { purpose, minutePrice } = priced;
      const { meetingId } = order;
      const model = 'model' in order ? order.model : null;
      const subject = 'subject' in order ? order.subject : '';
      const id = newId();
      const until = after(now, holdSeconds[purpose]);
      const groupId = team?.groupId ?? null;
      const memberId = team ? asker.id : null;
      const work = { model, groupId, memberId };
      const opened = await tx
        .insert(holds)
        .values({
          id,
          purseId: purse,
          purpose,
          meetingId,
          subject,
          ...work,
          minutePrice: priced.fixed > 0n ? null : minutePrice,
          state: 'open',
          createdAt: now,
          until,
        })
        .onConflictDoNothing()
        .returning({ id: holds.id });
      if (opened.length === 0) throw new Problem('CONFLICT', { message: 'It is paid for already' });
      const transfers: Transfer[] = parts.lots.map(({ id: lot, paid, seconds }) => ({
        from: { purse, lot },
        to: { purse, kind: paid ? 'heldPaid' : 'heldFree' },
        amount: seconds,
      }));
      if (parts.credits > 0n)
        transfers.push({
          from: { purse, kind: 'credits' },
          to: { purse, kind: 'heldCredits' },
          amount: parts.credits,
        });
      await useAllowance(tx, work, parts.credits);
      const about = { by: asker.id, meetingId, groupId, holdId: id };
      await post({ clock }, tx, { key: `hold:${id}`, kind: 'hold', ...about, transfers });
      return id;
    },

    async capture(tx, holdId, seconds) {
      const hold = await openHold(tx, holdId);
      if (!hold) return;
      const held = await heldBy(tx, holdId);
      const spent: Transfer[] = [];
      const returned: Transfer[] = [];
      // The order in which they were reserved: minutes first, then credits for what is left.
      let used = seconds === undefined ? null : wholeSeconds(seconds);
      const { purseId: purse, minutePrice } = hold;
      for (const part of held) {
        const most = used === null ? part.amount : part.lot ? used : costOf(used, minutePrice ?? 0n);
        const taken = most < part.amount ? most : part.amount;
        const from = { purse, kind: part.account } as const;
        if (taken > 0n) spent.push({ from, to: { house: part.lot ? 'used' : 'revenue' }, amount: taken });
        if (taken < part.amount) returned.push(...(await back(tx, purse, part, part.amount - taken)));
        if (part.lot && used !== null) used -= taken;
        if (!part.lot) await useAllowance(tx, hold, taken - part.amount);
      }
      await tx.update(holds).set({ state: 'captured' }).where(eq(holds.id, holdId));
      const about = { by: hold.by, meetingId: hold.meetingId, groupId: hold.groupId, holdId };
      const details = seconds === undefined ? {} : { seconds: Number(wholeSeconds(seconds)) };
      const transfers = [...spent, ...returned];
      await post({ clock }, tx, { key: `settle:${holdId}`, kind: hold.purpose, ...about, details, transfers });
    },

    async release(tx, holdId) {
      const hold = await openHold(tx, holdId);
      if (!hold) return;
      const { purseId: purse, meetingId, groupId } = hold;
      const transfers: Transfer[] = [];
      for (const part of await heldBy(tx, holdId)) {
        transfers.push(...(await back(tx, purse, part, part.amount)));
        if (!part.lot) await useAllowance(tx, hold, -part.amount);
      }
      await tx.update(holds).set({ state: 'released' }).where(eq(holds.id, holdId));
      const about = { by: null, meetingId, groupId, holdId };
      await post({ clock }, tx, { key: `settle:${holdId}`, kind: 'release', ...about, transfers });
    },

    isFree: (model) => (prices()[model] ?? 0) === 0,
  };

  /**
   * Return of a part of a hold: credits pay what is owed meanwhile first, and minutes that lapsed meanwhile live a little
   * longer, in a lot of their own.
   */
  async function back(
    tx: Orm,
    purse: string,
    { account, lot }: HeldPart,
    amount: bigint,
  ): Promise<readonly Transfer[]> {
    const from = { purse, kind: account } as const;
    if (!lot) return giving(tx, purse, amount, from);
    return [{ from, to: { purse, lot: await spendable({ clock }, tx, purse, lot) }, amount }];
  }
}

type HeldPart =
  | { account: 'heldCredits'; lot: null; amount: bigint }
  | {
      account: 'heldFree' | 'heldPaid';
      lot: string;
      amount: bigint;
    };

/** The hold with the person who asked for its work; locked, so that it is settled once. Null: it is settled. */
async function openHold(tx: Orm, id: string) {
  const [hold] = await tx.select().from(holds).where(eq(holds.id, id)).for('update');
  if (hold?.state !== 'open') return null;
  const [posting] = await tx.execute<{ by: string | null }>(
    sql`select "by" from ledger_postings where key = ${`hold:${id}`}`,
  );
  await lockAllowance(tx, hold);
  await lockPurse(tx, hold.purseId);
  return { ...hold, by: posting?.by ?? null };
}

/** Parts of a hold, in the order in which they were taken. */
async function heldBy(tx: Orm, holdId: string): Promise<HeldPart[]> {
  const rows = await tx.execute<{ name: string; id: string; amount: string; paid: boolean }>(sql`
    select a.name, a.id, t.amount::text as amount, a.paid
    from ledger_postings p join ledger_transfers t on t.posting_id = p.id join ledger_accounts a on a.id = t.from_account
    where p.key = ${`hold:${holdId}`} order by t.nth`);
  return rows.map(({ name, id, amount, paid }): HeldPart =>
    name === 'lot'
      ? { account: paid ? 'heldPaid' : 'heldFree', lot: id, amount: BigInt(amount) }
      : { account: 'heldCredits', lot: null, amount: BigInt(amount) },
  );
}

const atOnce = 200;

/**
 * Releases holds whose time is over and whose work is not under way: nothing stays reserved for ever. A question waits as
 * long as its job does.
 */
export async function sweepHolds(house: Pick<House, 'db' | 'clock' | 'costs' | 'log'>): Promise<void> {
  const rows = await house.db.orm.execute<{ id: string }>(sql`
    select h.id from holds h
    where h.state = 'open' and h.until < ${house.clock.now().toISOString()}::timestamptz
      and not exists (select 1 from intakes i where i.hold_id = h.id and i.state = 'processing')
      and not exists (
        select 1 from ai_runs r join jobs j on j.meeting_id = r.meeting_id and j.kind = r.kind
        where r.hold_id = h.id and r.state in ('waiting', 'running') and j.state in ('waiting', 'running'))
    order by h.until, h.id limit ${atOnce}`);
  const release = ({ id }: { id: string }) => moneyTransaction(house, (tx) => house.costs.release(tx, id));
  await workOnEach(house, { items: rows, failure: 'a hold could not be released yet', work: release });
}

/** Moves what is left in lapsed lots out of their purses, so that the transactions tell of it. */
export async function sweepLots(house: Pick<House, 'db' | 'clock' | 'log'>): Promise<void> {
  const lapsed = and(lte(ledgerAccounts.lapsesAt, house.clock.now()), sql`${ledgerAccounts.balance} > 0`);
  const rows = await house.db.orm
    .select({ id: ledgerAccounts.id, purse: ledgerAccounts.purseId })
    .from(ledgerAccounts)
    .where(lapsed)
    .orderBy(ledgerAccounts.lapsesAt, ledgerAccounts.id)
    .limit(atOnce);
  const empty = async ({ id: lot, purse }: { id: string; purse: string | null }) => {
    if (purse === null) return;
    await moneyTransaction(house, async (tx) => {
      await lockPurse(tx, purse);
      const [row] = await tx
        .select()
        .from(ledgerAccounts)
        .where(and(eq(ledgerAccounts.id, lot), lapsed));
      if (!row) return;
      const transfers: Transfer[] = [{ from: { purse, lot }, to: { house: 'lapsed' }, amount: row.balance }];
      await post(house, tx, {
        // Minutes can come back to a lot that was emptied before.
        key: `lapse:${lot}:${newId()}`,
        kind: 'lapse',
        by: null,
        details: { source: row.source },
        transfers,
      });
    });
  };
  await workOnEach(house, { items: rows, failure: 'a lot that lapsed could not be emptied yet', work: empty });
}
