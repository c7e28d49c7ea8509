import { eq } from 'drizzle-orm';
import { uploads } from '#db/schema/intake.ts';
import type { CostOption } from '#shared/intake.ts';
import { Problem } from '#shared/problems.ts';
import { allows, type Permission } from '#shared/roles.ts';
import type { Ctx } from '../context.ts';
import { orderedSeconds } from './create.ts';
import type { Intake } from './drafts.ts';
import { importOf } from './imports.ts';

/**
 * What it costs to process what is not processed yet, or came to nothing, for whoever may; null where there is nothing to
 * choose, or nobody can say.
 */
export async function processingCosts(
  ctx: Ctx,
  intake: Intake | undefined,
  held: ReadonlySet<Permission>,
): Promise<CostOption[] | null> {
  const { person } = ctx;
  if (
    !person ||
    !allows('POST /api/meetings/:id/process', held) ||
    (intake?.state !== 'created' && intake?.state !== 'failed')
  )
    return null;
  const { meetingId, model } = intake;
  try {
    const [upload] = await ctx.db.orm.select().from(uploads).where(eq(uploads.meetingId, meetingId));
    const wanted = upload ? undefined : await importOf(ctx.db.orm, meetingId);
    const seconds = await orderedSeconds(ctx, model, upload, wanted);
    return await ctx.costs.options(ctx.db.orm, person, { model, seconds });
  } catch (error) {
    // A model that is not offered any more, or a length that is not known yet.
    if (error instanceof Problem) return null;
    throw error;
  }
}
