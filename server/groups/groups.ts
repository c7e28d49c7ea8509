import { and, eq, inArray, sql } from 'drizzle-orm';
import type { z } from 'zod';
import type { Orm } from '#db/open.ts';
import { invitations } from '#db/schema/accounts.ts';
import { groupMembers, groups } from '#db/schema/groups.ts';
import { folderAccess, folders } from '#db/schema/library.ts';
import { outcomeModels } from '#db/schema/outcome-models.ts';
import { dropUnnamedSets } from '#db/unnamed-sets.ts';
import { groupLimits, keepsAdmin, suggestNames } from '#shared/group-rules.ts';
import type {
  GroupChange,
  GroupDetail,
  GroupInput,
  groupsAnswer,
  GroupView,
  NewGroupView,
  TeamOptions,
} from '#shared/groups.ts';
import { newId } from '#shared/ids.ts';
import { folderLimits, nameKey, pathTo, plainName } from '#shared/library.ts';
import { invalid, Problem } from '#shared/problems.ts';
import { folderGrantOf } from '#shared/sharing.ts';
import { signedIn, type Ctx, type Signed } from '../context.ts';
import { lockFolders } from '../folders/places.ts';
import { readTree } from '../folders/tree.ts';
import { change, dismiss } from './change.ts';
import { excludeMember, include } from './invite.ts';
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
import { refuseForeignOffers, type Named } from './offered-sets.ts';
import { closeTeam, namePayer, payerRefusal } from './payer.ts';
import { openTeam, setOptions, teamOf } from './teams.ts';

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

export function createGroup(ctx: Ctx, { name, folder, ...given }: GroupInput): Promise<NewGroupView> {
  return change(ctx, async (signed, tx) => {
    const id = await makeGroup(signed, tx, { name, ...given });
    const made = folder ? await makeFolder(signed, tx, id, name) : null;
    return { ...(await viewGroup(tx, signed.person.id, id)), folder: made };
  });
}

type NewGroup = Omit<GroupInput, 'folder'>;

