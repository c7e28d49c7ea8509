import { eq } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { intakes } from '#db/schema/intake.ts';
import { lifetimes } from '#shared/accounts.ts';
import { noModel } from '#shared/intake.ts';
import { endFreeWork } from '../billing/free-work.ts';
import type { House } from '../context.ts';
import type { Job } from '../jobs.ts';
import { queueMail } from '../mail/queue.ts';
import { fail, type Intake } from './drafts.ts';
import { titleOf } from './naming.ts';

/** The finished job or order. */
type Ended = Pick<Job, 'id' | 'meetingId'>;

/** Marks the intake as complete, takes what its measured length costs, and notifies its owner. */
export async function endReady(house: House, tx: Orm, job: Ended, intake: Intake): Promise<void> {
  const mine = eq(intakes.meetingId, intake.meetingId);
  const [held] = await tx
    .select({ holdId: intakes.holdId, agreedMs: intakes.agreedMs, measuredMs: intakes.measuredMs })
    .from(intakes)
    .where(mine)
    .for('update');
  if (held?.holdId)
    await house.costs.capture(tx, held.holdId, held.measuredMs === null ? undefined : held.measuredMs / 1000);
  else {
    const ms = held?.measuredMs ?? held?.agreedMs ?? null;
    await endFreeWork(house, tx, intake.meetingId, ms === null || intake.model === noModel ? null : ms / 1000);
  }
  await tx
    .update(intakes)
    .set({ state: 'ready', percentage: 100, transcript: null, holdId: null, finishedAt: house.clock.now() })
    .where(mine);
  // Without a transcript it is ready at once; its end is worth no mail.
  if (intake.model !== noModel) await notify(house, tx, job, intake, null);
}

/** Marks the intake as failed, returns what is reserved for it and notifies its owner. */
export async function endFailed(house: House, tx: Orm, job: Ended, failure: string): Promise<void> {
  const [intake] = await tx.select().from(intakes).where(eq(intakes.meetingId, job.meetingId));
  if (!intake) return;
  await fail(house, tx, intake, failure);
  await notify(house, tx, job, intake, failure);
}

/** Sends one mail for each job, also if its end is repeated. */
async function notify(house: House, tx: Orm, job: Ended, intake: Intake, failure: string | null): Promise<void> {
  const { ownerId, meetingId } = intake;
  const [owner] = await tx.select().from(users).where(eq(users.id, ownerId));
  if (!owner) return;
  const { email, language, firstName } = owner;
  const title = await titleOf(house, intake);
  await queueMail(house, tx, {
    to: email,
    language,
    mail: { kind: failure === null ? 'recording-ready' : 'recording-failed', firstName, title, meetingId },
    lifetime: lifetimes.notice,
    dedupeKey: `recording:${job.id}`,
  });
}
