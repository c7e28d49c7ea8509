import { sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { isOwnModel, type OwnModelId } from '#shared/account-choices.ts';
import { invalid } from '#shared/problems.ts';

// Sets of outcome types that a group offers its members, or that a team forces: the group's own, and those of members who
// chose them as admins. Settings keep the id of a set that can no longer be offered; it counts for nothing.

interface OfferedSet {
  groupId: string;
  groupName: string;
  id: OwnModelId;
  name: string;
}

/** Whether the group `g` has the set `m`, or a member of it. */
const isOfGroup = sql`(m.group_id = g.id or exists (
  select 1 from group_members o where o.group_id = g.id and o.user_id = m.owner_id))`;

/** Ids of the sets that the settings of the group `g` name; those of a team, where `t` is one. */
const named = sql`array_append(g.models, t.force_outcome_model)`;

/** Sets that the active groups of a person offer, by the groups' settings as they are now. */
export async function setsOfferedTo(tx: Orm, personId: string): Promise<OfferedSet[]> {
  const rows = await tx.execute<{ group_id: string; group_name: string; id: OwnModelId; name: string }>(sql`
    select g.id as group_id, g.name as group_name, m.id, m.name
    from group_members me
    join groups g on g.id = me.group_id and g.archived_at is null
    left join teams t on t.group_id = g.id and g.type = 'team'
    join outcome_models m on m.id = any(${named}) and m.retired_at is null
    where me.user_id = ${personId} and ${isOfGroup}
    order by m.created_at, m.id, me.joined_at, g.id`);
  return rows.map(({ group_id, group_name, id, name }) => ({ groupId: group_id, groupName: group_name, id, name }));
}

interface Offering {
  personId: string;
  /** Null for a group that is being made. */
  groupId: string | null;
}

/** Ids of sets by the settings that name them. */
export type Named = Readonly<Record<'forceOutcomeModel' | 'modelsInclude', readonly (string | null)[]>>;

/**
 * Refuses sets that an admin may not offer in a group: they choose the group's, their own, and those that it offers
 * already. What a setting names before the change stays, so that a group can be sent as it was returned.
 */
export async function refuseForeignOffers(tx: Orm, offering: Offering, wanted: Named, before?: Named): Promise<void> {
  const added = (['forceOutcomeModel', 'modelsInclude'] as const).flatMap((field) =>
    wanted[field].flatMap((id) => (isOwnModel(id) && !before?.[field].includes(id) ? { field, id } : [])),
  );
  if (added.length === 0) return;
  const good = await offerable(
    tx,
    offering,
    added.map(({ id }) => id),
  );
  const refused = added.find(({ id }) => !good.has(id));
  if (refused) throw invalid({ field: refused.field, code: 'set_gone' });
}

/**
 * Those of these sets that the person can offer in the group; nobody deletes them before the transaction ends. Sets of
 * strangers, those that are no longer offered, and ids of no set are all left out.
 */
async function offerable(tx: Orm, { personId, groupId }: Offering, ids: readonly OwnModelId[]): Promise<Set<string>> {
  const rows = await tx.execute<{ id: OwnModelId }>(sql`
    select m.id from outcome_models m
    where m.id in ${ids} and m.retired_at is null and (
      m.owner_id = ${personId} or m.group_id = ${groupId} or exists (
        select 1 from groups g left join teams t on t.group_id = g.id and g.type = 'team'
        where g.id = ${groupId} and m.id = any(${named}) and ${isOfGroup}))
    order by m.id for key share of m`);
  return new Set(rows.map(({ id }) => id));
}

/** Sets that a person can offer in every group that they are an admin of. */
export async function setsOwnedBy(tx: Orm, personId: string): Promise<OwnModelId[]> {
  const rows = await tx.execute<{ id: OwnModelId }>(
    sql`select id from outcome_models where owner_id = ${personId} and retired_at is null`,
  );
  return rows.map(({ id }) => id);
}
