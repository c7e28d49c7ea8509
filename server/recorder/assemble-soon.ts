import { and, eq, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { jobs } from '#db/schema/jobs.ts';
import { takes } from '#db/schema/recorder.ts';
import { assembleJob } from '../intake/live.ts';
import { wakeJobs } from '../jobs.ts';

/** Starts the waiting job of an ended recording, once every take has all of its pieces. */
export async function assembleSoon(tx: Orm, meetingId: string, now: Date): Promise<void> {
  if (!(await isComplete(tx, meetingId))) return;
  await tx
    .update(jobs)
    .set({ nextAt: now })
    .where(and(eq(jobs.kind, assembleJob), eq(jobs.meetingId, meetingId), eq(jobs.state, 'waiting')));
  await wakeJobs(tx);
}

/** Whether the devices of all takes have said how many pieces there are, and all of them are stored. */
export async function isComplete(tx: Orm, meetingId: string): Promise<boolean> {
  const [missing] = await tx
    .select({ id: takes.id })
    .from(takes)
    .where(and(eq(takes.meetingId, meetingId), sql`(${takes.pieces} is null or ${takes.kept} < ${takes.pieces})`))
    .limit(1);
  return missing === undefined;
}
