import { and, eq } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { intakes, uploads } from '#db/schema/intake.ts';
import { meetings } from '#db/schema/meetings.ts';
import { folderNeeds } from '#shared/library.ts';
import { externalModel, noModel, wrongOptions, type ProcessInput, type Progress } from '#shared/intake.ts';
import type { About } from '#shared/meetings/about.ts';
import { Problem } from '#shared/problems.ts';
import { moneyTransaction } from '../billing/ledger.ts';
import { signedIn, type Ctx, type Person, type Signed } from '../context.ts';
import { offersOf } from '../engines/engines.ts';
import { queueJob } from '../jobs.ts';
import { readLibraries } from '../folders/libraries.ts';
import { fulfilInvitation } from '../people/invitations.ts';
import { askMentor } from '../reviews/invited.ts';
import { accessTo } from '../rooms/access.ts';
import { askerOf, usableOption } from '../billing/quote.ts';
import { isOneself, orderedSeconds } from './create.ts';
import { canBegin, intakeOf, mayBegin, progressOf, type Intake } from './drafts.ts';
import { importJob } from './import-job.ts';
import { importOf } from './imports.ts';
import { assembleJob, isRecordedLive } from './live.ts';
import { refuseTooLong } from './longest.ts';
import { nameDocument } from './naming.ts';
import { recordingJob } from './recording.ts';

/** Takes the chosen payment and starts processing. A repeated request returns the progress. */
export async function processMeeting(
  ctx: Ctx,
  { id, ...input }: ProcessInput & { id: string },
): Promise<{ id: string; progress: Progress }> {
  const signed = signedIn(ctx);
  const { person } = signed;
  await accessTo(ctx, 'POST /api/meetings/:id/process', id);
  const before = await intakeOf(ctx.db.orm, id);
  if (!before) throw new Problem('CONFLICT', { message: 'There is nothing to process' });
  const model = input.model ?? before.model;
  if (!canBegin(before, model)) return { id, progress: progressOf(before) };

  const lang = input.language ?? before.lang;
  const speakers = input.numberOfSpeakers ?? before.speakers;
  const [upload] = await ctx.db.orm.select().from(uploads).where(eq(uploads.meetingId, id));
  const wanted = upload ? undefined : await importOf(ctx.db.orm, id);
  const errors = wrongOptions({ model, lang, speakers }, offersOf(ctx).models);
  if (model === externalModel && before.transcript === null) errors.push({ field: 'transcript', code: 'required' });
  const live = !upload && !wanted && (await isRecordedLive(ctx.db.orm, id));
  if (model !== externalModel && !upload && !wanted && !live) errors.push({ field: 'file', code: 'required' });
  if (isOneself(signed, input)) errors.push({ field: 'mentor', code: 'student' });
  if (errors.length > 0) throw new Problem('INVALID', { errors });

  // The server computes the price; the price shown on the page must still be valid.
  const order = {
    meetingId: id,
    model,
    seconds: await orderedSeconds(ctx, { model, measuredMs: before.measuredMs }, upload, wanted),
  };
  // A recording that turned out to be longer can still be kept, without a transcript.
  if (model !== noModel || before.measuredMs === null) await refuseTooLong(signed, order.seconds);
  const asker = await askerOf(signed);
  const option = usableOption(await ctx.costs.options(ctx.db.orm, asker, order), input.cost);

  const now = ctx.clock.now();
  const begun = await moneyTransaction(ctx, async (tx) => {
    // Locked, so that the text cannot be closed before this is stored.
    const [meeting] = await tx
      .select({ closedAt: meetings.closedAt })
      .from(meetings)
      .where(eq(meetings.id, id))
      .for('share');
    if (meeting?.closedAt) throw new Problem('CLOSED');
    const [claimed] = await tx
      .update(intakes)
      .set({
        state: 'processing',
        percentage: 0,
        failure: null,
        finishedAt: null,
        model,
        lang,
        speakers,
        title: input.title ?? before.title,
        vocabulary: input.vocabulary ?? before.vocabulary,
        // Asked once: a recording that is processed again has its review.
        ...(input.mentor !== undefined && before.state === 'created' && { mentor: input.mentor || null }),
        agreedMs: order.seconds === null ? null : Math.round(order.seconds * 1000),
      })
      .where(and(eq(intakes.meetingId, id), mayBegin(model)))
      .returning();
    // A concurrent request has started and paid for it.
    if (!claimed) return null;
    await leaveFolder(tx, person, id);
    const holdId = await ctx.costs.hold(tx, asker, order, option);
    await tx.update(intakes).set({ holdId }).where(eq(intakes.meetingId, id));
    // A recording at another service is downloaded first, and one from a browser is joined.
    await askInvited(signed, tx, claimed);
    await queueJob(tx, wanted ? importJob : live ? assembleJob : recordingJob, id, now);
    return claimed;
  });
  // The meeting may have been deleted concurrently.
  if (!begun) await accessTo(ctx, 'POST /api/meetings/:id/process', id);
  if (begun) await nameDocument(ctx, begun, aboutOf(input));
  return { id, progress: progressOf(begun ?? (await intakeOf(ctx.db.orm, id))) };
}

const aboutOf = ({ title, language }: ProcessInput): Partial<About> => ({
  ...(title !== undefined && { title }),
  ...(language !== undefined && { lang: language }),
});

/** Asks who invited the person, or the mentor they named, once: from then on the review stands on its own. */
async function askInvited(ctx: Signed, tx: Orm, { meetingId, mentor, invitationId }: Intake): Promise<void> {
  if (mentor === null && invitationId === null) return;
  // Co-owners of a folder begin recordings of others, and are not assessed by them.
  const [meeting] = await tx.select({ ownerId: meetings.ownerId }).from(meetings).where(eq(meetings.id, meetingId));
  if (meeting?.ownerId !== ctx.person.id) return;
  await tx.update(intakes).set({ mentor: null, invitationId: null }).where(eq(intakes.meetingId, meetingId));
  const inviterId = invitationId === null ? null : await fulfilInvitation(ctx, tx, invitationId);
  await askMentor(ctx, tx, meetingId, { mentor, inviterId });
}

/** Moves the meeting to the top level if its owner no longer has permission to add to the folder. */
async function leaveFolder(tx: Orm, person: Person, id: string): Promise<void> {
  const [meeting] = await tx.select({ folderId: meetings.folderId }).from(meetings).where(eq(meetings.id, id));
  if (!meeting?.folderId) return;
  const found = (await readLibraries(tx, person)).byId(meeting.folderId);
  if (found?.library.held(found.folder).has(folderNeeds.add)) return;
  await tx
    .update(meetings)
    .set({ folderId: null })
    .where(and(eq(meetings.id, id), eq(meetings.ownerId, person.id)));
}
