import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { ledgerAccounts, purses } from '#db/schema/billing.ts';
import { allowances, groups } from '#db/schema/groups.ts';
import { Problem } from '#shared/problems.ts';
import { lawOf } from './ledger.ts';

/** A team that pays for a person: it is active, and its payer one of its admins. */
export interface PayingTeam {
  groupId: string;
  name: string;
  payerId: string;
  payerName: string;
  /** Admins see what the payer has. */
  isAdmin: boolean;
  /** Limit of the member; null for none. */
  quota: bigint | null;
  /** Sum paid and reserved by the team for the person. */
  used: bigint;
}

interface Row extends Record<string, unknown> {
  id: string;
  name: string;
  payer_id: string;
  payer_name: string;
  is_admin: boolean;
  quota: string | null;
  used: string;
}

/** Teams that pay for a person, in the order of joining. */
export async function payingTeamsOf(orm: Orm, userId: string, groupId?: string): Promise<PayingTeam[]> {
  const rows = await orm.execute<Row>(sql`
    select g.id, g.name, t.payer_id, trim(u.first_name || ' ' || u.last_name) as payer_name, m.role = 'admin' as is_admin,
      (case when a.user_id is null then t.default_quota else a.quota end)::text as quota, coalesce(a.used, 0)::text as used
    from group_members m join groups g on g.id = m.group_id and g.type = 'team' and g.archived_at is null
    join teams t on t.group_id = g.id
    join group_members p on p.group_id = g.id and p.user_id = t.payer_id and p.role = 'admin'
    join users u on u.id = t.payer_id
    left join allowances a on a.group_id = g.id and a.user_id = m.user_id
    where m.user_id = ${userId} and ${groupId === undefined ? sql`true` : sql`g.id = ${groupId}`}
    order by m.joined_at, g.id`);
  return rows.map((row) => ({
    groupId: row.id,
    name: row.name,
    payerId: row.payer_id,
    payerName: row.payer_name,
    isAdmin: row.is_admin,
    quota: row.quota === null ? null : BigInt(row.quota),
    used: BigInt(row.used),
  }));
}

/**
 * The same for one team, which stays as it is until the end of the transaction: nobody archives it, leaves it, or is
 * given another quota. Null: it does not pay for the person.
 */
export async function lockPayingTeam(tx: Orm, userId: string, groupId: string): Promise<PayingTeam | null> {
  await tx.select({ id: groups.id }).from(groups).where(eq(groups.id, groupId)).for('share');
  await tx.execute(sql`
    insert into allowances (group_id, user_id, quota)
    select t.group_id, m.user_id, t.default_quota from teams t join group_members m on m.group_id = t.group_id
    where t.group_id = ${groupId} and m.user_id = ${userId} on conflict do nothing`);
  await lockAllowance(tx, { groupId, memberId: userId });
  const [team = null] = await payingTeamsOf(tx, userId, groupId);
  return team;
}

/** Member that a team pays for; both null: only the owner of the purse. */
interface Covered {
  groupId: string | null;
  memberId: string | null;
}

/** Holds off whatever else uses what a team pays for a member; comes before the purse. */
export async function lockAllowance(tx: Orm, { groupId, memberId }: Covered): Promise<void> {
  if (groupId === null || memberId === null) return;
  await tx
    .select({ used: allowances.used })
    .from(allowances)
    .where(and(eq(allowances.groupId, groupId), eq(allowances.userId, memberId)))
    .for('update');
}

/** Credits and debts of people; those who never had any are left out. */
export async function creditsAndDebts(
  orm: Orm,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, { credits: bigint; debt: bigint }>> {
  const found = new Map<string, { credits: bigint; debt: bigint }>();
  if (userIds.length === 0) return found;
  const rows = await orm
    .select({ userId: purses.userId, name: ledgerAccounts.name, balance: ledgerAccounts.balance })
    .from(purses)
    .innerJoin(
      ledgerAccounts,
      and(eq(ledgerAccounts.purseId, purses.id), inArray(ledgerAccounts.name, ['credits', 'debt'])),
    )
    .where(inArray(purses.userId, [...userIds]));
  for (const { userId, name, balance } of rows) {
    const before = found.get(userId ?? '') ?? { credits: 0n, debt: 0n };
    found.set(userId ?? '', name === 'debt' ? { ...before, debt: -balance } : { ...before, credits: balance });
  }
  return found;
}

/** Counts an amount against what a team pays for a member; below zero: gives it back. */
export async function useAllowance(tx: Orm, { groupId, memberId }: Covered, amount: bigint): Promise<void> {
  if (groupId === null || memberId === null || amount === 0n) return;
  try {
    await tx
      .update(allowances)
      .set({ used: sql`${allowances.used} + ${String(amount)}::bigint` })
      .where(and(eq(allowances.groupId, groupId), eq(allowances.userId, memberId)));
  } catch (error) {
    if (lawOf(error) === 'allowances_used') throw new Problem('QUOTA', { cause: error });
    throw error;
  }
}
