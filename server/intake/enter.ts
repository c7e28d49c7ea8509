import { eq, sql } from 'drizzle-orm';
import type { Next } from '#db/answers.ts';
import { intakes } from '#db/schema/intake.ts';
import type { PendingRow } from '#db/updates.ts';
import { externalModel, noModel } from '#shared/intake.ts';
import { Problem } from '#shared/problems.ts';
import { Refused } from '#sync/server/inspect.ts';
import { NotTaken } from '#sync/server/server-writes.ts';
import type { House } from '../context.ts';
import type { Entering } from '../rooms/whole-works.ts';
import { JobFailed, type Work } from '../jobs.ts';

/**
 * Enters a whole transcript as one row of the log. `keep` stores it together with a mark, so that a repeated job does
 * not enter it twice.
 */
export async function enterOnce(
  { documents, wholes }: Pick<House, 'documents' | 'wholes'>,
  { job, signal }: Work,
  entering: Entering,
  keep: (row: PendingRow, after: number) => Promise<Next>,
  isThere: () => Promise<boolean>,
): Promise<void> {
  if (await isThere()) return;
  signal.throwIfAborted();
  try {
    await documents.inRoom(job.meetingId, (room) =>
      room.changeApart(
        { userId: null, origin: 'seed' },
        (pieces) => wholes.do('enter', pieces, entering),
        (row, after) => keep(row, after),
      ),
    );
  } catch (error) {
    const full = error instanceof Problem && error.code === 'BIG';
    if (full || error instanceof Refused) throw new JobFailed('too_much', error);
    if (!(error instanceof NotTaken) || !(await isThere())) throw error;
  }
}

/**
 * Records that the transcript was replaced, so that the file added with the recording is no longer entered, and a
 * recording without a transcript has one now.
 */
export async function noteReplaced({ db }: Pick<House, 'db'>, meetingId: string): Promise<void> {
  const model = sql`case when ${intakes.state} = 'ready' and ${intakes.model} = ${noModel} then ${externalModel} else ${intakes.model} end`;
  await db.orm.update(intakes).set({ transcriptEntered: true, model }).where(eq(intakes.meetingId, meetingId));
}
