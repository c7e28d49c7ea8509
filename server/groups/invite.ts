import { and, eq } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { invitations } from '#db/schema/accounts.ts';
import { groupMembers } from '#db/schema/groups.ts';
import { emailKey } from '#shared/accounts.ts';
import { groupLimits, keepsAdmin, withoutDoubles, type GroupRole } from '#shared/group-rules.ts';
import type { GroupDetail, MembersInput } from '#shared/groups.ts';
import { invalid, Problem } from '#shared/problems.ts';
import { createInvitation } from '../people/invitations.ts';
import type { Ctx, Signed } from '../context.ts';
import { rules } from '../limits.ts';
import { mayMail } from '../mail/may-mail.ts';
import { change, dismiss } from './groups.ts';
import { heldGroup, invitedTo, membersOf, roleNamed, viewDetail, waitingFor } from './members.ts';

/**
 * Invites addresses. For members and people already invited it sets their role; an invited person with the same role
 * gets the mail again.
 */
export function inviteMembers(ctx: Ctx, { id, members: given }: MembersInput & { id: string }): Promise<GroupDetail> {
  return change(ctx, async (signed, tx) => {
    const group = await heldGroup(signed, tx, 'POST /api/groups/:id/members', id);
    if (group.archivedAt) throw invalid({ field: 'members', code: 'archived' });
    if (!signed.person.confirmed) throw new Problem('NO_PERM', { message: 'Please confirm your address first' });
    const joined = (await membersOf(tx, id)).map((one) => ({ ...one, role: roleNamed(one.role) }));
    const waiting = await invitedTo(ctx, tx, id);
    const wanted = withoutDoubles(given);
    const known = new Set([...joined, ...waiting].map((one) => one.emailKey));
    const strangers = wanted.filter(({ email }) => !known.has(emailKey(email)));
    if (known.size + strangers.length > groupLimits.members) throw invalid({ field: 'members', code: 'too_many' });

    // New admins come first, so that a group always has one while others lose the role.
    for (const { email, role } of wanted.toSorted((a, b) => Number(b.role === 'admin') - Number(a.role === 'admin'))) {
      const key = emailKey(email);
      const member = joined.find((one) => one.emailKey === key);
      const invited = waiting.find((one) => one.emailKey === key);
      if (member) {
        if (!keepsAdmin(joined, member.id, role)) throw invalid({ field: 'members', code: 'last_admin' });
        member.role = role;
        await tx
          .update(groupMembers)
          .set({ role })
          .where(and(eq(groupMembers.groupId, id), eq(groupMembers.userId, member.id)));
      } else if (invited && roleNamed(invited.role) !== role)
        await tx
          .update(invitations)
          .set({ role })
          .where(and(eq(invitations.id, invited.id), waitingFor(ctx, id)));
      else await write(signed, tx, id, { email, role, again: invited !== undefined });
    }
    return viewDetail(signed, tx, id);
  });
}

async function write(
  ctx: Signed,
  tx: Orm,
  targetId: string,
  { email, role, again }: { email: string; role: GroupRole; again: boolean },
): Promise<void> {
  if (!(await ctx.limits.allow(rules.shareMails, ctx.person.id, tx))) throw new Problem('RATE', { retryAfter: 600 });
  // Repeated invitations send only a few mails an hour to one address; the invitation itself is visible after sign-in.
  const silent = !(await mayMail(ctx, tx, { purpose: 'team', to: emailKey(email), from: ctx.person.id }));
  if (silent && again) return;
  await createInvitation(ctx, tx, { kind: 'team', targetId, role, email, silent });
}

/** Removes a member, or revokes an invitation. */
export function removeMember(ctx: Ctx, { id, member }: { id: string; member: string }): Promise<null> {
  return change(ctx, async (signed, tx) => {
    await heldGroup(signed, tx, 'DELETE /api/groups/:id/members/:member', id);
    const person = (await membersOf(tx, id)).find((one) => one.id === member);
    if (person) await dismiss(ctx, tx, id, person);
    else {
      const taken = await tx
        .update(invitations)
        .set({ revokedAt: ctx.clock.now() })
        .where(and(eq(invitations.id, member), waitingFor(ctx, id)))
        .returning({ id: invitations.id });
      if (taken.length === 0) throw new Problem('NO_ACCESS');
    }
    return null;
  });
}
