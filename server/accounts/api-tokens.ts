import { and, count, desc, eq } from 'drizzle-orm';
import type { z } from 'zod';
import { apiTokens, users } from '#db/schema/accounts.ts';
import { limits, type ApiTokenView, type newApiTokenView, type tokenInput } from '#shared/accounts.ts';
import { newId } from '#shared/ids.ts';
import { Problem, invalid } from '#shared/problems.ts';
import { inPerson, transaction, type Ctx } from '../context.ts';
import { hashOf, newSecret } from '../keys.ts';
import { rules } from '../limits.ts';

/** Prefix by which people and scanners recognize a token in a file or a log. */
const prefix = 'colloquy_';

/** Makes a token for programs, shown only once. A token cannot make other tokens, or a leak would never end. */
export async function createApiToken(
  ctx: Ctx,
  { name }: z.infer<typeof tokenInput>,
): Promise<z.infer<typeof newApiTokenView>> {
  const { person } = inPerson(ctx);
  await ctx.limits.take(rules.write, person.id);
  const id = newId();
  const token = prefix + newSecret();
  await transaction(ctx, async (tx) => {
    // The lock on the person's row makes two requests at once count each other's token.
    await tx.select({ id: users.id }).from(users).where(eq(users.id, person.id)).for('no key update');
    const [existing] = await tx.select({ count: count() }).from(apiTokens).where(eq(apiTokens.userId, person.id));
    if ((existing?.count ?? 0) >= limits.tokensPerPerson) throw invalid({ field: '', code: 'too_many' });
    await tx.insert(apiTokens).values({ id, userId: person.id, name, hash: hashOf(token), createdAt: ctx.clock.now() });
  });
  return { id, name, token };
}

export async function listApiTokens(ctx: Ctx): Promise<ApiTokenView[]> {
  const { person } = inPerson(ctx);
  const rows = await ctx.db.orm
    .select()
    .from(apiTokens)
    .where(eq(apiTokens.userId, person.id))
    .orderBy(desc(apiTokens.createdAt), desc(apiTokens.id));
  return rows.map(({ id, name, createdAt, usedAt }) => ({
    id,
    name,
    created: createdAt.getTime(),
    used: usedAt?.getTime() ?? null,
  }));
}

export async function deleteApiToken(ctx: Ctx, id: string): Promise<void> {
  const { person } = inPerson(ctx);
  await ctx.limits.take(rules.write, person.id);
  const deleted = await ctx.db.orm
    .delete(apiTokens)
    .where(and(eq(apiTokens.id, id), eq(apiTokens.userId, person.id)))
    .returning({ id: apiTokens.id });
  if (deleted.length === 0) throw new Problem('NOT_FOUND');
}
