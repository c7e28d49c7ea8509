import { and, eq, gt, isNull } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { invitations } from '#db/schema/accounts.ts';
import { formerMembers, groupMembers, type groups } from '#db/schema/groups.ts';
import { emailKey } from '#shared/accounts.ts';
import { groupLimits, keepsAdmin, withoutDoubles, type GroupRole } from '#shared/group-rules.ts';
import type { GroupDetail, MemberInput, MembersInput } from '#shared/groups.ts';
import { invalid, Problem } from '#shared/problems.ts';
import { teamLimits } from '#shared/team-rules.ts';
import { after } from '../clock.ts';
import { createInvitation } from '../people/invitations.ts';
import type { Ctx, Signed } from '../context.ts';
import { rules } from '../limits.ts';
import { mayMail } from '../mail/may-mail.ts';
import { change, dismiss } from './change.ts';
import { heldGroup, invitedTo, membersOf, roleNamed, viewDetail, waitingFor } from './members.ts';
import { endPayment } from './payer.ts';
import { setQuota, teamOf, type Team } from './teams.ts';

type Group = typeof groups.$inferSelect;
interface Wanted {
  email: string;
  role: GroupRole;
  /** Left out, it stays. */
  quota?: bigint | null | undefined;
}

/**
 * Invites addresses. For members and people already invited it sets their role and quota; an invited person with the
 * same ones gets the mail again, and one who declined is invited anew. Past the limit of mails, the last one sent stays
 * good.
 */
export function inviteMembers(ctx: Ctx, { id, members }: MembersInput & { id: string }): Promise<GroupDetail> {
  return change(ctx, async (signed, tx) => {
    const group = await heldGroup(signed, tx, 'POST /api/groups/:id/members', id);
    await include(signed, tx, group, members);
    return viewDetail(signed, tx, id);
  });
}

/** Same, in a locked group and the caller's transaction. */
export async function include(ctx: Signed, tx: Orm, group: Group, given: readonly Wanted[]): Promise<void> {
  const { id } = group;
  if (group.archivedAt) throw invalid({ field: 'members', code: 'archived' });
  if (!ctx.person.confirmed) throw new Problem('NO_PERM', { message: 'Please confirm your address first' });
  const team = await teamOf(tx, id);
  const joined = (await membersOf(tx, id)).map((one) => ({ ...one, role: roleNamed(one.role) }));
  const waiting = await invitedTo(ctx, tx, id);
  const wanted = withoutDoubles(given);
  if (!team && wanted.some(({ quota }) => quota !== undefined)) throw invalid({ field: 'quota', code: 'team_only' });
  const known = new Set([...joined, ...waiting].map((one) => one.emailKey));
  const strangers = wanted.filter(({ email }) => !known.has(emailKey(email)));
  if (known.size + strangers.length > groupLimits.members) throw invalid({ field: 'members', code: 'too_many' });

  // New admins come first, so that a group always has one while others lose the role.
  for (const one of wanted.toSorted((a, b) => Number(b.role === 'admin') - Number(a.role === 'admin'))) {
    const key = emailKey(one.email);
    const member = joined.find((other) => other.emailKey === key);
    const invited = waiting.find((other) => other.emailKey === key);
    if (member) await setMember(tx, id, team, joined, member, one);
    else if (invited?.declinedAt === null && !isSame(invited, one))
      await tx
        .update(invitations)
        .set({ role: one.role, ...(one.quota !== undefined && { quota: one.quota }) })
        .where(and(eq(invitations.id, invited.id), waitingFor(ctx, id)));
    else {
      const quota = one.quota === undefined ? (invited?.quota ?? null) : one.quota;
      await write(ctx, tx, { ...one, quota, targetId: id, invited: invited?.id ?? null, team });
    }
  }
}

const isSame = (invited: { role: string | null; quota: bigint | null }, { role, quota }: Wanted) =>
  roleNamed(invited.role) === role && (quota === undefined || quota === invited.quota);

interface Joined {
  id: string;
  role: GroupRole;
}

/** Changes a member of a locked group. Who is an admin no more does not pay any more. */
async function setMember(
  tx: Orm,
  groupId: string,
  team: Team | null,
  joined: readonly Joined[],
  member: Joined,
  { role, quota }: { role: GroupRole; quota?: bigint | null | undefined },
): Promise<void> {
  if (!keepsAdmin(joined, member.id, role)) throw invalid({ field: 'members', code: 'last_admin' });
  member.role = role;
  await tx
    .update(groupMembers)
    .set({ role })
    .where(and(eq(groupMembers.groupId, groupId), eq(groupMembers.userId, member.id)));
  if (role !== 'admin') await endPayment(tx, groupId, member.id);
  if (team && quota !== undefined) await setQuota(tx, team, member.id, quota);
}

