import { and, eq, sql } from 'drizzle-orm';
import type { z } from 'zod';
import type { Orm } from '#db/open.ts';
import { invitations } from '#db/schema/accounts.ts';
import { groupMembers, groups } from '#db/schema/groups.ts';
import { groupLimits, keepsAdmin, suggestNames } from '#shared/group-rules.ts';
import type { GroupChange, GroupDetail, GroupInput, groupsAnswer, GroupView } from '#shared/groups.ts';
import { newId } from '#shared/ids.ts';
import { nameKey } from '#shared/library.ts';
import { invalid, Problem } from '#shared/problems.ts';
import { signedIn, transaction, type Ctx, type Signed } from '../context.ts';
import { keepResult } from '../http/once.ts';
import { join } from './join.ts';
import {
  heldGroup,
  membersOf,
  revokeAll,
  roleNamed,
  viewDetail,
  viewGroup,
  viewGroups,
  waitingFor,
} from './members.ts';

/** Runs one change in a transaction and stores its result for a repeated request. */
export function change<T extends object | null>(ctx: Ctx, work: (signed: Signed, tx: Orm) => Promise<T>): Promise<T> {
  const signed = signedIn(ctx);
  return transaction(ctx, async (tx) => {
    const result = await work(signed, tx);
    await keepResult(ctx, tx, result);
    return result;
  });
}

export async function listGroups(ctx: Ctx): Promise<z.infer<typeof groupsAnswer>> {
  return { groups: await viewGroups(ctx.db.orm, signedIn(ctx).person.id) };
}

export const readGroup = (ctx: Ctx, { id }: { id: string }): Promise<GroupDetail> =>
  viewDetail(signedIn(ctx), ctx.db.orm, id);

/**
 * Refuses a name that another of the person's groups has, because they could not tell the two apart. Groups they are
 * not in do not count, so that nobody learns of them.
 */
async function refuseTaken(ctx: Signed, tx: Orm, name: string, self?: string): Promise<GroupView[]> {
  const own = await viewGroups(tx, ctx.person.id);
  const keys = new Set(own.filter(({ id }) => id !== self).map((one) => nameKey(one.name)));
  if (keys.has(nameKey(name)))
    throw new Problem('INVALID', {
      errors: [{ field: 'name', code: 'group_taken' }],
      info: { suggestions: suggestNames(name, (one) => keys.has(nameKey(one)), ctx.clock.now().getUTCFullYear()) },
    });
  return own;
}

