import { and, eq, sql, type SQL } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { intakes } from '#db/schema/intake.ts';
import { newId } from '#shared/ids.ts';
import { moneyTransaction } from '../billing/ledger.ts';
import type { House } from '../context.ts';
import { workOnEach } from '../rounds.ts';
import { intakeOf } from './drafts.ts';
import { endFailed } from './ending.ts';

const atOnce = 200;

/**
 * Fails recordings under way that no job and no order works on, once the time of their hold is over, and returns what is
 * reserved for them; a transcript that people have written is delivered instead. Each step queues the next one in its own transaction, so only a job that was lost leaves one behind.
 */
export async function sweepStalled(house: House): Promise<void> {
  const fail = ({ id }: { id: string }) =>
    moneyTransaction(house, async (tx) => {
      await tx.select({ id: intakes.meetingId }).from(intakes).where(eq(intakes.meetingId, id)).for('update');
      // Another process may have ended it, or its owner has begun it again.
      const [stalled] = await stalledNow(house, tx, eq(intakes.meetingId, id));
      if (!stalled) return;
      if (await house.orders.deliverAgain(house, tx, id)) return;
      const intake = await intakeOf(tx, id);
      house.log.error({ meeting: id, hold: intake?.holdId }, 'a recording under way had no job any more');
      await endFailed(house, tx, { id: newId(), meetingId: id }, 'unexpected');
    });
  const items = await stalledNow(house, house.db.orm);
  await workOnEach(house, { items, failure: 'a recording whose job was lost could not be failed yet', work: fail });
  if (items.length > 0) house.wakeMail();
}

const stalledNow = ({ clock }: Pick<House, 'clock'>, orm: Orm, which?: SQL): Promise<{ id: string }[]> =>
  orm
    .select({ id: intakes.meetingId })
    .from(intakes)
    .where(
      and(
        which,
        eq(intakes.state, 'processing'),
        sql`coalesce(
          (select h.until from holds h where h.id = ${intakes.holdId}), ${intakes.createdAt} + interval '1 day'
        ) < ${clock.now().toISOString()}::timestamptz`,
        sql`not exists (
          select 1 from jobs j
          where j.meeting_id = ${intakes.meetingId} and j.subject = '' and j.state in ('waiting', 'running'))`,
        sql`not exists (select 1 from orders o where o.meeting_id = ${intakes.meetingId} and o.state = 'open')`,
      ),
    )
    .orderBy(intakes.meetingId)
    .limit(atOnce);
