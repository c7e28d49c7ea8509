import { and, eq, isNull } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { groupMembers, groups } from '#db/schema/groups.ts';
import type { Ctx } from '../context.ts';

/**
 * Puts somebody into a group, within the transaction that accepts their invitation. False where it is gone or archived.
 * Whoever is in it already stays what they are.
 */
export async function join(
  ctx: Pick<Ctx, 'clock'>,
  tx: Orm,
  groupId: string,
  personId: string,
  role: string | null,
): Promise<boolean> {
  const [group] = await tx
    .select({ id: groups.id })
    .from(groups)
    .where(and(eq(groups.id, groupId), isNull(groups.archivedAt)))
    .for('key share');
  if (!group) return false;
  await tx
    .insert(groupMembers)
    .values({
      groupId,
      userId: personId,
      role: role === 'admin' ? 'admin' : 'member',
      joinedAt: ctx.clock.now(),
    })
    .onConflictDoNothing();
  return true;
}
