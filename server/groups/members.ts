import { and, asc, eq, gt, inArray, isNull, ne, or, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { invitations, users } from '#db/schema/accounts.ts';
import { allowances, groupMembers, groups, teams } from '#db/schema/groups.ts';
import type { GroupRole, GroupType } from '#shared/group-rules.ts';
import type { GroupDetail, GroupView, MemberView } from '#shared/groups.ts';
import { Problem } from '#shared/problems.ts';
import { groupVerbs, mayCallGroup, type GroupVerb, type GroupVerbName } from '#shared/roles.ts';
import type { House, Signed } from '../context.ts';
import { creditsOf, optionsOf, payersOf } from './teams.ts';

type Group = typeof groups.$inferSelect;

export const roleNamed = (kept: string | null): GroupRole => (kept === 'admin' ? 'admin' : 'member');
const typeNamed = (kept: string): GroupType => (kept === 'team' ? 'team' : 'group');

interface Membership {
  group: Group;
  role: GroupRole;
}

/** A person's role in a group; null if they are not in it or it does not exist. */
async function membership(tx: Orm, id: string, personId: string): Promise<Membership | null> {
  const [row] = await tx
    .select({ group: groups, role: groupMembers.role })
    .from(groups)
    .innerJoin(groupMembers, and(eq(groupMembers.groupId, groups.id), eq(groupMembers.userId, personId)))
    .where(eq(groups.id, id));
  return row ? { group: row.group, role: roleNamed(row.role) } : null;
}

/**
 * A group with the person's role, if the role permits the call. A group they are not in is refused like one that does
 * not exist, even to people who are invited to it.
 */
export async function groupFor(
  ctx: Signed,
  tx: Orm,
  name: GroupVerbName,
  id: string,
  /** Message of the refusal instead of the verb's. */
  message?: string,
): Promise<Membership> {
  const found = await membership(tx, id, ctx.person.id);
  if (!found) throw new Problem('NO_ACCESS');
  const verb: GroupVerb = groupVerbs[name];
  const refused = mayCallGroup(verb, found.role);
  const said = message ?? verb.refusal;
  if (refused) throw new Problem(refused, said === undefined ? {} : { message: said });
  return found;
}

/**
 * Same as `groupFor`, and locks the group against changes until the transaction ends. New members can still join,
 * because that takes no permission away.
 */
export async function heldGroup(
  ctx: Signed,
  tx: Orm,
  name: GroupVerbName,
  id: string,
  message?: string,
): Promise<Group> {
  await tx.select({ id: groups.id }).from(groups).where(eq(groups.id, id)).for('no key update');
  return (await groupFor(ctx, tx, name, id, message)).group;
}

/** All members, the earliest first. */
export const membersOf = (tx: Orm, groupId: string) =>
  tx
    .select({
      id: users.id,
      email: users.email,
      emailKey: users.emailKey,
      language: users.language,
      firstName: users.firstName,
      lastName: users.lastName,
      role: groupMembers.role,
      joinedAt: groupMembers.joinedAt,
      quota: allowances.quota,
      ownQuota: allowances.own,
      used: allowances.used,
    })
    .from(groupMembers)
    .innerJoin(users, eq(users.id, groupMembers.userId))
    .leftJoin(allowances, and(eq(allowances.groupId, groupId), eq(allowances.userId, groupMembers.userId)))
    .where(eq(groupMembers.groupId, groupId))
    .orderBy(asc(groupMembers.joinedAt), asc(users.id));

/** Condition for the open invitations to a group; those that were declined are open as well. */
export const waitingFor = (house: Pick<House, 'clock'>, groupId: string) =>
  and(
    eq(invitations.kind, 'team'),
    eq(invitations.targetId, groupId),
    isNull(invitations.acceptedAt),
    isNull(invitations.revokedAt),
    gt(invitations.expiresAt, house.clock.now()),
  );

export const invitedTo = (house: Pick<House, 'clock'>, tx: Orm, groupId: string) =>
  tx
    .select({
      id: invitations.id,
      email: invitations.email,
      emailKey: invitations.emailKey,
      role: invitations.role,
      quota: invitations.quota,
      declinedAt: invitations.declinedAt,
    })
    .from(invitations)
    .where(waitingFor(house, groupId))
    .orderBy(asc(invitations.email), asc(invitations.id));

/** Revokes the invitations to a group, of everybody or of one person, including those they have accepted. */
export async function revokeAll(
  house: Pick<House, 'clock'>,
  tx: Orm,
  groupId: string,
  of?: { id: string; emailKey: string },
): Promise<void> {
  await tx
    .update(invitations)
    .set({ revokedAt: house.clock.now() })
    .where(
      and(
        eq(invitations.kind, 'team'),
        eq(invitations.targetId, groupId),
        isNull(invitations.revokedAt),
        of && or(eq(invitations.emailKey, of.emailKey), eq(invitations.acceptedBy, of.id)),
      ),
    );
}

const fields = ({ id, name, description, type, archivedAt, createdAt, models }: Group, role: GroupRole) => ({
  id,
  name,
  description,
  type: typeNamed(type),
  archived: archivedAt !== null,
  created: createdAt.toISOString(),
  role,
  models,
});

/** All groups of a person, archived ones included. */
export async function viewGroups(tx: Orm, personId: string, id?: string): Promise<GroupView[]> {
  // A subquery for each group reads only the members of that group.
  const members = sql<number>`(select count(*)::int from group_members of where of.group_id = ${groups.id})`;
  const rows = await tx
    .select({ group: groups, role: groupMembers.role, members, team: teams })
    .from(groupMembers)
    .innerJoin(groups, eq(groups.id, groupMembers.groupId))
    .leftJoin(teams, and(eq(teams.groupId, groups.id), eq(groups.type, 'team')))
    .where(and(eq(groupMembers.userId, personId), id === undefined ? undefined : eq(groups.id, id)))
    .orderBy(sql`lower(${groups.name})`, groups.id);
  const payers = await payersOf(
    tx,
    rows.map(({ team }) => team),
  );
  return rows.map(({ group, role, members, team }) => ({
    ...fields(group, roleNamed(role)),
    members,
    ...payers.viewOf(team, roleNamed(role)),
    ...(team && role === 'admin' && optionsOf(team)),
  }));
}

export async function viewGroup(tx: Orm, personId: string, id: string): Promise<GroupView> {
  const [view] = await viewGroups(tx, personId, id);
  if (!view) throw new Problem('NO_ACCESS');
  return view;
}

/** A group with its members; only admins see who is invited, and what others use. */
export async function viewDetail(ctx: Signed, tx: Orm, id: string): Promise<GroupDetail> {
  const { role } = await groupFor(ctx, tx, 'GET /api/groups/:id', id);
  const { members: _, ...view } = await viewGroup(tx, ctx.person.id, id);
  const team = view.type === 'team';
  const sees = (member: string) => team && (role === 'admin' || member === ctx.person.id);
  const joined = (await membersOf(tx, id)).map((one): MemberView => ({
    id: one.id,
    kind: 'user',
    email: one.email,
    first_name: one.firstName,
    last_name: one.lastName,
    role: roleNamed(one.role),
    payer: team && view.payer?.id === one.id,
    ...(sees(one.id) && {
      quota: creditsOf(one.quota),
      quotaDefault: one.ownQuota !== true,
      used: creditsOf(one.used ?? 0n),
    }),
  }));
  const waiting = role === 'admin' ? await invitedTo(ctx, tx, id) : [];
  const pending = waiting.map((one): MemberView => ({
    id: one.id,
    kind: 'pending',
    email: one.email,
    first_name: '',
    last_name: '',
    role: roleNamed(one.role),
    payer: false,
    declined: one.declinedAt !== null,
    ...(team && {
      quota: one.quota === null ? (view.defaultQuota ?? null) : creditsOf(one.quota),
      quotaDefault: one.quota === null,
      used: 0,
    }),
  }));
  return { ...view, members: [...joined, ...pending] };
}

/** Ids of the people who share an active group with a person. */
export const fellowsOf = (personId: string) => sql`
  select o.user_id from group_members o where o.group_id in (select g.id from groups_of(${personId}) g)`;

/** Active groups of a person, with the number of members. */
export async function livingGroupsOf(
  tx: Orm,
  personId: string,
): Promise<{ id: string; name: string; type: string; role: string; members: number }[]> {
  const rows = await tx
    .select({
      id: groups.id,
      name: groups.name,
      type: groups.type,
      role: groupMembers.role,
      members: sql<number>`(select count(*)::int from group_members n where n.group_id = ${groups.id})`,
    })
    .from(groupMembers)
    .innerJoin(groups, and(eq(groups.id, groupMembers.groupId), isNull(groups.archivedAt)))
    .where(eq(groupMembers.userId, personId))
    .orderBy(sql`lower(${groups.name})`, groups.id);
  return rows;
}

/** Groups as shown to the people who share with them. */
export async function groupsById(tx: Orm, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, never>();
  const rows = await tx
    .select({
      id: groups.id,
      name: groups.name,
      archived: sql<boolean>`${groups.archivedAt} is not null`,
      members: sql<number>`(select count(*)::int from group_members n where n.group_id = ${groups.id})`,
    })
    .from(groups)
    .where(inArray(groups.id, [...ids]));
  return new Map(rows.map((row) => [row.id, row]));
}

/** Other members of an active group, as recipients of mails. */
export async function othersIn(tx: Orm, groupId: string, personId: string) {
  return tx
    .select({ id: users.id, email: users.email, language: users.language })
    .from(groupMembers)
    .innerJoin(groups, and(eq(groups.id, groupMembers.groupId), isNull(groups.archivedAt)))
    .innerJoin(users, eq(users.id, groupMembers.userId))
    .where(and(eq(groupMembers.groupId, groupId), ne(groupMembers.userId, personId)))
    .orderBy(asc(groupMembers.joinedAt), asc(users.id));
}
