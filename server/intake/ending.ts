import { eq } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { intakes } from '#db/schema/intake.ts';
import { lifetimes } from '#shared/accounts.ts';
import type { House } from '../context.ts';
import type { Job } from '../jobs.ts';
import { queueMail } from '../mail/queue.ts';
import { fail, type Intake } from './drafts.ts';
import { titleOf } from './naming.ts';

/** What came to its end: a job, or an order. */
type Ended = Pick<Job, 'id' | 'meetingId'>;

/** All of it is there; its owner is told. */
export async function endReady(house: House, tx: Orm, job: Ended, intake: Intake): Promise<void> {
  await tx
    .update(intakes)
    .set({
      state: 'ready',
      percentage: 100,
      transcript: null,
      minutesHeld: 0,
      payerId: null,
      finishedAt: house.clock.now(),
    })
    .where(eq(intakes.meetingId, intake.meetingId));
  await tell(house, tx, job, intake, null);
}

/** Nothing came of it: what was taken for it is given back, and its owner is told. */
export async function endFailed(house: House, tx: Orm, job: Ended, failure: string): Promise<void> {
  const [intake] = await tx.select().from(intakes).where(eq(intakes.meetingId, job.meetingId));
  if (!intake) return;
  await fail(house, tx, intake, failure);
  await tell(house, tx, job, intake, failure);
}

/** One mail for each, however often its end is tried. */
async function tell(house: House, tx: Orm, job: Ended, intake: Intake, failure: string | null): Promise<void> {
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