interface Letter extends Wanted {
  targetId: string;
  /** Invitation that is open already. */
  invited: string | null;
  team: Team | null;
}

async function write(ctx: Signed, tx: Orm, { targetId, email, role, quota, invited, team }: Letter): Promise<void> {
  if (!(await ctx.limits.allow(rules.shareMails, ctx.person.id, tx))) throw new Problem('RATE', { retryAfter: 600 });
  // Repeated invitations send only a few mails an hour to one address; the invitation itself is visible after sign-in.
  const silent = !(await mayMail(ctx, tx, { purpose: 'team', to: emailKey(email), from: ctx.person.id }));
  if (silent && invited !== null) {
    await tx
      .update(invitations)
      .set({ role, quota: quota ?? null, declinedAt: null })
      .where(and(eq(invitations.id, invited), waitingFor(ctx, targetId)));
    return;
  }
  const words = team?.invitationEmail ?? '';
  await createInvitation(ctx, tx, { kind: 'team', targetId, role, quota: quota ?? null, email, silent, words });
}

/** Removes a member, or revokes an invitation. */
export function removeMember(ctx: Ctx, { id, member }: { id: string; member: string }): Promise<null> {
  return change(ctx, async (signed, tx) => {
    await heldGroup(signed, tx, 'DELETE /api/groups/:id/members/:member', id);
    await excludeMember(signed, tx, id, member);
    return null;
  });
}

/** Same, in a locked group and the caller's transaction. */
export async function excludeMember(ctx: Signed, tx: Orm, id: string, member: string): Promise<void> {
  const person = (await membersOf(tx, id)).find((one) => one.id === member);
  if (person) return dismiss(ctx, tx, id, person);
  const taken = await tx
    .update(invitations)
    .set({ revokedAt: ctx.clock.now() })
    .where(and(eq(invitations.id, member), waitingFor(ctx, id)))
    .returning({ id: invitations.id });
  if (taken.length === 0) throw new Problem('NO_ACCESS');
  return undefined;
}

/**
 * Sets the role and quota of a member or an invited person. Whom an admin removed a moment ago is a member again, or
 * invited again, as before: this undoes the removal.
 */
export function changeMember(
  ctx: Ctx,
  { id, member, role, quota }: MemberInput & { id: string; member: string },
): Promise<GroupDetail> {
  return change(ctx, async (signed, tx) => {
    const group = await heldGroup(signed, tx, 'PUT /api/groups/:id/members/:member', id);
    if (group.archivedAt) throw invalid({ field: 'members', code: 'archived' });
    const team = await teamOf(tx, id);
    if (!team && quota !== undefined) throw invalid({ field: 'quota', code: 'team_only' });
    await putBack(signed, tx, id, member);
    const joined = (await membersOf(tx, id)).map((one) => ({ id: one.id, role: roleNamed(one.role) }));
    const found = joined.find((one) => one.id === member);
    if (found) await setMember(tx, id, team, joined, found, { role: role ?? found.role, quota });
    else {
      const [invited] = await tx
        .select({ role: invitations.role })
        .from(invitations)
        .where(and(eq(invitations.id, member), waitingFor(ctx, id)))
        .for('update');
      if (!invited) throw new Problem('NO_ACCESS');
      await tx
        .update(invitations)
        .set({ role: role ?? invited.role, ...(quota !== undefined && { quota }) })
        .where(eq(invitations.id, member));
    }
    return viewDetail(signed, tx, id);
  });
}

async function putBack(ctx: Signed, tx: Orm, groupId: string, member: string): Promise<void> {
  const since = after(ctx.clock.now(), -teamLimits.undo / 1000);
  const [left] = await tx
    .select()
    .from(formerMembers)
    .where(
      and(
        eq(formerMembers.groupId, groupId),
        eq(formerMembers.userId, member),
        eq(formerMembers.removedBy, ctx.person.id),
        gt(formerMembers.leftAt, since),
      ),
    );
  if (left) {
    await tx
      .insert(groupMembers)
      .values({ groupId, userId: member, role: left.role, joinedAt: left.joinedAt })
      .onConflictDoNothing();
    await tx.delete(formerMembers).where(and(eq(formerMembers.groupId, groupId), eq(formerMembers.userId, member)));
    return;
  }
  await tx
    .update(invitations)
    .set({ revokedAt: null })
    .where(
      and(
        eq(invitations.id, member),
        eq(invitations.kind, 'team'),
        eq(invitations.targetId, groupId),
        isNull(invitations.acceptedAt),
        gt(invitations.revokedAt, since),
        gt(invitations.expiresAt, ctx.clock.now()),
      ),
    );
}
