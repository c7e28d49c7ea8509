import { and, eq, isNull } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { formerMembers, groupMembers, groups } from '#db/schema/groups.ts';
import { lifetimes } from '#shared/accounts.ts';
import type { Ctx } from '../context.ts';
import { queueMail } from '../mail/queue.ts';
import { openAllowance, teamOf } from './teams.ts';

/**
 * Adds a person to a group, in the transaction that accepts their invitation; false if it is deleted or archived. The
 * role of an existing member does not change.
 */
export async function join(
  ctx: Pick<Ctx, 'clock' | 'origin'>,
  tx: Orm,
  groupId: string,
  personId: string,
  invitation: { role: string | null; quota: bigint | null },
): Promise<boolean> {
  const [group] = await tx
    .select({ id: groups.id, name: groups.name })
    .from(groups)
    .where(and(eq(groups.id, groupId), isNull(groups.archivedAt)))
    .for('key share');
  if (!group) return false;
  const added = await tx
    .insert(groupMembers)
    .values({
      groupId,
      userId: personId,
      role: invitation.role === 'admin' ? 'admin' : 'member',
      joinedAt: ctx.clock.now(),
    })
    .onConflictDoNothing()
    .returning({ userId: groupMembers.userId });
  if (added.length === 0) return true;
  await tx.delete(formerMembers).where(and(eq(formerMembers.groupId, groupId), eq(formerMembers.userId, personId)));
  const team = await teamOf(tx, groupId);
  if (!team) return true;
  await openAllowance(tx, groupId, personId, invitation.quota);
  if (!team.noWelcomeEmail) await welcome(ctx, tx, group, personId);
  return true;
}

async function welcome(
  house: Pick<Ctx, 'clock' | 'origin'>,
  tx: Orm,
  group: { id: string; name: string },
  personId: string,
): Promise<void> {
  const [person] = await tx.select().from(users).where(eq(users.id, personId));
  if (!person) return;
  await queueMail(house, tx, {
    to: person.email,
    language: person.language,
    mail: { kind: 'team-joined', firstName: person.firstName, team: group.name, groupId: group.id },
    lifetime: lifetimes.notice,
  });
}
