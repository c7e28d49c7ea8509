import { eq } from 'drizzle-orm';
import { users } from '#db/schema/accounts.ts';
import { trialMinutes } from '#shared/billing.ts';
import type { TranscribeInfo } from '#shared/intake.ts';
import type { Ctx } from '../context.ts';
import { offersOf } from '../engines/engines.ts';

/** Languages and models for transcription, and the caller's remaining free minutes. */
export async function transcribeInfo(ctx: Ctx): Promise<TranscribeInfo> {
  const { person } = ctx;
  const [row] = person
    ? await ctx.db.orm.select({ left: users.trialMinutes }).from(users).where(eq(users.id, person.id))
    : [];
  return { ...offersOf(ctx), trialMinutes, freeMinutes: row?.left ?? 0 };
}
