import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { ledgerAccounts, purses } from '#db/schema/billing.ts';
import { allowances, groupMembers, groups, teams } from '#db/schema/groups.ts';
import { isOwnModel } from '#shared/account-choices.ts';
import type { GroupRole } from '#shared/group-rules.ts';
import type { GroupView, TeamOptions, TeamOptionsView } from '#shared/groups.ts';
import { creditsText, microsPerCredit } from '#shared/money.ts';
import { invalid } from '#shared/problems.ts';
import type { MailTime, Ruling } from '#shared/team-rules.ts';
import type { House } from '../context.ts';
import { setsOfferedTo } from './offered-sets.ts';

export type Team = typeof teams.$inferSelect;

/** Credits as the number that people typed; what is used has more decimals. */
export function creditsOf(micros: bigint): number;
export function creditsOf(micros: bigint | null): number | null;
export function creditsOf(micros: bigint | null): number | null {
  return micros === null ? null : Number(micros) / Number(microsPerCredit);
}

/** The settings of a group with centralized billing; null for a plain group. */
export async function teamOf(tx: Orm, groupId: string): Promise<Team | null> {
  const [row] = await tx
    .select({ team: teams })
    .from(teams)
    .innerJoin(groups, and(eq(groups.id, teams.groupId), eq(groups.type, 'team')))
    .where(eq(teams.groupId, groupId));
  return row?.team ?? null;
}

const mailsWanted = (wanted: boolean | MailTime): MailTime =>
  typeof wanted === 'string' ? wanted : wanted ? 'once' : 'off';

export const optionsOf = (team: Team): TeamOptionsView => ({
  defaultQuota: creditsOf(team.defaultQuota),
  maxDurationMins: team.maxDurationMins,
  balanceThreshold: creditsOf(team.balanceThreshold),
  notifyAdminOnUpload: team.uploadMails === 'daily' ? 'daily' : team.uploadMails === 'once',
  forceAccountType: team.forceAccountType,
  forceOutcomeModel: team.forceOutcomeModel,
  hideBuiltinModels: team.hideBuiltinModels,
  invitationEmail: team.invitationEmail,
  assessmentEmail: team.assessmentEmail,
  noWelcomeEmail: team.noWelcomeEmail,
  assessmentMails: team.assessmentMails,
  secondPass: team.secondPass,
  secondReaders: team.secondReaders,
});

/** Settings as columns; those that are left out stay. */
type Columns = Omit<Team, 'groupId'>;
const columnsOf = ({
  notifyAdminOnUpload,
  ...options
}: TeamOptions): { [Column in keyof Columns]?: Columns[Column] | undefined } => ({
  ...options,
  ...(notifyAdminOnUpload !== undefined && { uploadMails: mailsWanted(notifyAdminOnUpload) }),
});

/**
 * Makes a group a team that this person pays for, with the settings it had when it was one before. Members that have
 * none get an allowance.
 */
export async function openTeam(
  { clock }: Pick<House, 'clock'>,
  tx: Orm,
  groupId: string,
  payerId: string,
  options: TeamOptions,
): Promise<void> {
  const now = clock.now();
  await refuseStrangers(tx, groupId, options);
  const set = { ...columnsOf(options), payerId, askedPayerId: null, lowSince: null, uploadsTold: now };
  await tx
    .insert(teams)
    .values({ groupId, ...set })
    .onConflictDoUpdate({ target: teams.groupId, set });
  await tx.execute(sql`
    insert into allowances (group_id, user_id, quota)
    select m.group_id, m.user_id, t.default_quota from group_members m join teams t on t.group_id = m.group_id
    where m.group_id = ${groupId} on conflict do nothing`);
  // Only a balance that falls is told; the payer of a new team sees theirs.
  await noteLow(tx, groupId, now);
  if (options.defaultQuota !== undefined) await spreadQuota(tx, groupId, options.defaultQuota);
}

/** Refuses people who are not in the team for its second passes. */
async function refuseStrangers(tx: Orm, groupId: string, { secondReaders = [] }: TeamOptions): Promise<void> {
  if (secondReaders.length === 0) return;
  const members = await tx
    .select({ id: groupMembers.userId })
    .from(groupMembers)
    .where(and(eq(groupMembers.groupId, groupId), inArray(groupMembers.userId, secondReaders)));
  if (secondReaders.some((id) => !members.some((one) => one.id === id)))
    throw invalid({ field: 'secondReaders', code: 'unknown' });
}

