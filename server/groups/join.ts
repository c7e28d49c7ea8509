import { and, eq, isNull } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { groupMembers, groups } from '#db/schema/groups.ts';
import type { Ctx } from '../context.ts';

/**
 * Adds a person to a group, in the transaction that accepts their invitation; false if it is deleted or archived. The
 * role of an existing member does not change.
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