/** Makes a group with the caller as its admin, who pays if it is a team. */
export async function makeGroup(
  ctx: Signed,
  tx: Orm,
  { name, description = '', type = 'group', options, modelsInclude = [], modelsExclude = [] }: NewGroup,
): Promise<string> {
  const { person } = ctx;
  if (!person.confirmed) throw new Problem('NO_PERM', { message: 'Please confirm your address first' });
  if (type !== 'team') refuseOptions(options);
  await refuseForeignOffers(tx, { personId: person.id, groupId: null }, offersIn({ options, modelsInclude }));
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`groups of ${person.id}`}, 0))`);
  const own = await refuseTaken(ctx, tx, name);
  if (own.length >= groupLimits.most) throw invalid({ field: '', code: 'too_many' });
  const id = newId();
  const now = ctx.clock.now();
  const models = [...new Set(modelsInclude)].filter((one) => !modelsExclude.includes(one));
  await tx.insert(groups).values({ id, type, name, description, models, createdAt: now });
  await tx.insert(groupMembers).values({ groupId: id, userId: person.id, role: 'admin', joinedAt: now });
  if (type === 'team') await openTeam(ctx, tx, id, person.id, options);
  return id;
}

/** Sets of outcome types that a change names, by the fields that name them. */
const offersIn = ({ options, modelsInclude = [] }: Pick<NewGroup, 'options' | 'modelsInclude'>): Named => ({
  forceOutcomeModel: [options.forceOutcomeModel ?? null],
  modelsInclude,
});

/** Settings are those of a team: a plain group takes none of them. */
function refuseOptions(options: TeamOptions): void {
  const errors = Object.keys(options).map((field) => ({ field, code: 'team_only' }));
  if (errors.length > 0) throw new Problem('INVALID', { errors });
}

/** A folder of the caller with the group's name that members can edit in. A name that is taken gets a number. */
async function makeFolder(ctx: Signed, tx: Orm, groupId: string, name: string): Promise<{ id: string; path: string }> {
  const ownerId = ctx.person.id;
  await lockFolders(tx, ownerId);
  const tree = await readTree(tx, ownerId);
  if (tree.all.length >= folderLimits.most) throw invalid({ field: 'folder', code: 'folders_full' });
  const taken = new Set(tree.children(null).map((one) => one.nameKey));
  // A name in a path; short enough for a number behind it.
  const plain = plainName([...name.replaceAll(/[/\\]/g, ' ')].slice(0, folderLimits.name / 2).join(''));
  const free =
    [plain, ...Array.from(taken, (_, i) => `${plain} ${i + 2}`)].find((one) => !taken.has(nameKey(one))) ?? '';
  const id = newId();
  await tx
    .insert(folders)
    .values({ id, ownerId, parentId: null, name: free, nameKey: nameKey(free), createdAt: ctx.clock.now() });
  await tx
    .insert(folderAccess)
    .values({ folderId: id, kind: 'group', principalId: groupId, permissions: folderGrantOf('canEdit') });
  return { id, path: pathTo([free]) };
}

export function changeGroup(ctx: Ctx, { id, ...given }: GroupChange & { id: string }): Promise<GroupView> {
  return change(ctx, async (signed, tx) => {
    const refusal = given.payer === undefined ? undefined : payerRefusal;
    const group = await heldGroup(signed, tx, 'PUT /api/groups/:id', id, refusal);
    const { name, description, type = group.type, options } = given;
    if (name !== undefined && name !== group.name) await refuseTaken(signed, tx, name, id);
    const { modelsInclude = [], modelsExclude = [] } = given;
    const team = await teamOf(tx, id);
    const before = { forceOutcomeModel: [team?.forceOutcomeModel ?? null], modelsInclude: group.models };
    await refuseForeignOffers(tx, { personId: signed.person.id, groupId: id }, offersIn(given), before);
    const models = [...new Set([...group.models, ...modelsInclude])].filter(
      (one) => !modelsExclude.some((gone) => gone === one),
    );
    if (models.length > groupLimits.models) throw invalid({ field: 'modelsInclude', code: 'too_many' });
    await tx
      .update(groups)
      .set({
        name: name ?? group.name,
        description: description ?? group.description,
        type,
        models,
      })
      .where(eq(groups.id, id));
    if (type !== 'team') {
      refuseOptions(options);
      if (group.type === 'team') await closeTeam(signed, tx, id);
    } else if (group.type !== 'team') await openTeam(signed, tx, id, signed.person.id, options);
    else await setOptions(signed, tx, id, options);
    if (given.payer !== undefined) await namePayer(signed, tx, id, given.payer);
    for (const member of given.exclude ?? []) await excludeMember(signed, tx, id, member);
    if (given.include && given.include.length > 0) await include(signed, tx, { ...group, type }, given.include);
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
  await dropUnnamedSets(tx, eq(outcomeModels.groupId, id));
  await tx.delete(groups).where(eq(groups.id, id));
}

export function leaveGroup(ctx: Ctx, { id }: { id: string }): Promise<null> {
  return change(ctx, async (signed, tx) => {
    await heldGroup(signed, tx, 'POST /api/groups/:id/leave', id);
    await dismiss(signed, tx, id, signed.person);
    return null;
  });
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
        .set({ acceptedAt: ctx.clock.now(), acceptedBy: person.id, declinedAt: null })
        .where(eq(invitations.id, invitation.id));
      if (!(await join(ctx, tx, id, person.id, invitation))) throw new Problem('NO_ACCESS');
    }
    return viewGroup(tx, person.id, id);
  });
}

/** Declines the invitation to a group; its admins see that. It can still be accepted. */
export function ignoreGroup(ctx: Ctx, { id }: { id: string }): Promise<null> {
  return change(ctx, async (signed, tx) => {
    const invitation = await ownInvitation(signed, tx, id);
    if (!invitation) throw new Problem('NO_ACCESS');
    if (invitation.declinedAt === null)
      await tx.update(invitations).set({ declinedAt: ctx.clock.now() }).where(eq(invitations.id, invitation.id));
    return null;
  });
}

/**
 * Removes a person from all groups before their account is deleted. Where they are the only admin, the earliest other
 * member becomes admin; a group without other members is deleted. Refused while they pay for a team with other members.
 */
export async function leaveAllGroups(ctx: Ctx, tx: Orm, personId: string): Promise<void> {
  const own = await tx.select({ id: groupMembers.groupId }).from(groupMembers).where(eq(groupMembers.userId, personId));
  const paid: string[] = [];
  for (const id of own.map((one) => one.id).toSorted()) {
    await tx.select({ id: groups.id }).from(groups).where(eq(groups.id, id)).for('no key update');
    const members = (await membersOf(tx, id)).map((one) => ({ id: one.id, role: roleNamed(one.role) }));
    const team = await teamOf(tx, id);
    if (team?.payerId === personId && members.length > 1) paid.push(id);
    if (keepsAdmin(members, personId, null)) continue;
    const heir = members.find((one) => one.id !== personId);
    if (!heir) await remove(ctx, tx, id);
    else
      await tx
        .update(groupMembers)
        .set({ role: 'admin' })
        .where(and(eq(groupMembers.groupId, id), eq(groupMembers.userId, heir.id)));
  }
  if (paid.length === 0) return;
  const teams = await tx.select({ id: groups.id, name: groups.name }).from(groups).where(inArray(groups.id, paid));
  throw new Problem('PAYER', { info: { teams } });
}
