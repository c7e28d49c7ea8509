import { and, asc, eq, inArray, isNull, or, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { dropUnnamedSets } from '#db/unnamed-sets.ts';
import { groupMembers, groups } from '#db/schema/groups.ts';
import { outcomeModels } from '#db/schema/outcome-models.ts';
import { isOwnModel, type ModelId, type OwnModelId } from '#shared/account-choices.ts';
import { newId } from '#shared/ids.ts';
import { mostSets, type OwnChild, type OwnType } from '#shared/meetings/own-types.ts';
import {
  ownModelLimits,
  type OutcomeModelChange,
  type OutcomeModelInput,
  type OutcomeModelView,
  type OwnTypeInput,
} from '#shared/outcome-models.ts';
import { invalid, Problem } from '#shared/problems.ts';
import { groupVerbs, mayCallGroup } from '#shared/roles.ts';
import { signedIn, transaction, type Ctx, type Signed } from '../context.ts';
import { roleNamed } from '../groups/members.ts';
import { setsOfferedTo } from '../groups/offered-sets.ts';
import { keepResult } from '../http/once.ts';
import { rules } from '../limits.ts';

type Row = typeof outcomeModels.$inferSelect;

/** Sets of a group are changed by those who may change the group. */
const leads = (role: string | null | undefined): boolean =>
  role != null && mayCallGroup(groupVerbs['PUT /api/groups/:id'], roleNamed(role)) === null;

/** Sets of a person: their own, those of the groups that they are in, and others that these groups offer. */
async function setsOf(tx: Orm, userId: string, id?: OwnModelId): Promise<OutcomeModelView[]> {
  const offered = await setsOfferedTo(tx, userId);
  const rows = await tx
    .select({ model: outcomeModels, group: { id: groups.id, name: groups.name }, role: groupMembers.role })
    .from(outcomeModels)
    .leftJoin(groups, and(eq(groups.id, outcomeModels.groupId), isNull(groups.archivedAt)))
    .leftJoin(groupMembers, and(eq(groupMembers.groupId, groups.id), eq(groupMembers.userId, userId)))
    .where(
      and(
        or(
          eq(outcomeModels.ownerId, userId),
          eq(groupMembers.userId, userId),
          inArray(
            outcomeModels.id,
            offered.map((one) => one.id),
          ),
        ),
        id === undefined ? undefined : eq(outcomeModels.id, id),
      ),
    )
    .orderBy(asc(outcomeModels.createdAt), asc(outcomeModels.id));
  return rows.map(({ model, group, role }) => ({
    ...{ id: model.id, name: model.name, language: model.language, types: model.types },
    ...{ group, rev: model.rev, retired: model.retiredAt !== null },
    mayChange: model.ownerId === userId || leads(role),
    offeredIn: offered.flatMap((one) => (one.id === model.id ? { id: one.groupId, name: one.groupName } : [])),
  }));
}

export async function listOutcomeModels(ctx: Ctx): Promise<{ models: OutcomeModelView[] }> {
  return { models: await setsOf(ctx.db.orm, signedIn(ctx).person.id) };
}

/** Whether the person may choose this set for a recording or a review. */
export async function mayUseSet(tx: Orm, userId: string, id: OwnModelId): Promise<boolean> {
  const [found] = await setsOf(tx, userId, id);
  return found !== undefined && !found.retired;
}

/** Refuses a set that the person may not use; those of the product are everybody's. */
export async function refuseForeignSet(
  tx: Orm,
  userId: string,
  id: ModelId | null,
  field = 'outcomeModel',
): Promise<void> {
  if (!isOwnModel(id)) return;
  // Nobody deletes it before the transaction ends that names it.
  await tx.select({ id: outcomeModels.id }).from(outcomeModels).where(eq(outcomeModels.id, id)).for('key share');
  if (!(await mayUseSet(tx, userId, id))) throw invalid({ field, code: 'unknown' });
}

export const createOutcomeModel = (
  ctx: Ctx,
  { groupId = null, ...given }: OutcomeModelInput,
): Promise<{ model: OutcomeModelView }> =>
  changing(ctx, async ({ person }, tx) => {
    if (groupId !== null) await refuseForeign(tx, person.id, groupId);
    const owner = groupId === null ? { ownerId: person.id, groupId } : { ownerId: null, groupId };
    await refuseTooMany(tx, owner);
    const id: OwnModelId = `own_${newId()}`;
    const { name, language } = given;
    const merged = mergeTypes({ id, types: [], lastType: 0 }, given.types);
    await tx
      .insert(outcomeModels)
      .values({ ...owner, ...{ id, name, language, ...merged }, createdAt: ctx.clock.now() });
    return id;
  });

/** Changes a set; types that are left out are no longer offered, and stay for the outcomes that have them. */
export const changeOutcomeModel = (
  ctx: Ctx,
  { id, rev, name, language, types, retired }: OutcomeModelChange & { id: string },
): Promise<{ model: OutcomeModelView }> =>
  changing(ctx, async ({ person }, tx) => {
    const row = await lockedSet(tx, person.id, id);
    if (row.rev !== rev) throw new Problem('CONFLICT');
    const merged = mergeTypes(row, types);
    if (row.retiredAt !== null && retired === false) await refuseTooMany(tx, row, 0);
    const retiredAt = retired === undefined ? row.retiredAt : retired ? (row.retiredAt ?? ctx.clock.now()) : null;
    await tx
      .update(outcomeModels)
      .set({ name, language, ...merged, retiredAt, rev: row.rev + 1 })
      .where(eq(outcomeModels.id, row.id));
    return row.id;
  });

/** Deletes a set that no recording or review names. */
export async function deleteOutcomeModel(ctx: Ctx, { id }: { id: string }): Promise<void> {
  const { person } = signedIn(ctx);
  await ctx.limits.take(rules.outcomeModels, person.id);
  await transaction(ctx, async (tx) => {
    const row = await lockedSet(tx, person.id, id);
    const dropped = await dropUnnamedSets(tx, eq(outcomeModels.id, row.id));
    if (dropped === 0) throw new Problem('CONFLICT', { message: "A set in use can't be deleted" });
    await keepResult(ctx, tx, null);
  });
}

/** A set that the person may change, locked until the transaction ends. */
async function lockedSet(tx: Orm, userId: string, id: string): Promise<Row> {
  if (!isOwnModel(id)) throw new Problem('NO_ACCESS');
  const [held] = await setsOf(tx, userId, id);
  // Sets of others and no such set get the same answer.
  if (!held) throw new Problem('NO_ACCESS');
  if (!held.mayChange) throw new Problem('NO_PERM');
  const [row] = await tx.select().from(outcomeModels).where(eq(outcomeModels.id, id)).for('update');
  if (!row) throw new Problem('NO_ACCESS');
  return row;
}

async function changing(
  ctx: Ctx,
  work: (signed: Signed, tx: Orm) => Promise<OwnModelId>,
): Promise<{ model: OutcomeModelView }> {
  const signed = signedIn(ctx);
  await ctx.limits.take(rules.outcomeModels, signed.person.id);
  return transaction(ctx, async (tx) => {
    const id = await work(signed, tx);
    const [model] = await setsOf(tx, signed.person.id, id);
    if (!model) throw new Error('no set was stored');
    const answer = { model };
    await keepResult(ctx, tx, answer);
    return answer;
  });
}

/** Groups that the caller is not in and no such group get the same answer. */
async function refuseForeign(tx: Orm, userId: string, groupId: string): Promise<void> {
  const [found] = await tx
    .select({ role: groupMembers.role })
    .from(groupMembers)
    .innerJoin(groups, and(eq(groups.id, groupMembers.groupId), isNull(groups.archivedAt)))
    .where(and(eq(groupMembers.groupId, groupId), eq(groupMembers.userId, userId)));
  if (!leads(found?.role)) throw invalid({ field: 'groupId', code: 'unknown' });
}

/** Counts under a lock, so that requests at once do not pass the limits together. */
async function refuseTooMany(tx: Orm, { ownerId, groupId }: Pick<Row, 'ownerId' | 'groupId'>, made = 1): Promise<void> {
  const mine = ownerId === null ? eq(outcomeModels.groupId, groupId ?? '') : eq(outcomeModels.ownerId, ownerId);
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`sets of ${ownerId ?? groupId}`}, 0))`);
  const offered = await tx.$count(outcomeModels, and(mine, isNull(outcomeModels.retiredAt)));
  if (offered >= mostSets) throw invalid({ field: '', code: 'too_many' });
  const all = await tx.$count(outcomeModels, mine);
  if (all + made > ownModelLimits.kept) throw invalid({ field: 'retired', code: 'too_many' });
}

/** The types of a set after a change, with ids for those that are new. */
function mergeTypes(
  { id: set, types: before, lastType }: Pick<Row, 'id' | 'types' | 'lastType'>,
  given: readonly OwnTypeInput[],
): Pick<Row, 'types' | 'lastType'> {
  let last = lastType;
  const nextId = () => {
    last += 1;
    return `${set}_${last}`;
  };
  const known = new Map(before.map((type) => [type.id, type]));
  // Ids of another set, as those of an exported file, name types that are new here.
  const types = given.map(({ id, children, ...type }): OwnType => {
    const held = id === undefined ? undefined : known.get(id);
    const below = new Map(held?.children.map((one) => [one.id, one]));
    const kept = children.map(({ id: childId, name }): OwnChild => {
      const child = childId === undefined ? undefined : below.get(childId);
      if (child) below.delete(child.id);
      return { id: child?.id ?? nextId(), name, retired: false };
    });
    if (held) known.delete(held.id);
    const grades = mergeGrades(held?.grades ?? [], type.grades);
    return {
      ...type,
      grades,
      id: held?.id ?? nextId(),
      retired: false,
      children: [...kept, ...retire(below.values())],
    };
  });
  const gone = retire(known.values());
  const retired =
    gone.length + types.reduce((sum, { children }) => sum + children.filter((one) => one.retired).length, 0);
  const size = JSON.stringify([types, gone]).length;
  if (retired > ownModelLimits.retired || size > ownModelLimits.stored)
    throw invalid({ field: 'types', code: 'too_many' });
  return { types: [...types, ...gone], lastType: last };
}

/** Grades after a change: those that are left out keep their numbers and names for who has them. */
const mergeGrades = (before: OwnType['grades'], given: OwnTypeInput['grades']): OwnType['grades'] => [
  ...given,
  ...before.flatMap((grade) => (given.some(({ value }) => value === grade.value) ? [] : { ...grade, retired: true })),
];

const retire = <One extends OwnChild>(all: Iterable<One>): One[] =>
  Array.from(all, (one) => ({ ...one, retired: true }));
