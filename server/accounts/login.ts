import { and, eq, sql } from 'drizzle-orm';
import { users } from '#db/schema/accounts.ts';
import { emailKey, isYes, type LoginInput } from '#shared/accounts.ts';
import { Problem } from '#shared/problems.ts';
import { inPerson, transaction, type Ctx } from '../context.ts';
import { rules } from '../limits.ts';
import { ownerOf } from '../people/addresses.ts';
import { principalOf } from './principal.ts';
import { endSession, endSessions, startSession } from '../people/sessions.ts';

/**
 * Signs in by password. Unknown, unconfirmed and password-less accounts and wrong passwords take the same time and get
 * the same answer. An attempt is counted before the password is checked, so that many at once are not all let through;
 * a success is taken back, so that it does not count against the owner.
 */
export async function logIn(ctx: Ctx, input: LoginInput, device: { userId: string; id: string } | null) {
  const key = emailKey(input.email);
  const account = await ownerOf(ctx.db.orm, key);
  const known = device !== null && device.userId === account?.id;
  const counts: [(typeof rules)[keyof typeof rules], string][] = known
    ? [[rules.loginDevice, device.id]]
    : [
        [rules.loginAddress, ctx.address],
        [rules.loginAccount, key],
        [rules.loginHouse, 'all'],
      ];
  for (const [rule, of] of counts) await ctx.limits.take(rule, of);

  const right = await ctx.passwords.verify(account?.passwordHash ?? null, input.password);
  if (!right || !account) throw refused(ctx);
  for (const [rule, of] of counts) await ctx.limits.giveBack(rule, of);
  if (!known) await ctx.limits.clear(rules.loginAccount, key);

  const session = await transaction(ctx, async (tx) => {
    // Fails if the password or the address was changed while the password was being verified.
    const [unchanged] = await tx
      .select({ id: users.id })
      .from(users)
      .where(
        and(eq(users.id, account.id), eq(users.emailKey, key), sql`${users.passwordHash} = ${account.passwordHash}`),
      )
      .for('share');
    if (!unchanged) throw refused(ctx);
    // An earlier session of this browser ends, so that a planted session id is worthless.
    if (ctx.proof?.kind === 'session') await endSession(tx, ctx.proof.sessionHash);
    return startSession(ctx, tx, { userId: account.id, remember: isYes(input.remember), userAgent: ctx.userAgent });
  });
  ctx.metrics.signIns.inc({ result: 'ok' });
  return { session, userId: account.id, user: await principalOf(ctx, account.id) };
}

function refused(ctx: Ctx): Problem {
  ctx.metrics.signIns.inc({ result: 'refused' });
  return new Problem('UNAUTH', {
    message: 'The e-mail or the password is wrong',
    errors: [{ field: '', code: 'login' }],
  });
}

export async function logOut(ctx: Ctx): Promise<void> {
  if (ctx.proof?.kind === 'session') await endSession(ctx.db.orm, ctx.proof.sessionHash);
}

/** Ends all other sessions of the person. */
export async function logOutElsewhere(ctx: Ctx): Promise<void> {
  const { person, proof } = inPerson(ctx);
  await ctx.limits.take(rules.write, person.id);
  await endSessions(ctx.db.orm, person.id, proof.sessionHash);
}
