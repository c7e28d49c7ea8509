import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { meetingAccess } from '#db/schema/meetings.ts';
import { transaction, type Ctx, type Person } from '../context.ts';

/**
 * Somebody a meeting is shared with has come: an address that waited for them is theirs from now on, and who shares it may
 * know who they are. Asked with every opening, written once.
 */
export async function noteVisit(ctx: Ctx, meetingId: string): Promise<void> {
  const { person } = ctx;
  if (!person) return;
  const waiting = await ctx.db.ask(
    (db) => db`
      select 1 from meeting_access where meeting_id = ${meetingId} and (
        (kind = 'user' and principal_id = ${person.id} and seen_at is null)
        or (kind = 'pending' and ${person.confirmed} and principal_id = ${person.emailKey}))`,
  );
  if (waiting.length > 0) await transaction(ctx, (tx) => takeUp(ctx, tx, meetingId, person));
}

/** Within the transaction that shows the address to be theirs. False where nothing is shared with them. */
export async function takeUp(
  ctx: Pick<Ctx, 'clock'>,
  tx: Orm,
  meetingId: string,
  { id, emailKey }: Pick<Person, 'id' | 'emailKey'>,
): Promise<boolean> {
  const here = eq(meetingAccess.meetingId, meetingId);
  const seenAt = ctx.clock.now();
  const [waited] = await tx
    .delete(meetingAccess)
    .where(and(here, eq(meetingAccess.kind, 'pending'), eq(meetingAccess.principalId, emailKey)))
    .returning();
  if (waited) {
    const { permissions, email } = waited;
    await tx
      .insert(meetingAccess)
      .values({ meetingId, kind: 'user', principalId: id, permissions, email, seenAt })
      .onConflictDoUpdate({
        target: [meetingAccess.meetingId, meetingAccess.kind, meetingAccess.principalId],
        // Named twice, they hold what both say.
        set: {
          permissions: sql`(select array_agg(distinct one) from unnest(${meetingAccess.permissions} || excluded.permissions) one)`,
          seenAt,
        },
      });
    return true;
  }
  const mine = and(here, eq(meetingAccess.kind, 'user'), eq(meetingAccess.principalId, id));
  await tx
    .update(meetingAccess)
    .set({ seenAt })
    .where(and(mine, isNull(meetingAccess.seenAt)));
  return (await tx.select({ kind: meetingAccess.kind }).from(meetingAccess).where(mine)).length > 0;
}
