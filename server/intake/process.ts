import { and, eq, inArray } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { intakes, uploads } from '#db/schema/intake.ts';
import { meetings } from '#db/schema/meetings.ts';
import { folderNeeds } from '#shared/library.ts';
import { externalModel, wrongOptions, type ProcessInput, type Progress } from '#shared/intake.ts';
import type { About } from '#shared/meetings/about.ts';
import { Problem } from '#shared/problems.ts';
import { signedIn, transaction, type Ctx, type Person } from '../context.ts';
import { offersOf } from '../engines/engines.ts';
import { queueJob } from '../jobs.ts';
import { readLibraries } from '../folders/libraries.ts';
import { accessTo } from '../rooms/access.ts';
import { microsOf } from './costs.ts';
import { orderedSeconds } from './create.ts';
import { intakeOf, progressOf } from './drafts.ts';
import { importJob } from './import-job.ts';
import { importOf } from './imports.ts';
import { nameDocument } from './naming.ts';
import { recordingJob } from './recording.ts';

/** Somebody has chosen how it is paid for: it is taken, and the work begins. Asked again, it answers how far it is. */
export async function processMeeting(
  ctx: Ctx,
  { id, ...input }: ProcessInput & { id: string },
): Promise<{ id: string; progress: Progress }> {
  const { person } = signedIn(ctx);
  await accessTo(ctx, 'POST /api/meetings/:id/process', id);
  const before = await intakeOf(ctx.db.orm, id);
  if (!before) throw new Problem('CONFLICT', { message: 'There is nothing to process' });
  if (before.state === 'processing' || before.state === 'ready') return { id, progress: progressOf(before) };

  const model = input.model ?? before.model;
  const lang = input.language ?? before.lang;
  const speakers = input.numberOfSpeakers ?? before.speakers;
  const [upload] = await ctx.db.orm.select().from(uploads).where(eq(uploads.meetingId, id));
  const wanted = upload ? undefined : await importOf(ctx.db.orm, id);
  const errors = wrongOptions({ model, lang, speakers }, offersOf(ctx).models);
  if (model === externalModel && before.transcript === null) errors.push({ field: 'transcript', code: 'required' });
  if (model !== externalModel && !upload && !wanted) errors.push({ field: 'file', code: 'required' });
  if (errors.length > 0) throw new Problem('INVALID', { errors });

  // What something costs, the desk says and not the page: what was seen there has to be that still.
  const order = { model, seconds: await orderedSeconds(ctx, model, upload, wanted) };
  const costs = await ctx.costs.options(ctx.db.orm, person, order);
  const option = costs.find(({ cost }) => microsOf(cost) === microsOf(input.cost));
  if (!option) throw new Problem('PRICE', { info: { costs } });

  const now = ctx.clock.now();
  const begun = await transaction(ctx, async (tx) => {
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
      })
      .where(and(eq(intakes.meetingId, id), inArray(intakes.state, ['created', 'failed'])))
      .returning();
    // Pressed twice: the other one has begun it, and paid for it.
    if (!claimed) return null;
    await leaveFolder(tx, person, id);
    const { minutes } = await ctx.costs.hold(tx, person, order, option);
    await tx.update(intakes).set({ minutesHeld: minutes, payerId: person.id }).where(eq(intakes.meetingId, id));
    // What another service has is fetched first.
    await queueJob(tx, wanted ? importJob : recordingJob, id, now);
    return claimed;
  });
  // Given up at this very moment.
  if (!begun) await accessTo(ctx, 'POST /api/meetings/:id/process', id);
  if (begun) await nameDocument(ctx, begun, said(input));
  return { id, progress: progressOf(begun ?? (await intakeOf(ctx.db.orm, id))) };
}

const said = ({ title, language }: ProcessInput): Partial<About> => ({
  ...(title !== undefined && { title }),
  ...(language !== undefined && { lang: language }),
});

/** Where they may not add any more what they began to, it stands at the top of their own. */
async function leaveFolder(tx: Orm, person: Person, id: string): Promise<void> {
  const [meeting] = await tx.select({ folderId: meetings.folderId }).from(meetings).where(eq(meetings.id, id));
  if (!meeting?.folderId) return;
  const place = (await readLibraries(tx, person)).byId(meeting.folderId);
  if (place?.library.held(place.folder).has(folderNeeds.add)) return;
  await tx
    .update(meetings)
    .set({ folderId: null })
    .where(and(eq(meetings.id, id), eq(meetings.ownerId, person.id)));
}

/**
 * The best transcript there is. Models stand in no order, people who write it down included: whichever was chosen, a
 * meeting has that already, and it costs nothing more.
 */
export async function upgradeMeeting(
  ctx: Ctx,
  { id, cost }: { id: string; cost: number },
): Promise<{ id: string; progress: Progress }> {
  await accessTo(ctx, 'POST /api/meetings/:id/upgrade', id);
  if (microsOf(cost) !== 0) throw new Problem('PRICE', { info: { costs: [] } });
  return { id, progress: progressOf(await intakeOf(ctx.db.orm, id)) };
}
