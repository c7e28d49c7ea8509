import { and, eq, gte, isNull, lt } from 'drizzle-orm';
import { meetings } from '#db/schema/meetings.ts';
import { trashDays } from '#shared/meetings/meeting.ts';
import { moneyTransaction } from '../billing/ledger.ts';
import { transaction, type Ctx, type House } from '../context.ts';
import { keepResult } from '../http/once.ts';
import { dropIntake } from '../intake/drafts.ts';
import { accessTo, accessToMany } from '../rooms/access.ts';

/** Deletes a meeting for everybody at once: its live documents close (A1). It can be restored for thirty days. */
export async function deleteMeeting(ctx: Ctx, { id, force = false }: { id: string; force?: boolean }): Promise<void> {
  await accessTo(ctx, 'DELETE /api/meetings/:id', id);
  await moneyTransaction(ctx, async (tx) => {
    // An upload that was never submitted is deleted for good.
    if (await dropIntake(ctx, tx, id, force)) return keepResult(ctx, tx, null);
    await tx
      .update(meetings)
      .set({ deletedAt: ctx.clock.now() })
      .where(and(eq(meetings.id, id), isNull(meetings.deletedAt)));
    await keepResult(ctx, tx, null);
  });
}

/** Restores a meeting for people who could have deleted it; to all others it does not exist. */
export async function restoreMeeting(ctx: Ctx, { id }: { id: string }): Promise<void> {
  const name = 'POST /api/meetings/:id/restore';
  const { allowed } = await accessToMany(ctx, name, [id], 'deleted');
  if (allowed.length > 0) {
    const restored = await transaction(ctx, async (tx) => {
      const rows = await tx
        .update(meetings)
        .set({ deletedAt: null, deletedWith: null })
        .where(and(eq(meetings.id, id), gte(meetings.deletedAt, oldestInTrash(ctx))))
        .returning({ id: meetings.id });
      if (rows.length > 0) await keepResult(ctx, tx, null);
      return rows.length > 0;
    });
    if (restored) return;
  }
  // Already restored by a repeated click or another person; refused if it is gone for good.
  await accessTo(ctx, name, id);
}

/** Earliest time of deletion that can still be restored. */
export const oldestInTrash = ({ clock }: House): Date => new Date(clock.now().getTime() - trashDays * 86_400_000);

/**
 * Deletes expired rows only: files follow once the rows are certainly gone (leftovers.ts), so a meeting restored
 * meanwhile keeps its files.
 */
export async function emptyTrash(house: House): Promise<void> {
  const { orm } = house.db;
  const expired = lt(meetings.deletedAt, oldestInTrash(house));
  for (const { id } of await orm.select({ id: meetings.id }).from(meetings).where(expired).limit(1000)) {
    try {
      await orm.delete(meetings).where(and(eq(meetings.id, id), expired));
    } catch (error) {
      house.log.warn({ err: error, meeting: id }, 'a deleted meeting could not be cleared away; tried again later');
    }
  }
}
