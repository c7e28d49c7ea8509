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
 * Payment options for an unprocessed or failed recording, for people with permission to process it; null if there is no
 * choice, or the price is unknown.
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
    const seconds = await orderedSeconds(ctx, intake, upload, wanted);
    return await ctx.costs.options(ctx.db.orm, person, { model, seconds });
  } catch (error) {
    // The model is no longer offered, or the duration is not known yet.
    if (error instanceof Problem) return null;
    throw error;
  }
}