/** Changes settings of a locked group that is a team. */
export async function setOptions(
  { clock }: Pick<House, 'clock'>,
  tx: Orm,
  groupId: string,
  options: TeamOptions,
): Promise<void> {
  const columns = columnsOf(options);
  if (Object.keys(columns).length === 0) return;
  await refuseStrangers(tx, groupId, options);
  // Mails that begin now tell of what is added from now on.
  const told = sql`case when ${teams.uploadMails} = 'off' then ${clock.now().toISOString()}::timestamptz else ${teams.uploadsTold} end`;
  const set = { ...columns, ...(columns.uploadMails !== undefined && { uploadsTold: told }) };
  await tx.update(teams).set(set).where(eq(teams.groupId, groupId));
  if (options.defaultQuota !== undefined) await spreadQuota(tx, groupId, options.defaultQuota);
}

/** Marks a team as low, if its payer has less than its threshold; answers what is left. Null: it is not, or was before. */
export async function noteLow(tx: Orm, groupId: string, now: Date): Promise<{ left: bigint; limit: bigint } | null> {
  const [low] = await tx.execute<{ left: string; limit: string }>(sql`
    update teams t set low_since = ${now.toISOString()}::timestamptz
    from (${teamBalances}) b where b.group_id = t.group_id and t.group_id = ${groupId} and t.low_since is null
      and b.credits < t.balance_threshold
    returning b.credits::text as left, t.balance_threshold::text as limit`);
  return low ? { left: BigInt(low.left), limit: BigInt(low.limit) } : null;
}

/** Active teams with the credits of their payer. */
export const teamBalances = sql`
  select t.group_id, t.balance_threshold, t.low_since, coalesce(a.balance, 0) as credits
  from teams t join groups g on g.id = t.group_id and g.type = 'team' and g.archived_at is null
  left join purses p on p.user_id = t.payer_id
  left join ledger_accounts a on a.purse_id = p.id and a.name = 'credits'
  where t.payer_id is not null`;

/** Gives the default to everybody without a quota of their own; refused where somebody has used more. */
async function spreadQuota(tx: Orm, groupId: string, quota: bigint | null): Promise<void> {
  const followers = and(eq(allowances.groupId, groupId), eq(allowances.own, false));
  const rows = await tx
    .select({ used: allowances.used, joined: groupMembers.userId, userId: allowances.userId })
    .from(allowances)
    .leftJoin(
      groupMembers,
      and(eq(groupMembers.groupId, allowances.groupId), eq(groupMembers.userId, allowances.userId)),
    )
    .where(followers)
    .orderBy(allowances.userId)
    .for('update', { of: allowances });
  const above = (used: bigint) => quota !== null && used > quota;
  if (rows.some(({ used, joined }) => joined !== null && above(used)))
    throw invalid({ field: 'defaultQuota', code: 'quota_used' });
  // Former members keep what they used, and get the new limit on return.
  const ids = rows.filter(({ used }) => !above(used)).map(({ userId }) => userId);
  if (ids.length > 0)
    await tx
      .update(allowances)
      .set({ quota })
      .where(and(followers, inArray(allowances.userId, ids)));
}

/** Sets what a team pays for a member; null follows its default. Refused below what is used. */
export async function setQuota(tx: Orm, team: Team, userId: string, given: bigint | null, field = 'quota') {
  const quota = given ?? team.defaultQuota;
  const own = given !== null;
  const { groupId } = team;
  await tx.insert(allowances).values({ groupId, userId }).onConflictDoNothing();
  const [row] = await tx
    .select({ used: allowances.used })
    .from(allowances)
    .where(and(eq(allowances.groupId, groupId), eq(allowances.userId, userId)))
    .for('update');
  if (row && quota !== null && row.used > quota) throw invalid({ field, code: 'quota_used' });
  await tx
    .update(allowances)
    .set({ quota, own })
    .where(and(eq(allowances.groupId, groupId), eq(allowances.userId, userId)));
}

