import { and, eq } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { formerMembers, groupMembers } from '#db/schema/groups.ts';
import { keepsAdmin } from '#shared/group-rules.ts';
import { invalid } from '#shared/problems.ts';
import { signedIn, transaction, type Ctx, type Signed } from '../context.ts';
import { keepResult } from '../http/once.ts';
import { membersOf, revokeAll, roleNamed } from './members.ts';
import { endPayment } from './payer.ts';

/** Runs one change in a transaction and stores its result for a repeated request. */
export function change<T extends object | null>(ctx: Ctx, work: (signed: Signed, tx: Orm) => Promise<T>): Promise<T> {
  const signed = signedIn(ctx);
  return transaction(ctx, async (tx) => {
    const result = await work(signed, tx);
    await keepResult(ctx, tx, result);
    return result;
  });
}

/** Removes a member from a locked group; never the last admin. Their payments for a team end with it. */
export async function dismiss(
  ctx: Signed,
  tx: Orm,
  id: string,
  person: { id: string; emailKey: string },
): Promise<void> {
  const members = await membersOf(tx, id);
  const roles = members.map((one) => ({ id: one.id, role: roleNamed(one.role) }));
  if (!keepsAdmin(roles, person.id, null)) throw invalid({ field: 'members', code: 'last_admin' });
  const left = members.find((one) => one.id === person.id);
  if (left) {
    const removedBy = ctx.person.id === person.id ? null : ctx.person.id;
    const set = { role: left.role, joinedAt: left.joinedAt, leftAt: ctx.clock.now(), removedBy };
    await tx
      .insert(formerMembers)
      .values({ groupId: id, userId: person.id, ...set })
      .onConflictDoUpdate({ target: [formerMembers.groupId, formerMembers.userId], set });
  }
  await tx.delete(groupMembers).where(and(eq(groupMembers.groupId, id), eq(groupMembers.userId, person.id)));
  await endPayment(tx, id, person.id);
  await revokeAll(ctx, tx, id, person);
}
