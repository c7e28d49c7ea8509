import { and, eq, gt, isNull, or } from 'drizzle-orm';
import { invitations, sessions, userScopes, users } from '#db/schema/accounts.ts';
import { groups } from '#db/schema/groups.ts';
import { outcomeModelIds } from '#shared/account-choices.ts';
import {
  accountTypesFor,
  anonymousPrincipal,
  defaultPreferences,
  languages,
  personalScope,
  type Language,
  type Preferences,
  type PrincipalView,
  type ScopeView,
  type SessionInfo,
} from '#shared/accounts.ts';
import { groupRoleNames } from '#shared/group-rules.ts';
import { Problem } from '#shared/problems.ts';
import { forcedModel, forcedType, rulingOf, type Ruling } from '#shared/team-rules.ts';
import { balanceOf } from '../billing/balance.ts';
import { billingInfoOf } from '../billing/profile.ts';
import type { Ctx } from '../context.ts';
import { creditsOf, membershipsOf, type Membership } from '../groups/teams.ts';
import { isOperator } from '../orders/operators.ts';

type UserRow = typeof users.$inferSelect;

export async function principalOf(ctx: Ctx, userId: string): Promise<PrincipalView> {
  const [row] = await ctx.db.orm.select().from(users).where(eq(users.id, userId));
  if (!row) throw new Problem('UNAUTH');
  const joined = await membershipsOf(ctx.db.orm, userId);
  return principalView(ctx, row, { joined, billingInfo: await billingInfoOf(ctx.db.orm, userId) });
}

async function principalView(
  ctx: Ctx,
  row: UserRow,
  { joined, billingInfo }: { joined: readonly Membership[] } & Pick<PrincipalView, 'billingInfo'>,
): Promise<PrincipalView> {
  const ruling = rulingOf(joined);
  const types = accountTypesFor(row.accountType, row.outcomeModels, ruling);
  const type = types.find((one) => one.active);
  const scope = await currentScope(ctx, joined);
  return {
    id: row.id,
    kind: 'user',
    email: row.email,
    first_name: row.firstName,
    last_name: row.lastName,
    confirmed: row.confirmedAt !== null,
    hasPassword: row.passwordHash !== null,
    language: isLanguage(row.language) ? row.language : null,
    preferences: { ...defaultPreferences, ...(row.preferences as Preferences) },
    accountType: type?.id ?? null,
    outcomeModel: type?.models.find((model) => model.active)?.id ?? forcedModel(ruling),
    scope: { scope_id: scope.scope_id, role_id: scope.role_id },
    billingInfo,
  };
}

const isLanguage = (value: string | null): value is Language => languages.some((one) => one === value);

/** All scopes in which a person can act, the personal one first: each team is one. */
export async function scopesOf(ctx: Ctx, userId: string, joined?: readonly Membership[]): Promise<ScopeView[]> {
  const rows = await ctx.db.orm
    .select()
    .from(userScopes)
    .where(eq(userScopes.userId, userId))
    .orderBy(userScopes.scopeName, userScopes.roleName);
  const teams = (joined ?? (await membershipsOf(ctx.db.orm, userId))).filter(({ type }) => type === 'team');
  return [
    personalScope,
    ...teams.toSorted(byName).map(({ id, name, role }) => ({
      scope_id: id,
      scope_name: name,
      role_id: role,
      role_name: groupRoleNames[role],
    })),
    ...rows.map((row) => ({
      scope_id: row.scopeId,
      scope_name: row.scopeName,
      role_id: row.roleId,
      role_name: row.roleName,
    })),
  ];
}

const byName = (a: { name: string; id: string }, b: { name: string; id: string }): number =>
  a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1);

/** The scope of this session if the person still has it; otherwise the personal one. */
async function currentScope(ctx: Ctx, joined?: readonly Membership[]): Promise<ScopeView> {
  if (!ctx.person || ctx.proof?.kind !== 'session') return personalScope;
  const [session] = await ctx.db.orm
    .select({ scopeId: sessions.scopeId, roleId: sessions.roleId })
    .from(sessions)
    .where(eq(sessions.hash, ctx.proof.sessionHash));
  if (!session?.scopeId) return personalScope;
  const scopes = await scopesOf(ctx, ctx.person.id, joined);
  return (
    scopes.find((scope) => scope.scope_id === session.scopeId && scope.role_id === session.roleId) ?? personalScope
  );
}