/** The allowance of somebody who joins. Who was a member before keeps what is used, and gets no less than that. */
export async function openAllowance(tx: Orm, groupId: string, userId: string, given: bigint | null): Promise<void> {
  await tx.execute(sql`
    insert into allowances (group_id, user_id, quota, own)
    select t.group_id, ${userId}, coalesce(${given === null ? null : String(given)}::bigint, t.default_quota),
      ${given !== null}::boolean
    from teams t where t.group_id = ${groupId}
    on conflict (group_id, user_id) do update
    set quota = case when excluded.quota < allowances.used then allowances.used else excluded.quota end,
      own = excluded.own or coalesce(excluded.quota < allowances.used, false)`);
}

type Shown = Pick<GroupView, 'balance' | 'payer' | 'askedPayer'>;

/** Names and balances of the payers of teams, as each role sees them. */
export async function payersOf(
  tx: Orm,
  shown: readonly (Team | null)[],
): Promise<{ viewOf: (team: Team | null, role: GroupRole) => Shown }> {
  const payers = [...new Set(shown.flatMap((team) => team?.payerId ?? []))];
  const balances = await balancesOf(tx, payers);
  const ids = [...new Set(shown.flatMap((team) => [team?.payerId ?? [], team?.askedPayerId ?? []].flat()))];
  const people =
    ids.length === 0
      ? []
      : await tx
          .select({ id: users.id, first_name: users.firstName, last_name: users.lastName })
          .from(users)
          .where(inArray(users.id, ids));
  const named = (id: string | null | undefined) => people.find((one) => one.id === id) ?? null;
  return {
    viewOf: (team, role) => ({
      balance: role === 'admin' && team?.payerId ? creditsText(balances.get(team.payerId) ?? 0n) : null,
      payer: named(team?.payerId),
      askedPayer: role === 'admin' ? named(team?.askedPayerId) : null,
    }),
  };
}

/** Credits of people that are not reserved; those who never had any are left out. */
async function balancesOf(tx: Orm, personIds: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
  if (personIds.length === 0) return new Map();
  const rows = await tx
    .select({ personId: purses.userId, balance: ledgerAccounts.balance })
    .from(purses)
    .innerJoin(ledgerAccounts, and(eq(ledgerAccounts.purseId, purses.id), eq(ledgerAccounts.name, 'credits')))
    .where(inArray(purses.userId, [...personIds]));
  return new Map(rows.map(({ personId, balance }) => [personId ?? '', balance]));
}

/** Active groups of a person with their settings, in the order of joining. */
export async function membershipsOf(tx: Orm, personId: string): Promise<Membership[]> {
  const rows = await tx
    .select({ group: groups, team: teams, role: groupMembers.role, allowance: allowances })
    .from(groupMembers)
    .innerJoin(groups, and(eq(groups.id, groupMembers.groupId), isNull(groups.archivedAt)))
    .leftJoin(teams, and(eq(teams.groupId, groups.id), eq(groups.type, 'team')))
    .leftJoin(allowances, and(eq(allowances.groupId, groups.id), eq(allowances.userId, personId)))
    .where(eq(groupMembers.userId, personId))
    .orderBy(groupMembers.joinedAt, groups.id);
  const named = rows.flatMap(({ group, team }) => [...group.models, team?.forceOutcomeModel ?? null]);
  const sets = named.some(isOwnModel) ? await setsOfferedTo(tx, personId) : [];
  return rows.map(({ group, team, role, allowance }) => ({
    ...ruling(group, team),
    sets: sets.flatMap(({ groupId, id, name }) => (groupId === group.id ? { id, name } : [])),
    role: role === 'admin' ? ('admin' as const) : ('member' as const),
    team,
    allowance,
  }));
}

/** A group that somebody is in. */
export interface Membership extends Ruling {
  role: GroupRole;
  team: Team | null;
  allowance: typeof allowances.$inferSelect | null;
}

const ruling = (group: typeof groups.$inferSelect, team: Team | null): Omit<Ruling, 'sets'> => ({
  id: group.id,
  name: group.name,
  type: team ? 'team' : 'group',
  forceAccountType: team?.forceAccountType ?? null,
  forceOutcomeModel: team?.forceOutcomeModel ?? null,
  hideBuiltinModels: team?.hideBuiltinModels ?? false,
  models: group.models,
});
