import { and, eq, gte, isNull, lt } from 'drizzle-orm';
import { meetings } from '#db/schema/meetings.ts';
import { trashDays } from '#shared/meetings/meeting.ts';
import { transaction, type Ctx, type House } from '../context.ts';
import { keepResult } from '../http/once.ts';
import { dropIntake } from '../intake/drafts.ts';
import { accessTo, accessToMany } from '../rooms/access.ts';

/** Puts a meeting aside, for everybody and at once: its rooms close (A1). For thirty days it can be brought back. */
export async function deleteMeeting(ctx: Ctx, { id, force = false }: { id: string; force?: boolean }): Promise<void> {
  await accessTo(ctx, 'DELETE /api/meetings/:id', id);
  await transaction(ctx, async (tx) => {
    // One that nobody ever chose to process is nothing to bring back.
    if (await dropIntake(ctx, tx, id, force)) return keepResult(ctx, tx, null);
    await tx
      .update(meetings)
      .set({ deletedAt: ctx.clock.now() })
      .where(and(eq(meetings.id, id), isNull(meetings.deletedAt)));
    await keepResult(ctx, tx, null);
  });
}

/** For whoever could have deleted it, as long as it is kept. To all others it does not exist. */
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
  // Pressed twice, or somebody else was quicker; what is gone for good is nobody's.
  await accessTo(ctx, name, id);
}

/** What was deleted before goes for good. */
export const oldestInTrash = ({ clock }: House): Date => new Date(clock.now().getTime() - trashDays * 86_400_000);

/** Only rows: their files follow once that is certain (leftovers.ts), so what is restored meanwhile has all of its own. */
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
