import { and, eq, isNotNull } from 'drizzle-orm';
import { users } from '#db/schema/accounts.ts';
import { emailKey, isYes, type LoginInput } from '#shared/accounts.ts';
import { Problem } from '#shared/problems.ts';
import { transaction, type Ctx } from '../context.ts';
import { rules } from '../limits.ts';
import { principalOf } from './principal.ts';
import { endSession, endSessions, startSession } from './sessions.ts';

/**
 * Signs in by password. Unknown, unconfirmed, password-less and mistyped all take the same work and get the same
 * answer. Only failures are counted, so nobody is kept out of their own account by somebody else's successes.
 */
export async function logIn(ctx: Ctx, input: LoginInput, device: { userId: string; id: string } | null) {
  const key = emailKey(input.email);
  const [account] = await ctx.db.orm
    .select({ id: users.id, passwordHash: users.passwordHash })
    .from(users)
    .where(and(eq(users.emailKey, key), isNotNull(users.confirmedAt)));
  const known = device !== null && device.userId === account?.id;
  const counts: [(typeof rules)[keyof typeof rules], string][] = known
    ? [[rules.loginDevice, device.id]]
    : [
        [rules.loginAccount, key],
        [rules.loginAddress, ctx.address],
        [rules.loginHouse, 'all'],
      ];
  for (const [rule, of] of counts) await ctx.limits.check(rule, of);

  if (!(await ctx.passwords.verify(account?.passwordHash ?? null, input.password)) || !account) {
    for (const [rule, of] of counts) await ctx.limits.allow(rule, of);
    ctx.metrics.signIns.inc({ result: 'refused' });
    throw new Problem('UNAUTH', { message: 'The e-mail or the password is wrong', errors: [{ field: '', code: 'login' }] });
  }
  if (!known) await ctx.limits.clear(rules.loginAccount, key);

  const session = await transaction(ctx, async (tx) => {
    // Whatever session this browser had before is over: an id planted earlier is worth nothing.
    if (ctx.proof?.kind === 'session') await endSession(tx, ctx.proof.sessionHash);
    return startSession(ctx, tx, { userId: account.id, remember: isYes(input.remember), userAgent: ctx.userAgent });
  });
  ctx.metrics.signIns.inc({ result: 'ok' });
  return { session, userId: account.id, user: await principalOf(ctx, account.id) };
}

export async function logOut(ctx: Ctx): Promise<void> {
  if (ctx.proof?.kind === 'session') await endSession(ctx.db.orm, ctx.proof.sessionHash);
}

/** Everywhere but here. */
export async function logOutElsewhere(ctx: Ctx): Promise<void> {
  if (!ctx.person || ctx.proof?.kind !== 'session') throw new Problem('UNAUTH');
  await endSessions(ctx.db.orm, ctx.person.id, ctx.proof.sessionHash);
}
