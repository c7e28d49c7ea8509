import { eq } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { isModelId, type ModelId } from '#shared/account-choices.ts';
import { accountTypesFor } from '#shared/accounts.ts';
import { forcedModel, rulingOf } from '#shared/team-rules.ts';
import { membershipsOf } from '../groups/teams.ts';

/** Account type and set of outcome types that a person has chosen, or that a team of theirs forces. */
export async function chosenBy(
  orm: Orm,
  personId: string,
): Promise<{ accountType: string | null; model: ModelId | null }> {
  const [row] = await orm
    .select({ accountType: users.accountType, models: users.outcomeModels })
    .from(users)
    .where(eq(users.id, personId));
  const ruling = rulingOf(await membershipsOf(orm, personId));
  const type = row && accountTypesFor(row.accountType, row.models, ruling).find(({ active }) => active);
  const model = type?.models.find(({ active }) => active)?.id ?? forcedModel(ruling);
  return { accountType: type?.id ?? null, model: isModelId(model) ? model : null };
}
