import { inArray } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { outcomeModels } from '#db/schema/outcome-models.ts';
import { isOwnModel } from '#shared/account-choices.ts';
import { learnSet, setOfType } from '#shared/meetings/own-types.ts';

/**
 * Learns the sets that these types are of, or that are named by their ids, as they are stored now. Permissions are the
 * business of callers: what is learnt is shown to nobody by itself.
 */
export async function learnTypes(orm: Orm, ids: Iterable<string | null>): Promise<void> {
  const sets = new Set([...ids].map((id) => (id === null ? null : isOwnModel(id) ? id : setOfType(id))));
  const wanted = [...sets].filter((id) => id !== null);
  if (wanted.length === 0) return;
  const rows = await orm
    .select({ id: outcomeModels.id, types: outcomeModels.types })
    .from(outcomeModels)
    .where(inArray(outcomeModels.id, wanted));
  for (const row of rows) learnSet(row);
}
