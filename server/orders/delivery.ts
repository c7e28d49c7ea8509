import { and, eq, isNotNull } from 'drizzle-orm';
import { appendHeardRow, heardUntil } from '#db/heard.ts';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { intakes } from '#db/schema/intake.ts';
import { meetings } from '#db/schema/meetings.ts';
import { orders } from '#db/schema/orders.ts';
import { lifetimes } from '#shared/accounts.ts';
import { Problem } from '#shared/problems.ts';
import type { House } from '../context.ts';
import { lookForDrift } from '../intake/drift.ts';
import { endReady } from '../intake/ending.ts';
import { enterOnce } from '../intake/enter.ts';
import type { ReadTranscript } from '../intake/read-transcript.ts';
import { JobFailed, type Job, type Kind, type Work } from '../jobs.ts';
import { queueMail } from '../mail/queue.ts';
import { mediaOf } from '../media/media.ts';
import { updateProjection } from '../rooms/projection.ts';

export const deliveryJob = 'delivery';

/**
 * Job that adds a delivered transcript to its meeting, after everything written meanwhile. The same transaction updates
 * the intake, so that a process that resumes the job never adds it twice.
 */
export function deliveryKind(house: House): Kind {
  const { db } = house;

  const underWay = (meetingId: string) =>
    and(eq(orders.meetingId, meetingId), eq(orders.state, 'delivered'), isNotNull(orders.transcript));

  async function subject({ job }: Work) {
    const [row] = await db.orm
      .select({ order: orders, intake: intakes, deletedAt: meetings.deletedAt })
      .from(orders)
      .innerJoin(intakes, eq(intakes.meetingId, orders.meetingId))
      .innerJoin(meetings, eq(meetings.id, orders.meetingId))
      .where(underWay(job.meetingId));
    if (!row || row.deletedAt) throw new JobFailed('cancelled');
    return row;
  }

  async function enter(work: Work, from: number, { state, until }: ReadTranscript): Promise<void> {
    const { meetingId, id: jobId, lease } = work.job;
    const stretch = { meetingId, jobId, lease: lease ?? '', from, to: from + Math.max(1, until) };
    await enterOnce(
      house,
      work,
      { state, append: true },
      (row, after) => appendHeardRow(db.sql, row, after, stretch),
      async () => (await heardUntil(db.sql, stretch)) === stretch.to,
    );
  }

  return {
    seconds: 3600,
    async run(work) {
      const { meetingId } = work.job;
      const { order, intake } = await subject(work);
      const { transcript, transcriptType, durationMs, title, lang } = order;
      if (!transcript || !transcriptType) throw new JobFailed('cancelled');
      await work.step('reading');
      const read = await house.transcripts
        .read(
          {
            ...{ bytes: transcript, format: transcriptType, about: { title, lang }, personId: intake.ownerId },
            mediaMs: durationMs ?? undefined,
          },
          true,
        )
        .catch((error: unknown) => {
          if (error instanceof Problem && error.code === 'INVALID') throw new JobFailed('transcript', error);
          throw error;
        });
      for (const note of read.notes) house.log.info({ meeting: meetingId, ...note }, 'a transcript was read');
      await work.step('writing');
      await enter(work, order.heardFrom ?? 0, read);
      await updateProjection(house, meetingId);
      const peaks = (await mediaOf(house, meetingId)).find(({ tag }) => tag === 'histogram');
      await lookForDrift(house, meetingId, peaks?.storeKey);
      await work.finish(async (tx) => {
        await endReady(house, tx, work.job, intake);
        await tx.update(orders).set({ transcript: null }).where(eq(orders.id, order.id));
      });
      house.wakeMail();
    },
    failed: (tx, job, failure) => giveBack(house, tx, job, failure),
  };

  /** Reopens the order for its operator after a failed delivery, and notifies them. */
  async function giveBack({ clock, origin }: House, tx: Orm, job: Job, failure: string): Promise<void> {
    const [order] = await tx
      .update(orders)
      .set({ state: 'open', transcript: null, failure, finishedAt: null, requestId: null })
      .where(underWay(job.meetingId))
      .returning();
    const [holder] = order?.holderId ? await tx.select().from(users).where(eq(users.id, order.holderId)) : [];
    if (!holder) return;
    await queueMail({ clock, origin }, tx, {
      to: holder.email,
      language: holder.language,
      mail: { kind: 'order-placed', firstName: holder.firstName },
      lifetime: lifetimes.notice,
      dedupeKey: `order-returned:${job.id}`,
    });
  }
}
