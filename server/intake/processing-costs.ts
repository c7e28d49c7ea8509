import { eq } from 'drizzle-orm';
import { uploads } from '#db/schema/intake.ts';
import type { CostOption } from '#shared/intake.ts';
import { Problem } from '#shared/problems.ts';
import { allows, type Permission } from '#shared/roles.ts';
import { askerOf } from '../billing/quote.ts';
import { signedIn, type Ctx, type Signed } from '../context.ts';
import { accessTo } from '../rooms/access.ts';
import { orderedSeconds } from './create.ts';
import { canBegin, intakeOf, type Intake } from './drafts.ts';
import { importOf } from './imports.ts';
import { upgradeOf } from './upgrade.ts';

/**
 * Payment options for an unprocessed or failed recording, for people with permission to process it; null if there is no
 * choice, or the price is unknown.
 */
export async function processingCosts(
  ctx: Ctx,
  intake: Intake | undefined,
  held: ReadonlySet<Permission>,
): Promise<CostOption[] | null> {
  if (
    !ctx.person ||
    !allows('POST /api/meetings/:id/process', held) ||
    (intake?.state !== 'created' && intake?.state !== 'failed')
  )
    return null;
  try {
    return await optionsFor(signedIn(ctx), intake);
  } catch (error) {
    // The model is no longer offered, or the duration is not known yet.
    if (error instanceof Problem) return null;
    throw error;
  }
}

/** Payment options for a recording, perhaps with another model than it was added with, or for its upgrade. */
export async function costsWith(
  ctx: Ctx,
  { id, ...wanted }: { id: string; model?: string | undefined; purpose?: 'upgrade' | undefined },
): Promise<CostOption[]> {
  const signed = signedIn(ctx);
  await accessTo(ctx, 'GET /api/meetings/:id/costs', id);
  if (wanted.purpose === 'upgrade') {
    const order = await upgradeOf(ctx.db.orm, id);
    return order === null ? [] : ctx.costs.options(ctx.db.orm, await askerOf(signed), order);
  }
  const intake = await intakeOf(ctx.db.orm, id);
  const model = wanted.model ?? intake?.model ?? '';
  if (!intake || !canBegin(intake, model)) throw new Problem('CONFLICT', { message: 'There is nothing to process' });
  return optionsFor(signed, { ...intake, model });
}

async function optionsFor(ctx: Signed, intake: Intake): Promise<CostOption[]> {
  const { meetingId, model } = intake;
  const [upload] = await ctx.db.orm.select().from(uploads).where(eq(uploads.meetingId, meetingId));
  const wanted = upload ? undefined : await importOf(ctx.db.orm, meetingId);
  const seconds = await orderedSeconds(ctx, intake, upload, wanted);
  return ctx.costs.options(ctx.db.orm, await askerOf(ctx), { meetingId, model, seconds });
}
