import { trialMinutes } from '#shared/billing.ts';
import type { TranscribeInfo } from '#shared/intake.ts';
import { contentsOf, freeMinutesIn } from '../billing/purse.ts';
import type { Ctx } from '../context.ts';
import { offersOf } from '../engines/engines.ts';

/** Languages and models for transcription, and the caller's remaining free minutes. */
export async function transcribeInfo(ctx: Ctx): Promise<TranscribeInfo> {
  const { person } = ctx;
  const freeMinutes = person ? freeMinutesIn(await contentsOf(ctx.db.orm, person.id, ctx.clock.now())) : 0;
  return { ...offersOf(ctx), trialMinutes, freeMinutes };
}
