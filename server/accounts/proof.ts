import { eq } from 'drizzle-orm';
import { users } from '#db/schema/accounts.ts';
import { lifetimes } from '#shared/accounts.ts';
import { Problem, invalid } from '#shared/problems.ts';
import { inPerson, type Ctx } from '../context.ts';
import { rules } from '../limits.ts';

/**
 * Required before irreversible changes: proof that the session is in its owner's hands, by the password, or without one
 * by a recent sign-in at the provider.
 */
export async function proveAgain(ctx: Ctx, password: string | undefined): Promise<void> {
  const { person, proof } = inPerson(ctx);
  const [account] = await ctx.db.orm
    .select({ passwordHash: users.passwordHash })
    .from(users)
    .where(eq(users.id, person.id));
  if (!account) throw new Problem('UNAUTH');

  if (account.passwordHash === null) {
    const age = (ctx.clock.now().getTime() - proof.provedAt.getTime()) / 1000;
    if (age <= lifetimes.reauthentication) return;
    throw new Problem('NO_PERM', {
      message: 'Please sign in again first',
      info: { reauthenticate: ctx.identity?.id ?? null },
    });
  }
  if (password === undefined) throw invalid({ field: 'password', code: 'required' });
  // Counted before the check, so that many attempts at once are not all let through.
  await ctx.limits.take(rules.provePassword, person.id);
  if (!(await ctx.passwords.verify(account.passwordHash, password))) {
    throw invalid({ field: 'password', code: 'password_wrong' });
  }
  await ctx.limits.clear(rules.provePassword, person.id);
}
