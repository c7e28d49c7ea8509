import { eq } from 'drizzle-orm';
import type { z } from 'zod';
import { sessions } from '#db/schema/accounts.ts';
import type { SessionInfo, scopeInput } from '#shared/accounts.ts';
import { Problem } from '#shared/problems.ts';
import { inPerson, type Ctx } from '../context.ts';
import { rules } from '../limits.ts';
import { scopesOf, sessionInfo } from './principal.ts';

/** Changes the scope of this session; other sessions of the person keep theirs. */
export async function changeScope(ctx: Ctx, { scope }: z.infer<typeof scopeInput>): Promise<SessionInfo> {
  const { person, proof } = inPerson(ctx);
  await ctx.limits.take(rules.write, person.id);
  const scopes = await scopesOf(ctx, person.id);
  if (!scopes.some((one) => one.scope_id === scope.scope_id && one.role_id === scope.role_id))
    throw new Problem('NO_PERM');
  await ctx.db.orm
    .update(sessions)
    .set({ scopeId: scope.scope_id, roleId: scope.role_id })
    .where(eq(sessions.hash, proof.sessionHash));
  return sessionInfo(ctx);
}
