import { and, eq, inArray, lt, or } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { intakes } from '#db/schema/intake.ts';
import { meetings } from '#db/schema/meetings.ts';
import { humanModel, intakeFailures, noModel, type IntakeFailure, type Progress } from '#shared/intake.ts';
import { Problem } from '#shared/problems.ts';
import { after } from '../clock.ts';
import type { House } from '../context.ts';
import { cancelJobs } from '../jobs.ts';
import { mediaOf, type Medium } from '../media/media.ts';

export type Intake = typeof intakes.$inferSelect;

const draftSeconds = 86_400;

/** Columns that progress is made of. */
export type Progressing = Pick<Intake, 'state' | 'percentage' | 'failure' | 'model' | 'agreedMs' | 'measuredMs'>;

/** Progress of a meeting; one without an intake is complete. */
export function progressOf(intake: Progressing | undefined): Progress {
  if (!intake || intake.state === 'ready') {
    const untranscribed = intake?.model === noModel && { untranscribed: true };
    return { percentage: 100, failures_present: false, failure_messages: [], ...untranscribed };
  }
  const failed = intake.state === 'failed';
  const why = (intake.failure ?? 'unexpected') as IntakeFailure;
  return {
    percentage: Math.min(99, intake.percentage),
    failures_present: failed,
    failure_messages: failed ? [intakeFailures[why] ?? intakeFailures.unexpected] : [],
    ...(failed && { failure: why }),
    ...(failed &&
      why === 'longer' &&
      intake.agreedMs !== null &&
      intake.measuredMs !== null && { agreed: intake.agreedMs / 1000, measured: intake.measuredMs / 1000 }),
    ...(!failed && intake.state !== 'recording' && intake.model === humanModel && { ordered: true }),
    ...(intake.state === 'recording' && { recording: true }),
  };
}

/** Whether processing with this model can begin: not yet processed, failed, or ready without a transcript. */
export const canBegin = ({ state, model }: Pick<Intake, 'state' | 'model'>, wanted: string): boolean =>
  state === 'created' || state === 'failed' || (state === 'ready' && model === noModel && wanted !== noModel);

/** The same as `canBegin`, for a statement that claims the intake. */
export const mayBegin = (wanted: string) =>
  or(
    inArray(intakes.state, ['created', 'failed']),
    wanted === noModel ? undefined : and(eq(intakes.state, 'ready'), eq(intakes.model, noModel)),
  );

export async function intakeOf(orm: Orm, meetingId: string): Promise<Intake | undefined> {
  const [row] = await orm.select().from(intakes).where(eq(intakes.meetingId, meetingId));
  return row;
}

/**
 * How far a recording is, and its media. They are read in this order: the media of a recording that is ready are there
 * when it says so.
 */
export async function intakeWithMedia(ctx: House, meetingId: string): Promise<{ intake?: Intake; media: Medium[] }> {
  const intake = await intakeOf(ctx.db.orm, meetingId);
  const media = await mediaOf(ctx, meetingId);
  return { ...(intake && { intake }), media };
}

/** Raises the percentage, never lowers it; only the end sets 100. */
export async function advance({ db }: Pick<House, 'db'>, meetingId: string, percentage: number): Promise<void> {
  await db.ask(
    (sql) => sql`
      update intakes set percentage = greatest(percentage, ${Math.min(99, percentage)})
      where meeting_id = ${meetingId} and state = 'processing'`,
  );
}

/**
 * Stops the intake of a deleted meeting and its cost. Deletes an unprocessed meeting permanently if `force` is set;
 * returns true if it did.
 */
export async function dropIntake(house: House, tx: Orm, meetingId: string, force: boolean): Promise<boolean> {
  const [intake] = await tx.select().from(intakes).where(eq(intakes.meetingId, meetingId)).for('update');
  if (!intake) return false;
  if (force && intake.state === 'created') {
    await tx.delete(meetings).where(eq(meetings.id, meetingId));
    return true;
  }
  if (intake.state !== 'processing') return false;
  // A forced deletion expects an unprocessed meeting, but another request has started processing.
  if (force) throw new Problem('CONFLICT', { message: 'It is being processed' });
  await cancelJobs(tx, meetingId, house.clock.now());
  await house.orders.withdraw(house, tx, meetingId);
  await fail(house, tx, intake, 'cancelled');
  return false;
}

/** Marks the intake as failed and releases its hold to the payer, who may be another person than the owner. */
export async function fail(house: House, tx: Orm, intake: Intake, failure: string): Promise<void> {
  const { meetingId, holdId } = intake;
  if (holdId !== null) await house.costs.release(tx, holdId);
  await tx
    .update(intakes)
    .set({ state: 'failed', failure, holdId: null, finishedAt: house.clock.now() })
    .where(eq(intakes.meetingId, meetingId));
}

/** Deletes meetings that were never processed, with their files. */
export async function sweepIntakes({ db, clock }: Pick<House, 'db' | 'clock'>): Promise<void> {
  const abandoned = db.orm
    .select({ id: intakes.meetingId })
    .from(intakes)
    .where(and(eq(intakes.state, 'created'), lt(intakes.createdAt, after(clock.now(), -draftSeconds))));
  await db.orm.delete(meetings).where(inArray(meetings.id, abandoned));
}
