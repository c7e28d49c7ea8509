import { eq, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { meetings } from '#db/schema/meetings.ts';
import type { Progress, SeenCost } from '#shared/intake.ts';
import { Problem } from '#shared/problems.ts';
import { moneyTransaction } from '../billing/ledger.ts';
import { askerOf, microsOf, usableOption, type OnceOrder } from '../billing/quote.ts';
import { signedIn, type Ctx } from '../context.ts';
import { accessTo } from '../rooms/access.ts';
import { intakeOf, progressOf } from './drafts.ts';

/**
 * Makes a recording that only free minutes paid for a paid one, which may be copied. All others are that already, and cost
 * nothing.
 */
export async function upgradeMeeting(
  ctx: Ctx,
  { id, cost: seen }: { id: string; cost: SeenCost },
): Promise<{ id: string; progress: Progress }> {
  await accessTo(ctx, 'POST /api/meetings/:id/upgrade', id);
  const asker = await askerOf(signedIn(ctx));
  await moneyTransaction(ctx, async (tx) => {
    // One payment at a time, so that the second finds it paid.
    await tx.select({ id: meetings.id }).from(meetings).where(eq(meetings.id, id)).for('no key update');
    const order = await upgradeOf(tx, id);
    if (order === null) {
      if (microsOf(seen.cost) !== 0) throw new Problem('PRICE', { info: { costs: [] } });
      return;
    }
    const option = usableOption(await ctx.costs.options(tx, asker, order), seen);
    const holdId = await ctx.costs.hold(tx, asker, order, option);
    if (holdId !== null) await ctx.costs.capture(tx, holdId);
  });
  return { id, progress: progressOf(await intakeOf(ctx.db.orm, id)) };
}

/** The order that makes a recording a paid one; null if free minutes were not all that paid for it. */
export async function upgradeOf(orm: Orm, meetingId: string): Promise<OnceOrder | null> {
  const [last] = await orm.execute<{ minute_price: string; seconds: string; paid: boolean; upgraded: boolean }>(sql`
    select h.minute_price::text as minute_price, coalesce(sum(t.amount) filter (where t.unit = 's'), 0)::text as seconds,
      bool_or(a.name <> 'heldFree') as paid,
      exists (select 1 from holds u where u.meeting_id = h.meeting_id and u.purpose = 'upgrade' and u.state = 'captured') as upgraded
    from holds h join ledger_postings p on p.key = 'settle:' || h.id
    join ledger_transfers t on t.posting_id = p.id and t.to_account in ('used', 'revenue')
    join ledger_accounts a on a.id = t.from_account
    where h.meeting_id = ${meetingId} and h.purpose = 'transcription' and h.state = 'captured'
    group by h.id order by h.created_at desc limit 1`);
  if (!last || last.paid || last.upgraded || BigInt(last.seconds) === 0n) return null;
  return { purpose: 'upgrade', meetingId, seconds: BigInt(last.seconds), minutePrice: BigInt(last.minute_price) };
}
