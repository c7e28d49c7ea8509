import { eq } from 'drizzle-orm';
import { users } from '#db/schema/accounts.ts';
import { accountTypeIds } from '#shared/account-choices.ts';
import { limits, type MeInput, type Preferences, type SessionInfo } from '#shared/accounts.ts';
import { mergePreferences } from '#shared/preferences.ts';
import { Problem, invalid } from '#shared/problems.ts';
import { forcedModel, forcedType, offeredModels, rulingOf, type Ruling } from '#shared/team-rules.ts';
import { signedIn, transaction, type Ctx } from '../context.ts';
import { membershipsOf } from '../groups/teams.ts';
import { rules } from '../limits.ts';
import { sessionInfo } from './principal.ts';

type UserRow = typeof users.$inferSelect;

/** Changes the person's own settings; two tabs that change different settings at once both succeed. */
export async function changeMe(ctx: Ctx, input: MeInput): Promise<SessionInfo> {
  const { person } = signedIn(ctx);
  await ctx.limits.take(rules.write, person.id);
  await transaction(ctx, async (tx) => {
    const [row] = await tx.select().from(users).where(eq(users.id, person.id)).for('no key update');
    if (!row) throw new Problem('UNAUTH');
    const ruling = rulingOf(await membershipsOf(tx, person.id));
    const forced = { accountType: forcedType(ruling), outcomeModel: forcedModel(ruling) };
    for (const field of ['accountType', 'outcomeModel'] as const)
      if (forced[field] !== null && input[field] !== undefined && input[field] !== forced[field])
        throw new Problem('NO_PERM', {
          message: `The team ${ruling?.name ?? ''} has set this`,
          info: { team: ruling && { id: ruling.id, name: ruling.name } },
        });
    const accountType = input.accountType ?? row.accountType;
    await tx
      .update(users)
      .set({
        accountType,
        outcomeModels: withModel(row.outcomeModels, forced.accountType ?? accountType, input.outcomeModel, ruling),
        preferences: withPreferences(row.preferences, input.preferences),
        language: input.language ?? row.language,
      })
      .where(eq(users.id, person.id));
  });
  return sessionInfo(ctx);
}

/** Outcome models of the person, one for each account type. */
function withModel(
  models: UserRow['outcomeModels'],
  typed: string | null,
  model: string | undefined,
  ruling: Ruling | null,
) {
  if (model === undefined) return models;
  const type = accountTypeIds.find((id) => id === typed);
  const offered: readonly string[] = type ? offeredModels(type, ruling) : [];
  if (!type || !offered.includes(model)) throw invalid({ field: 'outcomeModel', code: 'invalid' });
  return { ...models, [type]: model };
}

function withPreferences(kept: UserRow['preferences'], given: Preferences | undefined): Preferences {
  if (given === undefined) return kept;
  const merged = mergePreferences(kept, given);
  const size = new TextEncoder().encode(JSON.stringify(merged)).length;
  if (size > limits.preferencesBytes) throw invalid({ field: 'preferences', code: 'too_long' });
  return merged;
}
