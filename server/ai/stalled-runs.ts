import { and, asc, eq, inArray, sql, type SQL } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { aiRuns } from '#db/schema/ai.ts';
import { moneyTransaction } from '../billing/ledger.ts';
import type { House } from '../context.ts';
import { workOnEach } from '../rounds.ts';
import { endRun, openRun } from './chat.ts';
import { openStates, settleRun, type Run } from './runs.ts';

const atOnce = 200;
const end = { state: 'failed', failure: 'unexpected' } as const;

/**
 * Fails runs that no job works on, such as those of a recording that was deleted, and returns what is reserved for them. A
 * job and its run begin and end in one transaction each, so only a job that was lost or cancelled leaves one behind.
 */
export async function sweepStalledRuns(house: Pick<House, 'db' | 'clock' | 'costs' | 'log'>): Promise<void> {
  const fail = (stalled: Run) =>
    moneyTransaction(house, async (tx) => {
      // Locked as everywhere: a question behind its chat.
      if (stalled.kind === 'question') await openRun(tx, stalled);
      else await tx.select({ id: aiRuns.id }).from(aiRuns).where(eq(aiRuns.id, stalled.id)).for('update');
      // Another process may have ended it, or its asker has asked again.
      const [run] = await stalledNow(tx, eq(aiRuns.id, stalled.id));
      if (!run) return;
      house.log.warn({ run: run.id, kind: run.kind, meeting: run.meetingId }, 'a run had no job any more');
      await (run.kind === 'question'
        ? endRun(house, tx, run, end)
        : settleRun(house, tx, run, { end, parts: 0, shown: false }));
    });
  const items = await stalledNow(house.db.orm);
  await workOnEach(house, { items, failure: 'a run whose job was lost could not be failed yet', work: fail });
}

const stalledNow = (orm: Orm, which?: SQL): Promise<Run[]> =>
  orm
    .select()
    .from(aiRuns)
    .where(
      and(
        which,
        inArray(aiRuns.state, openStates),
        sql`not exists (
          select 1 from jobs j
          where j.meeting_id = ${aiRuns.meetingId} and j.kind = ${aiRuns.kind}
            and j.subject in ('', ${aiRuns.userId}) and j.state in ('waiting', 'running'))`,
      ),
    )
    .orderBy(asc(aiRuns.id))
    .limit(atOnce);