export function createGroup(ctx: Ctx, { name, description = '', type = 'group' }: GroupInput): Promise<GroupView> {
  return change(ctx, async (signed, tx) => {
    const { person } = signed;
    if (!person.confirmed) throw new Problem('NO_PERM', { message: 'Please confirm your address first' });
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`groups of ${person.id}`}, 0))`);
    const own = await refuseTaken(signed, tx, name);
    if (own.length >= groupLimits.most) throw invalid({ field: '', code: 'too_many' });
    const id = newId();
    const now = ctx.clock.now();
    await tx.insert(groups).values({ id, type, name, description, createdAt: now });
    await tx.insert(groupMembers).values({ groupId: id, userId: person.id, role: 'admin', joinedAt: now });
    return viewGroup(tx, person.id, id);
  });
}

export function changeGroup(
  ctx: Ctx,
  { id, name, description, type }: GroupChange & { id: string },
): Promise<GroupView> {
  return change(ctx, async (signed, tx) => {
    const group = await heldGroup(signed, tx, 'PUT /api/groups/:id', id);
    // The type decides who pays for a group, so it cannot be changed here.
    if (type !== undefined && type !== group.type) throw invalid({ field: 'type', code: 'unknown' });
    if (name !== undefined && name !== group.name) await refuseTaken(signed, tx, name, id);
    await tx
      .update(groups)
      .set({ name: name ?? group.name, description: description ?? group.description })
      .where(eq(groups.id, id));
    return viewGroup(tx, signed.person.id, id);
  });
}

/**
 * Archives or reactivates a group. While archived, what is shared with it is accessible to none of its members, which
 * open connections notice at once.
 */
export function archiveGroup(ctx: Ctx, { id, archived }: { id: string; archived: boolean }): Promise<GroupView> {
  return change(ctx, async (signed, tx) => {
    const name = archived ? 'POST /api/groups/:id/deactivate' : 'POST /api/groups/:id/activate';
    const group = await heldGroup(signed, tx, name, id);
    if ((group.archivedAt !== null) !== archived)
      await tx
        .update(groups)
        .set({ archivedAt: archived ? ctx.clock.now() : null })
        .where(eq(groups.id, id));
    return viewGroup(tx, signed.person.id, id);
  });
}

/** Deletes a group with its shares; what is shared with its members by name stays. */
export function deleteGroup(ctx: Ctx, { id }: { id: string }): Promise<null> {
  return change(ctx, async (signed, tx) => {
    await heldGroup(signed, tx, 'DELETE /api/groups/:id', id);
    await remove(ctx, tx, id);
    return null;
  });
}

/** Revokes the invitations first: accepting one holds a lock on it and needs the group to exist. */
async function remove(ctx: Ctx, tx: Orm, id: string): Promise<void> {
  await revokeAll(ctx, tx, id);
  await tx.delete(groups).where(eq(groups.id, id));
}

export function leaveGroup(ctx: Ctx, { id }: { id: string }): Promise<null> {
  return change(ctx, async (signed, tx) => {
    await heldGroup(signed, tx, 'POST /api/groups/:id/leave', id);
    await dismiss(ctx, tx, id, signed.person);
    return null;
  });
}

/** Removes a member from a locked group; never the last admin. */
export async function dismiss(ctx: Ctx, tx: Orm, id: string, person: { id: string; emailKey: string }): Promise<void> {
  const members = (await membersOf(tx, id)).map((one) => ({ id: one.id, role: roleNamed(one.role) }));
  if (!keepsAdmin(members, person.id, null)) throw invalid({ field: 'members', code: 'last_admin' });
  await tx.delete(groupMembers).where(and(eq(groupMembers.groupId, id), eq(groupMembers.userId, person.id)));
  await revokeAll(ctx, tx, id, person);
}

/** The person's own open invitation to a group, locked until the transaction ends; null without one. */
async function ownInvitation(ctx: Signed, tx: Orm, id: string) {
  const { person } = ctx;
  if (!person.confirmed) return null;
  const [found] = await tx
    .select()
    .from(invitations)
    .where(and(waitingFor(ctx, id), eq(invitations.emailKey, person.emailKey)))
    .for('update');
  return found ?? null;
}

/** Accepts the invitation to a group for the person with the invited address; accepting twice changes nothing. */
export function acceptGroup(ctx: Ctx, { id }: { id: string }): Promise<GroupView> {
  return change(ctx, async (signed, tx) => {
    const { person } = signed;
    const invitation = await ownInvitation(signed, tx, id);
    if (invitation) {
      await tx
        .update(invitations)
        .set({ acceptedAt: ctx.clock.now(), acceptedBy: person.id })
        .where(eq(invitations.id, invitation.id));
      if (!(await join(ctx, tx, id, person.id, invitation.role))) throw new Problem('NO_ACCESS');
    }
    return viewGroup(tx, person.id, id);
  });
}

export function ignoreGroup(ctx: Ctx, { id }: { id: string }): Promise<null> {
  return change(ctx, async (signed, tx) => {
    const invitation = await ownInvitation(signed, tx, id);
    if (!invitation) throw new Problem('NO_ACCESS');
    await tx.update(invitations).set({ revokedAt: ctx.clock.now() }).where(eq(invitations.id, invitation.id));
    return null;
  });
}

/**
 * Removes a person from all groups before their account is deleted. Where they are the only admin, the earliest other
 * member becomes admin; a group without other members is deleted.
 */
export async function leaveAllGroups(ctx: Ctx, tx: Orm, personId: string): Promise<void> {
  const own = await tx.select({ id: groupMembers.groupId }).from(groupMembers).where(eq(groupMembers.userId, personId));
  for (const id of own.map((one) => one.id).toSorted()) {
    await tx.select({ id: groups.id }).from(groups).where(eq(groups.id, id)).for('no key update');
    const members = (await membersOf(tx, id)).map((one) => ({ id: one.id, role: roleNamed(one.role) }));
    if (keepsAdmin(members, personId, null)) continue;
    const heir = members.find((one) => one.id !== personId);
    if (!heir) await remove(ctx, tx, id);
    else
      await tx
        .update(groupMembers)
        .set({ role: 'admin' })
        .where(and(eq(groupMembers.groupId, id), eq(groupMembers.userId, heir.id)));
  }
}