/** How many people can take part in a review, by the names of the specification. */
function reviewLimits({ config: { reviews } }: Ctx) {
  return {
    maxRelaxedReviewParticipants: reviews.relaxed,
    maxStrictReviewParticipants: reviews.strict,
    maxStudentReviewParticipants: reviews.student,
    maxReviewSupervisors: reviews.supervisors,
  };
}

/** Everything a page needs to know of its user. */
export async function sessionInfo(ctx: Ctx): Promise<SessionInfo> {
  const config = {
    outcomes: outcomeModelIds.map((id) => ({ id })),
    preferences: defaultPreferences,
    ...reviewLimits(ctx),
    discover: ctx.config.discover,
  };
  const nothing = { circles: [], groups: [], teams: [], forced: null };
  const { person } = ctx;
  const [row] = person ? await ctx.db.orm.select().from(users).where(eq(users.id, person.id)) : [];
  if (!person || !row) {
    return {
      principal: anonymousPrincipal,
      config,
      billing: null,
      scopes: [],
      account_types: [],
      invitations: [],
      operator: false,
      ...nothing,
    };
  }
  const joined = await membershipsOf(ctx.db.orm, person.id);
  const named = joined.toSorted(byName);
  const billing = await balanceOf(ctx, ctx.db.orm, person.id);
  return {
    principal: await principalView(ctx, row, { joined, billingInfo: billing.billingInfo }),
    config,
    billing,
    scopes: await scopesOf(ctx, person.id, joined),
    account_types: accountTypesFor(row.accountType, row.outcomeModels, rulingOf(joined)),
    invitations: await openInvitations(ctx, row),
    operator: isOperator(ctx.config, person),
    circles: [],
    groups: named.map(({ id, name }) => ({ id, name })),
    teams: named.flatMap(({ id, name, role, team, allowance }) =>
      team === null
        ? []
        : {
            ...{ id, name, role, maxDurationMins: team.maxDurationMins },
            quota: creditsOf(allowance?.quota ?? null),
            used: creditsOf(allowance?.used ?? 0n),
            pays: team.payerId !== null,
          },
    ),
    forced: forcedBy(rulingOf(joined)),
  };
}

function forcedBy(ruling: Ruling | null): SessionInfo['forced'] {
  const [accountType, outcomeModel] = [forcedType(ruling), forcedModel(ruling)];
  if (!ruling || (accountType === null && outcomeModel === null)) return null;
  return { team: { id: ruling.id, name: ruling.name }, accountType, outcomeModel };
}

/** Open invitations of the person, only once they have confirmed the address. */
async function openInvitations(ctx: Ctx, row: UserRow): Promise<SessionInfo['invitations']> {
  if (!row.confirmedAt) return [];
  const rows = await ctx.db.orm
    .select({ invitation: invitations, inviter: users, group: groups })
    .from(invitations)
    .leftJoin(users, eq(users.id, invitations.inviterId))
    .leftJoin(groups, and(eq(invitations.kind, 'team'), eq(groups.id, invitations.targetId)))
    .where(
      and(
        eq(invitations.emailKey, row.emailKey),
        // An accepted one waits until the recording is added.
        or(isNull(invitations.acceptedAt), and(eq(invitations.kind, 'recording'), eq(invitations.acceptedBy, row.id))),
        isNull(invitations.revokedAt),
        isNull(invitations.declinedAt),
        gt(invitations.expiresAt, ctx.clock.now()),
        // An archived group cannot be joined until it is reactivated.
        isNull(groups.archivedAt),
      ),
    )
    .limit(100);
  return rows.map(({ invitation, inviter, group }) => ({
    id: invitation.id,
    kind: invitation.kind,
    inviter: inviter ? `${inviter.firstName} ${inviter.lastName}`.trim() : '',
    expires: invitation.expiresAt.getTime(),
    group: group && { id: group.id, name: group.name },
  }));
}
