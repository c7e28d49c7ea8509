import { and, eq, isNull, notExists, sql, type SQL } from 'drizzle-orm';
import type { Orm } from './open.ts';
import { meetingSets, outcomeModels } from './schema/outcome-models.ts';
import { reviews } from './schema/reviews.ts';

/**
 * Deletes those of these sets that no recording or review names, and tells how many. The others stay, as their words are
 * read there.
 */
export async function dropUnnamedSets(tx: Orm, which: SQL): Promise<number> {
  // Locked first: names that are being given are there afterwards.
  await tx.select({ id: outcomeModels.id }).from(outcomeModels).where(which).orderBy(outcomeModels.id).for('update');
  const one = sql`1`;
  const dropped = await tx
    .delete(outcomeModels)
    .where(
      and(
        which,
        notExists(tx.select({ one }).from(meetingSets).where(eq(meetingSets.setId, outcomeModels.id))),
        notExists(
          tx
            .select({ one })
            .from(reviews)
            .where(and(eq(reviews.outcomeModel, outcomeModels.id), isNull(reviews.deletedAt))),
        ),
      ),
    )
    .returning({ id: outcomeModels.id });
  return dropped.length;
}
